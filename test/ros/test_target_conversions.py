# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip('ik_node_interfaces')

from geometry_msgs.msg import Point, Quaternion, Vector3  # noqa: E402
import ik_node  # noqa: E402
from ik_node import IkParameterization, IkParameterizationType  # noqa: E402
from ik_node.constraints.parts import Kind  # noqa: E402
from ik_node.errors import InvalidTargetError  # noqa: E402
from ik_node.ros.target_conversions import seen_from, tool_direction, wanted  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from ik_node_interfaces.msg import Target  # noqa: E402

NAN = math.nan
TYPES = IkParameterizationType.targets()
#: A value of each field of a type, with the argument that it is.
FIELDS: dict[str, tuple[Any, Any]] = {
    'quat_xyzw': (Quaternion(x=0.5, y=-0.5, z=0.5, w=0.5), (0.5, -0.5, 0.5, 0.5)),
    'position': (Point(x=1.0, y=2.0, z=3.0), (1.0, 2.0, 3.0)),
    'direction': (Vector3(x=0.0, y=-2.0, z=0.0), (0.0, -1.0, 0.0)),
    'angle': (0.25, 0.25),
    'point': (Point(x=4.0, y=5.0, z=6.0), (4.0, 5.0, 6.0)),
    'local_point': (Point(x=0.1, y=0.2, z=0.3), (0.1, 0.2, 0.3)),
    'global_point': (Point(x=7.0, y=8.0, z=9.0), (7.0, 8.0, 9.0)),
}
MESSAGE_FIELDS = {'quat_xyzw': 'orientation'}
A_POINT, A_VECTOR = Point(x=1.0), Vector3(y=2.0)
#: A value of each field that is not its default.
GIVEN: dict[str, Any] = {
    'values': [1.0],
    'position': A_POINT,
    'orientation': Quaternion(x=1.0, w=0.0),
    'direction': A_VECTOR,
    'angle': 0.5,
    'point': A_POINT,
    'global_point': A_POINT,
    'local_point': A_POINT,
    'position_shape': 'point',
    'line_direction': A_VECTOR,
    'normal': A_VECTOR,
    'd': 0.5,
    'orientation_shape': 'cone',
    'local_axis': A_VECTOR,
    'interior': True,
    'local_orientation': Quaternion(x=1.0, w=0.0),
    'position_priority': 0.5,
    'orientation_priority': 2.0,
    'lower': [0.0] * 6,
    'upper': [1.0] * 6,
}


@pytest.mark.parametrize('kind', TYPES)
def test_every_type_by_name_by_id_by_values_and_by_fields(kind: IkParameterizationType) -> None:
    made = IkParameterization.class_of(kind)
    fields, arguments = {}, {}
    for part in made.parts:
        content, argument = FIELDS[part.name]
        fields[MESSAGE_FIELDS.get(part.name, part.name)] = content
        arguments[part.name] = argument[:2] if part.kind is Kind.PLANE_POINT else argument
    expected = made(**arguments)
    for how in (
        {'type': kind.name},
        {'type': kind.ikfast_name},
        {'type': kind.name.lower()},
        {'id': int(kind)},
        {'type': kind.name, 'id': int(kind)},
    ):
        assert wanted(Target(**how, **fields)) == expected
        assert wanted(Target(**how, values=expected.values)) == expected


@pytest.mark.parametrize('name', GIVEN)
def test_a_field_of_another_kind_is_refused(name: str) -> None:
    reads = {
        'pose': ('position', 'orientation'),
        'box': ('position', 'orientation', 'lower', 'upper'),
        'dummy': (),
        'Rotation3D': ('orientation', 'values'),
        'Lookat3D': ('point', 'values'),
    }
    for kind, own in reads.items():
        if name not in own:
            with pytest.raises(InvalidTargetError, match=f'^{name} has a value, but a'):
                wanted(Target(type=kind, **{name: GIVEN[name]}))
    shape = {'type': 'shapes', 'position_shape': 'point', 'orientation_shape': 'parallel'}
    if name not in ('position', 'direction', 'local_point', 'local_orientation', *shape):
        if not name.endswith('priority'):
            with pytest.raises(InvalidTargetError, match=f'^{name} has a value, but a target of'):
                wanted(Target(**shape, direction=Vector3(z=1.0), **{name: GIVEN[name]}))
    # With values, fields of the same type are others.
    if name != 'values':
        with pytest.raises(InvalidTargetError, match=f'^{name} has a value'):
            wanted(
                Target(type='Ray4D', values=[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], **{name: GIVEN[name]})
            )


