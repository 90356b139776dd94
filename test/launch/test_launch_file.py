# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The launch file: its text, its values as launch makes them, and one real start."""

import ast
from collections.abc import Callable
import functools
import json
import os
from pathlib import Path
import runpy
import subprocess
import sys
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LAUNCH_FILE = ROOT / 'launch' / 'ik_node.launch.py'
PARAMS_FILE = ROOT / 'config' / 'ik_node.yaml'

DEFAULTS = {
    'namespace': '',
    'robot_description_file': '',
    'robot_description': '',
    'base': '',
    'tip': '',
    'publish_joint_states': '',
    'log_level': 'info',
    'use_sim_time': '',
}
CHOICES = {
    'publish_joint_states': ['', 'true', 'false'],
    'log_level': ['debug', 'info', 'warn', 'error', 'fatal'],
    'use_sim_time': ['', 'true', 'false'],
}
PARAMETERS = {
    'robot_description': '',
    'robot_description_file': '',
    'robot_description_semantic': '',
    'base': '',
    'tip': '',
    'publish_joint_states': True,
    'joint_states_rate': 50.0,
    'timeout': 0.005,
    'max_timeout': 10.0,
    'position_tolerance': 1e-6,
    'orientation_tolerance': 1e-5,
    'solver_threads': 2,
    'random_seed': 0,
    'environment_directory': '',
    'compute_ik_service': 'compute_ik',
    'compute_fk_service': 'compute_fk',
    'solve_ik_service': 'solve_ik',
    'moveit_timeout': 0.05,
}

DESCRIPTIONS = [
    '<!-- note: see http://x -->\n<robot name="a"><link name="b"/></robot>\n',
    '<!-- arm # 2 -->\n\n<robot name="a">\n\t<link name="b: c"/>\n</robot>',
    '<robot name="a"><link name="\N{GREEK SMALL LETTER ALPHA}\\n \'q\'"/></robot>',
]
# Names that YAML, or only the ROS parser, reads as a bool, a number, a list or nothing.
NAMES = ['true', 'y', 'off', '1', '1e3', 'nan', 'null', '~', '[a]', 'a: b', '# a', "it's", 'a"\\b']

# A stand-in for the node, so that the launch file is tested without the package being installed.
NODE = """\
import json
import sys

import rclpy
from rclpy.node import Node

rclpy.init(args=sys.argv)
node = Node('unnamed', automatically_declare_parameters_from_overrides=True)
values = {name: parameter.value for name, parameter in node.get_parameters_by_prefix('').items()}
print('RESULT', json.dumps([node.get_fully_qualified_name(), values]), flush=True)
rclpy.shutdown()
"""
RUN = """\
import json
import sys

from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

service = LaunchService()
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]),
    launch_arguments=json.loads(sys.stdin.read()).items())]))
sys.exit(service.run())
"""


# --- The text, without launch. ---


def test_every_argument_is_described() -> None:
    declared = {
        call.args[0].value: {keyword.arg: keyword.value for keyword in call.keywords}
        for call in calls('DeclareLaunchArgument')
    }
    assert set(declared) == {*DEFAULTS, 'params_file'}
    for name, keywords in declared.items():
        assert len(ast.literal_eval(keywords['description'])) > 20, name
        if name in DEFAULTS:
            assert ast.literal_eval(keywords['default_value']) == DEFAULTS[name]
        assert ('choices' in keywords) == (name in CHOICES)
        if name in CHOICES:
            assert ast.literal_eval(keywords['choices']) == CHOICES[name]


def test_robot_description_is_typed_as_text() -> None:
    types = {
        ast.unparse(call.args[0]): ast.unparse(keyword.value)
        for call in calls('ParameterValue')
        for keyword in call.keywords
        if keyword.arg == 'value_type'
    }
    assert types == {'LaunchConfiguration(name)': 'value_type'}
    assert "'robot_description': str" in ast.unparse(syntax())


def test_no_name_is_absolute() -> None:
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(syntax())
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node)
    }
    texts = [
        node.value
        for node in ast.walk(syntax())
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]
    assert 'ik_node' in texts
    assert not [text for text in texts if text.startswith('/')]


def test_parameter_file_holds_every_default() -> None:
    yaml = pytest.importorskip('yaml')
    document = yaml.safe_load(PARAMS_FILE.read_text(encoding='utf-8'))
    assert document == {'/**': {'ros__parameters': PARAMETERS}}
    for name, value in document['/**']['ros__parameters'].items():
        assert type(value) is type(PARAMETERS[name]), name


def test_every_parameter_has_a_comment_above() -> None:
    lines = [line.strip() for line in PARAMS_FILE.read_text(encoding='utf-8').splitlines()]
    for name in PARAMETERS:
        number = next(i for i, line in enumerate(lines) if line.startswith(f'{name}:'))
        assert lines[number - 1].startswith('# '), name


# --- The values, as launch makes them. ---


@pytest.fixture
def launch_file() -> dict[str, Any]:
    """Return the names of the launch file, run where launch is installed."""
    # The submodule: a folder called launch, as this one's, passes for the package itself.
    pytest.importorskip('launch.actions')
    pytest.importorskip('launch_ros.actions')
    return runpy.run_path(str(LAUNCH_FILE))


@pytest.fixture
def context(launch_file: dict[str, Any]) -> Callable[..., Any]:
    """Return a function that makes a launch context with some arguments set."""
    from launch import LaunchContext

    def make(**arguments: str) -> Any:
        made = LaunchContext()
        made.launch_configurations.update(
            {**DEFAULTS, 'params_file': str(PARAMS_FILE), **arguments}
        )
        return made

    return make


