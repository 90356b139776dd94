# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Work that takes long, away from the thread that spins the node.

rclpy polls a coroutine callback that awaits a pending Future once per turn of its executor and
then sleeps until something is ready; it does not busy-loop. But in the rclpy of Jazzy and of
Kilted a Future that gets its result in another thread wakes nobody, so the executor would pick
the result up only at its next timer. Hence the explicit `wake` after every result.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future as ThreadFuture
from concurrent.futures import ThreadPoolExecutor
import threading
from typing import Any, TypeVar

from rclpy.task import Future

T = TypeVar('T')


class Worker:
    """
    Threads that run functions for coroutines of the executor.

    Parameters
    ----------
    threads : int
        How many functions run at the same time.
    wake : callable
        Called from the worker thread after each result; makes the executor look again.
    name : str
        Prefix of the thread names, seen in debuggers and in `top -H`.

    """

    def __init__(self, threads: int, wake: Callable[[], None], name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._wake = wake
        self._pending = 0
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether a function is running or waits for a thread."""
        return self._pending > 0

    def submit(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> Future[T]:
        """
        Start a function in a worker thread; its result arrives in an awaitable rclpy Future.

        Parameters
        ----------
        function : callable
            Must not touch rclpy.
        *args, **kwargs
            Passed on.

        Returns
        -------
        rclpy.task.Future
            Await it in a coroutine callback; what the function raises is raised there.

        """
        answer: Future[T] = Future()

        def deliver(job: ThreadFuture[T]) -> None:
            with self._lock:
                self._pending -= 1
            if job.cancelled():
                return
            error = job.exception()
            if error is None:
                answer.set_result(job.result())
            else:
                answer.set_exception(error)
            self._wake()

        with self._lock:
            self._pending += 1
        self._pool.submit(function, *args, **kwargs).add_done_callback(deliver)
        return answer

    def close(self) -> None:
        """Drop what has not started and do not wait for what has."""
        self._pool.shutdown(wait=False, cancel_futures=True)
