# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Install map of the package; package.xml is the one source of what the package is."""

from glob import glob
from pathlib import Path
import xml.etree.ElementTree as ElementTree

from setuptools import find_packages, setup

# colcon runs this file with the package's folder as the working directory, and the data files
# below are relative to it; the manifest is found beside this file for every other caller.
MANIFEST = ElementTree.parse(Path(__file__).resolve().parent / 'package.xml').getroot()
NAME = MANIFEST.findtext('name')
MAINTAINER = MANIFEST.find('maintainer')

setup(
    name=NAME,
    version=MANIFEST.findtext('version'),
    description=MANIFEST.findtext('description'),
    license=MANIFEST.findtext('license'),
    maintainer=MAINTAINER.text,
    maintainer_email=MAINTAINER.get('email'),
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        (f'share/{NAME}/launch', sorted(glob('launch/*.launch.py'))),
        (f'share/{NAME}/config', sorted(glob('config/*.yaml'))),
        (f'share/{NAME}/config/moveit', sorted(glob('config/moveit/*.yaml'))),
        (f'share/{NAME}/config/robots', sorted(glob('config/robots/*.urdf'))),
    ],
    # numpy, numba and the rest are rosdep's: package.xml names them.
    install_requires=['setuptools'],
    # colcon chooses pytest by this extra; recent setuptools ignore `tests_require`.
    extras_require={'test': ['pytest']},
    zip_safe=True,
    entry_points={
        'console_scripts': [
            f'ik_node = {NAME}.ros.main:main',
            f'demo = {NAME}.ros.demo:main',
        ],
        'ik_node.kinematics_plugins': [
            f'{NAME}/KinematicsPlugin = {NAME}.moveit:KinematicsPlugin',
        ],
    },
)
