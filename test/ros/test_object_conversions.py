# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What the services of objects rest on, where a client cannot bring it about."""

from __future__ import annotations

import threading
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

import ik_node  # noqa: E402
from ik_node.errors import InvalidStateError, UnknownNameError  # noqa: E402
from ik_node.ros.environments import (  # noqa: E402
    DESCRIBED,
    Environments,
    MAX_ENVIRONMENTS,
)
from ik_node.ros.errors import InvalidNameError, NoEnvironmentError  # noqa: E402
from ik_node.ros.object_conversions import joint_message, Poses  # noqa: E402
from ik_node.ros.object_edits import edit_joint  # noqa: E402

from ik_node_interfaces.msg import JointInfo  # noqa: E402


@pytest.fixture
def environment() -> ik_node.Environment:
    environment = ik_node.Environment()
    environment.create_joint('master', 'prismatic', limits=(0.0, 1.0), position=0.5)
    environment.create_joint('slave', 'prismatic', parent='master')
    return environment


def message(environment: Any, name: str) -> JointInfo:
    scene = environment.scene
    return joint_message(scene, scene.mechanism.joint_indices[name], Poses(scene))


def test_a_function_is_told_and_cannot_be_edited(environment: ik_node.Environment) -> None:
    slave = environment.joint('slave')
    slave.set_dependency('master', function=lambda at: at * at)
    told = message(environment, 'slave')
    assert (told.master, told.follows_function, told.position) == ('master', True, 0.25)
    with pytest.raises(InvalidStateError, match='by a function'):
        with environment.transaction() as draft:
            edit_joint(
                draft,
                draft.joint('slave'),
                JointInfo(name='slave', multiplier=2.0),
                frozenset(['multiplier']),
            )
    assert message(environment, 'slave') == told
    with environment.transaction() as draft:
        wanted = JointInfo(name='slave', master='master')
        edit_joint(draft, draft.joint('slave'), wanted, frozenset(['master']))
    told = message(environment, 'slave')
    assert (told.follows_function, told.multiplier, told.position) == (False, 1.0, 0.5)


def test_a_transaction_is_seen_as_a_whole_or_not_at_all(environment: ik_node.Environment) -> None:
    def spoil() -> None:
        with environment.transaction() as draft:
            draft.create_dummy('new')
            draft.joint('master').weight = 0.5
            draft.joint('nobody')

    before = environment.scene
    with pytest.raises(UnknownNameError):
        spoil()
    assert environment.scene is before
    with environment.transaction() as draft:
        new = draft.create_dummy('new')
        draft.joint('master').position = 0.75
        assert environment.scene is before
        assert 'new' not in environment
    assert environment.joint('master').position == 0.75
    # Identities go on where the draft left off.
    assert environment.dummy('new').uid == new.uid
    assert environment.create_dummy('newer').uid > new.uid


def test_edits_of_other_threads_wait_for_a_transaction(environment: ik_node.Environment) -> None:
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait(5.0)
        environment.joint('master').weight = 0.25
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with environment.transaction() as draft:
        draft.joint('slave').weight = 0.5
        inside.set()
        assert not done.wait(0.1)
    thread.join(5.0)
    # Neither edit has overwritten the other.
    assert (environment.joint('master').weight, environment.joint('slave').weight) == (0.25, 0.5)


def test_environments() -> None:
    environments = Environments()
    made = ik_node.Environment()
    with pytest.raises(NoEnvironmentError):
        environments.resolve('')
    assert '' not in environments
    assert environments.current is None
    environments.add('first', made)
    environments.put_described(ik_node.Environment())
    assert list(environments) == ['first', DESCRIBED]
    assert environments.current is made
    assert '' in environments
    with pytest.raises(UnknownNameError):
        environments.switch('nobody')
    with pytest.raises(InvalidNameError):
        environments.add('first', made)
    assert environments.current_name == 'first'
    # An environment of a new description stands where the old one stood.
    environments.add('last', made, make_current=True)
    newer = ik_node.Environment()
    environments.put_described(newer)
    assert list(environments) == ['first', DESCRIBED, 'last']
    environments.erase('first')
    environments.erase('')
    assert environments.resolve('') == (DESCRIBED, newer)
    for index in range(MAX_ENVIRONMENTS - 1):
        environments.add(f'e{index}', made)
    with pytest.raises(InvalidStateError, match='erase one'):
        environments.add('more', made)
