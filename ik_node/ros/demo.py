# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The node at work: `ros2 run ik_node demo`, or `python -m ik_node.ros.demo`.

Starts the real node in a process of its own, calls its services over DDS as any client would, and
checks every answer with kinematics of its own. Exit code 0 only if all of them hold.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
import sys
import time
from typing import Any

from ik_node.errors import IkNodeError
from ik_node.ros.demo_checks import Demo
from ik_node.ros.demo_client import Client, DemoError, NodeProcess
from ik_node.ros.demo_kinematics import Robot
import rclpy
from rclpy.utilities import remove_ros_args

COLD_START = 180.0  # [s] the kernels may have to be compiled

#: Where the longest chain is not what one means: on an arm with a hand it ends in a finger.
CHAINS = {'panda': ('panda_link0', 'panda_hand_tcp')}


def find_robot(name: str) -> Path:
    """Path of a URDF: a file, or the name of one of the robots that are shipped."""
    if Path(name).is_file():
        return Path(name).resolve()
    folders = [Path(__file__).resolve().parents[2] / 'config' / 'robots']
    try:
        from ament_index_python.packages import get_package_share_directory

        folders.insert(0, Path(get_package_share_directory('ik_node')) / 'config' / 'robots')
    except (ImportError, LookupError):
        pass  # not installed: the source tree has them
    for folder in folders:
        if (folder / f'{name}.urdf').is_file():
            return folder / f'{name}.urdf'
    known = sorted({path.stem for folder in folders for path in folder.glob('*.urdf')})
    raise DemoError(
        f'no file and no shipped robot is called {name!r}; shipped: {", ".join(known) or "none"}'
    )


def show(report: dict[str, Any]) -> None:
    """Print the report as a table."""
    solve = report['solve']
    rows = [
        ('group', f'{report["base"]} -> {report["tip"]}, {len(report["joints"])} joints'),
        ('poses solved', f'{solve["solved"]} of {solve["poses"]}'),
    ]
    for name in ('solver', 'round_trip'):
        rows.append(
            (
                name.replace('_', ' '),
                'mean {mean_us:.0f} us, median {median_us:.0f} us, p99 {p99_us:.0f} us'.format(
                    **solve[name]
                ),
            )
        )
    rows += [
        (
            'worst errors',
            f'{solve["worst_position_error_m"]:.1e} m, '
            f'{solve["worst_orientation_error_rad"]:.1e} rad',
        ),
        (
            'forward kinematics',
            f'differ by {report["forward_kinematics"]["worst_difference"]:.1e}',
        ),
        (
            'Jacobian',
            f'differs by {report["jacobian"]["worst_difference"]:.1e}'
            if 'jacobian' in report
            else 'no answer',
        ),
        (
            'find_config',
            '{configs} configurations in {trials} trials'.format(**report['find_config']),
        ),
        ('unreachable', report['unreachable']['message']),
    ]
    width = max(len(name) for name, _ in rows)
    print()
    for name, text in rows:
        print(f'  {name:<{width}}  {text}')
    print('\n  joint values of the first answer:')
    for name, value in solve['example'].items():
        print(f'    {name:<{width}}  {value:+.6f}')
    print()


def arguments(args: list[str] | None) -> argparse.Namespace:
    """Command line of the demo."""
    parser = argparse.ArgumentParser(
        prog='demo', description='Start ik_node on a robot, call its services, check the answers.'
    )
    parser.add_argument(
        '--robot',
        default='panda',
        metavar='PATH_OR_NAME',
        help='URDF or xacro file, or a robot of config/robots (default: panda)',
    )
    parser.add_argument(
        '--base', default='', help='base link (default: chosen by the node, for a single arm)'
    )
    parser.add_argument(
        '--tip', default='', help='tip link (default: chosen by the node, for a single arm)'
    )
    parser.add_argument('--poses', type=int, default=200, help='targets to solve (default: 200)')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the numbers to a file')
    # As a console script the launch system may append ROS arguments.
    chosen = parser.parse_args(remove_ros_args(sys.argv)[1:] if args is None else args)
    if chosen.poses < 1:
        parser.error('--poses must be at least 1')
    return chosen


def run(options: argparse.Namespace) -> int:
    """Run the demo on a fresh node and return the exit code."""
    path = find_robot(options.robot)
    namespace = f'/ik_node_demo_{os.getpid()}'
    print(f'robot: {path.name}', flush=True)
    base, tip = CHAINS.get(options.robot, ('', ''))
    if options.base or options.tip:
        base, tip = options.base, options.tip
    parameters = {'robot_description_file': str(path), 'base': base, 'tip': tip}
    start = time.monotonic()
    with NodeProcess(parameters, namespace) as node:
        client = Client(namespace, node.check)
        try:
            client.wait_for_services(COLD_START)
            demo = Demo(client, Robot(path), options.poses)
            ready = time.monotonic() - start
            print(f'node ready after {ready:.1f} s', flush=True)
            demo.run()
        finally:
            client.close()
        code, output = node.stop(), node.output
    if code != 0:
        demo.failures.append(f'the node ended with exit code {code}; it printed:\n{output}')
    show(demo.report)
    report = {
        'robot': path.name,
        'ready_s': ready,
        **demo.report,
        'passed': not demo.failures,
        'failures': demo.failures,
    }
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=2) + '\n')
    for failure in demo.failures[:10]:
        print(f'FAILED: {failure}')
    print('all answers hold' if report['passed'] else f'{len(demo.failures)} checks failed')
    return 0 if report['passed'] else 1


def main(args: list[str] | None = None) -> int:
    """Entry point; exit code 0 only if every answer of the node holds."""
    options = arguments(args)
    rclpy.init()
    try:
        return run(options)
    except (DemoError, IkNodeError) as error:
        print(f'FAILED: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
