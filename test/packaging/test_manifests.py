# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The two packages are what their manifests say: one version, one licence, valid to ROS tools."""

from pathlib import Path
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT, ROOT / 'ik_node_interfaces']
INTERFACE_FILES = [
    file
    for kind in ('msg', 'srv', 'action')
    for file in sorted((ROOT / 'ik_node_interfaces' / kind).glob(f'*.{kind}'))
]

each_package = pytest.mark.parametrize('folder', FOLDERS, ids=lambda folder: folder.name)


def manifest(folder: Path) -> ElementTree.Element:
    return ElementTree.parse(folder / 'package.xml').getroot()


@each_package
def test_manifest_names_its_schema(folder: Path) -> None:
    """Without this line colcon takes a faulty manifest for no manifest, and says nothing."""
    text = (folder / 'package.xml').read_text()
    assert re.match(
        r'<\?xml version="1\.0"\?>\n<\?xml-model href="[^"]*/package_format3\.xsd" '
        r'schematypens="http://www\.w3\.org/2001/XMLSchema"\?>\n<package format="3">\n',
        text,
    )


@each_package
def test_manifest_has_what_format_3_requires(folder: Path) -> None:
    root = manifest(folder)
    heads = [child.tag for child in root][:5]
    assert heads == ['name', 'version', 'description', 'maintainer', 'license']
    assert re.fullmatch(r'\d+\.\d+\.\d+', root.findtext('version', ''))
    # An address that colcon does not accept costs the package its ROS type.
    assert re.fullmatch(r'[\w.+-]+@[\w-]+(\.[\w-]+)+', root.find('maintainer').get('email'))
    assert root.findtext('license') == 'Apache-2.0'


@each_package
def test_manifest_is_valid_to_the_ros_tools(folder: Path) -> None:
    package = pytest.importorskip('catkin_pkg.package')
    warnings: list[str] = []
    package.parse_package(str(folder), warnings=warnings).validate(warnings=warnings)
    assert warnings == []


def test_build_types() -> None:
    types = [manifest(folder).findtext('export/build_type') for folder in FOLDERS]
    assert types == ['ament_python', 'ament_cmake']


def test_versions_agree() -> None:
    assert len({manifest(folder).findtext('version') for folder in FOLDERS}) == 1


@each_package
def test_changelog_begins_with_what_comes_next_or_this_version(folder: Path) -> None:
    text = (folder / 'CHANGELOG.rst').read_text()
    title = re.search(r'^(.+)\n-+$', text, re.MULTILINE).group(1)
    version = manifest(folder).findtext('version')
    assert title == 'Forthcoming' or re.fullmatch(rf'{version} \(\d{{4}}-\d\d-\d\d\)', title)


def test_setup_repeats_the_manifest(tmp_path: Path) -> None:
    pytest.importorskip('setuptools')
    fields = ['--name', '--version', '--maintainer-email', '--license']
    told = subprocess.run(
        [sys.executable, 'setup.py', *fields], cwd=ROOT, capture_output=True, text=True, check=True
    )
    root = manifest(ROOT)
    assert told.stdout.split()[-4:] == [
        root.findtext('name'),
        root.findtext('version'),
        root.find('maintainer').get('email'),
        root.findtext('license'),
    ]


def test_licence_text_is_the_declared_one() -> None:
    assert (ROOT / 'LICENSE').read_text().split()[:4] == ['Apache', 'License', 'Version', '2.0,']


@pytest.mark.parametrize('file', INTERFACE_FILES, ids=lambda file: file.name)
def test_packages_used_by_an_interface_are_declared(file: Path) -> None:
    used = set(re.findall(r'^([a-z][a-z0-9_]*)/\w+', file.read_text(), re.MULTILINE))
    used.discard('ik_node_interfaces')
    declared = {element.text for element in manifest(FOLDERS[1]).findall('depend')}
    cmake = (FOLDERS[1] / 'CMakeLists.txt').read_text()
    found_by_cmake = set(re.search(r'set\(dependencies\s([^)]*)\)', cmake).group(1).split())
    assert used <= declared
    assert found_by_cmake == declared
