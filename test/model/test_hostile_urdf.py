# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Thousands of malformed and hostile descriptions: each loads or is refused, quickly and in itself.

This file is also the program that reads them, in a process of its own. A hook watches what Python
opens. The XML parser's own C code is out of its sight, so the hostile texts refer to a named pipe,
which would hang whoever opens it, and to a socket that nobody may call.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
import random
import re
import socket
import subprocess
import sys
import time

import pytest

ROOT = Path(__file__).parents[2]
MEMORY = 200 * 1024 * 1024
SECONDS = 2.0
MUTANTS = 1000

ODD_VALUES = (
    '',
    ' ',
    'nan',
    'inf',
    '-inf',
    '1e308',
    '-1e308',
    '1e-320',
    '1e400',
    '9' * 4000,
    '0x1p3',
    '1_0',
    '1,5',
    '1 2',
    '0 0 0',
    '1 2 3 4',
    'x' * 100_000,
    '${pi}',
    '$(find pkg)',
    '../../etc/passwd',
    '&#x10FFFF;',
    '&lt;',
    'ロボット',
    '%s%n',
)


def mutate(text, rng):
    """Spoil a description in one of many ways."""
    way = rng.randrange(10)
    data = text.encode()
    if way == 0:  # flipped bytes
        spoilt = bytearray(data)
        for _ in range(rng.choice((1, 3, 30))):
            spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
        return bytes(spoilt)
    if way == 1:
        return data[: rng.randrange(len(data))]
    if way == 2:  # a piece twice or not at all
        a, b = sorted(rng.randrange(len(data)) for _ in range(2))
        return data[:a] + data[a:b] * rng.choice((0, 2)) + data[b:]
    if way == 3:  # wrong encodings
        declared = rng.choice(('utf-8', 'utf-16', 'latin-1', 'utf-7', 'ebcdic-cp-us', 'nope'))
        real = rng.choice(('utf-8', 'utf-16', 'utf-16-le', 'utf-32', 'cp037', 'utf-7'))
        body = re.sub(r'^<\?xml.*?\?>', '', text)
        return f'<?xml version="1.0" encoding="{declared}"?>{body}'.encode(real)
    pieces = list(
        re.finditer(
            {
                4: r'<(link|joint|origin|axis|limit|parent|child|mimic)\b[^>]*/>',
                5: r'\s[a-z]+="[^"]*"',
                6: r'(?<==")[^"]*(?=")',
                7: r'(?<=<)[a-z_]+',
                8: r'<joint\b.*?</joint>',
                9: r'>',
            }[way],
            text,
            re.DOTALL,
        )
    )
    for piece in rng.sample(pieces, min(len(pieces), rng.choice((1, 2, 8)))):
        found = piece.group()
        new = {
            4: lambda found: rng.choice(('', found * 2, found * 300)),
            5: lambda found: rng.choice(('', found.upper(), found * 2, ' a="1"')),
            6: lambda found: rng.choice(ODD_VALUES),
            7: lambda found: rng.choice(('link', 'joint', 'robot', 'x:y', 'é', 'include')),
            8: lambda found: rng.choice(('', found * 2, f'<joint>{found}</joint>')),
            9: lambda found: rng.choice(('>' + '<a>' * 400, '>\0', '>&x;', '>]]>', '><![CDATA[')),
        }[way](found)
        text = text.replace(found, new, 1)
    return text if '<' in text else text.encode()


def chain(count, more=lambda i: '', kind='continuous', loop=False):
    """Make a robot of joints one behind the other."""
    links = ''.join(f'<link name="l{i}"/>' for i in range(count + 1))
    joints = ''.join(
        f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/>'
        f'<child link="l{0 if loop and i == count - 1 else i + 1}"/>{more(i)}</joint>'
        for i in range(count)
    )
    return f'<robot name="r">{links}{joints}</robot>'


