# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""KDL's Levenberg-Marquardt with restarts, for it knows no limits and no second start."""

from __future__ import annotations

from collections.abc import Callable
import functools
from typing import Any
from xml.etree import ElementTree

import numpy as np

from benchmarks.judge import FloatArray
from benchmarks.robots import Robot
from benchmarks.solvers.solver import Solver, UnsupportedRobotError

_STARTS = 50
_STEPS = 100
# Of metres and hundredths of a radian, by its default weights. (Others would be a NumPy array,
# which a PyKDL that was built for another NumPy does not survive.)
_TOLERANCE = 1e-7
_TURN = 2.0 * np.pi


class Kdl(Solver):
    """`ChainIkSolverPos_LMA` of PyKDL, from the seed and then from random configurations."""

    name = 'KDL LMA + restarts'
    options = (
        f'eps {_TOLERANCE:g} with its weights, {_STEPS} steps a start, up to {_STARTS} starts in '
        'Python; what full turns do not bring inside of the limits is a failed start'
    )

    def __init__(self, robot: Robot) -> None:
        import PyKDL

        self._kdl: Any = PyKDL
        self._turns, chain = _read(PyKDL, robot)
        self._lower, self._upper = robot.judge.lower, robot.judge.upper
        if chain.getNrOfJoints() != len(self._lower):
            raise RuntimeError(f'KDL counts {chain.getNrOfJoints()} joints')
        self._solver = PyKDL.ChainIkSolverPos_LMA(chain, _TOLERANCE, _STEPS)
        self._chain = chain  # the solver keeps a reference only

    def prepare(self, target: FloatArray, seed: FloatArray) -> Callable[[], Any]:
        kdl = self._kdl
        rotation = kdl.Rotation(*target[:3, :3].ravel().tolist())
        goal = kdl.Frame(rotation, kdl.Vector(*target[:3, 3].tolist()))
        return functools.partial(self._search, goal, seed)

    def answer(self, raw: FloatArray | None) -> FloatArray | None:
        return raw

    def _search(self, goal: Any, seed: FloatArray) -> FloatArray | None:
        n, q = len(seed), self._kdl.JntArray(len(seed))
        start, rng = self._kdl.JntArray(n), None
        values = seed
        for _ in range(_STARTS):
            for i, value in enumerate(values):
                start[i] = value
            if self._solver.CartToJnt(start, goal, q) == 0:
                found = self._inside(np.array([q[i] for i in range(n)]))
                if found is not None:
                    return found
            rng = rng or np.random.default_rng(0)
            values = self._lower + (self._upper - self._lower) * rng.random(n)
        return None

    def _inside(self, q: FloatArray) -> FloatArray | None:
        """Bring turning joints inside of the limits by full turns; None: it cannot be done."""
        over, under = np.maximum(q - self._upper, 0.0), np.maximum(self._lower - q, 0.0)
        q = q + _TURN * self._turns * (np.ceil(under / _TURN) - np.ceil(over / _TURN))
        return q if ((q >= self._lower) & (q <= self._upper)).all() else None


def _read(kdl: Any, robot: Robot) -> tuple[FloatArray, Any]:
    """Build the chain as kdl_parser does; also tell which joints turn (1.0) or slide (0.0)."""
    chain, turns = kdl.Chain(), []
    for joint in ElementTree.parse(robot.chain).getroot().findall('joint'):
        name, kind = joint.get('name', ''), joint.get('type', '')
        origin, axis = joint.find('origin'), joint.find('axis')
        xyz = _numbers(origin, 'xyz', '0 0 0')
        frame = kdl.Frame(kdl.Rotation.RPY(*_numbers(origin, 'rpy', '0 0 0')), kdl.Vector(*xyz))
        if kind == 'fixed':
            moving = kdl.Joint(name)
        elif kind in ('revolute', 'continuous', 'prismatic'):
            slides = kind == 'prismatic'
            turns.append(float(not slides))
            way = frame.M * kdl.Vector(*_numbers(axis, 'xyz', '1 0 0'))
            types = kdl.Joint.JointType
            moving = kdl.Joint(name, frame.p, way, types.TransAxis if slides else types.RotAxis)
        else:
            raise UnsupportedRobotError(f'joint {name!r} is {kind}')
        chain.addSegment(kdl.Segment(name, moving, frame))
    return np.array(turns), chain


def _numbers(element: ElementTree.Element | None, key: str, default: str) -> list[float]:
    text = default if element is None else element.get(key, default)
    return [float(number) for number in text.split()]
