# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters in MoveIt's files: ours, those of other solvers, and what is none."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

from ik_node import IkParameterizationType, InvalidArgumentError, LoadError, UnknownNameError
from ik_node.moveit import (
    KinematicsPlugin,
    load_solver,
    load_yaml,
    parameters_of,
    plugin_class,
    plugin_names,
)
from ik_node.moveit.foreign import MEANINGLESS, MEANT, settings_from
from ik_node.moveit.settings import OWN
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
ROBOTS = ROOT / 'test' / 'robots'


def set_to(**parameters: Any) -> Any:
    settings, notes = settings_from(parameters)
    assert not notes
    return settings


def test_moveits_own_keys() -> None:
    settings = set_to(
        kinematics_solver='ik_node/KinematicsPlugin',
        kinematics_solver_search_resolution=0.02,
        kinematics_solver_timeout=1,
        kinematics_solver_ik_links=['a', 'b'],
    )
    assert settings.search_resolution == 0.02
    assert settings.timeout == 1.0
    assert settings.tips == ('a', 'b')


@pytest.mark.parametrize(
    'spelling', ['transform6d', 'Transform6D ', 'TRANSFORM6D', 'IKP_Transform6D']
)
def test_types_in_any_case(spelling: str) -> None:
    assert set_to(target_type=spelling).target_class is None
    assert set_to(iktype='translationxy2d').target_type is IkParameterizationType.TranslationXY2D


def test_what_other_solvers_call_it() -> None:
    assert set_to(epsilon=1e-4).tuning.position_tolerance == 1e-4
    assert set_to(epsilon=1e-4).tuning.orientation_tolerance == 1e-4
    assert set_to(orientation_vs_position=0.5).tuning.position_weight == 2.0
    position = IkParameterizationType.Translation3D
    for parameters in (
        {'orientation_vs_position': 0},
        {'position_only_ik': True},
        {'rotation_scale': 0.0},
    ):
        assert set_to(**parameters).target_type is position
    assert set_to(position_only_ik=False).target_class is None
    assert set_to(position_scale=0).target_type is IkParameterizationType.Rotation3D
    assert set_to(rotation_scale=0.5).tuning.position_weight == 2.0
    assert set_to(solve_type='Speed').tuning.prefer == 'fast'
    assert set_to(solve_type='Distance').tuning.prefer == 'nearest'
    assert set_to(mode='local').single_start
    assert not set_to(mode='global').single_start
    assert not set_to(mode='bio2_memetic').single_start
    assert set_to(position_threshold=0.002).tuning.position_tolerance == 0.002
    assert set_to(orientation_threshold=0.003).tuning.orientation_tolerance == 0.003
    assert set_to(minimal_displacement_weight=0.1).tuning.prefer == 'nearest'
    assert set_to(approximate_solution_position_threshold=0.1).approximate_position == 0.1
    assert set_to(approximate_solution_orientation_threshold=0.1).approximate_orientation == 0.1
    assert set_to(approximate_solution_joint_threshold=0.1).approximate_joint == 0.1
    assert set_to(approximate_solution_joint_threshold=0.0).approximate_joint == math.inf


def test_what_means_nothing_here_is_told_why() -> None:
    parameters: dict[str, Any] = {key: 1 for key in MEANINGLESS if MEANINGLESS[key]}
    parameters |= {'memetic_num_threads': 1, 'panda_joint1': {'weight': 2.0}, 'j2.weight': 1.0}
    parameters['kinematics_solvr'] = 'x'
    _, notes = settings_from(parameters)
    assert len(notes) == len(parameters)
    assert all(any(key in note for note in notes) for key in parameters)
    assert any('kinematics_solvr is unknown' in note for note in notes)
    assert not set(OWN) & set(MEANT)
    assert not (set(OWN) | set(MEANT)) & set(MEANINGLESS)


@pytest.mark.parametrize('key', [*OWN, *MEANT])
@pytest.mark.parametrize('value', ['foo', -1, math.nan, [], {}])
def test_a_value_that_a_key_cannot_have_is_refused(key: str, value: Any) -> None:
    """Or taken for nothing, where a list may be empty; the process that asks lives on."""
    plugin = KinematicsPlugin()
    robot = ROBOTS / 'planar_tool.urdf'
    ready = plugin.initialize(robot, 'arm', 'base', 'flange', parameters={key: value})
    if not ready:
        assert key in plugin.notes[-1]
    else:
        assert value in ([], 'foo')
        assert key in ('kinematics_solver_ik_links', 'redundant_joints')


def test_the_sentence_has_what_is_allowed() -> None:
    plugin = KinematicsPlugin()
    robot = ROBOTS / 'planar_tool.urdf'
    for parameters, said in (
        ({'target_type': 'foo'}, 'Transform6D, Rotation3D'),
        ({'target_type': 'Transform6DVelocity'}, 'must be one of'),
        ({'mode': 'foo'}, 'local, global'),
        ({'solve_type': 7}, 'speed, distance'),
        ({'redundant_joints': ['nobody']}, 'j1, j2, j3'),
    ):
        assert not plugin.initialize(robot, 'arm', 'base', 'flange', parameters=parameters)
        assert said in plugin.notes[-1]


