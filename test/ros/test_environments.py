# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import stat
from typing import Any

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')

from sensor_msgs.msg import JointState  # noqa: E402

from ik_node_interfaces import srv  # noqa: E402
from ik_node_interfaces.msg import GroupInfo, JointInfo, SolveOptions, Status  # noqa: E402

ARM = (
    '<robot name="{0}"><link name="a"/><link name="b"/><link name="c"/>'
    '<joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    '<joint name="j2" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>'
    '<limit lower="0" upper="{1}" effort="1" velocity="1"/></joint></robot>'
)
SEMANTIC = (
    '<robot name="r"><group name="whole"><chain base_link="a" tip_link="c"/></group>'
    '<group name="first"><chain base_link="a" tip_link="b"/></group>'
    '<group name="joints"><joint name="j2"/><joint name="j1"/></group></robot>'
)


@pytest.fixture
def node(
    caller: Any, start_node: Callable[..., Any], tmp_path: Path
) -> Iterator[Callable[..., Any]]:
    """Call the services of a node that has a robot and a directory of its own."""
    process = start_node(
        robot_description=ARM.format('first', 1), environment_directory=str(tmp_path / 'saved')
    )
    process.wait_for_log('ready: ')

    def call(name: str, /, **fields: Any) -> Any:
        kind = getattr(srv, ''.join(part.capitalize() for part in name.split('_')))
        return caller.call(process, name, kind.Request(**fields), 60.0)

    call.process = process  # type: ignore[attr-defined]
    yield call
    assert process.alive
    assert 'Traceback' not in process.log


def ok(answer: Any) -> Any:
    assert (answer.success, answer.status) == (True, Status.SUCCESS), answer.message
    assert answer.message
    return answer


def refused(answer: Any, status: int, *parts: str) -> None:
    assert (answer.success, answer.status) == (False, status), answer.message
    assert 15 < len(answer.message) < 1000
    for part in parts:
        assert part in answer.message


def names(node: Any) -> list[str]:
    return [one.name for one in ok(node('list_environments')).environments]


def position(node: Any, environment: str, joint: str = 'j1') -> float:
    answer = ok(node('get_joint', environment=environment, names=[joint]))
    return float(answer.joints[0].position)


def move(node: Any, environment: str, to: float, joint: str = 'j1') -> Any:
    return node(
        'set_joint',
        environment=environment,
        fields=['position'],
        joint=JointInfo(name=joint, position=to),
    )


def test_the_first_environment_is_named_after_the_description(node: Any) -> None:
    answer = ok(node('list_environments'))
    (only,) = answer.environments
    assert (only.name, only.robot, only.current) == ('robot_description', 'first', True)
    assert (only.dummies, only.joints, list(only.groups)) == (3, 2, ['arm'])
    assert (answer.current, list(answer.saved)) == ('robot_description', [])


def test_create_switch_erase(node: Any) -> None:
    answer = ok(
        node(
            'create_environment',
            name='second',
            robot_description=ARM.format('other', 2),
            group='chain',
            tip='c',
        )
    )
    assert answer.current == 'robot_description'
    answer = ok(node('create_environment', name='third', make_current=True))
    assert answer.current == 'third'
    assert names(node) == ['robot_description', 'second', 'third']
    listed = ok(node('list_environments')).environments
    assert [one.current for one in listed] == [False, False, True]
    assert [list(one.groups) for one in listed] == [['arm'], ['chain'], []]
    # The current one is empty, and says so.
    refused(node('solve'), Status.UNKNOWN_GROUP, 'third')
    assert list(ok(node('forward_kinematics', environment='second')).links) == ['c']
    answer = ok(node('switch_environment', environment='second'))
    assert (answer.previous, answer.current) == ('third', 'second')
    assert ok(node('switch_environment', environment='second')).current == 'second'
    # Erasing another one changes nothing, erasing the current one makes the oldest current.
    assert ok(node('erase_environment', environment='third')).current == 'second'
    assert ok(node('erase_environment')).current == 'robot_description'
    answer = ok(node('erase_environment', environment='robot_description'))
    assert answer.current == ''
    assert names(node) == []
    refused(node('solve'), Status.NO_MODEL, 'create_environment')
    refused(node('get_objects'), Status.NO_MODEL)
    refused(node('erase_environment'), Status.NO_MODEL)
    # Where none is current, a new one is.
    assert ok(node('create_environment', name='fourth')).current == 'fourth'


