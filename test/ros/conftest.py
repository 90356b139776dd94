# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Real nodes in real processes, and one client that talks to them over DDS.

Every node gets a namespace of its own and the whole run a domain of its own, so neither another
run on the same machine nor another test of this one is ever heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import itertools
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

try:
    from geometry_msgs.msg import PoseStamped
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from sensor_msgs.msg import JointState

    from ik_node_interfaces import srv

    CALCULATIONS = {
        'solve': srv.Solve,
        'step': srv.Step,
        'solve_batch': srv.SolveBatch,
        'find_config': srv.FindConfig,
        'compute_jacobian': srv.ComputeJacobian,
        'joint_velocities': srv.JointVelocities,
        'forward_kinematics': srv.ForwardKinematics,
    }
    KINDS = {
        **CALCULATIONS,
        'handle_groups': srv.HandleGroups,
        'create_environment': srv.CreateEnvironment,
        'duplicate_environment': srv.DuplicateEnvironment,
        'erase_environment': srv.EraseEnvironment,
        'switch_environment': srv.SwitchEnvironment,
        'list_environments': srv.ListEnvironments,
        'save_environment': srv.SaveEnvironment,
        'load_environment': srv.LoadEnvironment,
        'get_objects': srv.GetObjects,
        'set_object': srv.SetObject,
        'get_joint': srv.GetJoint,
        'set_joint': srv.SetJoint,
        'get_group': srv.GetGroup,
        'set_group': srv.SetGroup,
        'erase': srv.Erase,
    }
    #: Where an empty request does something, one that is refused.
    GREETINGS = {
        srv.HandleGroups: srv.HandleGroups.Request(environment='nobody'),
        srv.JointVelocities: srv.JointVelocities.Request(environment='nobody'),
        srv.EraseEnvironment: srv.EraseEnvironment.Request(environment='nobody'),
        srv.SaveEnvironment: srv.SaveEnvironment.Request(environment='nobody'),
    }
except ImportError:
    collect_ignore_glob = ['test_*.py']

ROBOTS = Path(__file__).resolve().parents[2] / 'config' / 'robots'
#: [s] The very first node of a machine compiles its kernels.
PATIENCE = 180.0
_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.ros)
            # ROS loads its parsers when a type is first used, and they are older than Python.
            item.add_marker(pytest.mark.filterwarnings('ignore::DeprecationWarning'))


class NodeProcess:
    """The node in a process of its own."""

    def __init__(
        self,
        folder: Path,
        parameters: dict[str, Any],
        arguments: list[str],
        program: Sequence[str] = ('-m', 'ik_node.ros.main'),
    ) -> None:
        self.namespace = f'/n{next(_numbers)}'
        self.name = f'{self.namespace}/ik_node'
        file = folder / f'{self.namespace[1:]}.yaml'
        # JSON is YAML, and its strings stay strings.
        file.write_text(json.dumps({'/**': {'ros__parameters': parameters}}))
        self._log = folder / f'{self.namespace[1:]}.txt'
        with self._log.open('wb') as output:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    *program,
                    '--ros-args',
                    '-r',
                    f'__ns:={self.namespace}',
                    '--params-file',
                    str(file),
                    *arguments,
                ],
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )

    @property
    def log(self) -> str:
        return self._log.read_text(errors='replace')

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def wait_for_log(self, text: str, count: int = 1, seconds: float = PATIENCE) -> None:
        """Wait until the node has logged a text so many times."""
        end = time.monotonic() + seconds
        while self.log.count(text) < count:
            assert time.monotonic() < end, f'{text!r} is not in the log:\n{self.log}'
            assert self.alive, f'the node ended:\n{self.log}'
            time.sleep(0.02)

    def stop(self, number: int = signal.SIGINT, seconds: float = 15.0) -> int:
        if self.alive:
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