def test_where_parameters_are_looked_for(tmp_path: Path) -> None:
    wanted = {'kinematics_solver': 'ik_node/KinematicsPlugin', 'kinematics_solver_timeout': 0.1}
    prefix = 'robot_description_kinematics'
    for content in (
        {'arm': wanted},
        {prefix: {'arm': wanted}},
        {'/**': {'ros__parameters': {prefix: {'arm': wanted}}}},
        {f'{prefix}.arm.{key}': value for key, value in wanted.items()},
        {f'arm.{key}': value for key, value in wanted.items()},
    ):
        found, places = parameters_of(content, 'arm')
        assert found == wanted
        assert places == ['robot_description_kinematics.arm', 'arm']
    with pytest.raises(InvalidArgumentError, match="found arm; did you mean 'arm'"):
        parameters_of({prefix: {'arm': wanted}}, 'amr')
    with pytest.raises(InvalidArgumentError, match='found nothing'):
        parameters_of({}, 'arm')
    bad = tmp_path / 'bad.yaml'
    for text in ('a: [', '- 1', '\x00'):
        bad.write_text(text)
        with pytest.raises(LoadError):
            load_yaml(bad)
    bad.write_text('')
    assert load_yaml(bad) == {}
    with pytest.raises(LoadError, match='cannot read'):
        load_yaml(tmp_path / 'none.yaml')


def test_plugins_are_found_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In packages that are installed, by the group of entry points that they declare."""
    assert plugin_class('ik_node/KinematicsPlugin') is KinematicsPlugin
    assert 'ik_node/KinematicsPlugin' in plugin_names()
    with pytest.raises(UnknownNameError, match="did you mean 'ik_node/KinematicsPlugin'"):
        plugin_class('ik_node/KinematicPlugin')
    (tmp_path / 'their_kinematics.py').write_text(
        'from ik_node.moveit import KinematicsPlugin\n\n\n'
        'class Theirs(KinematicsPlugin):\n    pass\n'
    )
    info = tmp_path / 'their_kinematics-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: their-kinematics\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(
        '[ik_node.kinematics_plugins]\n'
        'theirs/Plugin = their_kinematics:Theirs\n'
        'theirs/Broken = no_such_module:Thing\n'
        'theirs/Lost = their_kinematics:Nothing\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert {'ik_node/KinematicsPlugin', 'theirs/Plugin'} <= set(plugin_names())
    for name, said in (('theirs/Broken', 'no_such_module'), ('theirs/Lost', 'Nothing')):
        with pytest.raises(InvalidArgumentError, match=said):
            plugin_class(name)
    theirs = plugin_class('theirs/Plugin')
    assert theirs.__name__ == 'Theirs'
    kinematics = {'arm': {'kinematics_solver': 'theirs/Plugin', 'kinematics_solver_timeout': 0.2}}
    robot = ROBOTS / 'planar_tool.urdf'
    plugin = load_solver(robot, ROBOTS / 'planar_tool.srdf', 'arm', kinematics)
    assert type(plugin) is theirs
    assert plugin.get_default_timeout() == 0.2
    assert plugin.get_tip_frame() == 'flange'


def test_a_solver_from_a_config_package(shipped_robot: Callable[[str], Path]) -> None:
    """From the kinematics.yaml that is shipped, as MoveIt's own loader would."""
    kinematics = load_yaml(ROOT / 'config' / 'moveit' / 'kinematics_python.yaml')
    plugin = load_solver(shipped_robot('panda'), ROBOTS / 'panda.srdf', 'panda_arm', kinematics)
    assert plugin.get_tip_frames() == ('panda_link8',)
    q = [0.1, -0.7, 0.2, -2.2, 0.1, 1.6, 0.8]
    T = plugin.get_position_fk(['panda_link8'], q)[0]
    assert plugin.search_position_ik(T, np.add(q, 0.05))
    with pytest.raises(InvalidArgumentError, match='no kinematics parameters'):
        load_solver(shipped_robot('panda'), ROBOTS / 'panda.srdf', 'panda_amr', kinematics)
    hand = {'hand': kinematics['panda_arm']}
    with pytest.raises(InvalidArgumentError, match='different branches'):
        load_solver(shipped_robot('panda'), ROBOTS / 'panda.srdf', 'hand', hand)
    nameless = {'panda_arm': {'kinematics_solver': ''}}
    with pytest.raises(InvalidArgumentError, match='no kinematics_solver'):
        load_solver(shipped_robot('panda'), ROBOTS / 'panda.srdf', 'panda_arm', nameless)


def test_the_files_for_moveit() -> None:
    stock = load_yaml(ROOT / 'config' / 'moveit' / 'kinematics.yaml')
    ((group, row),) = stock.items()
    assert group == 'panda_arm'
    assert row['kinematics_solver'] == 'srv_kinematics_plugin/SrvKinematicsPlugin'
    assert row['kinematics_solver_service_name'] == 'solve_ik'
