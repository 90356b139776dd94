# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""The place where a collision model is plugged in, in a node that runs, asked over DDS."""

from __future__ import annotations

from collections.abc import Callable
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('ik_node_interfaces')
pytest.importorskip('moveit_msgs')

from moveit_msgs.msg import Constraints, JointConstraint  # noqa: E402

SUCCESS, GOAL_IN_COLLISION, NO_IK_SOLUTION, FAILURE = 1, -12, -31, 99999
#: Elbow up and down reach the same pose of the flange.
UP = {'j1': -0.5, 'j2': 1.0, 'j3': 0.2}
DOWN = {'j1': 0.5, 'j2': -1.0, 'j3': 1.2}
#: How open the gripper is says what the check is to do.
CLOSED, EVERYTHING, BROKEN, WRONG_CODE = 0.0, 0.1, 0.2, 0.3

PROGRAM = """
import sys

from ik_node.ros import main, node
from ik_node.ros.moveit_requests import Rejection


def judge(environment, group, positions):
    assert group == 'arm'
    assert set(positions) == set(environment.moving_joint_names)
    grip = positions['grip']
    if grip == 0.2:
        raise RuntimeError('the world is gone')
    if grip == 0.3:
        return Rejection('it says no with the code of yes', 1)
    if grip == 0.1 or positions['j2'] > 0.0:
        return Rejection('the elbow is in the table', -12)


class Checked(node.IkNode):
    def __init__(self):
        super().__init__()
        self.moveit.validity = judge


node.IkNode = Checked
sys.exit(main.main())
"""


@pytest.fixture
def ask(
    moveit: Any, start_program: Callable[..., Any], test_robots: Path, messages: Any
) -> Callable[..., Any]:
    node = start_program(
        PROGRAM,
        robot_description_file=str(test_robots / 'planar_tool.urdf'),
        robot_description_semantic=(test_robots / 'planar_tool.srdf').read_text(),
    )
    angles = np.cumsum(list(UP.values()))
    point = float(np.cos(angles).sum()), float(np.sin(angles).sum()), 0.0
    half = angles[-1] / 2
    pose = messages.pose(point, (0.0, 0.0, math.sin(half), math.cos(half)))

    def call(
        grip: float, seed: dict[str, float] = UP, service: str = 'solve_ik', **fields: Any
    ) -> Any:
        fields = {'avoid_collisions': True, **fields}
        near = {name: value + 0.05 for name, value in seed.items()}
        request = moveit.request('arm', pose, {**near, 'grip': grip}, **fields)
        return moveit.ask(node, request, service)

    return call


def test_p36_a_rejected_solution_is_not_the_end(moveit: Any, ask: Any) -> None:
    """Elbow up is nearest and rejected: the answer is elbow down. All rejected: their code."""
    for service in ('compute_ik', 'solve_ik'):
        answer = ask(CLOSED, service=service)
        values = moveit.values(answer)
        assert {name: values[name] for name in DOWN} == pytest.approx(DOWN, abs=1e-5)
        assert 'collision' not in answer.error_code.message
        # The same question has the same answer, however often it is asked.
        assert moveit.values(ask(CLOSED, service=service)) == values
        for timeout in (0.0, 0.3):
            answer = ask(EVERYTHING, service=service, timeout=timeout)
            assert answer.error_code.val == GOAL_IN_COLLISION
            assert 'rejected' in answer.error_code.message
            assert 'the elbow is in the table' in answer.error_code.message
            assert answer.solution == type(answer.solution)()


def test_who_does_not_avoid_collisions_is_not_judged(moveit: Any, ask: Any) -> None:
    values = moveit.values(ask(EVERYTHING, avoid_collisions=False))
    assert values == pytest.approx(UP, abs=1e-5)


def test_a_check_that_fails_is_an_answer_and_not_the_end(moveit: Any, ask: Any) -> None:
    answer = ask(BROKEN)
    assert answer.error_code.val == FAILURE
    assert 'the world is gone' in answer.error_code.message
    # A check that rejects does not accept, whatever number it gives.
    assert ask(WRONG_CODE).error_code.val == NO_IK_SOLUTION
    assert ask(CLOSED).error_code.val == SUCCESS


def test_constraints_and_the_check_have_to_agree(moveit: Any, ask: Any) -> None:
    def near(position: float) -> Constraints:
        row = JointConstraint(joint_name='j2', position=position, weight=1.0)
        row.tolerance_above = row.tolerance_below = 0.5
        return Constraints(joint_constraints=[row])

    answer = ask(CLOSED, constraints=near(-1.0))
    assert moveit.values(answer) == pytest.approx(DOWN, abs=1e-5)
    assert ask(CLOSED, constraints=near(1.0)).error_code.val == GOAL_IN_COLLISION
    open_wide = JointConstraint(joint_name='grip', position=0.5, tolerance_below=0.1)
    both = Constraints(joint_constraints=[*near(-1.0).joint_constraints, open_wide])
    assert ask(CLOSED, constraints=both).error_code.val == NO_IK_SOLUTION


def test_the_program_of_the_documentation(
    moveit: Any, start_program: Callable[..., Any], robots: Path, test_robots: Path
) -> None:
    text = (Path(__file__).resolve().parents[2] / 'docs' / 'moveit.md').read_text()
    source = next(
        part.partition('```')[0] for part in text.split('```python\n') if 'def judge(' in part
    )
    node = start_program(
        source,
        robot_description_file=str(robots / 'panda.urdf'),
        robot_description_semantic=(test_robots / 'panda.srdf').read_text(),
    )
    q = (0.1, -0.4, 0.2, -2.6, 0.1, 2.3, 0.7)
    seed = {f'panda_joint{number}': value for number, value in enumerate(q, start=1)}
    goal = moveit.fk(node, ['panda_link8'], seed).pose_stamped[0]
    plain = moveit.values(moveit.ik(node, 'panda_arm', goal, seed))
    assert plain['panda_joint4'] == pytest.approx(-2.6, abs=1e-4)
    answer = moveit.ik(node, 'panda_arm', goal, seed, avoid_collisions=True, timeout=1.0)
    if answer.error_code.val == SUCCESS:
        assert moveit.values(answer)['panda_joint4'] >= -2.5
    else:
        assert answer.error_code.val == GOAL_IN_COLLISION
        assert 'the elbow is in the table' in answer.error_code.message
