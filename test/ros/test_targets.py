# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Targets of every kind over DDS, on the Panda.

What is claimed is held against the kinematics of the demonstration, which share no code with the
library, and against equations that are written down here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('urdf_parser_py')

from geometry_msgs.msg import Point, PoseStamped, Quaternion, Vector3  # noqa: E402
import ik_node  # noqa: E402
from ik_node import IkParameterization, IkParameterizationType  # noqa: E402
from ik_node.ros.demo_kinematics import Robot  # noqa: E402
from ik_node.ros.target_conversions import wanted  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from ik_node_interfaces.msg import GroupInfo, SolveOptions, Status, Target  # noqa: E402
from ik_node_interfaces.srv import FindConfig, SetGroup, Solve  # noqa: E402

BASE, TIP = 'panda_link0', 'panda_hand_tcp'
PATIENT = SolveOptions(timeout=0.5)
#: The angle tolerance is 1e-5 rad; the equations below are not angles.
CLOSE = 2e-5
NAN = math.nan

AT = (0.45, 0.1, 0.4)
DOWN = (0.0, 0.0, -1.0)
SLANTED = (0.6, 0.0, -0.8)
POSITION = {'position': Point(x=0.45, y=0.1, z=0.4)}
TURNED = (0.8, 0.6, 0.0, 0.0)
Vector = NDArray[np.float64]
#: What p, R and the direction D of the tool have to make zero.
Equations = Callable[[Vector, Vector, Vector], Iterable[float]]


def turned(R: Vector) -> Vector:
    """Compare with the rotation by pi about (0.8, 0.6, 0)."""
    axis = np.array([0.8, 0.6, 0.0])
    return np.asarray((R - (2.0 * np.outer(axis, axis) - np.eye(3))).ravel())


def azimuth(D: Vector, first: int, second: int, angle: float) -> float:
    return math.remainder(math.atan2(D[second], D[first]) - angle, 2.0 * math.pi)


