# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Saving, loading and copying environments."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st
import ik_node
from ik_node import Environment
from ik_node.kernels.rotations import matrix_from_rpy
import numpy as np
import pytest


def full():
    """Make an environment in which every attribute has a value of its own."""
    env = Environment(name='voll \u30ed')
    tilt = np.eye(4)
    tilt[:3, :3] = matrix_from_rpy(0.1, 0.2, 0.3)
    tilt[:3, 3] = 1.0 / 3.0, 1e-300, -1e100
    env.create_joint('a', pose=tilt, limits=(-1.0 / 7.0, 20.0), screw_lead=0.1, weight=0.3)
    env.create_joint('b', 'prismatic', 'a', tilt, max_step=0.01, limit_margin=0.02, passive=True)
    env.create_joint('c', 'spherical', 'b', velocity=0.7)
    env.create_joint('d', parent='c').set_dependency('a', multiplier=0.1, offset=0.2)
    env.create_dummy('tip', 'd', tilt)
    env.create_dummy('target')
    env.dummy('tip').target = 'target'
    env.joint('a').position = 0.1
    env.joint('b').position = 0.05
    env.joint('c').orientation = [0.1, 0.2, 0.3, 0.9]
    env.create_group('whole', 'world', 'tip')
    env.create_group('half', 'b', 'tip').direction = (0.3, -0.5, 0.6)
    return env


def test_save_load_save_is_byte_identical(tmp_path):
    env = full()
    env.save(tmp_path / 'one.json')
    loaded = Environment.load(tmp_path / 'one.json')
    loaded.save(tmp_path / 'two.json')
    assert (tmp_path / 'one.json').read_bytes() == (tmp_path / 'two.json').read_bytes()
    assert sorted(tmp_path.iterdir()) == [tmp_path / 'one.json', tmp_path / 'two.json']


def test_loaded_environment_has_everything(tmp_path):
    env = full()
    env.save(tmp_path / 'file')
    loaded = Environment.load(tmp_path / 'file')
    assert loaded.name == env.name
    for name, joint in env.joints.items():
        other = loaded.joint(name)
        for attribute in (
            'kind', 'passive', 'cyclic', 'limits', 'interval', 'screw_lead', 'weight', 'max_step',
            'limit_margin', 'velocity', 'dependency',
        ):  # fmt: skip
            assert getattr(other, attribute) == getattr(joint, attribute), (name, attribute)
        np.testing.assert_array_equal(other.pose(), joint.pose())
    np.testing.assert_array_equal(loaded.joint('c').orientation, env.joint('c').orientation)
    assert loaded.joint_positions == env.joint_positions
    assert loaded.dummy('tip').target == loaded.dummy('target')
    assert loaded.group('half').direction == env.group('half').direction != (0.0, 0.0, 1.0)
    assert {g.name: (g.base, g.tip) for g in loaded.groups.values()} == {
        'whole': ('world', 'tip'),
        'half': ('b', 'tip'),
    }


@given(st.integers(0, 2**32 - 1))
def test_loaded_environment_solves_the_same(tmp_path_factory, number):
    rng = np.random.default_rng(number)
    env = Environment()
    parent = None
    for i in range(int(rng.integers(2, 8))):
        T = np.eye(4)
        T[:3, :3] = matrix_from_rpy(*rng.uniform(-3, 3, size=3))
        T[:3, 3] = rng.normal(size=3)
        kind = str(rng.choice(['revolute', 'prismatic', 'spherical']))
        limits = {} if kind == 'spherical' else {'limits': tuple(np.sort(rng.normal(size=2)))}
        parent = env.create_joint(f'j{i}', kind, parent, T, weight=float(rng.random()), **limits)
    env.create_dummy('tip', parent)
    group = env.create_group('g', 'world', 'tip')
    path = tmp_path_factory.mktemp('saved') / 'env'
    env.save(path)
    other = Environment.load(path).group('g')
    q = rng.normal(size=len(group.joint_names))
    target = group.forward_kinematics(q)
    np.testing.assert_array_equal(other.forward_kinematics(q), target)
    np.testing.assert_array_equal(other.jacobian(q), group.jacobian(q))
    answers = [g.solve(target, max_starts=3, timeout=10.0).q.tobytes() for g in (group, other)]
    assert answers[0] == answers[1]


