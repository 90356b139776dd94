# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading URDFs: what is right, what is refused, and how it is said."""

from __future__ import annotations

import math

from ik_node.errors import IkNodeError, ModelError, UrdfError
from ik_node.model.longest_chain import longest_chain
from ik_node.model.objects import JointKind
from ik_node.model.urdf import load_urdf
import numpy as np
import pytest

ARM = """<robot name="arm">
  <link name="base"/><link name="upper"/><link name="tip"/>
  <joint name="j1" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" effort="5" velocity="3"/>
  </joint>
  <joint name="j2" type="prismatic">
    <parent link="upper"/><child link="tip"/>
    <axis xyz="0 -3 4"/>
    <limit lower="0" upper="0.2" effort="5" velocity="0.1"/>
    <dynamics damping="1"/><safety_controller k_velocity="1"/>
  </joint>
  <transmission name="t"/><gazebo reference="tip"><unknown/></gazebo>
</robot>"""


def test_values_of_the_file():
    mechanism = load_urdf(ARM)
    assert mechanism.name == 'arm'
    assert [thing.name for thing in mechanism.objects] == ['base', 'j1', 'upper', 'j2', 'tip']
    assert [thing.parent for thing in mechanism.objects] == [-1, 0, 1, 2, 3]
    j1, j2 = mechanism.joints
    assert (j1.kind, j1.limits, j1.velocity) == (JointKind.REVOLUTE, (-1.0, 2.0), 3.0)
    assert (j2.kind, j2.limits, j2.velocity) == (JointKind.PRISMATIC, (0.0, 0.2), 0.1)
    # The z axis of a joint is the axis of the file, turned by its origin: Rz Ry Rx.
    cr, sr, cp, sp, cy, sy = (f(a) for a in (0.1, 0.2, 0.3) for f in (math.cos, math.sin))
    z_axis = [cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr]
    np.testing.assert_allclose(j1.T_parent_self[:3, 2], z_axis, atol=1e-15)
    np.testing.assert_array_equal(j1.T_parent_self[:3, 3], [0, 0, 0.5])
    np.testing.assert_allclose(j2.T_parent_self[:3, 2], [0.0, -0.6, 0.8], atol=1e-15)
    # The link behind a joint is where the file puts it when the joint is at zero.
    tip = mechanism.objects[4]
    np.testing.assert_allclose(j2.T_parent_self @ tip.T_parent_self, np.eye(4), atol=1e-15)