#: By name: the values, the same as fields, and the equations.
KINDS: dict[str, tuple[list[float], dict[str, Any], Equations]] = {
    'Transform6D': (
        [0.0, 0.8, 0.6, 0.0, *AT],
        {'orientation': Quaternion(x=0.8, y=0.6, z=0.0, w=0.0), **POSITION},
        lambda p, R, D: [*turned(R), *(p - AT)],
    ),
    'Rotation3D': (
        [0.0, 0.8, 0.6, 0.0],
        {'orientation': Quaternion(x=0.8, y=0.6, z=0.0, w=0.0)},
        lambda p, R, D: turned(R),
    ),
    'Translation3D': (list(AT), POSITION, lambda p, R, D: p - AT),
    'Direction3D': (
        list(SLANTED),
        {'direction': Vector3(x=3.0, y=0.0, z=-4.0)},
        lambda p, R, D: D - SLANTED,
    ),
    'Ray4D': (
        [*SLANTED, *AT],
        {'direction': Vector3(x=0.6, z=-0.8), **POSITION},
        lambda p, R, D: [*(D - SLANTED), *np.cross(p - AT, SLANTED)],
    ),
    'Lookat3D': (
        [0.9, 0.3, 0.1],
        {'point': Point(x=0.9, y=0.3, z=0.1)},
        lambda p, R, D: (
            D - (np.array([0.9, 0.3, 0.1]) - p) / np.linalg.norm(np.array([0.9, 0.3, 0.1]) - p)
        ),
    ),
    'TranslationDirection5D': (
        [*DOWN, *AT],
        {'direction': Vector3(z=-1.0), **POSITION},
        lambda p, R, D: [*(D - DOWN), *(p - AT)],
    ),
    'TranslationXY2D': (
        [0.45, 0.1],
        {'position': Point(x=0.45, y=0.1, z=99.0)},
        lambda p, R, D: p[:2] - AT[:2],
    ),
    'TranslationXYOrientation3D': (
        [0.45, 0.1, 2.5],
        {'position': Point(x=0.45, y=0.1), 'angle': 2.5},
        lambda p, R, D: [*(p[:2] - AT[:2]), azimuth(D, 0, 1, 2.5)],
    ),
    'TranslationLocalGlobal6D': (
        [0.05, 0.0, 0.1, *AT],
        {
            'local_point': Point(x=0.05, z=0.1),
            'global_point': Point(x=AT[0], y=AT[1], z=AT[2]),
        },
        lambda p, R, D: R @ [0.05, 0.0, 0.1] + p - AT,
    ),
    'TranslationXAxisAngle4D': (
        [1.2, *AT],
        {'angle': 1.2, **POSITION},
        lambda p, R, D: [*(p - AT), math.acos(D[0]) - 1.2],
    ),
    'TranslationYAxisAngle4D': (
        [1.9, *AT],
        {'angle': 1.9, **POSITION},
        lambda p, R, D: [*(p - AT), math.acos(D[1]) - 1.9],
    ),
    'TranslationZAxisAngle4D': (
        [2.6, *AT],
        {'angle': 2.6, **POSITION},
        lambda p, R, D: [*(p - AT), math.acos(D[2]) - 2.6],
    ),
    'TranslationXAxisAngleZNorm4D': (
        [0.3, *AT],
        {'angle': 0.3, **POSITION},
        lambda p, R, D: [*(p - AT), D[2], azimuth(D, 0, 1, 0.3)],
    ),
    'TranslationYAxisAngleXNorm4D': (
        [-1.4, *AT],
        {'angle': -1.4, **POSITION},
        lambda p, R, D: [*(p - AT), D[0], azimuth(D, 1, 2, -1.4)],
    ),
    'TranslationZAxisAngleYNorm4D': (
        [2.8, *AT],
        {'angle': 2.8, **POSITION},
        lambda p, R, D: [*(p - AT), D[1], azimuth(D, 2, 0, 2.8)],
    ),
}
POSITION_SHAPES: dict[str, tuple[dict[str, Any], Callable[[Vector], Iterable[float]]]] = {
    'point': (POSITION, lambda p: p - AT),
    'line': (
        {**POSITION, 'line_direction': Vector3(y=3.0), 'lower': [-0.2], 'upper': [0.1]},
        lambda p: [p[0] - AT[0], p[2] - AT[2], max(-0.1 - p[1], 0.0), max(p[1] - 0.2, 0.0)],
    ),
    'plane': ({'normal': Vector3(z=2.0), 'd': -0.8}, lambda p: [p[2] - 0.4]),
}
ORIENTATION_SHAPES: dict[str, tuple[dict[str, Any], Callable[[Vector], Iterable[float]]]] = {
    'rotation': ({'orientation': Quaternion(x=0.8, y=0.6, z=0.0, w=0.0)}, turned),
    'parallel': ({'direction': Vector3(x=0.6, z=-0.8)}, lambda R: R[:, 2] - SLANTED),
    'cone': (
        {'direction': Vector3(z=-1.0), 'local_axis': Vector3(x=0.6, z=0.8), 'angle': 0.7},
        lambda R: [math.acos(-(R @ [0.6, 0.0, 0.8])[2]) - 0.7],
    ),
}


@pytest.fixture(scope='module')
def robot(robots: Any) -> Robot:
    return Robot(robots / 'panda.urdf')


@pytest.fixture
def solve(caller: Any, panda: Any) -> Callable[..., Any]:
    def ask(*targets: Target, **fields: Any) -> Any:
        fields.setdefault('options', PATIENT)
        return caller.call(panda, 'solve', Solve.Request(targets=targets, **fields))

    return ask


def reached(robot: Robot, answer: Any, base: str = BASE) -> Vector:
    """Pose of the tip at a solution."""
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    positions = dict(zip(answer.solution.name, answer.solution.position, strict=True))
    assert robot.excess(robot.between(BASE, TIP), positions) == 0.0
    return np.asarray(robot.pose(base, TIP, positions))


@pytest.mark.parametrize('name', KINDS)
def test_every_type_by_name_and_by_id_by_values_and_by_fields(
    solve: Callable[..., Any], robot: Robot, name: str
) -> None:
    values, fields, equations = KINDS[name]
    kind = IkParameterizationType.from_name(name)
    expected = IkParameterization.class_of(kind).from_values(values)
    solutions = []
    for how, what in itertools.product(
        ({'type': name}, {'type': f'IKP_{name}'}, {'id': int(kind)}),
        ({'values': values}, fields),
    ):
        answer = solve(Target(**how, **what))
        T = reached(robot, answer)
        position, orientation = expected.errors(T)
        assert position < 2e-6
        assert orientation < 2e-5
        residual = np.array(list(equations(T[:3, 3], T[:3, :3], T[:3, 2])))
        assert np.abs(residual).max() < CLOSE
        solutions.append(list(answer.solution.position))
    # Two spellings of a quaternion or direction may differ in the last bit.
    assert np.ptp(np.array(solutions), axis=0).max() < 1e-3


def test_every_type_is_here() -> None:
    assert list(KINDS) == [kind.name for kind in IkParameterizationType.targets()]


