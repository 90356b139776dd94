# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Text and JSON of targets, and the custom data in both."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st
import ik_node
from ik_node import IkParameterization, IkParameterizationType, InvalidTargetError
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest

CLASSES = [IkParameterization.class_of(kind) for kind in IkParameterizationType.targets()]
each_class = pytest.mark.parametrize('cls', CLASSES, ids=lambda cls: cls.__name__)
CUSTOM = {'grasp_transform=direction_': (1.0, 0.5, 0.0), 'width': (0.08,), 'none': ()}
P = (1.0, 2.0, 3.0)


def motion():
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_rpy(0.0, 0.0, math.pi / 2)
    pose[:3, 3] = (10.0, 20.0, 30.0)
    return pose


def test_text_is_that_of_openrave():
    target = ik_node.Transform6D(P, (0, 0, 0, 1))
    assert target.to_text() == f'{0x67000001} 1.0 0.0 0.0 0.0 1.0 2.0 3.0'
    target = ik_node.TranslationXY2D((1, 2), custom={'a': [3, 4.5], 'b': []})
    assert target.to_text() == f'{0x22010008} 1.0 2.0 2 a 2 3.0 4.5 b 0'
    read = IkParameterization.from_text(f'{0x22010008} 1 2e0 1\n width 1 0.25 ')
    assert read == ik_node.TranslationXY2D((1, 2), custom={'width': 0.25})
    assert read.type is IkParameterizationType.TranslationXY2D


@each_class
@given(data=st.data())
def test_text_and_json_go_around_to_the_last_bit(cls, data):
    number = st.floats(-1e6, 1e6)
    row = data.draw(st.tuples(st.floats(0.1, 9.0), *[number] * (cls.type.number_of_values - 1)))
    custom = data.draw(st.sampled_from([None, CUSTOM]))
    target = cls.from_values(row, custom)
    for made in (cls, IkParameterization):
        assert made.from_text(target.to_text()) == target
        assert made.from_json(target.to_json()) == target
        assert made.from_json(json.dumps(target.to_json())) == target


def test_keys_of_json():
    keys = {
        'Transform6D': ['transform'],
        'Rotation3D': ['quaternion'],
        'Translation3D': ['translate'],
        'Direction3D': ['direction'],
        'Ray4D': ['direction', 'translate'],
        'Lookat3D': ['translate'],
        'TranslationLocalGlobal6D': ['localTranslate', 'translate'],
        'TranslationXYOrientation3D': ['translate', 'angle'],
        'TranslationZAxisAngleYNorm4D': ['angle', 'translate'],
    }
    for name, expected in keys.items():
        data = getattr(ik_node, name).from_pose(np.eye(4)).to_json()
        assert data['type'] == name
        assert list(data)[1:] == expected
    half = math.sqrt(0.5)
    assert ik_node.Rotation3D((half, 0, 0, half)).to_json()['quaternion'] == [half, half, 0, 0]
    marked = ik_node.Translation3D(P, custom={'width': [0.1]})
    assert marked.to_json()['customData'] == {'width': [0.1]}


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('', 'number of the type'),
        ('Transform6D 1 0 0 0 0 0 0', 'must be a count'),
        ('1728053249 1 0 0 0 0 0', 'ends where the values'),
        ('1728053249 1 0 0 0 0 0 0 7', "goes on with '7'"),
        ('1728053249 1 0 0 0 0 0 x', 'must be a finite number'),
        ('1728053249 1 0 0 0 0 0 nan', 'finite'),
        ('1728053249 1 0 0 0 0 0 1e999', 'finite'),
        ('1728053249 1 0 0 0 0 0 1_0', 'must be a finite number'),
        ('1728053249 1 0 0 0 0 0 \u0663', 'must be a finite number'),
        ('1728053249 0 0 0 0 0 0 0', 'any length but zero'),
        ('855703555 1 2 3', 'number of names'),
        ('855703555 1 2 3 1 a 9999999999 1', 'ends where the numbers'),
        ('855703555 1 2 3 1 a -1', 'must be a count'),
        ('99', 'number of no type'),
        ('-1728053249 1', 'must be a count'),
        ('872448002 1 0 0 0', 'no type of target'),
    ],
)
def test_malformed_text_is_refused(text, message):
    with pytest.raises(ik_node.InvalidArgumentError, match=message):
        IkParameterization.from_text(text)