def test_names_are_checked(node: Any) -> None:
    for name in ('', '.', '..', 'a/b', 'a\\b', '../x', '.x', 'x' * 65, 'é', 'a b', 'a..b', 'a\n'):
        refused(node('create_environment', name=name), Status.INVALID_NAME, 'letters')
        refused(node('duplicate_environment', name=name), Status.INVALID_NAME)
    refused(node('create_environment', name='robot_description'), Status.INVALID_NAME)
    ok(node('create_environment', name='taken'))
    refused(node('create_environment', name='taken'), Status.INVALID_NAME, 'taken')
    refused(node('duplicate_environment', name='taken'), Status.INVALID_NAME)
    for service in (
        'solve',
        'find_config',
        'compute_jacobian',
        'forward_kinematics',
        'erase_environment',
        'switch_environment',
        'save_environment',
        'get_objects',
        'set_object',
        'get_joint',
        'set_joint',
        'get_group',
        'set_group',
        'erase',
    ):
        answer = node(service, environment='takne')
        refused(answer, Status.UNKNOWN_ENVIRONMENT, "did you mean 'taken'")
    refused(node('switch_environment'), Status.INVALID_OPTIONS, 'taken')


def test_a_description_is_text_and_never_a_path(node: Any, tmp_path: Path) -> None:
    file = tmp_path / 'robot.urdf'
    file.write_text(ARM.format('file', 1))
    bad = [
        str(file),
        f'file://{file}',
        '/etc/passwd',
        '<robot name="broken">',
        f'<!DOCTYPE r [<!ENTITY e SYSTEM "file://{file}">]><robot name="&e;"/>',
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r"><xacro:include filename="'
        f'{file}"/></robot>',
    ]
    for text in bad:
        answer = node('create_environment', name='x', robot_description=text)
        refused(answer, Status.INVALID_MODEL)
    good = ARM.format('r', 1)
    for fields, status in (
        ({'group': 'g'}, Status.INVALID_OPTIONS),
        ({'robot_description_semantic': SEMANTIC}, Status.INVALID_OPTIONS),
        ({'robot_description': good, 'tip': 'c'}, Status.INVALID_OPTIONS),
        ({'robot_description': good, 'group': 'g', 'tip': 'z'}, Status.UNKNOWN_LINK),
        ({'robot_description': good, 'robot_description_semantic': 'x'}, Status.INVALID_MODEL),
        (
            {'robot_description': good, 'robot_description_semantic': str(file)},
            Status.INVALID_MODEL,
        ),
    ):
        refused(node('create_environment', name='x', **fields), status)
    assert names(node) == ['robot_description']


def test_groups_of_an_srdf(node: Any) -> None:
    ok(
        node(
            'create_environment',
            name='x',
            robot_description=ARM.format('r', 1),
            robot_description_semantic=SEMANTIC,
        )
    )
    groups = {one.name: one for one in ok(node('get_group', environment='x')).groups}
    assert list(groups) == ['whole', 'first', 'joints']
    assert list(groups['whole'].joint_names) == ['j1', 'j2']
    assert (groups['first'].base, groups['first'].tip) == ('a', 'b')
    assert (groups['joints'].base, groups['joints'].tip) == ('a', 'c')