@pytest.mark.parametrize(
    ('position', 'orientation'),
    [*itertools.product((*POSITION_SHAPES, ''), (*ORIENTATION_SHAPES, ''))][:-1],
)
def test_every_pair_of_shapes(
    solve: Callable[..., Any], robot: Robot, position: str, orientation: str
) -> None:
    fields: dict[str, Any] = {}
    for shapes, name in ((POSITION_SHAPES, position), (ORIENTATION_SHAPES, orientation)):
        fields |= shapes[name][0] if name else {}
    target = Target(
        type='shapes', position_shape=position, orientation_shape=orientation, **fields
    )
    # Once for the tip itself, once for an effector that is fixed in it.
    for where, local in (((0.0, 0.0, 0.0), 0.0), ((0.02, 0.0, 0.05), 0.4)):
        target.local_point = Point(x=where[0], y=where[1], z=where[2])
        target.local_orientation = Quaternion(x=math.sin(local / 2), w=math.cos(local / 2))
        T = reached(robot, solve(target))
        E = np.eye(4)
        c, s = math.cos(local), math.sin(local)
        E[:3, :3] = [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]
        E[:3, 3] = where
        T_base_effector = T @ E
        residual = []
        if position:
            residual += [*POSITION_SHAPES[position][1](T_base_effector[:3, 3])]
        if orientation:
            residual += [*ORIENTATION_SHAPES[orientation][1](T_base_effector[:3, :3])]
        assert np.abs(residual).max() < CLOSE
        made = wanted(target)
        assert isinstance(made, ik_node.Shapes)
        assert max(made.errors(T)) < CLOSE


def test_a_box(solve: Callable[..., Any], robot: Robot) -> None:
    bounds = np.array([0.05, 0.0, 0.02, 0.1, 0.0, math.inf])
    box = Target(
        type='box',
        **POSITION,
        orientation=Quaternion(x=1.0, w=0.0),
        lower=-bounds,
        upper=bounds,
    )
    T = reached(robot, solve(box))
    seen = np.diag([1.0, -1.0, -1.0]) @ T[:3, :3]
    at = np.diag([1.0, -1.0, -1.0]) @ (T[:3, 3] - AT)
    roll, pitch = math.atan2(seen[2, 1], seen[2, 2]), math.asin(-seen[2, 0])
    assert (np.abs([*at, roll, pitch]) <= bounds[:5] + CLOSE).all()
    made = wanted(box)
    assert isinstance(made, ik_node.PoseBox)
    assert max(made.errors(T)) < CLOSE
    # A smaller one of the same kind, right after it, has its own bounds.
    box.lower, box.upper = [0.01] * 6, [0.02] * 6
    T = reached(robot, solve(box))
    made = wanted(box)
    assert isinstance(made, ik_node.PoseBox)
    assert max(made.errors(T)) < CLOSE


def test_a_pose_among_targets_is_the_pose_field(
    solve: Callable[..., Any], caller: Any, panda: Any, messages: Any
) -> None:
    pose = messages.pose(AT)
    for kind in ('', 'pose', 'Transform6D'):
        new = solve(
            Target(type=kind, position=pose.pose.position, orientation=pose.pose.orientation)
        )
        old = caller.call(panda, 'solve', Solve.Request(target=pose, options=PATIENT))
        assert new.success, new.message
        assert old.success, old.message
        assert np.allclose(new.solution.position, old.solution.position, atol=1e-6)


def test_the_tool_may_point_elsewhere(solve: Callable[..., Any], robot: Robot) -> None:
    target = Target(type='Ray4D', direction=Vector3(z=-1.0), **POSITION)
    answer = solve(target, tool_direction=Vector3(x=3.0, z=4.0))
    T = reached(robot, answer)
    D = T[:3, :3] @ [0.6, 0.0, 0.8]
    assert np.abs([*(D - DOWN), *np.cross(T[:3, 3] - AT, DOWN)]).max() < CLOSE