class Caller:
    """One client node; everything waits in `spin_until`, the only place that spins."""

    def __init__(self) -> None:
        self.node = rclpy.create_node(f'caller_{os.getpid()}')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._clients: dict[str, Any] = {}

    def take(self, node: Any) -> None:
        """Spin another node along."""
        self._executor.add_node(node)

    def drop(self, node: Any) -> None:
        self._executor.remove_node(node)
        node.destroy_node()

    def spin_until(self, done: Callable[[], bool], seconds: float = 20.0) -> None:
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f'waited {seconds} s in vain'
            self._executor.spin_once(timeout_sec=0.1)

    def spin_for(self, seconds: float, done: Callable[[], bool] = lambda: False) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not done():
            self._executor.spin_once(timeout_sec=0.02)

    def client(self, name: str, kind: Any) -> Any:
        """
        Make a client that is known to get its answers.

        The reply to a client that has just started can be lost: the server may discover where to
        send replies later than the client discovers where to send requests. So the first request,
        which does nothing, is repeated until it is answered; every later one is sent once.
        """
        if name not in self._clients:
            client = self._clients[name] = self.node.create_client(kind, name)
            self.spin_until(client.service_is_ready, PATIENCE)
            greetings: list[Any] = []
            end = time.monotonic() + PATIENCE
            while not any(future.done() for future in greetings):
                assert time.monotonic() < end, f'{name} does not answer'
                greetings.append(client.call_async(GREETINGS.get(kind, kind.Request())))
                self.spin_for(3.0, lambda: any(future.done() for future in greetings))
        return self._clients[name]

    def send(self, node: NodeProcess, name: str, request: Any) -> Any:
        """Future of the answer of one of the services."""
        return self.client(f'{node.name}/{name}', KINDS[name]).call_async(request)

    def call(self, node: NodeProcess, name: str, request: Any, seconds: float = 20.0) -> Any:
        future = self.send(node, name, request)
        self.spin_until(future.done, seconds)
        return future.result()

    def call_other(self, name: str, kind: Any, request: Any) -> Any:
        future = self.client(name, kind).call_async(request)
        self.spin_until(future.done)
        return future.result()

    def wait_until_ready(self, node: NodeProcess, seconds: float = PATIENCE) -> None:
        """Wait for the ready line and for the services that calculate."""
        node.wait_for_log('ready: ', seconds=seconds)
        for name, kind in CALCULATIONS.items():
            self.client(f'{node.name}/{name}', kind)


class MoveItCaller:
    """Calls of MoveIt's services; requests are spelt as keywords."""

    def __init__(self, caller: Caller) -> None:
        from moveit_msgs.srv import GetPositionFK, GetPositionIK

        self.caller = caller
        self.forward, self.inverse = GetPositionFK, GetPositionIK

    def request(
        self,
        group: str,
        pose: PoseStamped | None = None,
        seed: dict[str, float] | None = None,
        *,
        timeout: float = 0.0,
        is_diff: bool = False,
        **fields: Any,
    ) -> Any:
        request = self.inverse.Request()
        asked = request.ik_request
        asked.group_name = group
        if pose is not None:
            asked.pose_stamped = pose
        asked.robot_state.joint_state = Messages.joints(seed or {})
        asked.robot_state.is_diff = is_diff
        asked.timeout.sec = int(timeout)
        asked.timeout.nanosec = round(1e9 * (timeout - int(timeout)))
        for name, value in fields.items():
            setattr(asked, name, value)
        return request

    def ask(self, node: NodeProcess, request: Any, service: str = 'compute_ik') -> Any:
        return self.caller.call_other(f'{node.namespace}/{service}', self.inverse, request)

    def ik(self, node: NodeProcess, *arguments: Any, **fields: Any) -> Any:
        return self.ask(node, self.request(*arguments, **fields))

    def fk(
        self,
        node: NodeProcess,
        links: list[str],
        seed: dict[str, float] | None = None,
        frame: str = '',
    ) -> Any:
        request = self.forward.Request(fk_link_names=links)
        request.header.frame_id = frame
        request.robot_state.joint_state = Messages.joints(seed or {})
        return self.caller.call_other(f'{node.namespace}/compute_fk', self.forward, request)

    @staticmethod
    def values(answer: Any) -> dict[str, float]:
        assert answer.error_code.val == 1, answer.error_code
        state = answer.solution.joint_state
        return dict(zip(state.name, state.position, strict=True))


