# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A solve by options: what becomes of the state, what the result holds, what is refused."""

from __future__ import annotations

import inspect
import math
import threading

import ik_node
from ik_node import IKOptions, InvalidOptionError, InvalidSeedError, SolveStatus
from ik_node.environment import ik_options_solve
from ik_node.environment.ik_options_solve import Keywords
from ik_node.kernels.rotations import matrix_from_rpy
from ik_node.solvers.descent import descend
import numpy as np
import pytest

ENTRY = {'j1': 0.7, 'j2': 1.1}
SEED = [0.1, 1.5]
SOLUTION = [0.0, math.pi / 2]


def pose(x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0, yaw=0.0):
    """Make a pose from position and URDF angles."""
    T = np.eye(4)
    T[:3, :3] = matrix_from_rpy(float(roll), float(pitch), float(yaw))
    T[:3, 3] = x, y, z
    return T


REACHABLE = pose(1.0, 1.0, yaw=math.pi / 2)
FAR = pose(3.0, 0.0)


@pytest.fixture
def planar(shipped_robot):
    """Give the planar arm of two links of 1 m, its joints somewhere."""
    env = ik_node.Environment.from_urdf(shipped_robot('planar_2r'))
    env.set_joint_positions(ENTRY)
    return env.create_group('arm')


def state(group):
    """Read where the joints stand, in the order of the group."""
    return [group.environment.joint_positions[name] for name in group.joint_names]


class TestState:
    """The state afterwards is the one before, the solution or the best iterate."""

    @pytest.mark.parametrize('method', ['dls', 'pinv', 'adaptive'])
    @pytest.mark.parametrize('best', [False, True])
    @pytest.mark.parametrize('apply', [False, True])
    def test_converged(self, planar, apply, best, method):
        options = IKOptions(
            apply_solution=apply, apply_best_on_failure=best, seed=SEED, inverse_method=method
        )
        result = planar.solve(REACHABLE, options=options)
        assert result.success
        np.testing.assert_allclose(result.q, SOLUTION, atol=1e-5)
        assert state(planar) == (result.q.tolist() if apply else list(ENTRY.values()))

    @pytest.mark.parametrize('method', ['dls', 'pinv', 'transpose', 'adaptive'])
    @pytest.mark.parametrize('best', [False, True])
    @pytest.mark.parametrize('apply', [False, True])
    def test_not_converged(self, planar, apply, best, method):
        options = IKOptions(
            apply_solution=apply,
            apply_best_on_failure=best,
            seed=SEED,
            inverse_method=method,
            max_iterations=3,
        )
        result = planar.solve(FAR, options=options)
        assert not result.success
        assert result.q.tolist() not in (SEED, list(ENTRY.values()))
        applied = apply and best
        # What is restored is the state before the call, not the seed.
        assert state(planar) == (result.q.tolist() if applied else list(ENTRY.values()))

    @pytest.mark.parametrize(
        ('target', 'best', 'message'),
        [
            (REACHABLE, False, 'solved; the joints were set to the solution'),
            (FAR, True, '; the joints were set to the best iterate'),
            (FAR, False, '; the joints stay where they were'),
        ],
    )
    def test_message(self, planar, target, best, message):
        options = IKOptions(apply_solution=True, apply_best_on_failure=best, seed=SEED)
        assert planar.solve(target, options=options).message.endswith(message)

    def test_message_says_nothing_of_the_state_where_it_cannot_change(self, planar):
        options = IKOptions(seed=SEED, max_iterations=1, apply_best_on_failure=True)
        assert planar.solve(FAR, options=options).message.startswith(
            "not found by 1 update of 'dls' from 1 start; the best configuration misses the "
            'target by '
        )
        assert planar.solve(REACHABLE, options=IKOptions(seed=SEED)).message == 'solved'

    def test_joints_outside_of_the_group_stay(self, shipped_robot):
        env = ik_node.Environment.from_urdf(shipped_robot('planar_2r'))
        env.set_joint_positions(ENTRY)
        upper = env.create_group('upper', 'base', 'upper')
        result = upper.solve(pose(yaw=0.2), options=IKOptions(apply_solution=True))
        assert result.success
        assert env.joint_positions == {'j1': result.q[0], 'j2': ENTRY['j2']}

    def test_joint_that_follows_moves_too(self, shipped_robot):
        env = ik_node.Environment.from_urdf(shipped_robot('planar_mimic'))
        arm = env.create_group('arm')
        options = IKOptions(apply_solution=True)
        assert arm.solve(arm.forward_kinematics([0.4]), options=options).success
        assert env.joint_positions == pytest.approx({'j1': 0.4, 'j2': 0.3}, abs=1e-5)

    def test_spherical_joint(self):
        env = ik_node.Environment()
        env.create_joint('ball', 'spherical')
        env.create_dummy('tip', 'ball', pose(x=0.2))
        arm = env.create_group('arm', 'world', 'tip')
        target = pose(roll=0.3, pitch=-0.4, yaw=0.9) @ pose(x=0.2)
        assert arm.solve(target, options=IKOptions(apply_solution=True)).success
        np.testing.assert_allclose(env['tip'].pose(), target, atol=1e-5)

    def test_a_refused_request_changes_nothing(self, planar):
        options = IKOptions(apply_solution=True, apply_best_on_failure=True, seed=[0.1])
        with pytest.raises(InvalidSeedError):
            planar.solve(REACHABLE, options=options)
        assert state(planar) == list(ENTRY.values())

    @pytest.mark.parametrize('apply', [False, True])
    def test_other_threads_edit_before_or_after(self, planar, monkeypatch, apply):
        lock, free = planar.environment.lock, []

        def ask():
            free.append(lock.acquire(blocking=False))
            if free[-1]:
                lock.release()

        def watched(*arguments):
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()
            return descend(*arguments)

        monkeypatch.setattr(ik_options_solve, 'descend', watched)
        planar.solve(REACHABLE, options=IKOptions(apply_solution=apply, seed=SEED))
        assert free == [not apply]