def test_the_tool_of_a_group_may_point_elsewhere(
    solve: Callable[..., Any], caller: Any, panda: Any, robot: Robot
) -> None:
    def edit(**direction: float) -> Any:
        group = GroupInfo(name='arm', tool_direction=Vector3(**direction))
        request = SetGroup.Request(fields=['tool_direction'], group=group)
        return caller.call(panda, 'set_group', request)

    target = Target(type='Direction3D', direction=Vector3(x=0.2, z=-1.0))
    wanted = np.array([0.2, 0.0, -1.0]) / math.hypot(0.2, 1.0)
    answer = edit(x=3.0, z=4.0)
    assert answer.success, answer.message
    try:
        told = answer.group.tool_direction
        assert (told.x, told.y, told.z) == (0.6, 0.0, 0.8)
        for asked, axis in ((Vector3(), (0.6, 0.0, 0.8)), (Vector3(y=-2.0), (0.0, -1.0, 0.0))):
            answer = solve(target, tool_direction=asked)
            assert answer.success, answer.message
            q = dict(zip(answer.solution.name, answer.solution.position, strict=True))
            tool = robot.pose(BASE, TIP, q)[:3, :3] @ axis
            np.testing.assert_allclose(tool, wanted, atol=1.1e-5)
        refused = edit()
        assert (refused.success, refused.status) == (False, Status.INVALID_TARGET)
        assert 'tool_direction is' in refused.message
    finally:
        assert edit(z=1.0).success


@pytest.mark.parametrize('frame', ['', 'world', 'panda_link2'])
def test_a_line_by_a_point_that_is_very_far_away(
    solve: Callable[..., Any], messages: Any, robot: Robot, frame: str
) -> None:
    # The unit vector of 3, 0, -4 is rounded: 1e15 m away that is a tenth of a metre.
    seed = {'panda_joint1': 0.4, 'panda_joint2': -0.3, 'panda_joint4': -1.9, 'panda_joint6': 1.7}
    start = {name: 0.0 for name in (f'panda_joint{i}' for i in range(1, 8))} | seed
    times, near = float(2**49), np.array([0.5, 0.0, 0.5])
    if frame == 'panda_link2':
        T = np.linalg.inv(robot.pose(BASE, frame, start))
        near = np.round((T @ [0.5, 0.0, 0.5, 1.0])[:3] * 2.0) / 2.0  # with halves it is exact
    way = np.array([3.0, 0.0, -4.0])
    x, y, z = near + times * way
    position, along = Point(x=x, y=y, z=z), Vector3(x=3.0, z=-4.0)
    for target in (
        Target(type='Ray4D', position=position, direction=along),
        Target(type='Ray4D', values=[3.0, 0.0, -4.0, x, y, z]),
        Target(
            type='shapes', position_shape='line', position=position, line_direction=along,
            lower=[-5.0 * times - 1.0], upper=[-5.0 * times + 1.0],
        ),
        Target(
            type='shapes', position_shape='plane', position=position,
            normal=Vector3(x=4.0, z=3.0),
        ),
    ):  # fmt: skip
        target.header.frame_id = frame
        answer = solve(target, seed=messages.joints(start))
        assert answer.success, answer.message
        q = dict(zip(answer.solution.name, answer.solution.position, strict=True))
        T_frame_tip = robot.pose(BASE, TIP, q)
        if frame == 'panda_link2':
            T_frame_tip = np.linalg.inv(robot.pose(BASE, frame, start)) @ T_frame_tip
        off = T_frame_tip[:3, 3] - near
        across = off @ [0.8, 0.0, 0.6]
        if target.position_shape != 'plane':
            across = np.linalg.norm(off - (off @ way) * way / 25.0)
        assert abs(across) < 2e-6


def test_a_frame_is_that_of_a_link_at_the_seed(
    solve: Callable[..., Any], robot: Robot, messages: Any
) -> None:
    seed = {'panda_joint1': 0.4, 'panda_joint2': -0.3, 'panda_joint4': -1.9, 'panda_joint6': 1.7}
    every = {name: 0.0 for name in (f'panda_joint{i}' for i in range(1, 8))} | seed
    T_base_link = robot.pose(BASE, 'panda_link4', every)
    point = np.linalg.inv(T_base_link) @ [0.7, 0.2, 0.1, 1.0]
    target = Target(
        header=Header(frame_id='panda_link4'),
        type='Lookat3D',
        point=Point(x=point[0], y=point[1], z=point[2]),
    )
    T = reached(robot, solve(target, seed=messages.joints(every)))
    view = np.array([0.7, 0.2, 0.1]) - T[:3, 3]
    assert np.abs(T[:3, 2] - view / np.linalg.norm(view)).max() < CLOSE
    # What is tied to an axis of the base cannot be given along an axis of a slanted link.
    target = Target(
        header=Header(frame_id='panda_link4'), type='TranslationXY2D', values=[0.1, 0.2]
    )
    answer = solve(target, seed=messages.joints(every))
    assert answer.status == Status.INVALID_TARGET
    assert "targets[0]: in the frame 'panda_link4': the z axis of the base" in answer.message


