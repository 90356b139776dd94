# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and names of the types of targets, against the header of OpenRAVE."""

from __future__ import annotations

import ik_node
from ik_node import IkParameterizationType
import pytest

# include/openrave/openrave.h of OpenRAVE: name, number, degrees of freedom, number of values.
TABLE = [
    ('Transform6D', 0x67000001, 6, 7),
    ('Rotation3D', 0x34000002, 3, 4),
    ('Translation3D', 0x33000003, 3, 3),
    ('Direction3D', 0x23000004, 2, 3),
    ('Ray4D', 0x46000005, 4, 6),
    ('Lookat3D', 0x23000006, 2, 3),
    ('TranslationDirection5D', 0x56000007, 5, 6),
    ('TranslationXY2D', 0x22000008, 2, 2),
    ('TranslationXYOrientation3D', 0x33000009, 3, 3),
    ('TranslationLocalGlobal6D', 0x3600000A, 3, 6),
    ('TranslationXAxisAngle4D', 0x4400000B, 4, 4),
    ('TranslationYAxisAngle4D', 0x4400000C, 4, 4),
    ('TranslationZAxisAngle4D', 0x4400000D, 4, 4),
    ('TranslationXAxisAngleZNorm4D', 0x4400000E, 4, 4),
    ('TranslationYAxisAngleXNorm4D', 0x4400000F, 4, 4),
    ('TranslationZAxisAngleYNorm4D', 0x44000010, 4, 4),
]

each_type = pytest.mark.parametrize(
    ('name', 'number', 'dof', 'size'), TABLE, ids=[row[0] for row in TABLE]
)


@each_type
def test_numbers_are_those_of_openrave(name, number, dof, size):
    kind = IkParameterizationType[name]
    assert kind == number
    assert IkParameterizationType(number) is kind
    assert (kind.dof, kind.number_of_values) == (dof, size)
    assert kind.unique_id == number & 0xFFFF


@each_type
def test_velocities_have_the_same_number_and_a_bit(name, number, dof, size):
    velocity = IkParameterizationType[name].velocity
    assert velocity == number | 0x8000
    assert velocity.name == name + 'Velocity'
    assert velocity.is_velocity
    assert velocity.velocity is velocity
    assert velocity.target is IkParameterizationType[name]
    assert (velocity.dof, velocity.number_of_values) == (dof, size)


@each_type
def test_names_are_found_with_and_without_prefix(name, number, dof, size):
    kind = IkParameterizationType(number)
    for spelled in (name, 'IKP_' + name, name.lower(), kind.ikfast_name):
        assert IkParameterizationType.from_name(spelled) is kind


@each_type
def test_low_bits_are_enough(name, number, dof, size):
    kind = IkParameterizationType(number)
    assert IkParameterizationType.from_unique_id(number & 0xFFFF) is kind
    assert IkParameterizationType.from_unique_id(number) is kind
    assert IkParameterizationType.from_unique_id(number & 0xFFFF | 0x8000) is kind.velocity


def test_there_are_sixteen_and_constants_are_those_of_openrave():
    assert [kind.name for kind in IkParameterizationType.targets()] == [row[0] for row in TABLE]
    assert ik_node.NUMBER_OF_PARAMETERIZATIONS == 16
    assert ik_node.VELOCITY_DATA_BIT == 0x8000
    assert ik_node.CUSTOM_DATA_BIT == 0x10000
    assert ik_node.UNIQUE_ID_MASK == 0xFFFF
    assert len(IkParameterizationType) == 33


def test_none_asks_for_nothing():
    none = IkParameterizationType.NONE
    assert none == 0
    assert none.dof == none.number_of_values == 0
    assert IkParameterizationType.from_name(none.ikfast_name.replace('None', 'NONE')) is none
    with pytest.raises(ik_node.InvalidArgumentError, match='no velocity'):
        _ = none.velocity


def test_unknown_numbers_and_names_are_refused_with_what_exists():
    with pytest.raises(ik_node.InvalidArgumentError, match='0x67000002.*Transform6D 0x67000001'):
        IkParameterizationType(0x67000002)
    with pytest.raises(ik_node.InvalidArgumentError, match='unique number'):
        IkParameterizationType.from_unique_id(17)
    with pytest.raises(ik_node.UnknownNameError, match="did you mean 'Transform6D'"):
        IkParameterizationType.from_name('Transfrom6D')