@pytest.mark.parametrize('gone', ['tip', 'base', 'axes'])
def test_an_element_that_lacks_something_is_saved_with_what_it_has(tmp_path, gone):
    env = Environment()
    base = env.create_dummy('base')
    env.create_dummy('axes')
    env.create_joint('slide', 'prismatic', base, limits=(0.0, 1.0))
    env.create_dummy('tip', 'slide')
    group = env.create_group('g', 'base', 'tip')
    (element,) = group.elements
    element.constraints_base, element.linear_precision = 'axes', 0.25
    env.erase(gone)
    env.save(tmp_path / 'one')
    loaded = Environment.load(tmp_path / 'one')
    loaded.save(tmp_path / 'two')
    assert (tmp_path / 'one').read_bytes() == (tmp_path / 'two').read_bytes()
    (other,) = loaded.group('g').elements
    assert other.linear_precision == 0.25
    words = []
    for each in (env, loaded):
        with pytest.raises(ik_node.InvalidStateError, match='has been erased') as caught:
            each.group('g').solve(np.eye(4))
        words.append(str(caught.value))
        each.handle_groups(['g'])  # goes past it
    assert words[0] == words[1]
    # What it has is there, and it can be given what it lacks.
    if gone == 'tip':
        assert other.base == loaded['base']
        assert repr(other).endswith('tip erased)')
        assert not other.tip.exists
        return
    assert other.tip == loaded['tip']
    if gone == 'base':
        other.base = None
    else:
        assert other.base == loaded['base']
        other.constraints_base = None
    T = np.eye(4)
    T[2, 3] = 0.3
    result = loaded.group('g').solve(T)
    assert result.success
    assert result.q[0] == pytest.approx(0.3)


def test_urdf_robot_survives(tmp_path, real_robot):
    env = Environment.from_urdf(real_robot('tiago_description/robots/tiago_dual.urdf'))
    env.save(tmp_path / 'tiago')
    loaded = Environment.load(tmp_path / 'tiago')
    assert loaded.link_names == env.link_names
    assert loaded.mechanism.fixed_joints == env.mechanism.fixed_joints
    np.testing.assert_array_equal(
        loaded.link_poses(env.link_names), env.link_poses(env.link_names)
    )


def test_functions_are_given_again(tmp_path):
    env = full()
    env.joint('d').set_dependency('a', function=math.sin)
    env.save(tmp_path / 'file')
    with pytest.raises(ik_node.LoadError, match=r"joint 'd' follows 'a' by a function"):
        Environment.load(tmp_path / 'file')
    loaded = Environment.load(tmp_path / 'file', functions={'d': math.sin})
    assert loaded.joint('d').position == env.joint('d').position


def test_unreadable_files(tmp_path):
    with pytest.raises(ik_node.LoadError, match='cannot read'):
        Environment.load(tmp_path / 'nothing')
    path = tmp_path / 'file'
    for text, said in [
        ('', 'it is not JSON'),
        ('{"format": "other"}', '"format" is not'),
        ('[]', '"format" is not'),
        ('{"format": "ik_node environment", "version": 2}', 'has version 2'),
        ('{"format": "ik_node environment", "version": 1}', 'is damaged'),
    ]:
        path.write_text(text)
        with pytest.raises(ik_node.LoadError, match=said):
            Environment.load(path)
    path.write_bytes(b'\xff\xfe\x00')
    with pytest.raises(ik_node.LoadError, match='cannot read'):
        Environment.load(path)


@pytest.mark.parametrize('bad', ['NaN', 'Infinity', '1e999', '"x"'])
def test_positions_are_finite(tmp_path, bad):
    full().save(tmp_path / 'file')
    text = (tmp_path / 'file').read_text()
    assert '"a": 0.1' in text
    (tmp_path / 'file').write_text(text.replace('"a": 0.1', f'"a": {bad}'))
    with pytest.raises(ik_node.LoadError):
        Environment.load(tmp_path / 'file')


