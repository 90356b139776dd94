# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Several groups in order of priority, and whole handlings against one in plain NumPy.

The formula is dq = dq_0 + N_0 (dq_1 + N_1 (dq_2 + ...)) with N_i = I - J_i# J_i, all at the same
state.
"""

from __future__ import annotations

import math

from ik_node import Answer, CalculationFlag, Constraint, JointKind
import numpy as np
import pytest

PLANE = Constraint.X | Constraint.Y
NOTHING = CalculationFlag.NOT_PERFORMED | CalculationFlag.NOT_WITHIN_TOLERANCE


def inverse(J, method='undamped_pseudo_inverse', W=None, damping=0.0):
    """Compute the inverse that a method uses, by singular values."""
    if method == 'jacobian_transpose':
        return J.T
    d = {'pseudo_inverse': 1e-6, 'damped_least_squares': damping}.get(method, 0.0)
    root = np.sqrt(np.eye(J.shape[1]) if W is None else W)
    U, s, Vt = np.linalg.svd(J @ root, full_matrices=False)
    gain = np.array([x / (x * x + d * d) if x > 1e-9 * s[0] else 0.0 for x in s])
    return root @ Vt.T @ np.diag(gain) @ U.T


def planar_rows(q, lengths, upto, rows):
    """Differentiate a point of a planar arm by trigonometry: rows x, y, turn."""
    n = len(q)
    angles = np.cumsum(q)
    J = np.zeros((3, n))
    for k in range(upto):
        J[0, k] = -sum(lengths[i] * math.sin(angles[i]) for i in range(k, upto))
        J[1, k] = sum(lengths[i] * math.cos(angles[i]) for i in range(k, upto))
        J[2, k] = 1.0
    point = [
        sum(lengths[i] * math.cos(angles[i]) for i in range(upto)),
        sum(lengths[i] * math.sin(angles[i]) for i in range(upto)),
        angles[upto - 1],
    ]
    return J[rows], np.array(point)[rows]


class Machine:
    """A planar arm with tasks of its tip, of its elbow and of the turn of its tip."""

    lengths = (1.0, 0.8, 0.6, 0.4)
    start = np.array([0.4, 0.5, -0.7, 0.6])

    def __init__(self, build):
        self.twin = build.planar(self.lengths)
        self.twin.state = {f'j{i + 1}': at for i, at in enumerate(self.start)}
        self.twin.put('target', build.pose(2.0, 0.9))
        self.twin.dummy('elbow target', T=build.pose(1.3, 1.2))
        self.twin.dummy('elbow', 'j2', build.pose(x=0.8), target='elbow target')
        self.twin.dummy('turn target', T=build.pose(vector=(0.0, 0.0, 0.1)))
        self.twin.dummy('hand', 'j4', target='turn target')
        self.goals = {
            'tip': (4, [0, 1], np.array([2.0, 0.9])),
            'elbow': (2, [0, 1], np.array([1.3, 1.2])),
            'turn': (4, [2], np.array([0.1])),
        }
        build.group(self.twin, PLANE, 'tip', 'tip', method='undamped_pseudo_inverse')
        build.group(self.twin, PLANE, 'elbow', 'elbow', method='undamped_pseudo_inverse')
        build.group(self.twin, Constraint.GAMMA, 'turn', 'hand', method='undamped_pseudo_inverse')
        for group in self.twin.env.groups.values():
            group.max_iterations = 1

    def rows(self, name, q=None):
        """Give Jacobian and error of a task by trigonometry."""
        upto, rows, goal = self.goals[name]
        J, at = planar_rows(self.start if q is None else q, self.lengths, upto, rows)
        return J, goal - at

    def step(self, *names):
        """Handle groups for one iteration; tell what the joints did."""
        before = np.array(list(self.twin.env.joint_positions.values()))
        self.result = self.twin.env.handle_groups(names)
        return np.array(list(self.twin.env.joint_positions.values())) - before


@pytest.fixture
def machine(build):
    """Give an arm with three tasks."""
    return Machine(build)


class TestProjection:
    """The formula of the null spaces."""

    @pytest.mark.parametrize(
        ('first', 'second'),
        [('tip', 'elbow'), ('elbow', 'tip'), ('tip', 'turn'), ('turn', 'tip'), ('turn', 'elbow')],
    )
    def test_two_groups(self, machine, first, second):
        (J0, e0), (J1, e1) = machine.rows(first), machine.rows(second)
        wanted = inverse(J0) @ e0 + (np.eye(4) - inverse(J0) @ J0) @ inverse(J1) @ e1
        dq = machine.step(first, second)
        np.testing.assert_allclose(dq, wanted, atol=1e-10)
        # The first one gets what it asks for, as if it were alone.
        np.testing.assert_allclose(J0 @ dq, e0, atol=1e-10)
        # The second one is in the way of it, and does not get all.
        assert np.abs(J1 @ dq - e1).max() > 1e-3

    @pytest.mark.parametrize('order', [('tip', 'turn', 'elbow'), ('turn', 'elbow', 'tip')])
    def test_three_groups_are_nested_not_stacked(self, machine, order):
        rows = [machine.rows(name) for name in order]
        steps = [inverse(J) @ e for J, e in rows]
        N = [np.eye(4) - inverse(J) @ J for J, _ in rows]
        wanted = steps[0] + N[0] @ (steps[1] + N[1] @ steps[2])
        dq = machine.step(*order)
        np.testing.assert_allclose(dq, wanted, atol=1e-10)
        np.testing.assert_allclose(rows[0][0] @ dq, rows[0][1], atol=1e-10)
        # Only the first one is protected: N_0 N_1 is no null space of the second task.
        assert np.abs(rows[1][0] @ N[0] @ N[1] @ steps[2]).max() > 1e-4

    def test_columns_are_those_of_all_groups_first_group_first(self, build):
        twin = build.gantry('xy')
        twin.joint('aside', 'prismatic', 'x')
        twin.dummy('aside tip', 'aside', target='target')
        build.group(twin, Constraint.X, 'short', 'aside tip')
        build.group(twin, Constraint.X, 'long')
        told = []
        twin.env.handle_groups(['long', 'short'], told.append)
        twin.env.handle_groups(['short', 'long'], told.append)
        columns = [step.coordinates for step in told]
        assert columns == [('x', 'y', 'aside')] * 2 + [('x', 'aside', 'y')] * 2

    def test_the_second_group_uses_what_the_first_one_leaves(self, build):
        """Slides: the first task is met exactly in one iteration, whatever the second asks."""
        twin = build.gantry('xy')
        along = twin.world('x')
        in_y = np.linalg.inv(twin.world('y'))
        twin.joint('x2', 'prismatic', 'y', in_y @ along, limits=(-100.0, 100.0))
        twin.dummy('hand target', T=build.pose(x=0.3))
        twin.dummy('hand', 'x2', np.linalg.inv(along), target='hand target')
        twin.put('target', build.pose(x=-5.0))
        build.group(twin, Constraint.X, 'hand', 'hand', max_iterations=1)
        build.group(twin, Constraint.X, 'first slide')
        twin.env.handle_groups(['hand', 'first slide'])
        assert twin.world('hand')[0, 3] == pytest.approx(0.3, abs=1e-9)
        np.testing.assert_allclose(build.values(twin), [-2.35, 0.0, 2.65], atol=1e-9)

    def test_large_damping_makes_the_null_space_leak(self, machine):
        group = machine.twin.env.group('tip')
        group.method, group.damping = 'damped_least_squares', 0.7
        (J0, e0), (J1, e1) = machine.rows('tip'), machine.rows('turn')
        P = J0.T @ np.linalg.inv(J0 @ J0.T + 0.49 * np.eye(2))
        wanted = P @ e0 + (np.eye(4) - P @ J0) @ inverse(J1) @ e1
        np.testing.assert_allclose(machine.step('tip', 'turn'), wanted, atol=1e-10)

    def test_transpose_is_no_projector(self, machine):
        machine.twin.env.group('tip').method = 'jacobian_transpose'
        (J0, e0), (J1, e1) = machine.rows('tip'), machine.rows('turn')
        wanted = J0.T @ e0 + (np.eye(4) - J0.T @ J0) @ inverse(J1) @ e1
        np.testing.assert_allclose(machine.step('tip', 'turn'), wanted, atol=1e-10)

    def test_null_space_has_the_joint_weights_of_its_method(self, machine):
        W = np.diag([1.0, 3.0, 0.5, 2.0])
        for joint, weight in zip(machine.twin.env.joints.values(), np.diag(W), strict=True):
            joint.weight = weight
        (J0, e0), (J1, e1) = machine.rows('tip'), machine.rows('turn')
        P0 = W @ J0.T @ np.linalg.inv(J0 @ W @ J0.T)
        P1 = W @ J1.T @ np.linalg.inv(J1 @ W @ J1.T)
        wanted = P0 @ e0 + (np.eye(4) - P0 @ J0) @ P1 @ e1
        np.testing.assert_allclose(machine.step('tip', 'turn'), wanted, atol=1e-10)

    def test_element_weights_are_no_part_of_the_null_space(self, machine):
        machine.twin.env.group('tip').element(0).weight = 0.3
        (J0, e0), (J1, e1) = machine.rows('tip'), machine.rows('turn')
        P0 = inverse(J0)
        wanted = 0.3 * P0 @ e0 + (np.eye(4) - P0 @ J0) @ inverse(J1) @ e1
        np.testing.assert_allclose(machine.step('tip', 'turn'), wanted, atol=1e-10)

    def test_whole_step_is_wrapped_after_the_projection(self, build):
        """The first one asks for 5 rad and leaves nothing to the second one."""
        twin = build.planar([1.0], target=build.pose(vector=(0.0, 0.0, 2.0)))
        twin.joint('other', parent='j1')
        twin.dummy('hand', 'other', target='target')
        for name in ('first', 'second'):
            build.group(twin, Constraint.GAMMA, name, 'tip', max_iterations=1)
        twin.env.group('first').element(0).weight = 2.5
        twin.env.handle_groups(['first', 'second'])
        at = twin.env.joint('j1').position
        assert at == pytest.approx(5.0 - 2.0 * math.pi, abs=1e-6)


class TestCompatible:
    """Tasks that can be met together, and tasks that cannot."""

    def test_iterating_meets_both(self, machine):
        twin = machine.twin
        for group in twin.env.groups.values():
            group.max_iterations = 200
            group.element(0).linear_precision = group.element(0).angular_precision = 1e-10
        result = twin.env.handle_groups(['tip', 'turn'])
        assert result.success
        np.testing.assert_allclose(twin.world('tip')[:2, 3], [2.0, 0.9], atol=1e-9)
        assert sum(twin.state.values()) == pytest.approx(0.1, abs=1e-9)

    def test_first_of_two_that_conflict_is_met_as_if_alone(self, machine):
        """Tip at (2, 0.9), and the elbow at the shoulder, where it cannot be."""
        twin = machine.twin
        twin.put('elbow target', np.eye(4))
        for group in twin.env.groups.values():
            group.max_iterations = 300
        result = twin.env.handle_groups(['tip', 'elbow'])
        np.testing.assert_allclose(twin.world('tip')[:2, 3], [2.0, 0.9], atol=1e-6)
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        elbow = twin.world('elbow')[:2, 3]
        assert result.linear_error == pytest.approx(np.linalg.norm(elbow), abs=1e-9)

    def test_slides_in_line_meet_both_by_hand(self, build):
        """The hand x + x2 = 1 first, then x = 4."""
        twin = build.gantry('x')
        along = twin.world('x')
        twin.joint('x2', 'prismatic', 'x', limits=(-100.0, 100.0))
        for name, at, parent in (('hand', 1.0, 'x2'), ('base', 4.0, 'x')):
            twin.dummy(f'{name} target', T=build.pose(x=at))
            twin.dummy(name, parent, np.linalg.inv(along), target=f'{name} target')
            build.group(twin, Constraint.X, name, name, max_iterations=400)
            twin.env.group(name).element(0).linear_precision = 1e-9
        result = twin.env.handle_groups(['hand', 'base'])
        assert result.success
        np.testing.assert_allclose(build.values(twin), [4.0, -3.0], atol=1e-7)

    def test_a_clamped_joint_breaks_the_priority(self, build):
        twin = build.gantry('x')
        along = twin.world('x')
        twin.joint('x2', 'prismatic', 'x', limits=(-0.2, 0.2))
        twin.put('target', build.pose(x=2.0))
        twin.dummy('hand target', T=build.pose(x=1.0))
        twin.dummy('hand', 'x2', np.linalg.inv(along), target='hand target')
        build.group(twin, Constraint.X, 'hand', 'hand', max_iterations=1)
        build.group(twin, Constraint.X, 'first slide')
        result = twin.env.handle_groups(['hand', 'first slide'])
        # [0.5, 0.5] + [1, -1] with x2 clamped from -0.5.
        np.testing.assert_allclose(build.values(twin), [1.5, -0.2], atol=1e-9)
        assert result.limit_hits == pytest.approx({'x2': -0.3}, abs=1e-9)


class TestSettings:
    """Which attributes are those of the first group, and which of each."""

    @pytest.fixture
    def slides(self, build):
        """Give two slides of their own with a group each, target at 1 and 1."""
        twin = build.gantry('x')
        along = twin.world('x')
        twin.joint('u', 'prismatic', T=along, limits=(-100.0, 100.0))
        twin.dummy('u target', T=build.pose(x=1.0))
        twin.dummy('u tip', 'u', np.linalg.inv(along), target='u target')
        twin.put('target', build.pose(x=1.0))
        build.group(twin, Constraint.X, 'a')
        build.group(twin, Constraint.X, 'b', 'u tip')
        return twin

    def both(self, twin):
        return [twin.env.joint(name).position for name in ('x', 'u')]

    def test_iterations_are_those_of_the_first(self, slides):
        for name, count in (('a', 2), ('b', 7)):
            slides.env.group(name).max_iterations = count
            slides.env.group(name).element(0).weight = 0.5
        assert slides.env.handle_groups(['a', 'b']).iterations == 2
        assert slides.env.handle_groups(['b', 'a']).iterations == 7

    def test_step_limits_are_those_of_the_first(self, slides):
        slides.env.group('a').ignore_max_steps = False
        slides.env.group('a').max_iterations = slides.env.group('b').max_iterations = 1
        slides.env.handle_groups(['b', 'a'])
        assert self.both(slides) == pytest.approx([1.0, 1.0])
        slides.state = {'x': 0.0, 'u': 0.0}
        slides.env.handle_groups(['a', 'b'])
        assert self.both(slides) == pytest.approx([0.1, 0.1])

    def test_stopping_at_limits_is_of_the_first(self, slides):
        slides.env.joint('u').limits = (-0.5, 0.5)
        slides.env.group('b').stop_on_limit_hit = True
        assert slides.env.handle_groups(['a', 'b']).iterations == 3
        assert slides.env.handle_groups(['b', 'a']).iterations == 1

    def test_restoring_is_of_the_first(self, slides):
        slides.env.joint('u').limits = (-0.5, 0.5)
        slides.env.group('b').restore_on_bad_linear_tolerance = True
        slides.env.handle_groups(['a', 'b'])
        assert self.both(slides) == pytest.approx([1.0, 0.5])
        slides.state = {'x': 0.0, 'u': 0.0}
        slides.env.handle_groups(['b', 'a'])
        assert self.both(slides) == [0.0, 0.0]

    def test_method_and_damping_are_of_each(self, slides):
        slides.env.group('a').max_iterations = 1
        for name, damping in (('a', 1.0), ('b', 2.0)):
            group = slides.env.group(name)
            group.method, group.damping = 'damped_least_squares', damping
        slides.env.handle_groups(['a', 'b'])
        assert self.both(slides) == pytest.approx([0.5, 0.2])

    @pytest.mark.parametrize(('first', 'second'), [('a', 'b'), ('b', 'a')])
    @pytest.mark.parametrize('avoiding', ['a', 'b'])
    def test_limit_avoidance_is_of_each(self, slides, first, second, avoiding):
        """Its rows are about all columns, those that only the other group has too."""
        for name in ('x', 'u'):
            slides.env.joint(name).limits = (0.0, 1.0)
            slides.env.joint(name).limit_margin = 0.2
            slides.env.joint(name).position = 1.0
        slides.env.group(avoiding).avoid_limits = True
        told = []
        slides.env.handle_groups([first, second], told.append)
        rows = {step.group: step.row_names for step in told}
        other = 'b' if avoiding == 'a' else 'a'
        assert rows == {avoiding: ('x', 'limit', 'limit'), other: ('x',)}

    def test_elements_of_all_groups_count(self, slides):
        slides.env.joint('u').limits = (-0.5, 0.5)
        result = slides.env.handle_groups(['a', 'b'])
        assert result.flags & CalculationFlag.NOT_WITHIN_TOLERANCE
        assert result.linear_error == pytest.approx(0.5)
        slides.env.group('b').element(0).linear_precision = 0.6
        assert slides.env.handle_groups(['a', 'b']).success

    def test_limit_hits_are_told_to_each_group_of_its_joints(self, slides):
        slides.env.joint('u').limits = (-0.5, 0.5)
        result = slides.env.handle_groups(['a', 'b'])
        assert result.limit_hits == pytest.approx({'u': 0.5})
        assert slides.env.group('a').joint_limit_hits == {}
        assert slides.env.group('b').joint_limit_hits == result.limit_hits

    def test_disabled_groups_are_left_out_also_a_first_one(self, slides):
        slides.env.group('a').enabled = False
        slides.env.group('a').max_iterations = 9
        slides.env.group('b').element(0).weight = 0.5
        result = slides.env.handle_groups(['a', 'b'])
        assert result.iterations == 3
        assert self.both(slides) == pytest.approx([0.0, 0.875])
        slides.env.group('b').enabled = False
        assert slides.env.handle_groups(['a', 'b']).flags == NOTHING

    def test_one_enabled_group_without_a_usable_element_stops_all(self, slides):
        slides.env.group('b').element(0).enabled = False
        assert slides.env.handle_groups(['a', 'b']).flags == NOTHING
        assert self.both(slides) == [0.0, 0.0]
        slides.env.group('b').enabled = False
        assert slides.env.handle_groups(['a', 'b']).success

    def test_nonsense_about_any_group_moves_nothing(self, slides):
        for group in slides.env.groups.values():
            group.element(0).weight = 0.5

        def answer(step):
            if step.group == 'b' and step.iteration == 1:
                return Answer(dq=np.zeros(7))
            return None

        result = slides.env.handle_groups(['a', 'b'], answer)
        assert result.flags & CalculationFlag.INVALID_CALLBACK_DATA
        assert self.both(slides) == [0.0, 0.0]

    def test_a_group_without_rows_is_in_nobodys_way(self, slides):
        slides.env.group('b').element(0).constraints = 0
        assert slides.env.handle_groups(['b', 'a']).success
        assert self.both(slides) == pytest.approx([1.0, 0.0])

    def test_each_group_on_its_own_in_order_of_creation(self, build, slides):
        """The target of the second rides on the first."""
        slides.env.dummy('u tip').target = None
        slides.dummy('carried', 'x', target=None)
        slides.env.dummy('u tip').target = 'carried'
        results = slides.env.handle_each_group()
        assert list(results) == ['a', 'b']
        assert all(result.success for result in results.values())
        assert self.both(slides) == pytest.approx([1.0, 1.0], abs=1e-3)


def handled(build, twin, groups, bounds):
    """Handle groups as their documentation says, in NumPy on the twin alone."""
    q = twin.state
    names = list(dict.fromkeys(n for group in groups for n in group['names']))
    owner = [name.rpartition('/')[0] or name for name in names]
    W = np.diag([twin.env.joint(name).weight for name in owner])
    first = groups[0]
    for _ in range(first['iterations']):
        dq = np.zeros(len(names))
        for group in reversed(groups):
            J, e, share = [np.zeros((0, len(names)))], [], []
            for tip, target, constraints, weight in group['elements']:
                rates = twin.rates(names, tip, target, None, q)[build.kept(constraints)]
                J.append(rates)
                e.extend(twin.error(constraints, tip, target, None, q)[0])
                share.extend([weight] * len(rates))
            for k, name in enumerate(owner if group['avoid'] else []):
                if name not in bounds:
                    continue
                (lower, upper), margin = bounds[name]
                for sign, depth in (
                    (1.0, lower + margin - q[name]),
                    (-1.0, q[name] - upper + margin),
                ):
                    if depth > 0.0:
                        J.append(sign * np.eye(len(names))[[k]])
                        e.append(depth)
                        share.append(1.0)
                        break
            J, e = np.vstack(J), np.array(e) * np.array(share)
            P = inverse(J, group['method'], W, group['damping'])
            dq = P @ e + (np.eye(len(names)) - P @ J) @ dq
        turning = [twin.parts[name][0] != 'prismatic' for name in owner]
        dq = np.where(turning, dq - 2 * math.pi * np.ceil((dq - math.pi) / (2 * math.pi)), dq)
        excess = np.max(np.abs(dq) / [twin.env.joint(name).max_step for name in owner])
        if first['short'] and excess > 1.0:
            dq = dq / excess
        q = twin.moved(q, names, dq)
        for name, ((lower, upper), _) in bounds.items():
            q[name] = min(max(q[name], lower), upper)
    return q


class TestWholeHandlings:
    """Random trees, several groups and elements, everything on, against plain NumPy."""

    @pytest.mark.parametrize('seed', range(24))
    def test_end_states_agree(self, build, seed):
        rng = np.random.default_rng(100 + seed)
        twin = build.random_tree(rng, dependencies=seed % 2 == 0)
        env = twin.env
        tips = [('tip', 'target')]
        for k in range(2):
            parent = f'n{rng.integers(2, 7)}'
            twin.dummy(f'target {k}', T=build.pose(*rng.normal(size=3)))
            twin.dummy(f'tip {k}', parent, build.pose(*rng.normal(size=3)), target=f'target {k}')
            tips.append((f'tip {k}', f'target {k}'))
        bounds = {}
        for name, joint in env.joints.items():
            joint.weight = float(rng.uniform(0.3, 3.0))
            joint.max_step = float(rng.uniform(0.02, 0.2))
            if joint.kind is not JointKind.SPHERICAL and name not in twin.masters:
                if seed % 2:
                    joint.limits = (-1.1, 1.1)
                    joint.limit_margin = 0.4
                bounds[name] = (env.mechanism.bounds(name), joint.limit_margin)
        groups = []
        # Rows that depend on each other are no matter of damping.
        for k, (method, pairs) in enumerate(
            [
                ('damped_least_squares', [tips[0], tips[1]]),
                (str(rng.choice(['damped_least_squares', 'jacobian_transpose'])), [tips[2]]),
                ('damped_least_squares', [tips[1], tips[2]]),
            ][: 1 + seed % 3]
        ):
            group = env.create_group(f'g{k}', empty=True)
            elements = []
            for tip, target in pairs:
                constraints, weight = int(rng.choice([1, 3, 7, 15])), float(rng.uniform(0.1, 0.5))
                element = group.add_element(tip, constraints=constraints)
                element.weight = weight
                elements.append((tip, target, constraints, weight))
            group.method, group.damping, group.max_iterations = method, 0.5, 3
            group.avoid_limits = bool(rng.random() < 0.5)
            group.ignore_max_steps = seed % 4 > 1
            groups.append(
                {
                    'names': group.stacked_jacobian()[2],
                    'elements': elements,
                    'avoid': group.avoid_limits,
                    'method': method,
                    'damping': 0.5,
                    'iterations': 3,
                    'short': not group.ignore_max_steps,
                }
            )
        wanted = handled(build, twin, groups, bounds)
        result = env.handle_groups([f'g{k}' for k in range(len(groups))])
        assert result.iterations == 3
        state = twin.state
        assert max(np.abs(state[name] - wanted[name]).max() for name in wanted) < 1e-6, {
            name: state[name] - wanted[name] for name in wanted
        }
        errors = [
            twin.error(constraints, tip, target, None, wanted)[1:]
            for group in groups
            for tip, target, constraints, _ in group['elements']
        ]
        assert result.linear_error == pytest.approx(max(e[0] for e in errors), abs=1e-5)
        assert result.angular_error == pytest.approx(max(e[1] for e in errors), abs=1e-5)

    @pytest.mark.parametrize('method', ['pseudo_inverse', 'undamped_pseudo_inverse'])
    @pytest.mark.parametrize('seed', range(12))
    def test_end_states_agree_without_damping(self, build, method, seed):
        """Two tasks of one or two rows each, so that no rows depend on each other."""
        rng = np.random.default_rng(300 + seed)
        twin = build.random_tree(rng, joints=9, dependencies=seed % 2 == 0)
        twin.dummy('other target', 'n1', build.pose(*rng.normal(size=3)))
        twin.dummy('other', 'n8', build.pose(*rng.normal(size=3)), target='other target')
        for joint in twin.env.joints.values():
            joint.weight = float(rng.uniform(0.3, 3.0))
        bounds = {
            name: (twin.env.mechanism.bounds(name), 0.0)
            for name, joint in twin.env.joints.items()
            if joint.kind is not JointKind.SPHERICAL and name not in twin.masters
        }
        groups = []
        for tip, target in (('other', 'other target'), ('tip', 'target')):
            constraints = int(rng.choice([1, 4, 3, 6]))
            group = build.group(twin, constraints, tip, tip, method=method, max_iterations=4)
            group.element(0).weight = 0.2
            groups.append(
                {
                    'names': group.stacked_jacobian()[2],
                    'elements': [(tip, target, constraints, 0.2)],
                    'avoid': False,
                    'method': method,
                    'damping': 0.0,
                    'iterations': 4,
                    'short': False,
                }
            )
        wanted = handled(build, twin, groups, bounds)
        twin.env.handle_groups(['other', 'tip'])
        state = twin.state
        for name in wanted:
            np.testing.assert_allclose(state[name], wanted[name], atol=1e-6, err_msg=name)