def test_an_edit_in_one_does_not_touch_another(node: Any) -> None:
    ok(move(node, '', 0.25))
    ok(node('duplicate_environment', name='copy'))
    ok(node('duplicate_environment', environment='copy', name='copy_of_copy'))
    ok(move(node, 'copy', -0.5))
    ok(node('erase', environment='copy_of_copy', joints=['j2']))
    assert position(node, 'robot_description') == 0.25
    assert position(node, 'copy') == -0.5
    assert position(node, 'copy_of_copy') == 0.25
    assert len(ok(node('get_joint', environment='copy_of_copy')).joints) == 1
    assert len(ok(node('get_joint', environment='copy')).joints) == 2
    ok(node('erase_environment', environment='copy'))
    assert position(node, 'copy_of_copy') == 0.25


def test_a_solution_is_applied_where_it_was_asked(node: Any, messages: Any) -> None:
    ok(node('duplicate_environment', name='copy'))
    target = ok(
        node('forward_kinematics', joint_state=messages.joints({'j1': 0.5, 'j2': 0.75}))
    ).poses[0]
    answer = ok(
        node(
            'solve',
            environment='copy',
            target=target,
            options=SolveOptions(timeout=0.5, apply_solution=True),
        )
    )
    assert answer.solution.position[0] == pytest.approx(0.5, abs=1e-4)
    assert position(node, 'copy') == pytest.approx(0.5, abs=1e-4)
    assert position(node, '') == 0.0


def test_joint_states_tell_of_the_current_environment(caller: Any, node: Any) -> None:
    heard: list[JointState] = []
    subscription = caller.node.create_subscription(
        JointState, f'{node.process.namespace}/joint_states', heard.append, 10
    )

    def shows(wanted: dict[str, float]) -> Callable[[], bool]:
        return lambda: (
            bool(heard) and dict(zip(heard[-1].name, heard[-1].position, strict=True)) == wanted
        )

    caller.spin_until(shows({'j1': 0.0, 'j2': 0.0}))
    ok(move(node, '', 0.25))
    caller.spin_until(shows({'j1': 0.25, 'j2': 0.0}))
    ok(node('duplicate_environment', name='copy'))
    ok(move(node, 'copy', 0.75, 'j2'))
    heard.clear()
    caller.spin_until(shows({'j1': 0.25, 'j2': 0.0}))
    ok(node('switch_environment', environment='copy'))
    caller.spin_until(shows({'j1': 0.25, 'j2': 0.75}))
    ok(
        node(
            'set_joint',
            create=True,
            fields=['position'],
            joint=JointInfo(name='new', kind='prismatic', position=0.125),
        )
    )
    caller.spin_until(shows({'j1': 0.25, 'j2': 0.75, 'new': 0.125}))
    ok(node('erase', joints=['j1']))
    caller.spin_until(shows({'j2': 0.75, 'new': 0.125}))
    ok(node('erase_environment'))
    caller.spin_until(shows({'j1': 0.25, 'j2': 0.0}))
    caller.node.destroy_subscription(subscription)


def test_a_new_description_replaces_its_environment_only(caller: Any, node: Any) -> None:
    from rcl_interfaces.srv import SetParameters
    from rclpy.parameter import Parameter

    def describe(text: str) -> None:
        done = caller.call_other(
            f'{node.process.name}/set_parameters',
            SetParameters,
            SetParameters.Request(
                parameters=[Parameter('robot_description', value=text).to_parameter_msg()]
            ),
        )
        assert done.results[0].successful, done.results[0].reason

    ok(move(node, '', 0.25))
    ok(node('duplicate_environment', name='copy', make_current=True))
    describe(ARM.format('next', 3))
    node.process.wait_for_log('ready: ', count=2)
    listed = ok(node('list_environments')).environments
    assert [(one.name, one.robot, one.current) for one in listed] == [
        ('robot_description', 'next', False),
        ('copy', 'first', True),
    ]
    assert position(node, 'robot_description') == 0.0
    assert position(node, '') == 0.25
    # Erased, it comes back with the next description, and does not take over.
    ok(node('erase_environment', environment='robot_description'))
    describe(ARM.format('last', 3))
    node.process.wait_for_log('ready: ', count=3)
    assert names(node) == ['copy', 'robot_description']
    assert ok(node('list_environments')).current == 'copy'


