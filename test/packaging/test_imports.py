# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
What each file imports: only what stands below its layer, only what package.xml declares.

import-linter holds the layers too, but it has no rosdep key, so this test is what runs wherever
the package is built.
"""

import ast
from pathlib import Path
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / 'ik_node'
MODULES = sorted(SOURCE.rglob('*.py'))

# Top to bottom.
LAYERS = [
    'ros',
    'apps',
    'moveit',
    'environment',
    'solvers',
    'constraints',
    'model',
    'kernels',
    'errors',
]

# Where the name of an import is not the name that rosdep knows.
ROSDEP_NAMES = {
    'lxml': 'python3-lxml',
    'numba': 'python3-numba',
    'llvmlite': 'python3-numba',  # numba's own compiler, always installed with it
    'numpy': 'python3-numpy',
    'transforms3d': 'tf_transformations',  # which is a thin cover of it
    'urdf_parser_py': 'urdfdom_py',
    'yaml': 'python3-yaml',
}

# Imported inside a function alone, by features that say what to install where it is missing.
OPTIONAL = {'moveit_msgs', 'xacro'}

KERNEL_LIBRARIES = {'__future__', 'collections', 'llvmlite', 'math', 'numba', 'numpy', 'typing'}

each_module = pytest.mark.parametrize(
    'path', MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix()
)


def imported(tree: ast.AST) -> set[str]:
    """Full names of all that is imported anywhere in a syntax tree."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'line {node.lineno}: imports are absolute here'
            names.add(node.module)
            # `from ik_node import solvers` imports a layer as much as `import ik_node.solvers`.
            names |= {f'{node.module}.{alias.name}' for alias in node.names}
    return names


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def layer_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix('').parts[0]


def is_ros(library: str) -> bool:
    return library in {'rclpy', 'ik_node_interfaces'} or library.endswith(
        ('_msgs', '_srvs', '_interfaces')
    )


def test_modules_are_found() -> None:
    assert SOURCE / 'errors.py' in MODULES


@each_module
def test_a_layer_imports_only_what_stands_below_it(path: Path) -> None:
    layer = layer_of(path)
    if layer == '__init__':
        return
    assert layer in LAYERS, (
        f'{layer} has no place in the layers: give it one here and in pyproject.toml'
    )
    own = {name.split('.')[1] for name in imported(parse(path)) if name.startswith('ik_node.')}
    above = set(LAYERS[: LAYERS.index(layer)])
    assert not own & above


@each_module
def test_ros_is_imported_in_its_layer_alone(path: Path) -> None:
    if layer_of(path) == 'ros':
        return
    names = imported(parse(path))
    assert not {name for name in names if is_ros(name.split('.')[0])}
    assert 'ik_node.ros' not in names


@pytest.mark.parametrize(
    'path', sorted((SOURCE / 'kernels').rglob('*.py')), ids=lambda path: path.name
)
def test_kernels_import_numpy_and_numba_alone(path: Path) -> None:
    names = imported(parse(path))
    own = {name for name in names if name.split('.')[0] == 'ik_node'} - {'ik_node'}
    assert all(name.startswith('ik_node.kernels') for name in own)
    libraries = {name.split('.')[0] for name in names} - {'ik_node'}
    # Modules with a leading underscore set the compiler up; they hold no kernels.
    setup = set(sys.stdlib_module_names) if path.name.startswith('_') else set()
    assert libraries <= KERNEL_LIBRARIES | setup


def test_the_library_leaves_ros_alone() -> None:
    code = (
        'import sys, ik_node\n'
        "ros = [n for n in sys.modules if n.split('.')[0] in ('rclpy', 'ik_node_interfaces')\n"
        "       or n.split('.')[0].endswith('_msgs') or n.startswith('ik_node.ros')]\n"
        'sys.exit(str(ros) if ros else 0)\n'
    )
    outcome = subprocess.run(
        [sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True
    )
    assert outcome.returncode == 0, outcome.stderr


@each_module
def test_imports_are_declared(path: Path) -> None:
    manifest = ElementTree.parse(ROOT / 'package.xml').getroot()
    declared = {
        element.text for tag in ('depend', 'exec_depend') for element in manifest.findall(tag)
    }
    tree = parse(path)
    names = {name.split('.')[0] for name in imported(tree)}
    needed = names - set(sys.stdlib_module_names) - {'ik_node'} - OPTIONAL
    assert {ROSDEP_NAMES.get(name, name) for name in needed} <= declared
    at_the_top = ast.Module(
        [
            node
            for node in tree.body
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ],
        [],
    )
    assert not OPTIONAL & {name.split('.')[0] for name in imported(at_the_top)}