def test_defaults_of_the_specification():
    mechanism = load_urdf(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    (joint,) = mechanism.joints
    np.testing.assert_array_equal(joint.T_parent_self[:3, 2], [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(joint.T_parent_self[:3, 3], [0.0, 0.0, 0.0])
    assert joint.limits == (-math.inf, math.inf)


def test_revolute_joint_without_limits_turns_freely():
    mechanism = load_urdf(ROBOT.format(JOINT.format('revolute', 'a', 'b', '')))
    assert mechanism.joint('j').cyclic
    prismatic = load_urdf(ROBOT.format(JOINT.format('prismatic', 'a', 'b', ''))).joint('j')
    assert prismatic.limits == (-math.inf, math.inf)


def test_limits_of_a_continuous_joint_mean_nothing():
    text = ARM.replace('type="revolute"', 'type="continuous"')
    assert load_urdf(text).joint('j1').limits == (-math.inf, math.inf)


@pytest.mark.parametrize(
    'source',
    [
        ARM,
        ARM.encode(),
        '<?xml version="1.0" encoding="utf-8"?>' + ARM,
        ('<?xml version="1.0" encoding="utf-8"?>' + ARM).encode(),
        '\ufeff' + ARM,
        ('\ufeff' + ARM).encode(),
        '\n  ' + ARM,
        '<?xml version="1.0" encoding="latin-1"?>' + ARM,  # text is decoded, whatever it says
        ('<?xml version="1.0" encoding="utf-16"?>' + ARM).encode('utf-16'),
        '<!-- note: see http://x # ä -->' + ARM,
    ],
)
def test_encodings(source):
    assert load_urdf(source).joint('j1').upper == 2.0


def test_names_of_any_script_round_trip(tmp_path):
    text = ARM.replace('"arm"', '"ロボット"').replace('"j1"', '"бedro/1"')
    path = tmp_path / 'rücken.urdf'
    path.write_text('<?xml version="1.0" encoding="utf-8"?>' + text, encoding='utf-8')
    for source in (text, path, str(path)):
        mechanism = load_urdf(source)
        assert mechanism.name == 'ロボット'
        assert mechanism.joint('бedro/1').upper == 2.0


def test_reading_is_silent(real_robot, capfd):
    load_urdf(real_robot('anymal_b_simple_description/robots/anymal.urdf'))
    load_urdf(ARM)
    assert capfd.readouterr() == ('', '')


ROBOT = '<robot name="r"><link name="a"/><link name="b"/>{}</robot>'
JOINT = '<joint name="j" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>'


@pytest.mark.parametrize(
    ('source', 'error', 'said'),
    [
        ('/no/such/file.urdf', UrdfError, "'/no/such/file.urdf': No such file"),
        ('/', UrdfError, 'Is a directory'),
        ('', UrdfError, 'is empty'),
        (b' ', UrdfError, 'is empty'),
        (None, UrdfError, 'not NoneType'),
        (42, UrdfError, 'not int'),
        ('<robot', UrdfError, 'not well-formed XML'),
        ('<robot name="r"><link name="a"></robot>', UrdfError, 'not well-formed XML'),
        ('<sdf/>', UrdfError, 'root element is <sdf>'),
        ('<robot name="r"/>', ModelError, 'no links'),
        ('<robot name="r"><link name="a"/></robot>', UrdfError, 'no joints'),
        (ROBOT.format(JOINT.format('ball', 'a', 'b', '')), UrdfError, "'ball'"),
        (ROBOT.format(JOINT.format('revolute', 'a', 'x', '')), ModelError, "child link 'x'"),
        (ROBOT.format(JOINT.format('revolute', 'x', 'b', '')), ModelError, "parent link 'x'"),
        (ROBOT.format('<joint name="j" type="revolute"/>'), UrdfError, "'j' has no <parent"),
        (ROBOT.format('<joint type="revolute"/>'), UrdfError, 'a <joint> without a name'),
        (
            ROBOT.format('<link name="c"/>' + JOINT.format('continuous', 'a', 'b', '')),
            ModelError,
            "2 root links: 'a', 'c'",
        ),
        (
            ROBOT.format(
                JOINT.format('continuous', 'a', 'b', '')
                + JOINT.format('continuous', 'b', 'a', '').replace('"j"', '"k"')
            ),
            ModelError,
            'links in a loop',
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '') * 2),
            ModelError,
            "two joints are named 'j'",
        ),
        (
            ROBOT.format('<link name="a"/>' + JOINT.format('continuous', 'a', 'b', '')),
            ModelError,
            "two links are named 'a'",
        ),
        (
            ROBOT.format(
                JOINT.format('continuous', 'a', 'b', '')
                + JOINT.format('continuous', 'a', 'b', '').replace('"j"', '"k"')
            ),
            ModelError,
            "link 'b' has two parent joints, 'j' and 'k'",
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<axis xyz="0 0 0"/>')),
            UrdfError,
            'axis [0.0, 0.0, 0.0]',
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<axis xyz="0 nan 0"/>')),
            UrdfError,
            'axis',
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<axis xyz="1 2"/>')),
            UrdfError,
            '',
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<origin xyz="inf 0 0"/>')),
            UrdfError,
            "joint 'j': <origin xyz='inf 0 0'> is not 3 finite numbers",
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<origin xyz="one 0 0"/>')),
            UrdfError,
            "joint 'j': <origin xyz='one 0 0'> is not 3 finite numbers",
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<limit lower="2" upper="1"/>')),
            ModelError,
            'lower limit 2 is above upper limit 1',
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<limit lower="nan" upper="1"/>')),
            UrdfError,
            "<limit lower='nan'> is not a number",
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<limit lower="inf" upper="inf"/>')),
            UrdfError,
            'lower limit inf is above',
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<mimic multiplier="2"/>')),
            UrdfError,
            "joint 'j' has a <mimic> without joint",
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<mimic joint="j" offset="inf"/>')),
            UrdfError,
            "<mimic offset='inf'> is not a number",
        ),
        (
            ROBOT.format(JOINT.format('revolute', 'a', 'b', '<origin rpy="1_0 0 0"/>')),
            UrdfError,
            "<origin rpy='1_0 0 0'> is not 3 finite numbers",
        ),
        (
            ROBOT.format(f'<link name="{"n" * 257}"/>'),
            UrdfError,
            'longer than 256 characters',
        ),
        (ROBOT.format('<link name="x"/>' * 6000), UrdfError, '5000 at the most'),
        ('\ud800<robot/>', UrdfError, 'half a surrogate pair'),
        (b'<robot name="\xff"/>', UrdfError, 'is not utf-8 at byte 13; save it as UTF-8'),
        (b'<?xml version="1.0" encoding="utf-7"?><robot/>', UrdfError, "'utf-7', which is not"),
        ('<a>' * 200_000, UrdfError, 'not well-formed'),
        ('<a b="">' * 200_000, UrdfError, 'too many elements and attributes'),
        (b' ' * 17_000_000, UrdfError, 'is too large'),
        (
            ROBOT.format(JOINT.format('continuous', 'a', 'b', '<mimic joint="j"/>')),
            ModelError,
            'in a loop: j -> j',
        ),
    ],
)
def test_refusals_say_what_is_wrong(source, error, said):
    with pytest.raises(error) as caught:
        load_urdf(source)
    assert said in str(caught.value)
    assert isinstance(caught.value, IkNodeError)


def test_mimic_of_nothing_is_read_as_independent(caplog):
    text = ROBOT.format(JOINT.format('continuous', 'a', 'b', '<mimic joint="nope"/>'))
    assert load_urdf(text).joint('j').dependency is None
    assert "joint 'j' mimics 'nope'" in caplog.text


def one_joint(kind, inside):
    """Read the joint of a robot with one."""
    return load_urdf(ROBOT.format(JOINT.format(kind, 'a', 'b', inside))).joint('j')


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_partial_limits_have_the_defaults_of_the_specification(kind, caplog):
    assert one_joint(kind, '<limit upper="2" effort="1" velocity="1"/>').limits == (0.0, 2.0)
    assert one_joint(kind, '<limit lower="-2"/>').limits == (-2.0, 0.0)
    assert one_joint(kind, '<limit lower="-inf" upper="inf"/>').limits == (-math.inf, math.inf)
    assert caplog.text == ''
    assert one_joint(kind, '<limit effort="1" velocity="1"/>').limits == (0.0, 0.0)
    assert "joint 'j' has a <limit> without lower and upper" in caplog.text


@pytest.mark.parametrize(
    ('given', 'read'), [('2', 2.0), ('-2', 2.0), ('0', math.inf), ('inf', math.inf)]
)
def test_velocity_limits(given, read):
    assert one_joint('continuous', f'<limit effort="1" velocity="{given}"/>').velocity == read
    assert one_joint('continuous', '<limit effort="1"/>').velocity == math.inf


def test_first_of_several_elements_counts(capfd):
    twice = '<axis xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="1" upper="2"/><limit lower="3"/>'
    joint = one_joint('revolute', twice)
    assert joint.limits == (1.0, 2.0)
    np.testing.assert_allclose(joint.T_parent_self[:3, 2], [0, 0, 1], atol=1e-15)
    assert capfd.readouterr() == ('', '')


def test_length_of_the_axis_means_nothing():
    for axis in ('0 0 1e308', '1e200 1e-300 -1e200', '0 1e-9 0'):
        joint = one_joint('revolute', f'<axis xyz="{axis}"/>')
        z_axis = np.array([float(x) for x in axis.split()])
        z_axis /= np.max(np.abs(z_axis))
        z_axis /= np.linalg.norm(z_axis)
        np.testing.assert_allclose(joint.T_parent_self[:3, 2], z_axis, atol=1e-15)


def test_default_namespace_is_not_looked_at():
    text = ARM.replace('<robot ', '<robot xmlns="http://example.org/robots" ')
    assert load_urdf(text).joint('j1').upper == 2.0


def test_joints_of_several_degrees_of_freedom_are_followed_by_nothing(caplog):
    text = ROBOT.format(
        '<link name="c"/>'
        + JOINT.format('planar', 'a', 'b', '')
        + JOINT.format('continuous', 'b', 'c', '<mimic joint="j"/>').replace('"j" t', '"k" t')
    )
    assert load_urdf(text).joint('k').dependency is None
    assert "joint 'k' mimics 'j', which is no joint with one position" in caplog.text


def test_rigid_robot_has_poses_but_no_chain():
    mechanism = load_urdf(ROBOT.format(JOINT.format('fixed', 'a', 'b', '')))
    assert mechanism.joints == ()
    assert mechanism.fixed_joints == {'j': 'b'}
    with pytest.raises(IkNodeError, match='no moving joint'):
        longest_chain(mechanism)


def test_untrusted_text_reads_no_file(tmp_path):
    secret = tmp_path / 'secret'
    secret.write_text('s3cret')
    text = (
        f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://{secret}">]>'
        '<robot name="&x;"><link name="a"/></robot>'
    )
    with pytest.raises(UrdfError) as caught:
        load_urdf(text)
    assert 's3cret' not in str(caught.value)


def test_entity_bomb_is_refused():
    entities = '<!ENTITY a0 "aaaaaaaaaa">' + ''.join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10)
    )
    with pytest.raises(UrdfError):
        load_urdf(f'<!DOCTYPE robot [{entities}]><robot name="r"><link name="&a9;"/></robot>')