def test_a_class_reads_its_own_type_alone():
    text = ik_node.Lookat3D(P).to_text()
    with pytest.raises(InvalidTargetError, match='Lookat3D, not a Translation3D'):
        ik_node.Translation3D.from_text(text)
    with pytest.raises(InvalidTargetError, match='Lookat3D, not a Translation3D'):
        ik_node.Translation3D.from_json(ik_node.Lookat3D(P).to_json())
    with pytest.raises(InvalidTargetError, match='not from bytes'):
        IkParameterization.from_text(text.encode())


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        ('{', 'no JSON'),
        ('[' * 100_000, 'no JSON'),
        ('[]', 'object with the name'),
        ({'type': 5}, 'object with the name'),
        ({'type': 'Translation3D'}, 'these are none'),
        ({'type': 'Translation3D', 'translate': [1, 2]}, 'must be 3 finite numbers'),
        ({'type': 'Translation3D', 'translate': [1, 2, '3']}, 'must be 3 finite numbers'),
        ({'type': 'Translation3D', 'translate': P, 'angle': 1}, 'these are angle, translate'),
        ({'type': 'Translation3D', 'translate': P, 'customData': 1}, 'an object'),
        ({'type': 'TranslationXAxisAngle4D', 'translate': P, 'angle': [1]}, 'a finite number'),
    ],
)
def test_malformed_json_is_refused(data, message):
    with pytest.raises(InvalidTargetError, match=message):
        IkParameterization.from_json(data)
    with pytest.raises(ik_node.UnknownNameError, match='Translation3D'):
        IkParameterization.from_json({'type': 'Translation3', 'translate': P})


@pytest.mark.parametrize('name', ['', 'a b', 'a\n', '\t', 5])
def test_names_that_text_cannot_hold_are_refused(name):
    with pytest.raises(InvalidTargetError, match='no name of custom data'):
        ik_node.Translation3D(P, custom={name: [1.0]})


@pytest.mark.parametrize('numbers', ['x', [math.nan], [[1.0]], None, [math.inf]])
def test_custom_data_are_finite_numbers(numbers):
    with pytest.raises(InvalidTargetError, match="custom data 'a'"):
        ik_node.Translation3D(P, custom={'a': numbers})


@pytest.mark.parametrize('given', ['width', 1, [1.0], np.zeros(3), {'width'}])
def test_custom_data_have_names(given):
    with pytest.raises(InvalidTargetError, match='must be a mapping from names to numbers'):
        ik_node.Translation3D(P, custom=given)


def test_custom_data_cannot_be_changed():
    given_data = {'a': [1.0]}
    target = ik_node.Translation3D(P, custom=given_data)
    given_data['a'][0] = 2.0
    assert target.custom == {'a': (1.0,)}
    with pytest.raises(TypeError):
        target.custom['a'] = (3.0,)
    assert ik_node.Translation3D(P).custom == {}


def test_tagged_custom_data_follow_the_base():
    look = IkParameterizationType.Lookat3D
    target = ik_node.Translation3D(
        P,
        custom={
            'a_transform=direction_': (1, 0, 0),
            'b_transform=point_': (1, 0, 0, 7),
            'c_transform=quat_': (1, 0, 0, 0),
            'd_transform=ikparam_': (float(look), 1, 0, 0),
            'e': (1, 0, 0),
        },
    )
    moved = target.transformed(motion()).custom
    half = math.sqrt(0.5)
    expected = [
        (0, 1, 0),
        (10, 21, 30, 7),
        (half, 0, 0, half),
        (look, 10, 21, 30),
        (1, 0, 0),
    ]
    for values, wanted in zip(moved.values(), expected, strict=True):
        np.testing.assert_allclose(values, wanted, atol=1e-14)


@pytest.mark.parametrize(
    ('name', 'numbers'),
    [
        ('a_transform=direction_', (1, 2)),
        ('a_transform=quat_', (1, 2, 3)),
        ('a_transform=spin_', (1, 2, 3)),
        ('a_transform=ikparam_', ()),
    ],
)
def test_tags_that_cannot_follow_are_refused(name, numbers):
    target = ik_node.Translation3D(P, custom={name: numbers})
    with pytest.raises(InvalidTargetError, match='tags are direction and point'):
        target.transformed(motion())
