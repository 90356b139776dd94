# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The services that search, and forward kinematics: convert, call, convert."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
import functools
import math
from typing import TypeVar

from builtin_interfaces.msg import Time
import ik_node
from ik_node import SolveStatus
from ik_node.ros import batch_conversions, conversions
from ik_node.ros.aim_conversions import Aim, aim_of
from ik_node.ros.description import Description
from ik_node.ros.goal_conversions import goals_of
from ik_node.ros.parameters import Parameters
from ik_node.ros.place import find_place, Place
from ik_node.ros.restriction_conversions import restrictions
from ik_node.ros.serving import done, offer, Request, Response
from ik_node.ros.solve_conversions import (
    extras,
    fill_extras,
    ik_options,
    refuse_iteration,
    refuse_method,
    solver_name,
)
from ik_node.ros.worker import Worker
import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik_node_interfaces.msg import SolveOptions
from ik_node_interfaces.srv import (
    FindConfig,
    ForwardKinematics,
    Solve,
    SolveBatch,
)

Result = TypeVar('Result', ik_node.SolveResult, ik_node.ConfigSet)

#: [s] A search starts on the executor's own thread for at most this long: nearly all end far
#: earlier, and a change of threads costs more than they do. The rest go to the worker, where
#: the same random numbers lead through the same starts again, so the answer is the same.
HEAD_START = 1e-3

_SETTLED = (SolveStatus.SUCCESS, SolveStatus.UNREACHABLE, SolveStatus.NOT_FOUND)


