# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/coppelia.md names what there is."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

pytest.importorskip('ik_node_interfaces')

import ik_node  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import JointInfo  # noqa: E402

TABLE = (Path(__file__).resolve().parents[2] / 'docs' / 'coppelia.md').read_text()
ROWS = [
    [cell.strip() for cell in line.strip('|\n').split('|')]
    for line in TABLE.splitlines()
    if line.startswith('| `ik')
]


def test_every_function_has_a_row() -> None:
    names = [row[0].strip('`') for row in ROWS]
    assert len(names) == len(set(names)) == 72
    assert all(len(row) == 4 and row[1] and row[2] for row in ROWS)


def test_every_service_and_field_exists() -> None:
    for name, _, service, _ in ROWS:
        for word in re.findall(r'`(\w+)`', service.partition(' with ')[0].partition(':')[0]):
            kind = ''.join(part.capitalize() for part in word.split('_'))
            known = hasattr(srv, kind) or word in JointInfo.get_fields_and_field_types()
            others = ('create', 'status', 'message', 'joint_states', 'limit_hits')
            assert known or word in others, (name, word)


def test_every_attribute_of_the_library_exists() -> None:
    environment = ik_node.Environment()
    joint = environment.create_joint('j')
    things = {
        'env': environment,
        'object': environment.create_dummy('d', 'j'),
        'dummy': environment.dummy('d'),
        'joint': joint,
        'group': (group := environment.create_group('g', 'world', 'd')),
        'element': group.elements[0],
    }
    found = re.findall(r'`(env|object|dummy|joint|group|element)\.(\w+)', TABLE)
    assert len(found) > 60
    for thing, attribute in found:
        if (thing, attribute) == ('joint', 'orientation'):
            continue  # a spherical joint has it
        assert hasattr(things[thing], attribute), (thing, attribute)