def test_save_and_load(node: Any, tmp_path: Path) -> None:
    folder = tmp_path / 'saved'
    ok(move(node, '', 0.1))
    assert not folder.exists()
    answer = ok(node('save_environment'))
    assert answer.file == 'robot_description'
    assert [path.name for path in folder.iterdir()] == ['robot_description.json']
    ok(move(node, '', 0.2))
    refused(node('save_environment'), Status.INVALID_FILE, 'overwrite')
    ok(node('save_environment', file='v2.1'))
    assert list(ok(node('list_environments')).saved) == ['robot_description', 'v2.1']
    answer = ok(node('load_environment', file='v2.1', make_current=True))
    assert (answer.environment, answer.current) == ('v2.1', 'v2.1')
    assert position(node, '') == 0.2
    answer = ok(node('load_environment', file='robot_description', name='old'))
    assert (answer.environment, answer.current) == ('old', 'v2.1')
    assert position(node, 'old') == 0.1
    assert list(ok(node('forward_kinematics', environment='old')).links) == ['c']
    ok(move(node, 'old', 0.3))
    ok(node('save_environment', environment='old', file='robot_description', overwrite=True))
    ok(node('load_environment', file='robot_description', name='newer'))
    assert position(node, 'newer') == 0.3
    refused(node('load_environment', file='v2.1'), Status.INVALID_NAME)
    refused(node('load_environment', file='v3'), Status.INVALID_FILE, 'v2.1')
    # With its ending a file has the same name as without.
    assert ok(node('save_environment', file='monday.json')).file == 'monday'
    assert (folder / 'monday.json').is_file()
    assert not (folder / 'monday.json.json').exists()
    refused(node('save_environment', file='monday'), Status.INVALID_FILE, 'overwrite')
    assert ok(node('load_environment', file='monday.json')).environment == 'monday'
    ok(node('load_environment', file='monday', name='tuesday.json'))
    assert ok(node('save_environment', environment='tuesday.json')).file == 'tuesday'
    assert 'tuesday' in ok(node('list_environments')).saved
    # The environment of the description keeps its name for itself.
    ok(node('erase_environment', environment='robot_description'))
    refused(node('load_environment', file='robot_description'), Status.INVALID_NAME)


def test_a_group_that_lost_its_tip_is_saved_as_it_is(node: Any) -> None:
    ok(node('create_environment', name='bench', robot_description=ARM.format('bench', 2)))
    made = node('set_group', environment='bench', create=True, group=GroupInfo(name='whole'))
    before = ok(made).group
    ok(node('erase', environment='bench', dummies=[before.tip]))
    told = ok(node('get_group', environment='bench')).groups[0]
    assert 'has been erased' in told.problem
    ok(node('save_environment', environment='bench', file='lacking'))
    ok(node('load_environment', file='lacking'))
    assert ok(node('get_group', environment='lacking')).groups[0] == told
    # It can be given another tip, there too.
    group = GroupInfo(name=told.name, tip='b')
    ok(node('set_group', environment='lacking', fields=['tip'], group=group))
    assert not ok(node('get_group', environment='lacking')).groups[0].problem


def test_nothing_outside_of_the_directory_is_touched(node: Any, tmp_path: Path) -> None:
    ok(node('save_environment', file='good'))
    folder = tmp_path / 'saved'
    outside = tmp_path / 'outside.json'
    text = (folder / 'good.json').read_text()
    outside.write_text(text)
    (folder / 'link.json').symlink_to(outside)
    (folder / 'dangling.json').symlink_to(tmp_path / 'made.json')
    (folder / 'folder.json').mkdir()
    os.mkfifo(folder / 'pipe.json')
    for name in ('../outside', str(tmp_path / 'outside'), '..', '.', 'a/b', '~', '', 'a\n'):
        for file in (name, name + '.json'):
            answer = node('load_environment', file=file, name='x')
            refused(answer, Status.INVALID_NAME, "without '..'")
            if name or file != name:  # an empty name means the environment's
                refused(node('save_environment', file=file), Status.INVALID_NAME)
    for name in ('link', 'dangling', 'folder', 'pipe'):
        answer = node('load_environment', file=name, name='x')
        refused(answer, Status.INVALID_FILE, 'plain file')
        answer = node('save_environment', file=name, overwrite=True)
        refused(answer, Status.INVALID_FILE, 'plain file')
    assert list(ok(node('list_environments')).saved) == ['good']
    assert outside.read_text() == text
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == '.json') == [
        'outside.json'
    ]
    assert names(node) == ['robot_description']


