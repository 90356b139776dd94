# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of other kinds than are wanted: refused in words, never by an error of Python's own."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any

import ik_node
from ik_node import IkNodeError, IkParameterization, IkParameterizationType
from ik_node.errors import shown
import numpy as np
import pytest

#: No number, no word, no list of either.
WRONG = [
    10**400,
    -(10**400),
    10**5000,
    b'x',
    {},
    {'a': 1},
    {1, 2},
    np.zeros(5),
    np.zeros((2, 2)),
    np.array('x'),
    [1, 'a'],
    [[1]],
    [10**400] * 3,
    [None] * 3,
    object(),
    1j,
    math.nan,
    len,
]
Attempt = Callable[[Any], object]


def of_groups(panda: ik_node.Group) -> dict[str, Attempt]:
    T = np.eye(4)
    still = ik_node.IkParameterizationVelocity('Translation3D', [0, 0, 0.1])
    look = ik_node.Direction3D((0, 0, 1))
    names = (
        'timeout position_tolerance orientation_tolerance position_weight random_seed max_starts '
        'prefer method locked_joints limits seed'
    )
    attempts: dict[str, Attempt] = {
        f'solve {name}': lambda wrong, name=name: panda.solve(T, **{'max_starts': 1, name: wrong})
        for name in names.split()
    }
    for name in 'max_configs threshold metric max_draws locked_joints limits'.split():
        attempts[f'find_configs {name}'] = lambda wrong, name=name: panda.find_configs(
            T, **{'max_draws': 1, name: wrong}
        )
    for name in 'linear_step angular_step seed locked_joints limits position_weight'.split():
        attempts[f'step {name}'] = lambda wrong, name=name: panda.step(
            T, **{'linear_step': 0.1, 'angular_step': 0.1, name: wrong}
        )
    for name in 'velocity q at damping direction'.split():
        attempts[f'joint_velocities {name}'] = lambda wrong, name=name: panda.joint_velocities(
            **{'velocity': still, name: wrong}
        )
    return attempts | {
        'solve direction': lambda wrong: panda.solve(look, direction=wrong),
        'find_configs direction': lambda wrong: panda.find_configs(look, direction=wrong),
        'solve target': lambda wrong: panda.solve(wrong, max_starts=1),
        'solve options': lambda wrong: panda.solve(T, options=wrong),
        'solve approximate': lambda wrong: panda.solve(T, approximate=wrong),
        'solve goals': lambda wrong: panda.solve(T, goals=[wrong]),
        'jacobian': panda.jacobian,
        'jacobian frame': lambda wrong: panda.jacobian(None, wrong),
        'forward_kinematics': panda.forward_kinematics,
        'solve_batch': panda.solve_batch,
        'solve_batch threads': lambda wrong: panda.solve_batch([T], threads=wrong),
    }


def of_environments(env: ik_node.Environment) -> dict[str, Attempt]:
    def setting(thing: object, name: str) -> Attempt:
        return lambda wrong: setattr(thing, name, wrong)

    group = env.group('g')
    things = {
        env.joint('j'): 'limits interval screw_lead weight max_step velocity position',
        group.elements[0]: 'linear_precision angular_weight weight constraints base',
        group: 'flags method damping max_iterations',
        env.dummy('d'): 'target',
    }
    attempts = {
        f'{type(thing).__name__}.{name}': setting(thing, name)
        for thing, names in things.items()
        for name in names.split()
    }
    return attempts | {
        'joint': env.joint,
        'group': env.group,
        '[]': env.__getitem__,
        'erase': env.erase,
        'handle_groups': env.handle_groups,
        'link_pose': env.link_pose,
        'create_joint name': env.create_joint,
        'create_joint kind': lambda wrong: env.create_joint(kind=wrong),
        'create_dummy parent': lambda wrong: env.create_dummy(parent=wrong),
        'create_dummy pose': lambda wrong: env.create_dummy(pose=wrong),
        'create_group name': lambda wrong: env.create_group(wrong, 'world', 'd'),
        'create_group base': lambda wrong: env.create_group('h', wrong, 'd'),
        'set_dependency': env.joint('j').set_dependency,
        'set_joint_positions of one': lambda wrong: env.set_joint_positions({'j': wrong}),
    }


