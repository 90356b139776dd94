# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The `ros2 service call` lines of the documents do what they say, one after another."""

from __future__ import annotations

from collections.abc import Callable
import importlib
from pathlib import Path
import re
import shlex
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')
yaml = pytest.importorskip('yaml')

import ik_node  # noqa: E402
from ik_node.ros.demo_kinematics import Robot  # noqa: E402
from ik_node.ros.target_conversions import tool_direction, wanted  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402

DOCUMENTS = Path(__file__).resolve().parents[2] / 'docs'
DOCUMENT = (DOCUMENTS / 'ros.md').read_text()
TARGETS = (DOCUMENTS / 'targets.md').read_text()


def calls(document: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Service, type and values of each line, as the shell and ros2 would read it."""
    found = []
    for block in re.findall(r'```(?:python)?\n(.*?)```', document, re.DOTALL):
        for call in block.replace('\\\n', ' ').split('ros2 service call ')[1:]:
            if 'xacro' in call:
                continue  # the shell puts a file in there
            name, kind, *values = shlex.split(call)
            found.append((name.removeprefix('/ik_node/'), kind, yaml.safe_load(*values or ['{}'])))
    return found


def fill(message: Any, values: dict[str, Any]) -> Any:
    """Put values into a message, as ros2 does."""
    for name, value in values.items():
        present = getattr(message, name)
        if isinstance(value, dict):
            fill(present, value)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            # As in 'sequence<geometry_msgs/PoseStamped>'.
            kind = re.findall(r'(\w+)/(\w+)', message.get_fields_and_field_types()[name])
            ((package, type_),) = kind
            item = getattr(importlib.import_module(f'{package}.msg'), type_)
            setattr(message, name, [fill(item(), one) for one in value])
        else:
            setattr(message, name, type(present)(value) if isinstance(present, float) else value)
    return message


def done(answer: Any) -> bool:
    """Tell whether a request was successful: a step need not be the last one."""
    return answer.success or getattr(answer, 'step_status', -1) == srv.Step.Response.PROGRESS


def test_every_call_of_the_document_succeeds(
    caller: Any, start_node: Callable[..., Any], robots: Path, tmp_path: Path
) -> None:
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        base='panda_link0',
        tip='panda_hand_tcp',
        timeout=0.5,
        environment_directory=str(tmp_path),
    )
    caller.wait_until_ready(node)
    lines = calls(DOCUMENT)
    assert len(lines) > 12
    for name, kind, values in lines:
        service = getattr(srv, kind.removeprefix('ik_node_interfaces/srv/'))
        answer = caller.call(node, name, fill(service.Request(), values))
        assert done(answer), (name, values, answer.message)
    assert [path.name for path in tmp_path.glob('*.json')] == ['monday.json']


def test_every_service_is_in_the_document() -> None:
    named = {name for name, _, _ in calls(DOCUMENT)} | set(re.findall(r'`~/(\w+)`', DOCUMENT))
    kinds = {name for name in vars(srv) if name[0].isupper()}
    assert {''.join(part.capitalize() for part in name.split('_')) for name in named} == {
        name for name in kinds if not name.endswith(('Request', 'Response', 'Event'))
    }


def test_every_target_of_the_document_is_reached(
    caller: Any, start_node: Callable[..., Any], robots: Path
) -> None:
    node = start_node(
        robot_description_file=str(robots / 'panda.urdf'),
        base='panda_link0',
        tip='panda_hand_tcp',
        timeout=0.5,
    )
    caller.wait_until_ready(node)
    robot = Robot(robots / 'panda.urdf')
    by_name, by_number = set(), set()
    directions = {'': (0.0, 0.0, 1.0)}
    for name, kind, values in calls(TARGETS):
        service = getattr(srv, kind.removeprefix('ik_node_interfaces/srv/'))
        request = fill(service.Request(), values)
        answer = caller.call(node, name, request)
        assert done(answer), (name, values, answer.message)
        if name == 'set_group':
            told = answer.group.tool_direction
            directions[answer.group.name] = (told.x, told.y, told.z)
        if name != 'solve':
            continue
        q = dict(zip(answer.solution.name, answer.solution.position, strict=True))
        for message in request.targets:
            target = wanted(message)
            if isinstance(target, ik_node.Target):
                tip = message.tip or 'panda_hand_tcp'
                T_base_tip = robot.pose('panda_link0', tip, q)
                direction = tool_direction(request.tool_direction) or directions[request.group]
                errors = target.errors(T_base_tip, direction)
                assert max(errors) < 2e-5, (values, errors)
            by_name.add(message.type)
            by_number.add(message.id)
    types = ik_node.IkParameterizationType.targets()
    assert by_name == {'', 'shapes', 'box', 'dummy', *(one.name for one in types)}
    assert by_number == {0, *map(int, types)}


def test_the_table_of_the_document_is_that_of_the_types() -> None:
    rows = re.findall(
        r'^\| \[(\w+)\]\(#(\w+)\) \| (0x\w+) .* \| ([^|]+) \|$', TARGETS, re.MULTILINE
    )
    types = ik_node.IkParameterizationType.targets()
    assert [(name, int(number, 16)) for name, _, number, _ in rows] == [
        (one.name, int(one)) for one in types
    ]
    for (name, anchor, _, values), one in zip(rows, types, strict=True):
        assert anchor == name.lower()
        assert f'\n## {name}\n' in TARGETS
        assert len(values.split()) == one.number_of_values
