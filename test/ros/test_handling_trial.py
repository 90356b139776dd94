# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""What becomes of an environment that was edited while a copy of it was handled."""

from __future__ import annotations

import math

import pytest

pytest.importorskip('ik_node_interfaces')

import ik_node  # noqa: E402
from ik_node.errors import InvalidStateError  # noqa: E402
from ik_node.ros.handling_trial import Trial  # noqa: E402
import numpy as np  # noqa: E402


@pytest.fixture
def environment() -> ik_node.Environment:
    """Make an arm of one joint, a metre long, that shall point to a target."""
    made = ik_node.Environment()
    made.create_joint('j', limits=(-3.0, 3.0))
    made.create_joint('other', position=0.5)
    pose = np.eye(4)
    pose[0, 3] = 1.0
    made.create_dummy('tip', 'j', pose)
    made.create_dummy('target')
    made.dummy('tip').target = made.dummy('target')
    group = made.create_group('g', empty=True)
    group.add_element('tip', constraints=3)
    group.max_iterations = 50
    return made


def handled(environment: ik_node.Environment) -> Trial:
    """Handle a copy with the target a quarter of a turn away."""
    pose = np.eye(4)
    pose[:2, 3] = math.cos(1.0), math.sin(1.0)
    trial = Trial(environment, {environment.dummy('target').uid: pose})
    result = trial.handle([trial.environment.group('g')], False, math.inf)
    assert result.success
    assert environment.joint('j').position == 0.0
    assert environment.dummy('target').pose()[0, 3] == 0.0
    return trial


def test_a_handling_is_applied_as_a_whole(environment: ik_node.Environment) -> None:
    handled(environment).apply()
    assert environment.joint('j').position == pytest.approx(1.0, abs=1e-3)
    assert environment.dummy('target').pose()[0, 3] == pytest.approx(math.cos(1.0))


def test_edits_of_the_meantime_stay(environment: ik_node.Environment) -> None:
    trial = handled(environment)
    environment.joint('other').position = 0.75
    environment.joint('j').name = 'renamed'
    environment.create_dummy('new')
    trial.apply()
    assert environment.joint('renamed').position == pytest.approx(1.0, abs=1e-3)
    assert environment.joint('other').position == 0.75
    assert 'new' in environment
    assert environment.dummy('target').pose()[0, 3] == pytest.approx(math.cos(1.0))


def test_limits_of_the_meantime_hold(environment: ik_node.Environment) -> None:
    trial = handled(environment)
    environment.joint('j').limits = (-0.5, 0.25)
    trial.apply()
    assert environment.joint('j').position == 0.25


def test_what_is_gone_by_then_is_told(environment: ik_node.Environment) -> None:
    trial = handled(environment)
    environment.joint('j').set_dependency('other')
    with pytest.raises(InvalidStateError, match="'j'"):
        trial.apply()
    assert environment.dummy('target').pose()[0, 3] == 0.0
    trial = Trial(environment, {environment.dummy('target').uid: np.eye(4)})
    environment.erase('target')
    with pytest.raises(InvalidStateError, match='erased'):
        trial.apply()
