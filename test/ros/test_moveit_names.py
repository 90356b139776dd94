# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Which of MoveIt's services there are, under which names, and what else they are told."""

from __future__ import annotations

from importlib.metadata import entry_points
import os
from pathlib import Path
from typing import Any

import ik_node
from ik_node.moveit import KinematicsPlugin
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from ik_node_interfaces.srv import Solve  # noqa: E402

UP = {'j1': -0.5, 'j2': 1.0, 'j3': 0.2}
KINDS = ('moveit_msgs/srv/GetPositionIK', 'moveit_msgs/srv/GetPositionFK')


def offered(caller: Any, node: Any) -> dict[str, str]:
    """MoveIt's services of a node, as the graph has them."""
    node.wait_for_log('ready: ')
    caller.client(f'{node.name}/solve', Solve)
    graph = caller.node
    # What a node offers is known later than that somebody offers it.
    caller.spin_until(
        lambda: ('ik_node', node.namespace) in graph.get_node_names_and_namespaces(), 60.0
    )
    found: dict[str, list[str]] = {}

    def known() -> bool:
        found.update(graph.get_service_names_and_types_by_node('ik_node', node.namespace))
        return f'{node.name}/erase' in found

    caller.spin_until(known, 60.0)
    return {
        name.removeprefix(f'{node.namespace}/'): kinds[0]
        for name, kinds in found.items()
        if kinds[0] in KINDS
    }


def test_the_usual_names(caller: Any, start_node: Any, test_robots: Path) -> None:
    node = start_node(robot_description_file=str(test_robots / 'planar_2r.urdf'))
    inverse, forward = KINDS
    wanted = {'compute_ik': inverse, 'solve_ik': inverse, 'compute_fk': forward}
    caller.spin_until(lambda: offered(caller, node) == wanted, 60.0)


def test_other_names_and_none(
    caller: Any, moveit: Any, start_node: Any, test_robots: Path
) -> None:
    node = start_node(
        robot_description_file=str(test_robots / 'planar_2r.urdf'),
        compute_ik_service='inverse',
        compute_fk_service='none',
        solve_ik_service='~/for_moveit',
    )
    wanted = {'inverse', 'ik_node/for_moveit'}
    caller.spin_until(lambda: set(offered(caller, node)) == wanted, 60.0)
    answer = moveit.ask(node, moveit.request('nobody'), 'inverse')
    assert answer.error_code.val == -15


def test_another_server_of_the_same_name_is_warned_of(start_node: Any, test_robots: Path) -> None:
    """As a move_group in the same namespace would be."""
    robot = str(test_robots / 'planar_2r.urdf')
    first = start_node(
        robot_description_file=robot, compute_ik_service='/shared/ik', compute_fk_service='none'
    )
    first.wait_for_log('ready: ')
    second = start_node(robot_description_file=robot, compute_ik_service='/shared/ik')
    second.wait_for_log('another node answers /shared/ik as well', seconds=60.0)
    assert 'set compute_ik_service to none' in second.log
    assert 'compute_fk' not in second.log
    assert 'solve_ik' not in second.log


def test_reasons_are_in_the_log_as_well(
    moveit: Any, messages: Any, start_node: Any, test_robots: Path
) -> None:
    """For distributions whose error codes have no message."""
    node = start_node(
        '--log-level',
        'debug',
        robot_description_file=str(test_robots / 'planar_2r.urdf'),
    )
    for group, pose in (('nobody', messages.pose()), ('arm', messages.pose((9.0, 0.0, 0.0)))):
        told = moveit.ik(node, group, pose).error_code
        node.wait_for_log(f': {told.val}: {told.message}', seconds=20.0)


def test_a_name_that_is_none(start_node: Any, test_robots: Path) -> None:
    node = start_node(
        robot_description_file=str(test_robots / 'planar_2r.urdf'),
        compute_ik_service='no name!',
    )
    assert node.process.wait(60) == 1
    assert "parameter 'compute_ik_service': 'no name!' is no name of a service" in node.log
    assert 'Traceback' not in node.log


def test_without_the_messages_there_are_no_services(
    caller: Any,
    start_node: Any,
    test_robots: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A package of that name without services stands for a machine that has none."""
    (tmp_path / 'moveit_msgs').mkdir()
    (tmp_path / 'moveit_msgs' / '__init__.py').write_text('')
    path = os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])
    monkeypatch.setenv('PYTHONPATH', path)
    node = start_node(robot_description_file=str(test_robots / 'planar_2r.urdf'))
    assert offered(caller, node) == {}
    assert 'the package moveit_msgs cannot be imported' in node.log
    assert 'compute_ik_service, compute_fk_service, solve_ik_service to none' in node.log


def test_before_there_is_a_robot(moveit: Any, start_node: Any) -> None:
    node = start_node()
    node.wait_for_log('there is no robot description yet')
    for answer in (moveit.ik(node, 'arm'), moveit.fk(node, ['tip'])):
        assert answer.error_code.val == 99999
        assert 'there is no robot description yet' in answer.error_code.message


def test_the_plugin_is_an_entry_point_of_what_is_installed() -> None:
    own = entry_points(group='ik_node.kinematics_plugins', name='ik_node/KinematicsPlugin')
    assert {entry.load() for entry in own} == {KinematicsPlugin}


def test_moveit_msgs_is_imported_by_the_services_alone() -> None:
    source = Path(ik_node.__file__).parent
    importers = [
        path.name for path in source.rglob('*.py') if 'from moveit_msgs' in path.read_text()
    ]
    assert importers == ['moveit_services.py']
