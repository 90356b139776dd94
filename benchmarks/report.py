# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables: printed for people, as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """What a suite has found out."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return title, rows as dictionaries by column, and notes."""
        return {
            'title': self.title,
            'rows': [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            'notes': list(self.notes),
        }

    def as_text(self) -> str:
        """Lay the table out: Markdown, with the columns aligned."""
        cells = [list(self.columns)] + [[format_cell(cell) for cell in row] for row in self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        numeric = [
            any(isinstance(row[i], (int, float)) for row in self.rows)
            for i in range(len(self.columns))
        ]
        lines = [_line(row, widths, numeric) for row in cells]
        rule = [
            '-' * (width - 1) + ':' if right else '-' * width
            for width, right in zip(widths, numeric, strict=True)
        ]
        lines.insert(1, _line(rule, widths, numeric))
        notes = [f'- {note}' for note in self.notes]
        return '\n'.join([f'### {self.title}', '', *lines, *([''] if notes else []), *notes, ''])


def format_cell(cell: Cell) -> str:
    """
    Format a value for a table.

    Returns
    -------
    str
        Four digits of a number: fewer would make 99.97 % a hundred.

    """
    if cell is None:
        return '-'
    if isinstance(cell, float):
        return f'{cell:.0f}' if abs(cell) >= 1000.0 else f'{cell:.4g}'
    return str(cell)


def _line(row: Iterable[str], widths: list[int], numeric: list[bool]) -> str:
    cells = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(row, widths, numeric, strict=True)
    )
    return '| ' + ' | '.join(cells) + ' |'