class TestSeed:
    """Where it starts."""

    def test_empty_is_the_state(self, planar):
        planar.environment.set_joint_positions(
            dict(zip(planar.joint_names, SOLUTION, strict=True))
        )
        result = planar.solve(REACHABLE, options=IKOptions(seed=[]))
        assert result.q.tolist() == SOLUTION
        assert result.iterations == 0

    def test_as_an_argument(self, planar):
        by_argument = planar.solve(REACHABLE, SEED, options=IKOptions())
        by_option = planar.solve(REACHABLE, options=IKOptions(seed=SEED))
        assert by_argument.q.tobytes() == by_option.q.tobytes()
        assert by_argument.iterations == by_option.iterations > 0

    def test_twice(self, planar):
        with pytest.raises(InvalidOptionError, match='seed is given twice'):
            planar.solve(REACHABLE, SEED, options=IKOptions(seed=SEED))

    @pytest.mark.parametrize('seed', [[0.1], [0.1, 0.2, 0.3]])
    def test_wrong_size(self, planar, seed):
        with pytest.raises(InvalidSeedError, match=r'it must be \(2,\), one value for each of'):
            planar.solve(REACHABLE, options=IKOptions(seed=seed))


class TestResult:
    """What a caller reads from it."""

    def test_fields(self, planar):
        result = planar.solve(pose(0.2, 0.0), SEED, options=IKOptions(max_iterations=5))
        assert result.status is SolveStatus.NOT_FOUND
        assert result.iterations == 5
        assert result.restarts == 0
        T = planar.forward_kinematics(result.q)
        assert result.position_error == pytest.approx(np.linalg.norm(T[:2, 3] - [0.2, 0.0]))
        yaw = math.atan2(T[1, 0], T[0, 0])
        assert result.orientation_error == pytest.approx(abs(yaw), abs=1e-12)
        assert not result.q.flags.writeable
        assert result.joint_names == ('j1', 'j2')
        assert result.elapsed > 0.0

    def test_joints_at_limits(self, shipped_robot):
        env = ik_node.Environment.from_urdf(shipped_robot('planar_2r'))
        upper = env.create_group('upper', 'base', 'upper')
        result = upper.solve(pose(yaw=3.1), [2.9], options=IKOptions())
        assert result.limit_hits == ('j1',)
        free = upper.solve(pose(yaw=3.1), [2.9], options=IKOptions(enforce_joint_limits=False))
        assert free.success
        np.testing.assert_allclose(free.q, [3.1], atol=1e-5)

    def test_out_of_time(self, planar):
        result = planar.solve(FAR, SEED, options=IKOptions(timeout=0.0))
        assert result.status is SolveStatus.TIMED_OUT
        assert result.message.startswith("not found in 0 s by 1 update of 'dls' from 1 start; ")

    def test_adaptive_says_why(self, planar):
        result = planar.solve(FAR, SEED, options=IKOptions(inverse_method='adaptive'))
        assert result.status is SolveStatus.UNREACHABLE
        assert result.message.startswith('out of reach')

    def test_position_alone(self, planar):
        result = planar.solve(pose(1.0, 1.0), SEED, options=IKOptions(use_orientation=False))
        assert result.success
        np.testing.assert_allclose(result.q, SOLUTION, atol=1e-5)