def attacks(pipe, port):
    """Make texts that are meant to cost time or memory, or to reach a file or the network."""
    body = '<robot name="r"><link name="a">&x;</link><link name="b&x;"/></robot>'
    lol = ''.join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    yield f'<!DOCTYPE robot [<!ENTITY l0 "lol">{lol}<!ENTITY x "&l9;">]>{body}'
    yield f'<!DOCTYPE robot [<!ENTITY x "{"x" * 100_000}">]><robot>{"&x;" * 100_000}</robot>'
    for address in (pipe, f'file://{pipe}', f'http://127.0.0.1:{port}/x'):
        yield f'<!DOCTYPE robot [<!ENTITY x SYSTEM "{address}">]>{body}'
        yield f'<!DOCTYPE robot SYSTEM "{address}">{body}'
        yield f'<!DOCTYPE robot PUBLIC "-//x//y" "{address}">{body}'
        yield f'<!-- --><?a b?>\n<!DOCTYPE robot [<!ENTITY % x SYSTEM "{address}"> %x;]>{body}'
        include = f'<xi:include href="{address}" parse="text"/>'
        yield (
            '<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude"><link name="a"/>'
            f'<link name="b">{include}</link>{include}</robot>'
        )
        yield f'<?xml-stylesheet href="{address}"?>{chain(2)}'
        yield (
            '<robot xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            f'xsi:noNamespaceSchemaLocation="{address}">{chain(2)[16:]}'
        )
        for scheme in ('http://ros.org/wiki/xacro', 'http://www.ros.org/wiki/xacro'):
            yield (
                f'<robot xmlns:xacro="{scheme}"><xacro:include filename="{address}"/>'
                f'<xacro:property name="p" value="${{open(\'{address}\').read()}}"/></robot>'
            )
        yield f'<robot><xacro:include filename="{address}"/><link name="$(find x)"/></robot>'
        yield chain(2).replace('"l0"/>', f'"l0"><visual><mesh filename="{address}"/></visual>')
    yield '<a>' * 1_000_000
    yield '<robot>' + '<a>' * 100_000 + '</a>' * 100_000 + '</robot>'
    yield '<robot>' + '<a/>' * 4_000_000 + '</robot>'
    yield '<robot ' + ' '.join(f'a{i}=""' for i in range(200_000)) + '/>'
    yield '<robot name="r"><link name="' + 'n' * 5_000_000 + '"/></robot>'
    yield '<' + 'n' * 5_000_000 + '/>'
    yield '<robot>' + ' ' * 15_000_000 + '</robot>'
    yield '<!--' + '-->  <!--' * 1_000_000 + '--><robot/>'
    yield '<?' * 1_000_000
    yield b'\xff\xfe' + b'<\0' * 8_000_000
    yield b'<' * 17_000_000
    yield '\ud800<robot/>'
    yield b'<?xml version="1.0" encoding="utf-7"?>' + b'+ADwAIQ-DOCTYPE a+AD4-<robot/>'
    yield chain(4_999)
    yield chain(4_999, loop=True)
    yield chain(20_000)
    yield chain(4_000, lambda i: f'<mimic joint="j{i + 1}"/>' if i < 3_999 else '')
    yield chain(4_000, lambda i: f'<mimic joint="j{(i + 1) % 4000}"/>')
    yield chain(90, lambda i: f'<mimic joint="j{i + 1}" multiplier="1e300"/>' if i < 89 else '')
    yield chain(2_000, lambda i: f'<mimic joint="j{i // 2 - 1}"/>' if i > 1 else '', 'prismatic')
    yield chain(1_000, kind='floating')
    # Every joint but the first mimics it, and their limits leave no position.
    limit = '<limit lower="{0}" upper="{0}"/>'
    yield chain(3_000, lambda i: limit.format(i) + '<mimic joint="j0"/>' * (i > 0), 'prismatic')


def memory():
    """Read what memory this process has and had [B]."""
    lines = Path('/proc/self/status').read_text().splitlines()
    return {
        name: 1024 * int(value.split()[0])
        for name, _, value in (line.partition(':') for line in lines if line.startswith('Vm'))
    }