@pytest.mark.parametrize(
    ('where', 'fields'),
    [
        ('joint', {'weight': [0.0, -1.0, '1', True]}),
        ('joint', {'max_step': [0.0, -1.0], 'limit_margin': [-0.1], 'velocity': [-1.0]}),
        ('joint', {'cyclic': [0, 'no'], 'passive': [1], 'screw_lead': ['1e-3'], 'parent': [0.0]}),
        ('joint', {'T_parent_self': [[[0, 0, 0, 0]] * 3, [[1, 0, 0, 0], [0, 1, 0, 0]]]}),
        ('joint', {'T_parent_self': [[[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]]}),
        ('group', {'max_iterations': [0, 1.5, True], 'flags': [-1, 1 << 20, 1.0]}),
        ('group', {'direction': [[0, 0, 0], [1.0], 'z', None, [0, 0, '1']]}),
        ('group', {'damping': [-1.0], 'method': ['magic', ''], 'name': ['', 3]}),
        ('element', {'constraints': [32, -1, 1.0], 'enabled': [1], 'number': [-1], 'tip': [99]}),
        ('element', {'linear_precision': [0.0], 'angular_precision': [-1.0], 'weight': [-1.0]}),
        ('element', {'linear_weight': [-1.0], 'angular_weight': ['1'], 'base': [-1]}),
    ],
)
def test_values_that_no_setter_would_take(tmp_path, where, fields):
    path = tmp_path / 'file'
    full().save(path)
    text = path.read_text()
    for field, values in fields.items():
        for value in values:
            document = json.loads(text)
            joint = next(o for o in document['objects'] if o['kind'] == 'revolute')
            group = next(g for g in document['groups'] if g['elements'])
            {'joint': joint, 'group': group, 'element': group['elements'][0]}[where][field] = value
            path.write_text(json.dumps(document))
            with pytest.raises(ik_node.LoadError, match='is damaged'):
                Environment.load(path)


def test_files_of_before_groups_had_a_direction(tmp_path):
    path = tmp_path / 'file'
    full().save(path)
    document = json.loads(path.read_text())
    for group in document['groups']:
        del group['direction']
    path.write_text(json.dumps(document))
    assert Environment.load(path).group('half').direction == (0.0, 0.0, 1.0)


def test_two_groups_of_one_name(tmp_path):
    path = tmp_path / 'file'
    full().save(path)
    document = json.loads(path.read_text())
    document['groups'] *= 2
    path.write_text(json.dumps(document))
    with pytest.raises(ik_node.LoadError, match='two groups have the same name'):
        Environment.load(path)


def test_damage_anywhere_is_a_load_error(tmp_path):
    full().save(tmp_path / 'file')
    document = json.loads((tmp_path / 'file').read_text())
    rng = np.random.default_rng(0)
    path = tmp_path / 'damaged'
    refused = 0
    for _ in range(300):
        broken = json.loads(json.dumps(document))
        node = broken
        while isinstance(node, (dict, list)) and node:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            key = keys[rng.integers(len(keys))]
            if not isinstance(node[key], (dict, list)) or rng.random() < 0.3:
                node[key] = [None, 'x', -7, 1e9, [], {}][rng.integers(6)]
                break
            node = node[key]
        path.write_text(json.dumps(broken))
        try:
            Environment.load(path).link_poses(['tip'])
        except ik_node.IkNodeError:
            refused += 1
    assert refused > 150


def test_truncated_file_is_a_load_error(tmp_path):
    full().save(tmp_path / 'file')
    data = (tmp_path / 'file').read_bytes()
    for size in range(0, len(data) - 2, 97):
        (tmp_path / 'part').write_bytes(data[:size])
        with pytest.raises(ik_node.LoadError):
            Environment.load(tmp_path / 'part')


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        full().save(tmp_path / 'no such folder' / 'file')
    assert caught.value.filename == str(tmp_path / 'no such folder' / 'file')


def test_duplicate_is_independent():
    env = full()
    copy = env.duplicate()
    assert [o.name for o in copy.objects] == [o.name for o in env.objects]
    assert [o.uid for o in copy.objects] == [o.uid for o in env.objects]
    assert copy.joint_positions == env.joint_positions
    copy.joint('a').position = 0.9
    copy.erase('target')
    copy.create_dummy('only there')
    copy.erase_group('half')
    assert env.joint('a').position == 0.1
    assert 'target' in env
    assert 'only there' not in env
    assert list(env.groups) == ['whole', 'half']
    assert copy.group('whole').environment is copy
    env.joint('a').limits = (-0.2, 0.2)
    assert copy.joint('a').limits == (-1.0 / 7.0, 20.0)


def test_duplicate_keeps_functions():
    env = full()
    env.joint('d').set_dependency('a', function=math.sin)
    assert env.duplicate().joint('d').dependency.function is math.sin


def test_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / 'file'
    full().save(path)
    before = path.read_bytes()
    with pytest.raises(OSError, match='not-there'):
        full().save(tmp_path / 'not-there' / 'file')
    assert path.read_bytes() == before