def test_every_field_has_a_value_here() -> None:
    common = {'tip', 'header', 'type', 'id'}
    assert set(Target.get_fields_and_field_types()) - common == set(GIVEN)


@pytest.mark.parametrize(
    ('wrong', 'sentence'),
    [
        ({'type': 'Lookat4D'}, "no type 'Lookat4D' of targets; known: pose, shapes, box, dummy"),
        ({'type': 'x' * 9999}, 'no type'),
        ({'type': 'NONE'}, 'nothing is asked'),
        ({'id': 0x23000007}, 'no id 0x23000007'),
        ({'id': 6}, 'no id 0x6 '),
        ({'id': 0x23010006}, 'no id'),
        ({'id': 0x23008006}, 'has the velocity bit.*take Lookat3D'),
        ({'type': 'Lookat3DVelocity'}, 'has the velocity bit'),
        ({'type': 'Ray4D', 'id': 0x23000006}, 'type is Ray4D and id is 0x23000006.*Lookat3D'),
        ({'type': 'pose', 'id': 0x23000006}, 'an id is for types of IKFast'),
        ({'type': 'Ray4D', 'values': [1.0] * 5}, '6 finite numbers'),
        ({'type': 'Ray4D', 'values': [1.0] * 7}, '6 finite numbers'),
        ({'type': 'Ray4D', 'values': [NAN] * 6}, '6 finite numbers'),
        ({'type': 'Ray4D', 'values': [0.0] * 6}, 'length but zero'),
        ({'type': 'Rotation3D', 'values': [0.0] * 4}, 'length but zero'),
        ({'type': 'Direction3D'}, '^direction is .*length but zero'),
        ({'type': 'Rotation3D', 'orientation': Quaternion(w=0.0)}, '^orientation is'),
        ({'type': 'Lookat3D', 'point': Point(x=NAN)}, '^point is'),
        ({'type': 'TranslationXY2D', 'position': Point(y=math.inf)}, '^position is'),
        ({'type': 'TranslationXAxisAngle4D', 'angle': NAN}, '^angle is'),
        ({'position': Point(x=NAN)}, 'is not finite'),
        ({'orientation': Quaternion(w=0.0)}, 'means no orientation'),
        ({'type': 'dummy', 'header': Header(frame_id='world')}, 'header.frame_id'),
        ({'type': 'box', 'lower': [0.0] * 5}, 'lower is .*6 numbers'),
        ({'type': 'box', 'upper': [NAN] * 6}, 'upper is'),
        ({'type': 'box', 'lower': [1.0] * 6, 'upper': [0.0] * 6}, 'the bounds of x'),
        ({'type': 'box', 'orientation': Quaternion(w=0.0)}, '^orientation is'),
        ({'type': 'shapes'}, 'are empty: nothing is asked'),
        ({'type': 'shapes', 'position_shape': 'sphere'}, "position_shape is 'sphere'.*'plane'"),
        ({'type': 'shapes', 'orientation_shape': 'point'}, 'orientation_shape is'),
        ({'type': 'shapes', 'position_shape': 'line'}, '^line_direction is'),
        ({'type': 'shapes', 'position_shape': 'plane'}, '^normal is'),
        ({'type': 'shapes', 'position_shape': 'plane', 'normal': A_VECTOR, 'd': NAN}, '^d is'),
        (
            {
                'type': 'shapes',
                'position_shape': 'plane',
                'normal': A_VECTOR,
                'd': 1.0,
                'position': A_POINT,
            },
            'by d or by a position',
        ),
        (
            {
                'type': 'shapes',
                'position_shape': 'line',
                'line_direction': A_VECTOR,
                'lower': [0.0] * 6,
            },
            'lower has 6 numbers',
        ),
        ({'type': 'shapes', 'orientation_shape': 'parallel'}, '^direction is'),
        (
            {
                'type': 'shapes',
                'orientation_shape': 'cone',
                'direction': A_VECTOR,
                'angle': -1.0,
            },
            'angle of the cone',
        ),
        (
            {
                'type': 'shapes',
                'orientation_shape': 'cone',
                'direction': A_VECTOR,
                'local_axis': Vector3(x=NAN),
            },
            '^local_axis is',
        ),
        (
            {
                'type': 'shapes',
                'position_shape': 'point',
                'local_orientation': Quaternion(w=0.0),
            },
            '^local_orientation is',
        ),
        (
            {'type': 'shapes', 'position_shape': 'point', 'position_priority': NAN},
            '^position_priority is',
        ),
    ],
)
def test_what_means_nothing_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidTargetError, match=sentence) as caught:
        wanted(Target(**wrong))
    assert 15 < len(str(caught.value)) < 900


