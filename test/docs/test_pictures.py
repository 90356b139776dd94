# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documentation are there, small, and drawn by their script."""

from __future__ import annotations

from pathlib import Path
import re
import subprocess
import sys

ROOT = Path(__file__).parents[2]
DOCS = ROOT / 'docs'
NAMES = re.findall(r'\]\(images/(\w+\.png)\)', (DOCS / 'targets.md').read_text(encoding='utf-8'))


def test_every_picture_is_there_and_shown() -> None:
    assert sorted(NAMES) == sorted(file.name for file in (DOCS / 'images').iterdir())
    assert len(NAMES) == 23
    for name in NAMES:
        picture = (DOCS / 'images' / name).read_bytes()
        assert picture.startswith(b'\x89PNG')
        assert len(picture) < 60_000


def test_the_script_draws_them(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, str(DOCS / 'draw_targets.py'), str(tmp_path)], check=True, timeout=120
    )
    assert sorted(NAMES) == sorted(file.name for file in tmp_path.iterdir())
