# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo's two processes: the real node as a child, and the client that talks to it."""

from __future__ import annotations

from collections.abc import Callable
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor

from ik_node_interfaces.srv import ComputeJacobian, FindConfig, ForwardKinematics, Solve

KINDS = {
    'solve': Solve,
    'find_config': FindConfig,
    'compute_jacobian': ComputeJacobian,
    'forward_kinematics': ForwardKinematics,
}


class DemoError(Exception):
    """The demo cannot go on, and why."""


class NodeProcess:
    """
    The node in a process of its own, ended with the `with` block whatever happens.

    Parameters
    ----------
    parameters : dict
        Values of the node's parameters.
    namespace : str
        Keeps this node apart from others in the same domain.

    """

    def __init__(self, parameters: dict[str, Any], namespace: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix='ik_node_demo_')
        folder = Path(self._folder.name)
        # A file, and in quotes: on the command line a link called "1" would be a number.
        (folder / 'parameters.yaml').write_text(
            json.dumps({'/**': {'ros__parameters': parameters}})
        )
        self._output = folder / 'output.txt'
        with self._output.open('wb') as output:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    '-m',
                    'ik_node.ros.main',
                    '--ros-args',
                    '-r',
                    f'__ns:={namespace}',
                    '--params-file',
                    str(folder / 'parameters.yaml'),
                ],
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        self.exit_code: int | None = None

    @property
    def output(self) -> str:
        """What the node has printed so far."""
        return self._output.read_text(errors='replace')

    def check(self) -> None:
        """Raise DemoError when the node has ended."""
        code = self._process.poll()
        if code is not None:
            raise DemoError(f'the node ended with exit code {code}; it printed:\n{self.output}')

    def stop(self) -> int:
        """End the node as Ctrl-C does and return its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self.exit_code = self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self.exit_code = self._process.wait()
        return self.exit_code

    def __enter__(self) -> NodeProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._folder.cleanup()


class Client:
    """
    Blocking calls of the four services.

    There is one place that spins, `_wait`: a client that spins anew for each request, as
    `spin_until_future_complete` does, becomes slower with every call on Jazzy.

    Parameters
    ----------
    namespace : str
        The namespace of the node.
    alive : callable
        Called while waiting; raises when waiting has become pointless.

    """

    def __init__(self, namespace: str, alive: Callable[[], None]) -> None:
        self._alive = alive
        self._node = rclpy.create_node(f'ik_node_demo_{os.getpid()}')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._clients = {
            name: self._node.create_client(kind, f'{namespace}/ik_node/{name}')
            for name, kind in KINDS.items()
        }

    def _wait(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        start = time.monotonic()
        told = start
        while not done():
            self._executor.spin_once(timeout_sec=0.1)
            self._alive()
            now = time.monotonic()
            if now - told > 2.0:
                print(f'  waiting for {what}: {now - start:.0f} s', flush=True)
                told = now
            if now - start > seconds:
                raise DemoError(f'waited {seconds:.0f} s for {what} in vain')

    def wait_for_services(self, seconds: float) -> None:
        """
        Wait until all services are there and answer.

        The reply to a client that has just started can be lost: the server may discover where to
        send replies later than the client discovers where to send requests. So a first, empty
        request is repeated until it is answered; every later one is sent once.
        """
        for name, client in self._clients.items():
            self._wait(client.service_is_ready, seconds, f'the service {name}')
            greetings: list[Any] = []

            def answered(name: str = name, greetings: list[Any] = greetings) -> bool:
                now = time.monotonic()
                if not greetings or now - greetings[-1][0] > 3.0:
                    request = KINDS[name].Request()
                    greetings.append((now, self._clients[name].call_async(request)))
                return any(future.done() for _, future in greetings)

            self._wait(answered, seconds, f'an answer of {name}')

    def call(self, name: str, request: Any, seconds: float = 20.0) -> Any:
        """
        Send a request and wait for its answer.

        Parameters
        ----------
        name : str
            Key of `KINDS`.
        request : object
            Message of that kind.
        seconds : float
            Longest wait [s].

        """
        future = self._clients[name].call_async(request)
        self._wait(future.done, seconds, f'an answer of {name}')
        return future.result()

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self._node.destroy_node()
