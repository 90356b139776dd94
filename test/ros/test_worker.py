# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
import time
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy')

from ik_node.ros.worker import Worker  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402


def run(worker: Worker, executor: Any, function: Any, *args: Any) -> Any:
    """Await a function as a callback of a node would."""

    async def job() -> Any:
        return await worker.submit(function, *args)

    task = executor.create_task(job)
    end = time.monotonic() + 10.0
    while not task.done():
        assert time.monotonic() < end
        executor.spin_once(timeout_sec=5.0)
    return task.result()


def test_a_result_wakes_the_executor(ros: None) -> None:
    executor = SingleThreadedExecutor()
    worker = Worker(1, executor.wake, 'test')
    start = time.monotonic()
    assert run(worker, executor, lambda x: x + 1, 41) == 42
    # Without the wake the spin would last 5 s.
    assert time.monotonic() - start < 2.0
    assert not worker.busy
    worker.close()


def test_waiting_takes_no_processor_time(ros: None) -> None:
    executor = SingleThreadedExecutor()
    worker = Worker(1, executor.wake, 'test')
    start = time.thread_time()
    run(worker, executor, time.sleep, 1.0)
    assert time.thread_time() - start < 0.2
    worker.close()


def test_an_exception_arrives_where_it_is_awaited(ros: None) -> None:
    executor = SingleThreadedExecutor()
    worker = Worker(1, executor.wake, 'test')

    def fail() -> None:
        raise ValueError('as told')

    with pytest.raises(ValueError, match='as told'):
        run(worker, executor, fail)
    worker.close()


def test_closing_drops_what_has_not_started() -> None:
    worker = Worker(1, lambda: None, 'test')
    gate, ran = threading.Event(), []
    worker.submit(gate.wait, 10.0)
    worker.submit(ran.append, 1)
    assert worker.busy
    worker.close()
    gate.set()
    end = time.monotonic() + 5.0
    while worker.busy and time.monotonic() < end:
        time.sleep(0.01)
    assert not worker.busy
    assert ran == []
