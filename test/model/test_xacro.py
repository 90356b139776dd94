# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Xacro files, package:// and file:// addresses; text is never expanded."""

from __future__ import annotations

import sys
from types import ModuleType

from ik_node.errors import SrdfError, UrdfError
from ik_node.model.srdf import load_srdf
from ik_node.model.urdf import load_urdf
import pytest

ARM = """<?xml version="1.0"?>
<robot name="ärm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="1"/>
  <xacro:include filename="{include}"/>
  <link name="base"/>
  <xacro:segment name="first" parent="base"/>
  <xacro:segment name="second" parent="first"/>
</robot>"""

SEGMENT = """<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="segment" params="name parent">
    <link name="${name}"/>
    <joint name="to_${name}" type="continuous">
      <parent link="${parent}"/><child link="${name}"/>
      <origin xyz="${2 * float('$(arg length)')} 0 0"/><axis xyz="0 0 1"/>
    </joint>
  </xacro:macro>
</robot>"""


def write(folder, name, text):
    """Write a file and give its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding='utf-8')
    return path


@pytest.fixture
def arm(tmp_path):
    """Write a xacro file that includes another one."""
    write(tmp_path, 'segment.xacro', SEGMENT)
    return write(tmp_path, 'arm.urdf.xacro', ARM.format(include='segment.xacro'))


@pytest.fixture
def share(tmp_path, monkeypatch):
    """Stand in for the ament index: one package, `arm_description`."""
    folder = tmp_path / 'share/arm_description'
    packages = ModuleType('ament_index_python.packages')

    def get_package_share_directory(name):
        if name != 'arm_description':
            raise LookupError(f'package {name!r} not found')
        return str(folder)

    packages.get_package_share_directory = get_package_share_directory
    index = ModuleType('ament_index_python')
    index.packages = packages
    monkeypatch.setitem(sys.modules, 'ament_index_python', index)
    monkeypatch.setitem(sys.modules, 'ament_index_python.packages', packages)
    return folder


@pytest.fixture
def no_ament(monkeypatch):
    """Take the ament index away, as on a machine without ROS."""
    monkeypatch.setitem(sys.modules, 'ament_index_python', None)
    monkeypatch.setitem(sys.modules, 'ament_index_python.packages', None)


def lengths(mechanism):
    """List how far the joints are from their parents."""
    return [joint.T_parent_self[0, 3] for joint in mechanism.joints]


def test_xacro_file(arm, capfd):
    for source in (arm, str(arm), arm.as_uri()):
        mechanism = load_urdf(source)
        assert mechanism.name == 'ärm'
        assert list(mechanism.joint_indices) == ['to_first', 'to_second']
        assert lengths(mechanism) == [2.0, 2.0]
    assert capfd.readouterr() == ('', '')


def test_arguments(arm):
    assert lengths(load_urdf(arm, {'length': '0.25'})) == [0.5, 0.5]
    assert lengths(load_urdf(arm, xacro_arguments={'length': 3})) == [6.0, 6.0]
    assert lengths(load_urdf(arm)) == [2.0, 2.0]  # nothing is left of the call before


def test_xacro_of_an_srdf(arm, tmp_path):
    path = write(
        tmp_path,
        'arm.srdf.xacro',
        '<robot name="ärm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:arg name="tip" default="first"/>'
        '<group name="g"><chain base_link="base" tip_link="$(arg tip)"/></group></robot>',
    )
    robot = load_urdf(arm)
    assert load_srdf(path, robot).groups['g'].joints == ('to_first',)
    found = load_srdf(path, robot, {'tip': 'second'})
    assert found.groups['g'].joints == ('to_first', 'to_second')
    write(tmp_path, 'bad.xacro', '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">${')
    with pytest.raises(SrdfError, match='xacro could not expand'):
        load_srdf(tmp_path / 'bad.xacro', robot)


def test_packages(share):
    write(share, 'urdf/segment.xacro', SEGMENT)
    include = '$(find arm_description)/urdf/segment.xacro'
    path = write(share, 'urdf/arm.xacro', ARM.format(include=include))
    assert lengths(load_urdf('package://arm_description/urdf/arm.xacro')) == [2.0, 2.0]
    assert lengths(load_urdf(path)) == [2.0, 2.0]
    plain = '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">'
    plain += '<parent link="a"/><child link="b"/></joint></robot>'
    write(share, 'a b.urdf', plain)
    assert load_urdf('package://arm_description/a b.urdf').fixed_joints == {'j': 'b'}
    with pytest.raises(UrdfError, match="package 'other' is not installed in this environment"):
        load_urdf('package://other/arm.urdf')
    with pytest.raises(UrdfError, match='cannot read .*No such file'):
        load_urdf('package://arm_description/gone.urdf')


def test_without_ament_index(no_ament, arm):
    with pytest.raises(
        UrdfError, match="'arm_description' needs ament_index_python; source a ROS"
    ):
        load_urdf('package://arm_description/arm.urdf')
    arm.write_text(ARM.format(include='$(find arm_description)/segment.xacro'), encoding='utf-8')
    with pytest.raises(UrdfError, match='xacro could not expand .* needs a sourced ROS 2'):
        load_urdf(arm)


def test_without_xacro(monkeypatch, arm):
    monkeypatch.setitem(sys.modules, 'xacro', None)
    with pytest.raises(UrdfError, match='needs xacro; install it'):
        load_urdf(arm)


@pytest.mark.parametrize(
    ('inside', 'said'),
    [
        ('<xacro:nope/>', 'unknown macro name: xacro:nope'),
        ('<link name="${undefined}"/>', "name 'undefined' is not defined"),
        ('<link name="${1 / 0}"/>', 'division'),
        ('<link name="$(arg missing)"/>', 'Undefined substitution argument missing'),
        ('<link name="a">', 'mismatched tag'),
        ('<xacro:include filename="gone.xacro"/>', 'No such file'),
    ],
)
def test_faults_are_told_in_the_words_of_xacro(tmp_path, inside, said):
    text = f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{inside}</robot>'
    with pytest.raises(UrdfError, match='xacro could not expand') as caught:
        load_urdf(write(tmp_path, 'r.xacro', text))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ('source', 'said'),
    [
        ('http://example.org/arm.urdf', 'cannot be opened: give a path, package://'),
        ('package:///arm.urdf', 'cannot be opened'),
        ('file://elsewhere/arm.urdf', 'cannot be opened'),
        ('http://[/arm.urdf', 'is no address'),
        ('/no/such.xacro', 'No such file'),
    ],
)
def test_addresses_that_are_none(source, said):
    with pytest.raises(UrdfError) as caught:
        load_urdf(source)
    assert said in str(caught.value)


def test_text_is_never_expanded(tmp_path, monkeypatch):
    def expand(*args, **kwargs):
        raise AssertionError('xacro was run on text')

    monkeypatch.setattr('ik_node.model.xml_source.expand_xacro', expand)
    text = ARM.format(include='/etc/hostname')
    named_urdf = write(tmp_path, 'arm.urdf', text)
    for source in (text, text.encode(), named_urdf):
        with pytest.raises(UrdfError, match='has xacro elements; expand it first'):
            load_urdf(source)
        with pytest.raises(UrdfError, match='is not expanded: only a file whose name ends with'):
            load_urdf(source, {'length': '1'})
    # What is left of xacro in a text whose elements are expanded is no name and no number.
    joint = '<robot name="r"><link name="a"/><link name="{}"/><joint name="j" type="fixed">'
    joint += '<parent link="a"/><child link="b"/><origin xyz="{}"/></joint></robot>'
    for name, xyz in (('${prefix}b', '0 0 0'), ('b', '0 0 ${height}'), ('$(arg b)', '0 0 0')):
        with pytest.raises(UrdfError, match='has an expression of xacro'):
            load_urdf(joint.format(name, xyz))


def test_declaration_of_xacro_alone_is_no_xacro():
    text = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/>'
    text += '<link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
    text += '<child link="b"/></joint></robot>'
    assert list(load_urdf(text).joint_indices) == ['j']


def test_a_path_may_begin_at_home(arm, tmp_path, monkeypatch):
    monkeypatch.setenv('HOME', str(tmp_path))
    assert load_urdf(f'~/{arm.relative_to(tmp_path)}').name == load_urdf(arm).name
    with pytest.raises(UrdfError, match='no-such-user'):
        load_urdf('~no-such-user/robot.urdf')
