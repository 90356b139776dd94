# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of the source that no linter here holds."""

from pathlib import Path
import re

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ['benchmarks', 'devtools', 'examples', 'ik_node', 'launch', 'test']
FILES = [ROOT / 'dev.py', ROOT / 'setup.py'] + sorted(
    file for folder in FOLDERS for file in (ROOT / folder).rglob('*.py')
)
REQUIREMENTS = sorted((ROOT / 'requirements').glob('*.txt'))

each_file = pytest.mark.parametrize(
    'file', FILES, ids=lambda file: file.relative_to(ROOT).as_posix()
)
each_list = pytest.mark.parametrize('file', REQUIREMENTS, ids=lambda file: file.name)


def pins(file: Path) -> list[str]:
    lines = file.read_text().splitlines()
    return [line for line in lines if line and not line.startswith('#')]


@each_file
def test_file_begins_with_its_licence(file: Path) -> None:
    lines = file.read_text().splitlines()
    if lines and lines[0].startswith('#!'):
        del lines[0]
    assert lines[:2] == [
        '# Copyright 2026 ik_node contributors',
        '# SPDX-License-Identifier: Apache-2.0',
    ]


@pytest.mark.parametrize(
    'file',
    [file for file in FILES if ROOT / 'test' not in file.parents],
    ids=lambda file: file.relative_to(ROOT).as_posix(),
)
def test_module_is_one_idea_long(file: Path) -> None:
    length = len(file.read_text().splitlines())
    assert length <= 400


@each_list
def test_requirements_are_pinned(file: Path) -> None:
    assert pins(file)
    for pin in pins(file):
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*(; python_version (<|>=) '3\.\d+')?", pin)


@each_list
def test_a_package_has_one_version_in_all_lists(file: Path) -> None:
    others = {
        pin.split('==')[0]: pin
        for other in REQUIREMENTS
        for pin in pins(other)
        if not other.name.startswith('ros-') and 'python_version' not in pin
    }
    own = {pin.split('==')[0]: pin for pin in pins(file) if 'python_version' not in pin}
    assert {name: others.get(name, pin) for name, pin in own.items()} == own


def test_both_distros_are_asked_for_the_same_libraries() -> None:
    asked = [
        [pin.split('==')[0] for pin in pins(file)]
        for file in REQUIREMENTS
        if file.name.startswith('ros-')
    ]
    assert len(asked) == 2
    # The two differ in build packages that one of them has not; never in what the node imports.
    for name in ('ros-rclpy', 'ros-sensor-msgs', 'ros-geometry-msgs', 'ros-std-msgs'):
        assert all(name in names for names in asked)
