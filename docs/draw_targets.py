# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Draw what each kind of target asks for, and what it leaves free: the pictures of targets.md.

    python docs/draw_targets.py [FOLDER]

Axes of the base are thin and coloured, x red, y green, z blue. What is asked for is orange. The
tool is a black arrow D at the tip p; where else it may be is grey.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
import sys
from typing import Any

import matplotlib
import numpy as np

matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402 - after the choice of the backend

Vector = Any
FOLDER = Path(__file__).parent / 'images'
WANTED, FREE, TOOL = 'tab:orange', '0.62', 'black'
X, Y, Z = np.eye(3)
P = np.array([0.5, 0.35, 0.45])
LONG = 0.4
"""Length of a tool."""


def unit(*vector: float) -> Vector:
    """Make a unit vector."""
    return np.array(vector) / np.linalg.norm(vector)


def around(axis: Vector) -> tuple[Vector, Vector]:
    """Complete an axis to a frame."""
    start = X if abs(axis @ X) < 0.8 else Y
    first = np.cross(axis, start)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def circle(center: Vector, axis: Vector, radius: float, turn: float = 2.0 * np.pi) -> Vector:
    """List points of a circle, or of a part of it."""
    first, second = around(axis)
    angles = np.linspace(0.0, turn, 60)[:, np.newaxis]
    return center + radius * (np.cos(angles) * first + np.sin(angles) * second)