def test_a_target_without_solution_has_a_reason(solve: Callable[..., Any]) -> None:
    answer = solve(Target(type='Translation3D', values=[3.0, 0.0, 0.0]))
    assert not answer.success
    assert answer.status in (Status.UNREACHABLE, Status.NOT_FOUND)
    assert len(answer.message) > 20
    assert answer.position_error > 1.0
    assert answer.orientation_error == 0.0


def test_an_iteration_takes_targets_too(solve: Callable[..., Any], robot: Robot) -> None:
    options = SolveOptions(inverse_method='dls', timeout=0.5, max_starts=50)
    target = Target(type='TranslationDirection5D', values=[*DOWN, *AT])
    T = reached(robot, solve(target, options=options))
    assert np.abs([*(T[:3, 2] - DOWN), *(T[:3, 3] - AT)]).max() < 1e-3
    nearest = SolveOptions(prefer='nearest', timeout=0.5)
    T = reached(robot, solve(target, options=nearest))
    assert np.abs([*(T[:3, 2] - DOWN), *(T[:3, 3] - AT)]).max() < CLOSE


@pytest.mark.parametrize('name', ['Lookat3D', 'TranslationZAxisAngle4D', 'Ray4D'])
def test_configurations_for_a_target(caller: Any, panda: Any, robot: Robot, name: str) -> None:
    values, _, equations = KINDS[name]
    answer = caller.call(
        panda,
        'find_config',
        FindConfig.Request(
            targets=[Target(type=name, values=values)], max_configs=5, options=PATIENT
        ),
    )
    assert (answer.success, answer.count) == (True, 5), answer.message
    rows = np.asarray(answer.configs).reshape(5, -1)
    for row in rows:
        T = robot.pose(BASE, TIP, dict(zip(answer.joint_names, row.tolist(), strict=True)))
        residual = np.array(list(equations(T[:3, 3], T[:3, :3], T[:3, 2])))
        assert np.abs(residual).max() < CLOSE
    assert min(np.abs(a - b).max() for a, b in itertools.combinations(rows, 2)) > 1e-3


@pytest.mark.parametrize(
    ('fields', 'sentence'),
    [
        ({'targets': [Target(type='Lookat')]}, "targets[0]: there is no type 'Lookat'"),
        ({'targets': [Target(type='Ray4D', values=[1.0])]}, 'targets[0]: the values of a Ray4D'),
        ({'targets': [Target(type='Ray4D', values=[NAN] * 6)]}, 'finite'),
        ({'targets': [Target(type='Direction3D')]}, 'direction is'),
        ({'targets': [Target(id=0x23008006)]}, 'velocity bit'),
        ({'targets': [Target(type='Lookat3D', d=1.0)]}, 'd has a value'),
        ({'targets': [Target(position=Point(x=NAN))]}, 'not finite'),
        ({'targets': [Target(tip='panda_link3')]}, "'panda_link3' is no tip of the group"),
        ({'targets': [Target(tip=TIP), Target(tip=TIP)]}, 'targets[1]: '),
        ({'targets': [Target(tip=TIP), Target()]}, 'some of targets name a tip'),
        ({'targets': [Target(), Target()]}, 'targets has 2 targets'),
        ({'targets': [Target()] * 10_000}, 'targets has 10000 targets'),
        ({'targets': [Target(header=Header(frame_id='moon'))]}, "unknown link 'moon'"),
        ({'targets': [Target(type='dummy')]}, 'no target was given'),
        ({'targets': [Target(type='dummy', d=1.0)]}, 'd has a value'),
        (
            {
                'targets': [Target()],
                'target': PoseStamped(header=Header(frame_id=BASE)),
            },
            'target and targets are given',
        ),
        (
            {
                'targets': [Target(type='Ray4D', values=[1.0] * 6)],
                'tool_direction': Vector3(x=NAN),
            },
            'tool_direction is',
        ),
    ],
)
def test_what_means_nothing_is_refused_and_the_node_lives_on(
    caller: Any, panda: Any, messages: Any, fields: dict[str, Any], sentence: str
) -> None:
    for name, kind in (('solve', Solve), ('find_config', FindConfig)):
        answer = caller.call(panda, name, kind.Request(**fields))
        assert (answer.success, answer.status) == (False, Status.INVALID_TARGET), answer.message
        assert sentence in answer.message
        assert len(answer.message) < 1200
    seed = JointState()
    assert caller.call(panda, 'solve', Solve.Request(target=messages.pose(), seed=seed)).success