class TestKeywords:
    """The short form, and what does not go together."""

    def test_defaults_are_those_of_solve(self):
        parameters = inspect.signature(ik_node.Group.solve).parameters
        assert {
            name: parameters[name].default for name in Keywords._fields
        } == Keywords()._asdict()

    @pytest.mark.parametrize('method', ['dls', 'pinv', 'svd', 'transpose'])
    def test_short_form(self, planar, method):
        target = planar.forward_kinematics([0.3, 0.6])
        short = planar.solve(
            target, [0.2, 0.5], method=method, position_tolerance=1e-3, timeout=5.0,
            orientation_tolerance=2e-3, position_weight=4.0, random_seed=3, max_starts=2,
        )  # fmt: skip
        long = planar.solve(
            target,
            [0.2, 0.5],
            options=IKOptions(
                inverse_method=method,
                position_tolerance=1e-3,
                orientation_tolerance=2e-3,
                orientation_weight=0.25,
                timeout=5.0,
                max_starts=2,
                random_seed=3,
            ),
        )
        assert short.success
        assert short.q.tobytes() == long.q.tobytes()
        assert short.iterations == long.iterations

    def test_adaptive_is_the_default(self, planar):
        results = [
            planar.solve(REACHABLE, SEED, **fields)
            for fields in (
                {},
                {'method': 'adaptive'},
                {
                    'options': IKOptions(
                        inverse_method='adaptive', orientation_weight=0.5, max_starts=None
                    )
                },
            )
        ]
        assert len({result.q.tobytes() for result in results}) == 1
        assert len({result.iterations for result in results}) == 1

    @pytest.mark.parametrize(
        'keyword',
        [
            {'timeout': 0.1},
            {'position_tolerance': 1e-3},
            {'orientation_tolerance': 1e-3},
            {'position_weight': 1.0},
            {'random_seed': 1},
            {'max_starts': 1},
            {'prefer': 'nearest'},
            {'method': 'dls'},
        ],
    )
    def test_both_are_refused(self, planar, keyword):
        name, value = next(iter(keyword.items()))
        with pytest.raises(InvalidOptionError) as caught:
            planar.solve(REACHABLE, options=IKOptions(), **keyword)
        assert str(caught.value) == (
            f'{name} is {value!r} and options is given too; give either options or the keywords'
        )

    def test_unknown_method(self, planar):
        with pytest.raises(InvalidOptionError) as caught:
            planar.solve(REACHABLE, method='newton')
        assert str(caught.value) == (
            "method is 'newton'; it must be one of 'adaptive', 'dls', 'pinv', 'svd', 'transpose', "
            "or '' for the default"
        )

    @pytest.mark.parametrize('method', [None, 3])
    def test_a_method_is_a_name(self, planar, method):
        with pytest.raises(InvalidOptionError) as caught:
            planar.solve(REACHABLE, method=method)
        assert str(caught.value) == f'method is {method!r}; it must be a name'

    def test_no_name_is_the_default(self, planar):
        named, unnamed = (planar.solve(REACHABLE, method=name) for name in ('adaptive', ''))
        np.testing.assert_array_equal(unnamed.q, named.q)

    def test_only_the_adaptive_search_chooses(self, planar):
        with pytest.raises(InvalidOptionError, match="only the method 'adaptive' chooses"):
            planar.solve(REACHABLE, method='dls', prefer='nearest')

    @pytest.mark.parametrize('options', [{'damping': 0.1}, 'dls', 1])
    def test_other_options_than_ours(self, planar, options):
        with pytest.raises(InvalidOptionError, match='it must be an IKOptions'):
            planar.solve(REACHABLE, options=options)