def main():
    """Read the mutants of the robots that the first argument names, and all attacks."""
    import codecs
    import faulthandler
    import logging
    import resource

    from ik_node.errors import IkNodeError
    from ik_node.model.srdf import load_srdf
    from ik_node.model.urdf import load_urdf

    given = json.loads(sys.argv[1])
    logging.disable()
    faulthandler.dump_traceback_later(100, exit=True)
    robots = [Path(path).read_text(encoding='utf-8') for path in given['robots']]
    panda = load_urdf(robots[0])
    load_urdf(chain(3, kind='floating'))  # everything is compiled and imported before the watch
    srdf = (
        '<robot name="r"><group name="arm"><chain base_link="panda_link0" tip_link="panda_link8"/>'
        '</group><group name="hand"><joint name="panda_finger_joint1"/></group>'
        '<group name="all"><group name="arm"/><group name="hand"/></group>'
        '<end_effector name="e" group="hand" parent_link="panda_link8" parent_group="arm"/>'
        '<group_state name="s" group="arm"><joint name="panda_joint1" value="0.5"/></group_state>'
        '<passive_joint name="panda_joint2"/><virtual_joint name="v" type="fixed" '
        'parent_frame="w" child_link="panda_link0"/></robot>'
    )
    load_srdf(srdf, panda)
    for name in ('utf-16', 'utf-16-le', 'utf-16-be', 'utf-32', 'utf-7', 'cp037', 'latin-1'):
        codecs.lookup(name)
    touched: list[str] = []
    watched = ('open', 'socket.', 'subprocess.', 'os.system', 'os.exec', 'exec', 'urllib.')
    sys.addaudithook(
        lambda event, args: (
            touched.append(f'{event} {args}'[:200]) if event.startswith(watched) else None
        )
    )
    before = memory()
    touched.clear()
    # The XML parser gives up where it gets no memory and a text would pass for refused; so the
    # limit only protects the machine, and what was used is compared in the end.
    limit = before['VmSize'] + 4 * MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    rng = random.Random(20261130)
    counts, failures, slowest = {'loaded': 0, 'refused': 0}, [], 0.0

    def attempt(label, source, read):
        nonlocal slowest
        begin = time.perf_counter()
        try:
            read(source)
            counts['loaded'] += 1
        except IkNodeError as error:
            counts['refused'] += 1
            if len(str(error)) > 4000:
                failures.append(f'{label}: a message of {len(str(error))} characters')
        except BaseException as error:
            failures.append(f'{label}: {type(error).__name__}: {error}'[:500])
        took = time.perf_counter() - begin
        slowest = max(slowest, took)
        if took > SECONDS:
            failures.append(f'{label}: {took:.2f} s')

    for number in range(given['mutants']):
        attempt(f'mutant {number}', mutate(rng.choice(robots), rng), load_urdf)
    for number in range(given['mutants'] // 5):
        attempt(f'SRDF {number}', mutate(srdf, rng), lambda source: load_srdf(source, panda))
    for number, attack in enumerate(attacks(given['pipe'], given['port'])):
        attempt(f'attack {number}', attack, load_urdf)
        attempt(f'attack {number} as SRDF', attack, lambda source: load_srdf(source, panda))
        del attack
    found = {'failures': failures, 'touched': list(touched), 'slowest': slowest}
    used = memory()['VmHWM'] - before['VmRSS']
    print(json.dumps(found | counts | {'used': used}))


@pytest.mark.skipif(sys.platform != 'linux', reason='limits the memory as Linux does')
def test_every_text_loads_or_is_refused_within_time_and_memory(tmp_path, shipped_robot):
    names = ('panda', 'ur5e', 'scara', 'iiwa14', 'planar_mimic')
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        listener.listen()
        listener.setblocking(False)
        given = {
            'robots': [str(shipped_robot(name)) for name in names],
            'mutants': MUTANTS,
            'pipe': str(pipe),
            'port': listener.getsockname()[1],
        }
        done = subprocess.run(
            [sys.executable, __file__, json.dumps(given)],
            env=os.environ | {'PYTHONPATH': str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found['failures'] == []
    assert found['touched'] == []
    assert found['used'] < MEMORY
    assert found['loaded'] > MUTANTS / 10
    assert found['refused'] > MUTANTS / 3
    assert done.stderr == ''


if __name__ == '__main__':
    main()