class Messages:
    """Short spellings of the messages that tests send."""

    @staticmethod
    def joints(positions: dict[str, float]) -> JointState:
        return JointState(name=list(positions), position=[float(x) for x in positions.values()])

    @staticmethod
    def pose(
        position: tuple[float, float, float] = (0.4, 0.1, 0.4),
        quat_xyzw: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0),
        frame: str = '',
    ) -> PoseStamped:
        message = PoseStamped()
        message.header.frame_id = frame
        point, turn = message.pose.position, message.pose.orientation
        point.x, point.y, point.z = map(float, position)
        turn.x, turn.y, turn.z, turn.w = map(float, quat_xyzw)
        return message


@pytest.fixture(scope='session', autouse=True)
def ros() -> Iterator[None]:
    """Initialise rclpy in a domain of this run."""
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # Above 101 the ports of a domain can collide with those that the system hands out.
    os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 100)
    rclpy.init()
    yield
    rclpy.try_shutdown()


@pytest.fixture(scope='session')
def caller(ros: None) -> Caller:
    return Caller()


@pytest.fixture(scope='session')
def moveit(caller: Caller) -> MoveItCaller:
    return MoveItCaller(caller)


@pytest.fixture(scope='session')
def messages() -> type[Messages]:
    return Messages


@pytest.fixture(scope='session')
def robots() -> Path:
    return ROBOTS


@pytest.fixture
def start_node(ros: None, tmp_path: Path) -> Iterator[Callable[..., NodeProcess]]:
    """Start nodes that end with the test."""
    nodes: list[NodeProcess] = []

    def start(*arguments: str, **parameters: Any) -> NodeProcess:
        nodes.append(NodeProcess(tmp_path, parameters, list(arguments)))
        return nodes[-1]

    yield start
    for node in nodes:
        node.stop()


@pytest.fixture
def start_program(ros: None, tmp_path: Path) -> Iterator[Callable[..., NodeProcess]]:
    """Start programs that make a node of their own; they end with the test."""
    nodes: list[NodeProcess] = []

    def start(source: str, **parameters: Any) -> NodeProcess:
        script = tmp_path / f'program_{len(nodes)}.py'
        script.write_text(source)
        nodes.append(NodeProcess(tmp_path, parameters, [], [str(script)]))
        return nodes[-1]

    yield start
    for node in nodes:
        node.stop()


@pytest.fixture(scope='session')
def test_robots() -> Path:
    return Path(__file__).resolve().parents[1] / 'robots'


@pytest.fixture(scope='module')
def start_shared(
    caller: Caller, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., NodeProcess]]:
    """Start nodes that are shared by the tests of a module."""
    nodes: list[NodeProcess] = []

    def start(*arguments: str, **parameters: Any) -> NodeProcess:
        nodes.append(NodeProcess(tmp_path_factory.mktemp('node'), parameters, list(arguments)))
        nodes[-1].wait_for_log('ready: ')
        return nodes[-1]

    yield start
    codes = [node.stop() for node in nodes]
    assert codes == [0] * len(nodes), nodes[0].log
    assert not any('Traceback' in node.log for node in nodes)


@pytest.fixture(scope='module')
def panda(
    caller: Caller,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[NodeProcess]:
    """Start a node with the Panda, shared by the tests of a module."""
    node = NodeProcess(
        tmp_path_factory.mktemp('panda'),
        {
            'robot_description_file': str(ROBOTS / 'panda.urdf'),
            'base': 'panda_link0',
            'tip': 'panda_hand_tcp',
        },
        [],
    )
    try:
        caller.wait_until_ready(node)
        yield node
        assert node.alive, node.log
    finally:
        code = node.stop()
    assert code == 0, node.log
    assert 'Traceback' not in node.log


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(7)