class Sketch:
    """One picture."""

    def __init__(self) -> None:
        self.figure = pyplot.figure(figsize=(3.0, 2.6))
        self.ax: Any = self.figure.add_axes((0.0, 0.0, 1.0, 1.0), projection='3d')
        self.ax.set_proj_type('ortho')
        self.ax.view_init(elev=22.0, azim=-52.0)
        self.ax.set_axis_off()
        self.ax.set_xlim(0.0, 1.0)
        self.ax.set_ylim(-0.1, 0.9)
        self.ax.set_zlim(0.0, 0.9)
        self.ax.set_box_aspect((1.0, 1.0, 0.9), zoom=1.25)
        for axis, colour, name in ((X, 'red', 'x'), (Y, 'green', 'y'), (Z, 'blue', 'z')):
            self.arrow(0.0 * X, 0.3 * axis, colour, 1.2)
            self.text(0.36 * axis, name, colour)

    def line(self, points: Iterable[Vector], colour: str, width: float = 1.5, style: str = '-'):
        """Draw through points."""
        self.ax.plot(*np.array(list(points)).T, color=colour, linewidth=width, linestyle=style)

    def arrow(self, begin: Vector, way: Vector, colour: str, width: float = 2.0) -> None:
        """Draw an arrow with a head that faces whoever looks at it."""
        begin, end = np.asarray(begin), np.asarray(begin) + way
        self.line((begin, end), colour, width)
        azim, elev = np.radians(-52.0), np.radians(22.0)
        eye = np.array([np.cos(elev) * np.cos(azim), np.cos(elev) * np.sin(azim), np.sin(elev)])
        along = way / np.linalg.norm(way)
        side = np.cross(along, eye)
        side /= max(float(np.linalg.norm(side)), 0.3)
        barbs = [end - 0.07 * along + 0.035 * s * side for s in (1.0, -1.0)]
        self.line((barbs[0], end, barbs[1]), colour, width)

    def text(self, at: Vector, text: str, colour: str = TOOL) -> None:
        """Write a word."""
        self.ax.text(*at, text, color=colour, fontsize=9, ha='center', va='center')

    def tip(self, p: Vector, D: Vector, colour: str = TOOL, name: bool = False) -> None:
        """Draw a tool: the tip, and the way it points."""
        self.ax.scatter(*p, color=colour, s=14.0, depthshade=False)
        self.arrow(p, LONG * D, colour, 2.2 if colour == TOOL else 1.4)
        if name:
            self.text(p + (LONG + 0.09) * D, 'D')

    def point(self, at: Vector, name: str = 'p') -> None:
        """Draw a point that is asked for."""
        self.ax.scatter(*at, color=WANTED, s=55.0, depthshade=False, alpha=0.9)
        self.text(at - 0.1 * Z, name)

    def frame(self, p: Vector, axes: Vector, faint: bool) -> None:
        """Draw the axes of a tip."""
        for axis, colour in zip(axes.T, ('red', 'green', 'blue'), strict=True):
            self.arrow(p, 0.22 * axis, FREE if faint else colour, 1.3 if faint else 2.0)

    def plane(self, at: Vector, normal: Vector, size: float = 0.42, colour: str = WANTED) -> None:
        """Draw a piece of a plane."""
        first, second = around(normal)
        grid = np.array([[-1.0, 1.0], [-1.0, 1.0]]) * size
        corners = at + grid[..., np.newaxis] * first + grid.T[..., np.newaxis] * second
        self.ax.plot_surface(*np.moveaxis(corners, 2, 0), color=colour, alpha=0.22, shade=False)

    def cone(self, tip: Vector, axis: Vector, angle: float, length: float = LONG) -> None:
        """Draw a cone and its rim."""
        rim = circle(tip + length * np.cos(angle) * axis, axis, length * np.sin(angle))
        surface = np.stack([np.tile(tip, (len(rim), 1)), rim])
        self.ax.plot_surface(*np.moveaxis(surface, 2, 0), color=WANTED, alpha=0.25, shade=False)
        self.line(rim, WANTED, 1.0)

    def angle(self, at: Vector, begin: Vector, end: Vector, name: str, radius: float) -> None:
        """Draw the arc from one direction to another."""
        shares = np.linspace(0.0, 1.0, 30)
        ways = np.array([begin + share * (end - begin) for share in shares])
        ways /= np.linalg.norm(ways, axis=1)[:, np.newaxis]
        self.line(at + radius * ways, WANTED, 1.5)
        self.text(at + (radius + 0.08) * ways[len(ways) // 2], name, WANTED)

    def turn(self, at: Vector, axis: Vector, radius: float = 0.09) -> None:
        """Draw that a turn about an axis is free."""
        points = circle(at, axis, radius, 1.7 * np.pi)
        self.line(points, FREE, 1.4)
        self.arrow(points[-2], points[-1] - points[-2], FREE, 1.4)


AIM = unit(0.5, 0.35, 0.75)
TILTS = [unit(0.9, 0.1, 0.5), unit(-0.6, 0.5, 0.7), unit(0.2, -0.9, 0.4), unit(0.1, 0.6, -0.8)]
PLACES = [np.array(at) for at in ((0.75, 0.1, 0.2), (0.15, 0.7, 0.5), (0.72, 0.6, 0.25))]
TILT = unit(-0.15, -0.25, 0.95)
TURN = np.column_stack([*around(TILT), TILT])


def transform(sketch: Sketch) -> None:
    """Place and turn in full."""
    sketch.point(P)
    sketch.frame(P, TURN, faint=False)


def rotation(sketch: Sketch) -> None:
    """Turn in full, place anywhere."""
    for at in PLACES:
        sketch.frame(at, TURN, faint=True)
    sketch.frame(P, TURN, faint=False)


def translation(sketch: Sketch) -> None:
    """Place in full, turn anyhow."""
    for tilt in TILTS:
        sketch.tip(P, tilt, FREE)
    sketch.tip(P, AIM, name=True)
    sketch.point(P)


def direction(sketch: Sketch) -> None:
    """Point in full, place anywhere."""
    for at in PLACES:
        sketch.tip(at, AIM, FREE)
    sketch.arrow(P + 0.05 * X, LONG * AIM, WANTED, 4.0)
    sketch.tip(P + 0.05 * X, AIM, name=True)
    sketch.turn(P + 0.05 * X + 0.2 * AIM, AIM)


def ray(sketch: Sketch) -> None:
    """Lie on a line, along its sense."""
    sketch.line((P - 0.55 * AIM, P + 0.75 * AIM), WANTED, 3.0)
    for along in (-0.45, 0.4):
        sketch.tip(P + along * AIM, 0.75 * AIM, FREE)
    sketch.tip(P, 0.8 * AIM, name=True)
    sketch.turn(P + 0.25 * AIM, AIM)


def lookat(sketch: Sketch) -> None:
    """Point at a point from anywhere."""
    eye = np.array([0.62, 0.5, 0.6])
    for at, colour in [*((at, FREE) for at in PLACES), (np.array([0.25, 0.2, 0.25]), TOOL)]:
        D = (eye - at) / np.linalg.norm(eye - at)
        sketch.line((at, eye), FREE, 0.8, ':')
        sketch.tip(at, 0.6 * D, colour)
    sketch.point(eye, '')
    sketch.text(eye + 0.1 * Z, 'point')


def five(sketch: Sketch) -> None:
    """Place in full and point."""
    sketch.point(P)
    sketch.arrow(P, LONG * AIM, WANTED, 4.0)
    sketch.tip(P, AIM, name=True)
    sketch.turn(P + 0.22 * AIM, AIM)


def upright(sketch: Sketch) -> Vector:
    """Draw the vertical line that x and y of a tip are on."""
    foot = P * (1.0, 1.0, 0.0)
    sketch.line((foot[0] * X, foot), FREE, 0.8, '--')
    sketch.line((foot[1] * Y, foot), FREE, 0.8, '--')
    sketch.line((foot, foot + 0.95 * Z), WANTED, 3.0)
    sketch.text(foot - 0.08 * Z, '(x, y)')
    return foot


def plane_point(sketch: Sketch) -> None:
    """Stand above a point of the ground, at any height."""
    foot = upright(sketch)
    sketch.tip(foot + 0.15 * Z, TILTS[0], FREE)
    sketch.tip(foot + 0.75 * Z, TILTS[1], FREE)
    sketch.tip(foot + 0.45 * Z, unit(0.7, 0.5, 0.3), name=True)


def plane_pose(sketch: Sketch) -> None:
    """Stand there, with the tool above a direction of the ground."""
    foot = upright(sketch)
    angle = np.radians(35.0)
    out = np.array([np.cos(angle), np.sin(angle), 0.0])
    corners = np.array([[foot, foot + 0.5 * out], [foot + 0.95 * Z, foot + 0.5 * out + 0.95 * Z]])
    sketch.ax.plot_surface(*np.moveaxis(corners, 2, 0), color=WANTED, alpha=0.2, shade=False)
    sketch.line((foot, foot + 0.4 * X), FREE, 0.8, '--')
    sketch.angle(foot, X, out, 'angle', 0.3)
    for height, tilt in ((0.75, 0.4), (0.2, 0.9)):
        D = out + tilt * Z
        sketch.tip(foot + height * Z, D / np.linalg.norm(D), FREE)
    sketch.tip(foot + 0.45 * Z, unit(*(out - 0.3 * Z)), name=True)


def local_global(sketch: Sketch) -> None:
    """Place a point on the tool, and the tip anywhere around it."""
    for tilt in TILTS[:3]:
        sketch.tip(P - 0.3 * tilt, 0.55 * around(tilt)[0], FREE)
        sketch.line((P - 0.3 * tilt, P), FREE, 1.2, '--')
    tip = P - 0.3 * AIM
    sketch.tip(tip, unit(0.3, -0.8, 0.5), name=True)
    sketch.line((tip, P), TOOL, 1.2, '--')
    sketch.text(0.5 * (tip + P) - 0.12 * X, 'local')
    sketch.point(P, '')
    sketch.text(P + 0.1 * Z, 'global')


def cone_about(axis: Vector) -> Callable[[Sketch], None]:
    """Make the drawing of a cone about an axis of the base."""

    def draw(sketch: Sketch) -> None:
        angle = np.radians(35.0)
        first, second = around(axis)
        sketch.cone(P, axis, angle)
        sketch.line((P, P + 0.5 * axis), WANTED, 1.0, '--')
        ways = [
            np.cos(angle) * axis + np.sin(angle) * (np.cos(t) * first + np.sin(t) * second)
            for t in (0.4, 2.5, 4.5)
        ]
        for way in ways[:2]:
            sketch.tip(P, way, FREE)
        sketch.tip(P, ways[2], name=True)
        sketch.angle(P, axis, ways[2], 'angle', 0.3)
        sketch.point(P)

    return draw


def norm_of(first: Vector, second: Vector) -> Callable[[Sketch], None]:
    """Make the drawing of a tool in a plane of the base."""

    def draw(sketch: Sketch) -> None:
        angle = np.radians(50.0)
        D = np.cos(angle) * first + np.sin(angle) * second
        sketch.plane(P, np.cross(first, second), 0.36)
        sketch.line((P, P + 0.4 * first), FREE, 1.0, '--')
        sketch.angle(P, first, D, 'angle', 0.24)
        sketch.arrow(P, LONG * D, WANTED, 4.0)
        sketch.tip(P, D, name=True)
        sketch.turn(P + 0.3 * D, D, 0.07)
        sketch.point(P)

    return draw


def line(sketch: Sketch) -> None:
    """Stand on a line; with bounds on a piece of it."""
    along = unit(0.8, 0.3, 0.3)
    sketch.line((P - 0.6 * along, P + 0.6 * along), WANTED, 1.2, '--')
    sketch.line((P - 0.3 * along, P + 0.4 * along), WANTED, 3.5)
    for at, name in ((-0.3, 'lower'), (0.4, 'upper')):
        sketch.text(P + at * along - 0.1 * Z, name, WANTED)
    sketch.tip(P - 0.2 * along, unit(-0.3, 0.2, 0.9), FREE)
    sketch.tip(P + 0.3 * along, unit(0.5, -0.4, 0.8), FREE)
    sketch.tip(P, unit(0.1, 0.5, 0.9), name=True)


def plane(sketch: Sketch) -> None:
    """Stand in a plane."""
    normal = unit(-0.2, -0.25, 0.9)
    first, second = around(normal)
    sketch.plane(P, normal, 0.48)
    sketch.arrow(P - 0.3 * first - 0.3 * second, 0.25 * normal, WANTED)
    sketch.text(P - 0.3 * first - 0.3 * second + 0.33 * normal, 'normal', WANTED)
    sketch.tip(P + 0.3 * first, unit(0.3, 0.2, 0.8), FREE)
    sketch.tip(P + 0.3 * second, unit(-0.5, 0.2, 0.6), FREE)
    sketch.tip(P, unit(0.5, -0.1, 0.8), name=True)


def parallel(sketch: Sketch) -> None:
    """Bring the z axis of the effector along a direction."""
    direction(sketch)


def cone(sketch: Sketch) -> None:
    """Bring an axis of the effector on a cone about any axis, or within it."""
    axis, angle = unit(0.3, 0.2, 0.9), np.radians(32.0)
    first, second = around(axis)
    sketch.cone(P, axis, angle, 0.45)
    sketch.arrow(P, 0.52 * axis, WANTED, 1.2)
    sketch.text(P + 0.6 * axis, 'axis_base', WANTED)
    sketch.tip(P, unit(*(axis + 0.2 * first - 0.2 * second)), FREE)
    way = np.cos(angle) * axis + np.sin(angle) * unit(*(first - 0.2 * second))
    sketch.tip(P, way)
    sketch.text(P + 0.62 * way - 0.1 * Z, 'axis_tip')
    sketch.angle(P, axis, way, 'angle', 0.3)


def box(sketch: Sketch) -> None:
    """Keep the tip inside of a box, and its angles inside of others."""
    half = np.array([0.3, 0.2, 0.15])
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    turned = corners * half @ TURN.T + P
    for a in range(8):
        for b in range(a):
            if np.abs(corners[a] - corners[b]).sum() == 2:
                sketch.line((turned[a], turned[b]), WANTED, 1.5)
    sketch.frame(P, TURN, faint=False)
    D = TURN @ unit(0.2, 0.1, 1.0)
    sketch.tip(P + TURN @ (half * (0.6, -0.7, 0.2)), 0.7 * D)
    sketch.tip(P + TURN @ (half * (-0.6, 0.5, -0.3)), 0.7 * TURN @ unit(-0.2, 0.3, 1.0), FREE)


PICTURES: dict[str, Callable[[Sketch], None]] = {
    'Transform6D': transform,
    'Rotation3D': rotation,
    'Translation3D': translation,
    'Direction3D': direction,
    'Ray4D': ray,
    'Lookat3D': lookat,
    'TranslationDirection5D': five,
    'TranslationXY2D': plane_point,
    'TranslationXYOrientation3D': plane_pose,
    'TranslationLocalGlobal6D': local_global,
    'TranslationXAxisAngle4D': cone_about(X),
    'TranslationYAxisAngle4D': cone_about(Y),
    'TranslationZAxisAngle4D': cone_about(Z),
    'TranslationXAxisAngleZNorm4D': norm_of(X, Y),
    'TranslationYAxisAngleXNorm4D': norm_of(Y, Z),
    'TranslationZAxisAngleYNorm4D': norm_of(Z, X),
    'Point': translation,
    'Line': line,
    'Plane': plane,
    'Rotation': rotation,
    'Parallel': parallel,
    'Cone': cone,
    'PoseBox': box,
}


def draw(folder: Path) -> None:
    """Write all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in PICTURES.items():
        sketch = Sketch()
        picture(sketch)
        # Without a date, so that the same picture is the same file.
        sketch.figure.savefig(folder / f'{name}.png', dpi=100, metadata={'Software': None})
        pyplot.close(sketch.figure)


if __name__ == '__main__':
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