def of_targets() -> dict[str, Attempt]:
    velocity = ik_node.IkParameterizationVelocity
    attempts: dict[str, Attempt] = {}
    for kind in IkParameterizationType.targets():
        made = IkParameterization.class_of(kind)
        one = made.from_pose(np.eye(4))
        attempts |= {
            f'{kind.name} values': made.from_values,
            f'{kind.name} pose': made.from_pose,
            f'{kind.name} direction': lambda wrong, made=made: made.from_pose(np.eye(4), wrong),
            f'{kind.name} errors': one.errors,
            f'{kind.name} transformed': one.transformed,
            f'{kind.name} distance': one.distance,
        }
    return attempts | {
        'Line': lambda wrong: ik_node.Line((0, 0, 0), (0, 0, 1), wrong),
        'Plane': lambda wrong: ik_node.Plane((0, 0, 1), wrong),
        'Plane.through': lambda wrong: ik_node.Plane.through((0, 0, 1), wrong),
        'Cone': lambda wrong: ik_node.Cone((0, 0, 1), (0, 0, 1), wrong),
        'PoseBox': lambda wrong: ik_node.PoseBox((0, 0, 0), (0, 0, 0, 1), wrong),
        'Shapes': ik_node.Shapes,
        'class_of': IkParameterization.class_of,
        'from_text': IkParameterization.from_text,
        'from_json': IkParameterization.from_json,
        'from_name': IkParameterizationType.from_name,
        'velocity type': lambda wrong: velocity(wrong, [0, 0, 1]),
        'velocity values': lambda wrong: velocity('Translation3D', wrong),
        'velocity twist': lambda wrong: velocity.from_twist((0, 0, 0), (0, 0, 0), wrong),
        'velocity angular': velocity('Rotation3D', [0, 0, 1, 0]).angular,
        'Centre': ik_node.Centre,
        'KeepOffLimits': ik_node.KeepOffLimits,
        'Posture': ik_node.Posture,
        'Keep link': lambda wrong: ik_node.Keep(wrong, (0, 0, 0)),
        'Keep point': lambda wrong: ik_node.Keep('a', wrong),
        'IKOptions method': lambda wrong: ik_node.IKOptions(inverse_method=wrong),
        'IKOptions damping': lambda wrong: ik_node.IKOptions(damping=wrong),
        'IKOptions random_seed': lambda wrong: ik_node.IKOptions(random_seed=wrong),
    }


#: What some of them may be: a mapping may be empty, a threshold or a number of draws huge.
ALLOWED = {
    'solve max_starts': [10**400, 10**5000],
    'solve locked_joints': [{}],
    'solve limits': [{}],
    'find_configs max_configs': [10**400, 10**5000],
    'find_configs max_draws': [10**400, 10**5000],
    'find_configs threshold': [10**400, 10**5000],
    'find_configs locked_joints': [{}],
    'find_configs limits': [{}],
    'step linear_step': [10**400, 10**5000],
    'step angular_step': [10**400, 10**5000],
    'step locked_joints': [{}],
    'step limits': [{}],
    'joint_velocities at': [{}],
    'Line': [-(10**400)],
    'Joint.max_step': [10**400, 10**5000],
    'Joint.velocity': [10**400, 10**5000],
    'solve_batch threads': [10**400, 10**5000],
    'Posture': [{'a': 1}],
    'Group.max_iterations': [10**400, 10**5000],
}


def test_every_wrong_kind_is_refused_in_words() -> None:
    env = ik_node.Environment.from_urdf('config/robots/panda.urdf')
    panda = env.create_group('arm', 'panda_link0', 'panda_hand')
    made = ik_node.Environment()
    made.create_dummy('d', made.create_joint('j'))
    made.create_group('g', 'world', 'd')
    attempts = of_groups(panda) | of_environments(made) | of_targets()
    accepted = []
    for label, attempt in attempts.items():
        for wrong in WRONG:
            try:
                attempt(wrong)
            except IkNodeError as error:
                words = str(error)
                assert 10 < len(words) < 1500, (label, words)
            else:
                accepted.append((label, wrong))
    not_refused = [
        (label, shown(wrong))
        for label, wrong in accepted
        if not any(type(one) is type(wrong) and one == wrong for one in ALLOWED.get(label, ()))
    ]
    assert not_refused == []


@pytest.mark.parametrize(
    ('attempt', 'words'),
    [
        (
            lambda: ik_node.Plane((0, 0, 1), 10**400),
            'd is an integer of about 400 digits; it must',
        ),
        (lambda: ik_node.Centre(10**400), 'weight of a Centre is an integer of about 400 digits'),
        (
            lambda: ik_node.Environment().group({}),
            r'^\{\} is no name of a group; there is no group',
        ),
        (
            lambda: ik_node.Environment()[np.zeros(2)],
            r'array\(\[0., 0.\]\) is no name of a object',
        ),
        (lambda: ik_node.IKOptions(inverse_method=np.zeros(2)), r'inverse_method is array\('),
        (
            lambda: ik_node.Environment().set_joint_positions([1.0]),
            r'positions are \[1.0\]; they must be a mapping from names of joints',
        ),
        (lambda: ik_node.Keep({}, (0, 0, 0)), r'link of a Keep is \{\}; it must be a name'),
    ],
)
def test_words_name_what_was_given_and_what_is_allowed(
    attempt: Callable[[], object], words: str
) -> None:
    with pytest.raises(IkNodeError, match=words):
        attempt()