def test_shapes_and_boxes() -> None:
    line = Target(
        type='shapes',
        position_shape='line',
        position=Point(x=1.0, y=2.0, z=3.0),
        line_direction=Vector3(z=2.0),
        lower=[-0.5],
        upper=[0.25],
        orientation_shape='cone',
        direction=Vector3(x=1.0),
        local_axis=Vector3(y=1.0),
        angle=0.5,
        interior=True,
        local_point=Point(z=0.1),
        local_orientation=Quaternion(x=1.0, w=0.0),
        position_priority=2.0,
        orientation_priority=0.0,
    )
    assert wanted(line) == ik_node.Shapes(
        ik_node.Line((1.0, 2.0, 3.0), (0.0, 0.0, 1.0), -0.5, 0.25),
        ik_node.Cone((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), 0.5, True),
        (0.0, 0.0, 0.1),
        (1.0, 0.0, 0.0, 0.0),
        2.0,
        0.0,
    )
    plane = {'type': 'shapes', 'position_shape': 'plane', 'normal': Vector3(z=2.0)}
    assert wanted(Target(**plane, d=-1.0)) == ik_node.Shapes(ik_node.Plane((0.0, 0.0, 1.0), -0.5))
    through = wanted(Target(**plane, position=Point(x=9.0, z=0.5)))
    assert through == ik_node.Shapes(ik_node.Plane((0.0, 0.0, 1.0), -0.5))
    cone = Target(type='shapes', orientation_shape='cone', direction=Vector3(x=1.0), angle=0.5)
    assert wanted(cone) == ik_node.Shapes(
        None, ik_node.Cone((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 0.5)
    )
    bounds = [-0.1, -0.1, -0.1, 0.0, 0.0, -math.inf]
    box = Target(type='box', position=Point(x=1.0), lower=bounds, upper=[-one for one in bounds])
    assert wanted(box) == ik_node.PoseBox(
        (1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), bounds, [-one for one in bounds]
    )
    free = wanted(Target(type='box'))
    assert isinstance(free, ik_node.PoseBox)
    assert free.lower == (-math.inf,) * 6


def test_poses_and_dummies() -> None:
    for name in ('', 'pose', 'Pose'):
        pose = wanted(Target(type=name, position=Point(x=1.0, y=2.0, z=3.0)))
        assert isinstance(pose, np.ndarray)
        assert pose[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert wanted(Target(type='dummy')) is None


def test_the_frame_moves_targets_of_all_kinds() -> None:
    T = np.eye(4)
    T[:3, 3] = 1.0, 0.0, 0.0
    assert seen_from(None, T) is None
    assert np.array_equal(np.asarray(seen_from(np.eye(4), T)), T)
    moved = seen_from(ik_node.Lookat3D((0.0, 0.0, 2.0)), T)
    assert moved == ik_node.Lookat3D((1.0, 0.0, 2.0))
    T[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    with pytest.raises(InvalidTargetError, match='z axis of the base.*TranslationXY2D'):
        seen_from(ik_node.TranslationXY2D((0.0, 0.0)), T)


def test_the_direction_of_the_tool() -> None:
    assert tool_direction(Vector3()) is None  # that of the group
    assert tool_direction(Vector3(x=2.0)) == (1.0, 0.0, 0.0)
    for wrong in (NAN, math.inf):
        with pytest.raises(InvalidTargetError, match='tool_direction'):
            tool_direction(Vector3(y=wrong))