def test_launch_reads_the_arguments(launch_file: dict[str, Any]) -> None:
    from launch import LaunchContext
    from launch.utilities import perform_substitutions

    arguments = {
        argument.name: argument
        for argument in launch_file['generate_launch_description']().get_launch_arguments()
    }
    assert set(arguments) == {*DEFAULTS, 'params_file'}
    for name, default in DEFAULTS.items():
        assert perform_substitutions(LaunchContext(), arguments[name].default_value) == default
        assert arguments[name].choices == CHOICES.get(name)


def test_empty_arguments_set_nothing(
    launch_file: dict[str, Any],
    context: Callable[..., Any],
) -> None:
    assert launch_file['name_arguments'](context()) == []
    assert launch_file['typed_parameters'](context()) == {}
    assert launch_file['params_file_arguments'](context(params_file='')) == []


@pytest.mark.parametrize('text', DESCRIPTIONS)
def test_description_is_left_as_it_is(
    launch_file: dict[str, Any],
    context: Callable[..., Any],
    text: str,
) -> None:
    made = context(robot_description=text)
    value = launch_file['typed_parameters'](made)['robot_description'].evaluate(made)
    assert value == text


@pytest.mark.parametrize('name', NAMES)
def test_names_are_quoted(
    launch_file: dict[str, Any],
    context: Callable[..., Any],
    name: str,
) -> None:
    yaml = pytest.importorskip('yaml')
    arguments = launch_file['name_arguments'](context(base=name, tip=name))
    assert arguments[::2] == ['-p', '-p']
    for parameter, argument in zip(('base', 'tip'), arguments[1::2], strict=True):
        key, value = argument.split(':=', 1)
        assert key == parameter
        assert value.startswith('"')
        assert yaml.safe_load(value) == name


# --- A real start. ---


@pytest.fixture
def start(
    launch_file: dict[str, Any],
    tmp_path: Path,
) -> Callable[..., tuple[str, dict[str, Any]]]:
    """Return a function that starts the launch file with a stand-in for the node."""
    pytest.importorskip('rclpy')
    executable = tmp_path / 'lib' / 'ik_node' / 'ik_node'
    config = tmp_path / 'share' / 'ik_node' / 'config'
    index = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
    for folder in (executable.parent, config, index):
        folder.mkdir(parents=True)
    (index / 'ik_node').touch()
    (config / 'ik_node.yaml').write_bytes(PARAMS_FILE.read_bytes())
    executable.write_text(f'#!{sys.executable}\n{NODE}')
    executable.chmod(0o755)
    environment = {
        **os.environ,
        'AMENT_PREFIX_PATH': os.pathsep.join(
            [str(tmp_path), os.environ.get('AMENT_PREFIX_PATH', '')]
        ).rstrip(os.pathsep),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        'ROS_LOG_DIR': str(tmp_path / 'log'),
    }

    def run(**arguments: str) -> tuple[str, dict[str, Any]]:
        done = subprocess.run(
            [sys.executable, '-c', RUN, str(LAUNCH_FILE)],
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            timeout=60,
        )
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
        (line,) = (line for line in output.splitlines() if 'RESULT ' in line)
        name, values = json.loads(line.split('RESULT ', 1)[1])
        # rclpy's own, in the distributions that have it.
        values.pop('start_type_description_service', None)
        return name, values

    return run


def test_defaults_arrive(start: Callable[..., tuple[str, dict[str, Any]]]) -> None:
    name, values = start()
    assert name == '/ik_node'
    assert values == {**PARAMETERS, 'use_sim_time': False}


def test_arguments_arrive(start: Callable[..., tuple[str, dict[str, Any]]]) -> None:
    # Longer than one argument of a command line may be.
    text = ''.join(DESCRIPTIONS) + '<!-- # -->\n' * 20000
    name, values = start(
        namespace='left/arm',
        robot_description=text,
        robot_description_file='my robots/1.urdf',
        base='true',
        tip='1e3',
        publish_joint_states='false',
        use_sim_time='true',
    )
    assert name == '/left/arm/ik_node'
    assert values == {
        **PARAMETERS,
        'robot_description': text,
        'robot_description_file': 'my robots/1.urdf',
        'base': 'true',
        'tip': '1e3',
        'publish_joint_states': False,
        'use_sim_time': True,
    }


def test_own_parameter_file(
    start: Callable[..., tuple[str, dict[str, Any]]],
    tmp_path: Path,
) -> None:
    own = tmp_path / 'own.yaml'
    own.write_text(
        '/**:\n  ros__parameters:\n    base: torso\n    tip: hand\n    groups: [left, right]\n'
        '    publish_joint_states: false\n'
    )
    _, values = start(params_file=str(own), tip='y')
    assert values == {
        'base': 'torso',
        'tip': 'y',
        'groups': ['left', 'right'],
        'publish_joint_states': False,
        'use_sim_time': False,
    }


# --- Helpers. ---


@functools.cache
def syntax() -> ast.Module:
    """Return the syntax tree of the launch file, the same one at every call."""
    return ast.parse(LAUNCH_FILE.read_text(encoding='utf-8'))


def calls(name: str) -> list[ast.Call]:
    """Return the calls of a function in the launch file."""
    return [
        node
        for node in ast.walk(syntax())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]
