# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Edits are whole: from threads, inside of a transaction, from a callback."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import sys

import ik_node
import numpy as np
import pytest


@pytest.fixture
def env(shipped_robot):
    """Give the shipped Panda."""
    return ik_node.Environment.from_urdf(shipped_robot('panda'))


@pytest.fixture
def many_switches():
    """Let threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_elements_from_many_threads_are_all_there(env, many_switches):
    group = env.create_group('arm', empty=True)
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: group.add_element('panda_hand'), range(100)))
    assert sorted(element.number for element in made) == list(range(100))
    assert len(group.elements) == 100


def test_one_of_many_threads_gets_a_name(env, many_switches):
    def create(_):
        try:
            return env.create_group('arm', 'panda_link0', 'panda_hand')
        except ik_node.InvalidArgumentError:
            return None

    with ThreadPoolExecutor(8) as threads:
        made = [group for group in threads.map(create, range(50)) if group is not None]
    assert made == [env.group('arm')]


def test_nobody_sees_half_a_joint(env, many_switches):
    def create(number):
        env.create_joint(f'j{number}', 'prismatic', limits=(0.1, 0.2), position=0.15)

    def watch(_):
        joints = env.scene.mechanism.objects
        return [joint.limits for joint in joints if joint.name.startswith('j')]

    with ThreadPoolExecutor(8) as threads:
        seen = threads.map(watch, range(200))
        list(threads.map(create, range(50)))
        assert all(limits == (0.1, 0.2) for one in seen for limits in one)


def test_a_joint_that_is_refused_was_never_there(env):
    before = env.scene
    with pytest.raises(ik_node.InvalidArgumentError):
        env.create_joint('j', 'prismatic', limits=(0.1, 0.2), max_step=-1.0)
    assert env.scene is before


def test_the_environment_is_not_edited_inside_of_a_transaction(env):
    def edit():
        with env.transaction() as draft:
            draft.create_dummy('of the draft')
            env.create_dummy('of the environment')

    with pytest.raises(ik_node.InvalidStateError, match='edit the draft'):
        edit()
    assert 'of the draft' not in env
    assert 'of the environment' in env


def test_a_callback_must_not_edit(env):
    arm = env.create_group('arm', 'panda_link0', 'panda_hand')
    env.dummy('panda_hand').target = env.create_dummy('target')

    def callback(_):
        env.create_dummy()

    with pytest.raises(ik_node.InvalidStateError, match='callback'):
        env.handle_groups([arm], callback)


def test_results_can_go_back_in(env):
    arm = env.create_group('arm', 'panda_link0', 'panda_hand')
    target = arm.forward_kinematics(np.full(7, 0.3) * [1, 1, 1, -5, 1, 5, 1])
    target.setflags(write=False)
    first = arm.solve(target)
    first.q.setflags(write=False)
    assert first.success
    assert arm.solve(target, seed=first.q).success
    np.testing.assert_allclose(arm.forward_kinematics(first.q), target, atol=1e-5)
    assert arm.jacobian(first.q).shape == (6, 7)


def test_a_validation_cannot_change_what_is_found(env):
    arm = env.create_group('arm', 'panda_link0', 'panda_hand')
    target = arm.forward_kinematics(np.full(7, 0.3) * [1, 1, 1, -5, 1, 5, 1])

    def validation(q):
        q[:] = 9.0
        return True

    found = arm.find_configs(target, max_configs=3, timeout=1.0, validation=validation)
    assert len(found.configs) == 3
    for q in found.configs:
        np.testing.assert_allclose(arm.forward_kinematics(q), target, atol=1e-4)


def test_root_is_the_first_link_on_the_world():
    env = ik_node.Environment()
    env.create_joint('hinge', 'revolute')
    env.create_dummy('tip', parent='hinge')
    env.create_dummy('base')
    assert env.root_link == 'base'


def test_a_spherical_joint_can_be_clamped_by_its_coordinates():
    env = ik_node.Environment()
    env.create_joint('ball', 'spherical')
    env.create_dummy('tip', parent='ball')
    name = env.create_group('arm', 'world', 'tip').joint_names[0]
    env.set_joint_positions({name: 0.5}, clamp=True)
    assert env.group('arm').seed_from().tolist() == [0.5, 0.0, 0.0]


def test_objects_of_another_environment_are_refused(env, shipped_robot):
    other = ik_node.Environment.from_urdf(shipped_robot('panda'))
    foreign = other.dummy('panda_hand')
    arm = env.create_group('arm', empty=True)
    for call in (
        lambda: env.create_dummy(parent=foreign),
        lambda: arm.add_element(foreign),
        lambda: env.create_group('b', 'panda_link0', foreign),
        lambda: env.erase(foreign),
    ):
        with pytest.raises(ik_node.InvalidArgumentError, match='no object of this'):
            call()


def test_a_misspelt_attribute_of_a_group_is_refused(env):
    arm = env.create_group('arm', 'panda_link0', 'panda_hand')
    with pytest.raises(AttributeError, match="no attribute 'max_iteration'"):
        arm.max_iteration = 9
    arm.max_iterations = 9
    assert arm.max_iterations == 9