class Services:
    """
    Offers solve, solve_batch, find_config and forward_kinematics.

    Parameters
    ----------
    node : rclpy.node.Node
        Where to offer them, under its private name.
    parameters : Parameters
        Defaults for what a request leaves at zero.
    description : Description
        Finds the environment of a request.
    worker : Worker
        Threads for batches, and for searches that take longer than `HEAD_START`.

    """

    def __init__(
        self,
        node: Node,
        parameters: Parameters,
        description: Description,
        worker: Worker,
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._description = description
        self._worker = worker
        offer(
            node,
            (
                ('solve', Solve, self._solve),
                ('solve_batch', SolveBatch, self._solve_batch),
                ('find_config', FindConfig, self._find_config),
                ('forward_kinematics', ForwardKinematics, self._forward_kinematics),
            ),
        )

    async def _place(self, environment: str, group: str, state: JointState) -> Place:
        return await find_place(self._description, environment, group, state)

    async def _search(
        self, search: Callable[..., Result], timeout: float, settled: Callable[[Result], bool]
    ) -> Result:
        head = search(timeout=min(timeout, HEAD_START))
        # One that ended long before its time ended for another reason: more time adds nothing.
        if timeout <= HEAD_START or settled(head) or head.elapsed < 0.9 * HEAD_START:
            return head
        return await self._worker.submit(search, timeout=timeout)

    def _now(self) -> Time:
        return self._node.get_clock().now().to_msg()

    async def _solve(self, request: Request, response: Response) -> Response:
        place = await self._place(request.environment, request.group, request.seed)
        aim = aim_of(request, place)
        iterate = request.options.inverse_method
        result, note = await (self._iterate if iterate else self._find)(request, place, aim)
        positions = place.group.named_positions(result.q)
        if request.options.apply_solution:
            if result.success or request.options.apply_best_on_failure:
                place.environment.set_joint_positions(positions)
            if request.options.apply_best_on_failure and not result.success:
                what = 'least-squares answer' if result.approximate else 'best configuration'
                note += f'; the joints were set to the {what}'
        response.success, response.status = result.success, int(result.status)
        response.message = result.message + note
        conversions.fill_joint_state(response.solution, positions, self._now())
        response.position_error = float(result.position_error)
        response.orientation_error = float(result.orientation_error)
        response.iterations, response.restarts = int(result.iterations), int(result.restarts)
        response.elapsed = float(result.elapsed)
        response.limit_hits = list(result.limit_hits)
        fill_extras(response, result)
        return response

    async def _find(
        self, request: Request, place: Place, aim: Aim
    ) -> tuple[ik_node.SolveResult, str]:
        """Find a solution by the node's own search; give a note for the message too."""
        refuse_iteration(request.options)
        options = conversions.search_options(request.options, self._parameters.settings)
        solve = functools.partial(
            place.group.solve,
            aim.target,
            place.q,
            direction=aim.direction,
            max_starts=conversions.max_starts(request.options),
            random_seed=options.random_seed,
            position_weight=options.position_weight,
            position_tolerance=options.position_tolerance,
            orientation_tolerance=options.orientation_tolerance,
            prefer=options.prefer,
            **extras(request.options, place),
        )
        if request.options.solver:

            def solve_by_name() -> ik_node.SolveResult:
                return solve(timeout=options.timeout, method=solver_name(request.options))

            result = await self._worker.submit(solve_by_name)
        elif options.prefer == 'nearest' or _lasts(request.options):
            # All of its starts are made, or it goes on after its search, whatever the time: no
            # head start could be short.
            result = await self._worker.submit(solve, timeout=options.timeout)
        else:
            result = await self._search(
                solve, options.timeout, lambda head: head.status in _SETTLED
            )
        return result, options.note

    async def _iterate(
        self, request: Request, place: Place, aim: Aim
    ) -> tuple[ik_node.SolveResult, str]:
        """Solve by the iteration that the request describes; give a note too."""
        options, note = ik_options(request.options, self._parameters.settings)
        seed, more = place.q, extras(request.options, place)

        def solve(timeout: float) -> ik_node.SolveResult:
            return place.group.solve(
                aim.target,
                seed,
                direction=aim.direction,
                options=replace(options, timeout=timeout),
                **more,
            )

        if _lasts(request.options):
            return await self._worker.submit(solve, options.timeout), note
        result = await self._search(solve, options.timeout, lambda head: head.status in _SETTLED)
        return result, note

    async def _solve_batch(self, request: Request, response: Response) -> Response:
        place = await self._place(request.environment, request.group, JointState())
        settings = self._parameters.settings

        def solve() -> None:
            arguments = batch_conversions.batch_arguments(request, place.group, settings)
            result = place.group.solve_batch(**arguments)
            batch_conversions.fill_batch(response, result)

        # Without a head start, and with its conversions: each takes milliseconds when it is large.
        await self._worker.submit(solve)
        return response

    async def _find_config(self, request: Request, response: Response) -> Response:
        place = await self._place(request.environment, request.group, request.seed)
        # Coordinates of spherical joints are no joints, and columns all the same.
        others = [name for name in request.joint_names if name not in place.group.joint_names]
        conversions.check_joints(others, place.environment)
        refuse_method(request.options, goals=True)
        conversions.refuse_nearest(request.options, 'results of ~/find_config are sorted anyway')
        options = conversions.search_options(request.options, self._parameters.settings)
        aim = aim_of(request, place)
        starts = conversions.max_starts(request.options)

        find = functools.partial(
            place.group.find_configs,
            aim.target,
            place.q,
            direction=aim.direction,
            max_configs=max(1, request.max_configs),
            threshold=request.threshold or math.inf,
            max_draws=None if starts is None else starts - 1,
            metric=conversions.metric(request.metric),
            position_tolerance=options.position_tolerance,
            orientation_tolerance=options.orientation_tolerance,
            random_seed=options.random_seed,
            **restrictions(request.options, 'options.'),
            goals=goals_of(request.options.goals, place),
        )
        wanted = max(1, request.max_configs)
        if request.options.goals:
            found = await self._worker.submit(find, timeout=options.timeout)
        else:
            found = await self._search(
                find,
                options.timeout,
                lambda head: head.status is SolveStatus.UNREACHABLE or len(head.configs) >= wanted,
            )
        configs = list(found.configs)
        if configs and request.options.apply_solution:
            place.environment.set_joint_positions(place.group.named_positions(configs[0]))
        names = list(request.joint_names) or list(place.group.joint_names)
        response.success, response.status = found.success, int(found.status)
        response.message = found.message + options.note
        response.joint_names, response.count = names, len(configs)
        response.configs = conversions.doubles(_columns(place, names, configs))
        response.trials, response.elapsed = int(found.trials), float(found.elapsed)
        return response

    async def _forward_kinematics(self, request: Request, response: Response) -> Response:
        place = await self._place(request.environment, request.group, request.joint_state)
        tips = conversions.tips_of(place.group)
        if request.links or request.reference:
            links = list(request.links) or [element.tip.name for element in tips]
            reference = request.reference or place.group.base
            frames = [reference] * len(links)
            poses = place.environment.link_poses(
                links,
                conversions.reference_link(reference, place.environment),
                place.positions,
            )
        else:
            # Not through the links: the ends of a group may be joints as well.
            poses = place.group.forward_kinematics(place.q).reshape(-1, 4, 4)
            links = [element.tip.name for element in tips]
            bases = [element.base for element in tips]
            frames = ['world' if base is None else base.name for base in bases]
        stamp = self._now()
        response.links = links
        response.poses = [
            conversions.pose_stamped(pose, frame, stamp)
            for pose, frame in zip(poses, frames, strict=True)
        ]
        return done(response)


def _lasts(options: SolveOptions) -> bool:
    """Tell whether a solve goes on after its search."""
    return bool(options.goals) or bool(options.approximate)


def _columns(
    place: Place,
    names: list[str],
    configs: list[NDArray[np.float64]],
) -> NDArray[np.float64]:
    others: Mapping[str, float] = {**place.environment.joint_positions, **place.positions}
    rows = np.empty((len(configs), len(names)))
    for row, q in zip(rows, configs, strict=True):
        positions = place.group.named_positions(q)
        row[:] = [positions[name] if name in positions else others[name] for name in names]
    return rows