def test_files_that_cannot_be_loaded(node: Any, tmp_path: Path) -> None:
    ok(node('save_environment', file='good'))
    folder = tmp_path / 'saved'
    good = (folder / 'good.json').read_text()
    texts = {
        'empty': '',
        'text': 'hello',
        'other': '{"format": "something"}',
        'version': good.replace('"version": ', '"version": 9'),
        'deep': '[' * 100_000,
        'cut': good[:-50],
        'objects': good.replace('"objects": [', '"objects": [7,'),
        'kind': good.replace('"kind": "frame"', '"kind": "frmae"'),
        'parent': good.replace('"parent": 0', '"parent": 999'),
        'number': good.replace('"weight": 1.0', '"weight": "one"'),
        'binary': '\0' * 100,
    }
    for name, text in texts.items():
        assert text != good, name
        (folder / f'{name}.json').write_text(text)
        refused(node('load_environment', file=name), Status.INVALID_FILE, name)
    with (folder / 'huge.json').open('wb') as file:
        file.truncate(2**34)
    refused(node('load_environment', file='huge'), Status.INVALID_FILE, 'bytes')
    # A function is not in a file, and there is nobody here who could give it.
    function = good.replace(
        '"dependency": null',
        '"dependency": {"master": "j2", "multiplier": 1.0, "offset": 0.0, "function": true}',
        1,
    )
    assert function != good
    (folder / 'function.json').write_text(function)
    refused(node('load_environment', file='function'), Status.INVALID_FILE, 'function')
    assert names(node) == ['robot_description']
    ok(node('load_environment', file='good'))


def test_a_directory_that_cannot_be_written(
    caller: Any, start_node: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / 'file').write_text('')
    process = start_node(
        robot_description=ARM.format('r', 1), environment_directory=str(tmp_path / 'file' / 'x')
    )
    answer = caller.call(process, 'save_environment', srv.SaveEnvironment.Request(), 180.0)
    refused(answer, Status.INVALID_FILE, str(tmp_path / 'file'))
    answer = caller.call(process, 'list_environments', srv.ListEnvironments.Request())
    assert (answer.success, list(answer.saved)) == (True, [])


def test_the_default_directory_is_under_ros_home(monkeypatch: Any, tmp_path: Path) -> None:
    from ik_node.ros.storage import Storage

    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    assert Storage('').directory == tmp_path / 'ik_node'
    monkeypatch.delenv('ROS_HOME')
    monkeypatch.setenv('HOME', str(tmp_path))
    assert Storage('').directory == tmp_path / '.ros' / 'ik_node'
    assert Storage('~/here').directory == tmp_path / 'here'
    assert Storage('').names() == []
    assert not stat.S_ISLNK(tmp_path.stat().st_mode)


def test_without_a_robot_a_client_can_bring_one(
    caller: Any, start_node: Callable[..., Any], robots: Path
) -> None:
    process = start_node()
    answer = caller.call(process, 'get_objects', srv.GetObjects.Request(), 180.0)
    refused(answer, Status.NO_MODEL, 'create_environment')
    request = srv.CreateEnvironment.Request(
        name='ur', robot_description=(robots / 'ur5e.urdf').read_text(), group='arm'
    )
    answer = ok(caller.call(process, 'create_environment', request))
    assert answer.current == 'ur'
    answer = ok(caller.call(process, 'forward_kinematics', srv.ForwardKinematics.Request()))
    assert len(answer.poses) == 1
