# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mechanisms with closed loops, solved by handling and compared with their closed forms.

A loop is cut at one place: the tip is on one side of the cut, its target on the other one.
Driven joints are passive.
"""

from __future__ import annotations

import math

from ik_node import Constraint
import numpy as np
import pytest

PLANE = Constraint.X | Constraint.Y


def exact(group, iterations=40):
    """Ask for as much as numbers can give."""
    group.max_iterations = iterations
    for element in group.elements:
        element.linear_precision = element.angular_precision = 1e-11
    return group


class TestFourBar:
    """Crank of 1, coupler of 3, rocker of 2, pivots 3.5 apart: the crank turns fully."""

    crank, coupler, rocker, ground = 1.0, 3.0, 2.0, 3.5

    def freudenstein(self, theta, branch=1.0):
        """Give the angles of coupler (from the crank) and rocker for one of the crank."""
        a, b, c, d = self.crank, self.coupler, self.rocker, self.ground
        # cos(theta - phi) = K1 cos(phi) - K2 cos(theta) + K3, with the half angle's tangent.
        K1, K2 = d / a, d / c
        K3 = (a * a - b * b + c * c + d * d) / (2.0 * a * c)
        A = math.cos(theta) - K1 - K2 * math.cos(theta) + K3
        B = -2.0 * math.sin(theta)
        C = K1 - (K2 + 1.0) * math.cos(theta) + K3
        phi = 2.0 * math.atan2(-B - branch * math.sqrt(B * B - 4.0 * A * C), 2.0 * A)
        x = d + c * math.cos(phi) - a * math.cos(theta)
        y = c * math.sin(phi) - a * math.sin(theta)
        assert math.hypot(x, y) == pytest.approx(b, abs=1e-12)  # the formula itself
        return math.atan2(y, x) - theta, phi

    def linkage(self, build, model):
        """Cut the loop in one of several ways."""
        twin = build.Twin()
        twin.joint('crank', passive=True)
        twin.joint('coupler', parent='crank', T=build.pose(x=self.crank))
        if model == 'one chain':
            # Everything in a row; the end of the rocker is brought to its pivot.
            twin.joint('end', parent='coupler', T=build.pose(x=self.coupler))
            twin.dummy('target', T=build.pose(x=self.ground))
            twin.dummy('tip', 'end', build.pose(x=self.rocker), target='target')
            return twin, exact(build.group(twin, PLANE))
        twin.joint('rocker', T=build.pose(x=self.ground))
        twin.dummy('pin', 'rocker', build.pose(x=self.rocker))
        twin.dummy('tip', 'coupler', build.pose(x=self.coupler), target='pin')
        group = build.group(twin, PLANE)
        if model == 'both sides':
            twin.dummy('hole', 'coupler', build.pose(x=self.coupler))
            twin.env.dummy('pin').target = 'hole'
            group.add_element('pin', constraints=PLANE)
        else:
            group.add_element('pin', constraints=0)  # for its column alone
        return twin, exact(group)

    @pytest.mark.parametrize('model', ['one chain', 'both sides', 'a column more'])
    @pytest.mark.parametrize('branch', [1.0, -1.0])
    def test_stays_closed_over_a_turn_of_the_crank(self, build, model, branch):
        twin, group = self.linkage(build, model)
        relative, phi = self.freudenstein(0.0, branch)
        chain = model == 'one chain'

        def passive(relative, phi, theta):
            if chain:  # the rocker is walked from its end to its pivot
                return {'coupler': relative, 'end': phi + math.pi - theta - relative}
            return {'coupler': relative, 'rocker': phi}

        twin.state = passive(relative, phi, 0.0)
        for theta in np.linspace(0.0, 2.0 * math.pi, 61):
            twin.env.set_joint_positions({'crank': theta})
            result = group.handle()
            assert result.success, (theta, result)
            assert result.iterations <= 6
            gap = twin.seen('tip', None) - twin.seen('target' if chain else 'pin', None)
            assert np.linalg.norm(gap[:2, 3]) < 1e-9
            wanted = passive(*self.freudenstein(theta, branch), theta)
            for name, at in wanted.items():
                off = math.remainder(twin.env.joint(name).position - at, 2.0 * math.pi)
                assert abs(off) < 1e-9, (theta, name)
        assert twin.env.joint('crank').position == pytest.approx(2.0 * math.pi)

    def test_error_and_derivative_see_both_sides(self, build):
        """The Jacobian of the gap is that of the twin: coupler and rocker move it."""
        twin, group = self.linkage(build, 'a column more')
        twin.state = {'crank': 0.7, 'coupler': 0.4, 'rocker': 1.8}
        jacobian, _, names = group.stacked_jacobian()
        assert names == ('coupler', 'rocker')
        np.testing.assert_allclose(
            jacobian, twin.rates(names, 'tip', 'pin')[:2], rtol=0, atol=1e-9
        )

    def test_transmission_is_that_of_the_closed_form(self, build):
        """How fast the rocker goes, by small turns of the crank."""
        twin, group = self.linkage(build, 'both sides')
        at = {}
        for theta in (0.8 - 1e-3, 0.8 + 1e-3):
            relative, phi = self.freudenstein(0.8)
            twin.state = {'crank': theta, 'coupler': relative, 'rocker': phi}
            assert group.handle().success
            at[theta] = twin.env.joint('rocker').position
        speed = (at[0.8 + 1e-3] - at[0.8 - 1e-3]) / 2e-3
        slope = (self.freudenstein(0.8001)[1] - self.freudenstein(0.7999)[1]) / 2e-4
        assert speed == pytest.approx(slope, abs=1e-5)

    def test_coupler_curve_is_driven_backwards(self, build):
        """The rocker driven, the crank solved."""
        twin, group = self.linkage(build, 'both sides')
        twin.env.joint('crank').passive = False
        twin.env.joint('rocker').passive = True
        group.erase_element(1)
        assert group.joints == ('crank', 'coupler')
        thetas = np.linspace(0.6, 2.0, 30)
        twin.state = {'crank': 0.6, 'coupler': self.freudenstein(0.6)[0]}
        for theta in thetas:
            twin.env.set_joint_positions({'rocker': self.freudenstein(theta)[1]})
            assert group.handle().success
            assert twin.env.joint('crank').position == pytest.approx(theta, abs=1e-8)


class TestCrankSlider:
    """A slide that a crank drives, with a gear between motor and crank."""

    def test_slide_is_where_trigonometry_says(self, build):
        twin = build.Twin()
        twin.joint('motor', T=build.pose(y=5.0), passive=True)
        twin.joint('crank')
        twin.follow('crank', 'motor', -0.5, 0.2)
        twin.joint('rod', parent='crank', T=build.pose(x=0.3))
        along = build.pose(vector=(0.0, math.pi / 2, 0.0))
        twin.joint('slide', 'prismatic', T=along, limits=(0.0, 2.0))
        twin.dummy('target', 'slide', np.linalg.inv(along))
        twin.dummy('tip', 'rod', build.pose(x=1.0), target='target')
        group = build.group(twin, PLANE)
        group.add_element(
            twin.dummy('piston', 'slide', np.linalg.inv(along)), constraints=0
        )  # for its column
        exact(group)
        assert group.joints == ('rod', 'slide')
        twin.state = {'slide': 1.2}
        for motor in np.linspace(0.0, 4.0 * math.pi, 61):
            twin.env.set_joint_positions({'motor': motor})
            assert group.handle().success
            crank = -0.5 * motor + 0.2
            wanted = 0.3 * math.cos(crank) + math.sqrt(1.0 - (0.3 * math.sin(crank)) ** 2)
            assert twin.env.joint('slide').position == pytest.approx(wanted, abs=1e-9)
            assert twin.env.joint('crank').position == pytest.approx(crank, abs=1e-12)


class TestDelta:
    """
    Three arms on a base, each with a rod between two universal joints, and one platform.

    The first axis of each universal joint is parallel to that of the arm, the second ones are
    parallel to each other; so the platform does not turn. One arm carries it, the others close
    loops. Closed form: the rod of each arm is a sphere around its place on the platform.
    """

    base, plate, arm, rod = 0.2, 0.06, 0.25, 0.5

    def frame(self, build, k):
        """Give the frame of the pivot of an arm: x outwards, y up, z along the axis."""
        angle = 2.0 * math.pi * k / 3.0
        x = np.array([math.cos(angle), math.sin(angle), 0.0])
        T = np.eye(4)
        T[:3, :3] = np.column_stack([x, [0.0, 0.0, 1.0], np.cross(x, [0.0, 0.0, 1.0])])
        T[:3, 3] = self.base * x
        return T

    def angles(self, build, p):
        """Give all joints for a position of the platform: arm, then the four of the rod."""
        found = {}
        for k in range(3):
            R = self.frame(build, k)[:3, :3]
            x, z, y = R.T @ p  # along the pivot's x (outwards), y (up) and z (axis)
            u = x + self.plate - self.base
            # (u - L cos)^2 + (z - L sin)^2 + y^2 = l^2, with the knee outwards.
            reach = (u * u + z * z + y * y + self.arm**2 - self.rod**2) / (2.0 * self.arm)
            theta = math.atan2(z, u) + math.acos(reach / math.hypot(u, z))
            flat = (u - self.arm * math.cos(theta), z - self.arm * math.sin(theta))
            if self.arm * math.cos(theta) < u:
                theta = math.atan2(z, u) - math.acos(reach / math.hypot(u, z))
                flat = (u - self.arm * math.cos(theta), z - self.arm * math.sin(theta))
            psi = math.atan2(flat[1], flat[0])
            # The second axis is -y of the knee: it lifts the rod towards z, the axis of the arm.
            beta = math.atan2(y, math.hypot(*flat))
            found.update(
                {
                    f'arm{k}': theta,
                    f'knee{k}': psi - theta,
                    f'bend{k}': beta,
                    f'back{k}': -beta,
                    f'wrist{k}': -psi,
                }
            )
        return found

    def robot(self, build, model):
        """Build the three legs, the platform on the first one."""
        twin = build.Twin()
        across = build.pose(vector=(math.pi / 2, 0.0, 0.0))
        for k in range(3):
            twin.joint(f'arm{k}', T=self.frame(build, k), passive=True)
            twin.joint(f'knee{k}', parent=f'arm{k}', T=build.pose(x=self.arm))
            twin.joint(f'bend{k}', parent=f'knee{k}', T=across)
            twin.joint(f'back{k}', parent=f'bend{k}', T=build.pose(x=self.rod))
            twin.joint(f'wrist{k}', parent=f'back{k}', T=np.linalg.inv(across))
        to_platform = np.eye(4)
        to_platform[:3, :3] = self.frame(build, 0)[:3, :3].T
        to_platform[:3, 3] = [-self.plate, 0.0, 0.0]
        twin.dummy('platform', 'wrist0', to_platform)
        group = twin.env.create_group('loops', empty=True)
        for k in (1, 2):
            place = self.frame(build, k)
            place[:3, 3] *= self.plate / self.base
            twin.dummy(f'place{k}', 'platform', place)
            twin.dummy(f'end{k}', f'wrist{k}', target=f'place{k}')
            group.add_element(f'end{k}', constraints=Constraint.POSE)
        if model == 'a column more':
            group.add_element('platform', constraints=0)
        else:
            twin.env.dummy('place1').target = 'end1'
            group.add_element('place1', constraints=Constraint.POSE)
        return twin, exact(group)

    @pytest.mark.parametrize('model', ['a column more', 'both sides'])
    @pytest.mark.parametrize('method', ['pseudo_inverse', 'undamped_pseudo_inverse'])
    def test_platform_goes_where_the_closed_form_says_and_stays_closed(self, build, model, method):
        twin, group = self.robot(build, model)
        group.method = method
        start = self.angles(build, np.array([0.0, 0.0, -0.45]))
        twin.state = start
        assert len(group.joints) == 12
        for s in np.linspace(0.0, 2.0 * math.pi, 61):
            p = np.array([0.12 * math.sin(s), 0.1 * math.sin(2 * s), -0.45 + 0.06 * math.sin(s)])
            wanted = self.angles(build, p)
            twin.state = {name: wanted[name] for name in ('arm0', 'arm1', 'arm2')}
            result = group.handle()
            assert result.success, (s, result)
            assert result.iterations <= 8
            platform = twin.world('platform')
            np.testing.assert_allclose(platform[:3, 3], p, atol=1e-9)
            np.testing.assert_allclose(platform[:3, :3], np.eye(3), atol=1e-9)
            for k in (1, 2):
                gap = twin.seen(f'end{k}', f'place{k}')
                np.testing.assert_allclose(gap, np.eye(4), atol=1e-9)
            for name, at in wanted.items():
                assert twin.env.joint(name).position == pytest.approx(at, abs=1e-8), (s, name)

    def test_closed_form_closes_the_twin(self, build):
        """The judge judged: its joints bring all legs to one platform."""
        twin, _ = self.robot(build, 'a column more')
        p = np.array([0.05, -0.08, -0.42])
        twin.state = self.angles(build, p)
        np.testing.assert_allclose(twin.world('platform')[:3, 3], p, atol=1e-12)
        for k in (1, 2):
            np.testing.assert_allclose(twin.seen(f'end{k}', f'place{k}'), np.eye(4), atol=1e-12)

    def test_arms_solve_for_a_place_of_the_platform_with_the_loops_closed(self, build):
        """Inverse kinematics: arms free, and the position of the platform one more element."""
        twin, group = self.robot(build, 'a column more')
        for k in range(3):
            twin.env.joint(f'arm{k}').passive = False
        group.erase_element(2)
        twin.dummy('goal')
        twin.env.dummy('platform').target = 'goal'
        group.add_element('platform', constraints=Constraint.POSITION)
        exact(group)
        twin.state = self.angles(build, np.array([0.0, 0.0, -0.45]))
        for s in np.linspace(0.0, 1.0, 15):
            p = np.array([0.1 * s, -0.08 * s * s, -0.45 + 0.05 * s])
            twin.put('goal', build.pose(*p))
            assert group.handle().success
            for name, at in self.angles(build, p).items():
                assert twin.env.joint(name).position == pytest.approx(at, abs=1e-8), (s, name)

    def test_loops_first_then_the_task(self, build):
        """The same with the loops as the group of higher priority."""
        twin, group = self.robot(build, 'a column more')
        for k in range(3):
            twin.env.joint(f'arm{k}').passive = False
        twin.dummy('goal')
        twin.env.dummy('platform').target = 'goal'
        build.group(twin, Constraint.POSITION, 'task', 'platform')
        exact(group, 200)
        # The task is met by a share of what is left each time, not at once.
        twin.env.group('task').element(0).linear_precision = 2e-6
        twin.state = self.angles(build, np.array([0.0, 0.0, -0.45]))
        p = np.array([0.03, -0.02, -0.43])
        twin.put('goal', build.pose(*p))
        assert twin.env.handle_groups([group, 'task']).success
        for name, at in self.angles(build, p).items():
            assert twin.env.joint(name).position == pytest.approx(at, abs=2e-5), name
        for k in (1, 2):
            np.testing.assert_allclose(twin.seen(f'end{k}', f'place{k}'), np.eye(4), atol=1e-9)


class TestScrew:
    """Joints that turn and advance."""

    @pytest.mark.parametrize('lead', [0.01, -0.25])
    def test_turns_by_the_lead(self, build, lead):
        twin = build.Twin()
        twin.joint('screw', limits=(-100.0, 100.0), screw_lead=lead)
        twin.dummy('target', T=build.pose(z=0.3 * lead))
        twin.dummy('tip', 'screw', target='target')
        group = exact(build.group(twin, Constraint.Z))
        jacobian, _, _ = group.stacked_jacobian()
        np.testing.assert_allclose(jacobian, [[lead / (2.0 * math.pi)]], atol=1e-15)
        assert group.handle().success
        assert build.values(twin) == pytest.approx([0.3 * 2.0 * math.pi], abs=1e-6)

    def test_jack_is_closed_by_a_driven_slide_over_many_turns(self, build):
        """A slide drives a nut: twenty turns in steps below half a turn."""
        twin = build.Twin()
        twin.joint('screw', limits=(-200.0, 200.0), screw_lead=0.01)
        twin.dummy('nut', 'screw')
        twin.joint('slide', 'prismatic', limits=(0.0, 1.0), passive=True)
        twin.dummy('carriage', 'slide')
        twin.env.dummy('nut').target = 'carriage'
        group = exact(build.group(twin, Constraint.Z, tip='nut'))
        for height in np.linspace(0.0, 0.2, 61):
            twin.env.set_joint_positions({'slide': height})
            assert group.handle().success
            wanted = 2.0 * math.pi * height / 0.01
            assert twin.env.joint('screw').position == pytest.approx(wanted, abs=1e-5)

    def test_moves_off_its_axis_on_a_helix(self, build):
        twin = build.Twin()
        twin.joint('screw', limits=(-9.0, 9.0), screw_lead=0.6)
        angle = 1.1
        helix = build.pose(0.5 * math.cos(angle), 0.5 * math.sin(angle), 0.6 * angle / 2 / math.pi)
        twin.dummy('target', T=helix)
        twin.dummy('tip', 'screw', build.pose(x=0.5), target='target')
        group = exact(build.group(twin, Constraint.POSITION))
        group.method = 'undamped_pseudo_inverse'
        assert group.handle().success
        assert build.values(twin) == pytest.approx([angle], abs=1e-9)


class TestBalls:
    """Chains of spherical joints."""

    def chain(self, build):
        """Make two links of 1 m on balls."""
        twin = build.Twin()
        twin.joint('shoulder', 'spherical')
        twin.joint('elbow', 'spherical', 'shoulder', build.pose(x=1.0))
        twin.dummy('target')
        twin.dummy('tip', 'elbow', build.pose(x=1.0), target='target')
        return twin

    @pytest.mark.parametrize('method', ['pseudo_inverse', 'undamped_pseudo_inverse'])
    def test_each_iteration_appends_the_exponential_of_its_step(self, build, method):
        twin = self.chain(build)
        twin.state = {'shoulder': build.turn(0.2, 0.3, -0.1), 'elbow': build.turn(0.1, 0.4, 0.9)}
        twin.put('target', build.pose(1.2, 0.6, -0.5))
        group = build.group(twin, Constraint.POSE, max_iterations=1)
        # Of rank 5: both turn about the line between them.
        group.method, group.element(0).weight = method, 0.3
        for _ in range(8):
            told = []
            q = twin.state
            J = twin.rates(group.stacked_jacobian()[2], 'tip', 'target')
            e, _, _ = twin.error(31, 'tip', 'target')
            group.handle(told.append)
            names = told[0].coordinates
            assert names == (
                'shoulder/x',
                'shoulder/y',
                'shoulder/z',
                'elbow/x',
                'elbow/y',
                'elbow/z',
            )
            wanted = twin.moved(q, names, np.linalg.pinv(J, rcond=1e-8) @ (0.3 * e))
            for name in ('shoulder', 'elbow'):
                np.testing.assert_allclose(twin.state[name], wanted[name], atol=1e-6)

    @pytest.mark.parametrize('distance', [0.5, 1.0, 1.9])
    def test_elbow_bends_as_the_law_of_cosines_says(self, build, distance):
        twin = self.chain(build)
        twin.state = {'elbow': build.turn(0.0, 0.3, 1.0)}
        target = distance * np.array([0.36, -0.48, 0.8])
        twin.put('target', build.pose(*target))
        group = exact(build.group(twin), 60)
        assert group.handle().success
        np.testing.assert_allclose(twin.world('tip')[:3, 3], target, atol=1e-9)
        upper, lower = twin.world('shoulder')[:3, 0], twin.world('elbow')[:3, 0]
        wanted = (distance * distance - 2.0) / 2.0
        assert upper @ lower == pytest.approx(wanted, abs=1e-9)

    def test_wrist_follows_a_path_of_orientations_through_half_a_turn(self, build):
        twin = build.Twin()
        twin.joint('ball', 'spherical')
        twin.dummy('target')
        twin.dummy('tip', 'ball', build.pose(vector=(0.2, 0.5, -0.3)), target='target')
        group = exact(build.group(twin, Constraint.ORIENTATION))
        axis = np.array([0.48, -0.6, 0.64])
        for angle in np.linspace(0.0, 4.0 * math.pi, 61):
            goal = build.pose(vector=angle * axis) @ build.pose(vector=(0.2, 0.5, -0.3))
            twin.put('target', goal)
            result = group.handle()
            assert result.success
            assert result.iterations <= 2
            np.testing.assert_allclose(twin.state['ball'], build.turn(*(angle * axis)), atol=1e-9)

    def test_rod_between_two_balls_closes_a_spatial_loop(self, build):
        """Two cranks in different planes, a rod with a ball on each end; one crank driven."""
        twin = build.Twin()
        twin.joint('driver', passive=True)
        twin.joint('ball', 'spherical', 'driver', build.pose(x=0.3))
        twin.joint('output', T=build.pose(x=1.0, vector=(math.pi / 2, 0.0, 0.0)))
        twin.dummy('pin', 'output', build.pose(x=-0.5))
        twin.dummy('tip', 'ball', build.pose(x=1.0), target='pin')
        group = build.group(twin)
        group.add_element('pin', constraints=0)
        exact(group)
        twin.env.joint('output').position = -1.2
        previous = None
        for angle in np.linspace(0.0, 2.0 * math.pi, 61):
            twin.env.set_joint_positions({'driver': angle})
            assert group.handle().success
            at = twin.env.joint('output').position
            # |pin - crank pin| = 1: pin = (1 - 0.5 cos, 0, -0.5 sin); A cos + B sin = C.
            cx, cy = 0.3 * math.cos(angle), 0.3 * math.sin(angle)
            C = (1.0 - cx) ** 2 + cy**2 + 0.25 - 1.0
            off = math.acos(C / (1.0 - cx))
            assert abs(math.remainder(abs(at) - off, 2.0 * math.pi)) < 1e-8
            assert previous is None or abs(at - previous) < 0.2
            previous = at
            gap = twin.world('tip')[:3, 3] - twin.world('pin')[:3, 3]
            assert np.linalg.norm(gap) < 1e-9


class TestDependencies:
    """Joints that follow others, across the chain and out of it."""

    def test_master_outside_of_the_chain_has_the_column(self, build):
        twin = build.planar([1.0, 1.0])
        twin.joint('knob', T=build.pose(y=9.0))
        twin.follow('j1', 'knob', 0.5)
        group = build.group(twin, PLANE)
        jacobian, _, names = group.stacked_jacobian()
        assert set(names) == {'knob', 'j2'}
        assert set(group.joints) == {'knob', 'j2'}
        column = dict(zip(names, jacobian.T, strict=True))
        np.testing.assert_allclose(column['knob'], [0.0, 1.0], atol=1e-12)
        np.testing.assert_allclose(column['j2'], [0.0, 1.0], atol=1e-12)

    def test_column_is_the_sum_over_master_and_slaves(self, build):
        """j1 = a, j2 = -2 a + 0.3, j3 = sin(j2): a slave of a slave, by a function."""
        twin = build.planar([1.0, 0.8, 0.5])
        twin.follow('j2', 'j1', -2.0, 0.3)
        twin.follow('j3', 'j2', function=math.sin)
        a = 0.4
        twin.state = {'j1': a}
        jacobian, _, names = build.group(twin, PLANE | Constraint.GAMMA).stacked_jacobian()
        assert names == ('j1',)
        q = np.array([a, -2 * a + 0.3, math.sin(-2 * a + 0.3)])
        slopes = np.array([1.0, -2.0, -2.0 * math.cos(-2 * a + 0.3)])
        speeds, angles = np.cumsum(slopes), np.cumsum(q)
        lengths = [1.0, 0.8, 0.5]
        wanted = [
            -sum(n * w * math.sin(t) for n, w, t in zip(lengths, speeds, angles, strict=True)),
            sum(n * w * math.cos(t) for n, w, t in zip(lengths, speeds, angles, strict=True)),
            speeds[-1],
        ]
        np.testing.assert_allclose(jacobian[:, 0], wanted, atol=1e-8)

    def test_pantograph_draws_a_straight_line(self, build):
        """j2 follows j1 by -2: the tip of two equal links stays on a line; x = 2 cos(a)."""
        twin = build.planar([1.0, 1.0])
        twin.follow('j2', 'j1', -2.0)
        group = exact(build.group(twin, Constraint.X))
        twin.state = {'j1': 0.5}
        for x in np.linspace(1.9, 0.1, 30):
            twin.put('target', build.pose(x=x))
            assert group.handle().success
            assert twin.env.joint('j1').position == pytest.approx(math.acos(x / 2.0), abs=1e-9)
            assert twin.world('tip')[1, 3] == pytest.approx(0.0, abs=1e-12)

    def test_slide_that_follows_a_turn(self, build):
        """A rack: prismatic slave of a revolute master; units mix."""
        twin = build.Twin()
        twin.joint('pinion', limits=(-9.0, 9.0))
        along = build.pose(vector=(0.0, math.pi / 2, 0.0))
        twin.joint('rack', 'prismatic', T=along, limits=(-9.0, 9.0))
        twin.follow('rack', 'pinion', 0.1, 0.02)
        twin.dummy('target', T=build.pose(x=0.2))
        twin.dummy('tip', 'rack', np.linalg.inv(along), target='target')
        group = exact(build.group(twin, Constraint.X))
        assert group.joints == ('pinion',)
        assert group.handle().success
        assert twin.env.joint('pinion').position == pytest.approx(1.8, abs=1e-8)

    def test_four_bar_by_dependency_of_a_parallelogram(self, build):
        """Coupler and platform of a parallelogram by slaves: the tip never turns."""
        twin = build.planar([1.0, 0.5, 0.3])
        twin.follow('j2', 'j1', -1.0)
        group = exact(build.group(twin, PLANE))
        twin.state = {'j1': 0.3, 'j3': 0.8}
        angle, last = 0.9, -0.6
        target = [math.cos(angle) + 0.5 + 0.3 * math.cos(last),
                  math.sin(angle) + 0.3 * math.sin(last)]  # fmt: skip
        twin.put('target', build.pose(*target))
        assert group.handle().success
        assert twin.world('j2')[:3, :3] == pytest.approx(np.eye(3), abs=1e-12)
        np.testing.assert_allclose(twin.world('tip')[:2, 3], target, atol=1e-9)


class TestTwoArms:
    """A tip on one arm, its target on the hand of the other one."""

    lengths = (1.0, 0.8, 0.4)

    def arms(self, build):
        """Make two planar arms of three joints, 2 m apart, with a relative target."""
        twin = build.Twin()
        for arm, x in (('left', -1.0), ('right', 1.0)):
            parent, before = None, build.pose(x=x)
            for i, length in enumerate(self.lengths):
                name = f'{arm}{i + 1}'
                twin.joint(name, parent=parent, T=before)
                parent, before = name, build.pose(x=length)
            twin.dummy(f'{arm} hand', parent, before)
        # What the left one holds is to be 0.2 m in front of the right hand, turned by a half.
        grasp = build.pose(x=0.2, vector=(0.0, 0.0, math.pi - 0.4))
        twin.dummy('grasp', 'right hand', grasp)
        twin.env.dummy('left hand').target = 'grasp'
        twin.dummy('goal')
        twin.env.dummy('right hand').target = 'goal'
        group = build.group(twin, PLANE | Constraint.GAMMA, tip='left hand')
        return twin, group

    start = {  # noqa: RUF012
        'left1': 1.2, 'left2': -1.0, 'left3': -0.4, 'right1': 1.9, 'right2': 1.0, 'right3': 0.3,
    }  # fmt: skip

    def test_alone_the_element_has_the_columns_of_its_own_arm(self, build):
        twin, group = self.arms(build)
        assert group.joints == ('left1', 'left2', 'left3')
        twin.state = self.start
        exact(group, 100)
        assert group.handle().success
        for name in ('right1', 'right2', 'right3'):
            assert twin.env.joint(name).position == self.start[name]
        np.testing.assert_allclose(twin.seen('left hand', 'grasp'), np.eye(4), atol=1e-9)

    @pytest.mark.parametrize('other', [0, PLANE, PLANE | Constraint.GAMMA])
    def test_relative_motion_of_both_arms_is_in_the_columns(self, build, other):
        twin, group = self.arms(build)
        group.add_element('right hand', constraints=other)
        twin.state = self.start
        jacobian, error, names = group.stacked_jacobian()
        assert names == ('left1', 'left2', 'left3', 'right1', 'right2', 'right3')
        rows = [0, 1, 5]
        close = twin.rates(names, 'left hand', 'grasp')[rows]
        np.testing.assert_allclose(jacobian[:3], close, atol=1e-9)
        assert np.abs(jacobian[:3, 3:]).max() > 0.5
        # By hand: the target moves about right1 by the lever to the grasp.
        lever = twin.world('grasp')[:2, 3] - [1.0, 0.0]
        np.testing.assert_allclose(jacobian[:3, 3], [lever[1], -lever[0], -1.0], atol=1e-12)
        hand = twin.rates(names, 'right hand', 'goal')[rows][: len(jacobian) - 3]
        np.testing.assert_allclose(jacobian[3:], hand, atol=1e-9)

    def test_one_iteration_shares_the_motion_between_the_arms(self, build):
        twin, group = self.arms(build)
        group.add_element('right hand', constraints=0)
        twin.state = self.start
        twin.env.joint('right1').weight = 5.0
        names = group.stacked_jacobian()[2]
        J = twin.rates(names, 'left hand', 'grasp')[[0, 1, 5]]
        e, _, _ = twin.error(3 | 16, 'left hand', 'grasp')
        W = np.diag([1.0, 1.0, 1.0, 5.0, 1.0, 1.0])
        group.max_iterations, group.element(0).weight = 1, 0.2
        wanted = W @ J.T @ np.linalg.solve(J @ W @ J.T, 0.2 * e)
        before = build.values(twin)
        group.handle()
        np.testing.assert_allclose(build.values(twin) - before, wanted, atol=1e-8)

    def test_relative_and_absolute_targets_are_met_together(self, build):
        twin, group = self.arms(build)
        group.add_element('right hand', constraints=PLANE | Constraint.GAMMA)
        exact(group, 100)
        twin.state = self.start
        for s in np.linspace(0.0, 1.0, 21):
            goal = build.pose(0.1 + 0.2 * s, 1.0 + 0.2 * s, vector=(0.0, 0.0, 3.0 + 0.2 * s))
            twin.put('goal', goal)
            result = group.handle()
            assert result.success, (s, result)
            np.testing.assert_allclose(twin.world('right hand'), goal, atol=1e-9)
            np.testing.assert_allclose(twin.seen('left hand', 'grasp'), np.eye(4), atol=1e-9)

    def test_relative_task_first_keeps_the_grasp_while_the_rest_is_out_of_reach(self, build):
        twin, group = self.arms(build)
        second = build.group(twin, PLANE, 'away', 'right hand')
        twin.put('goal', build.pose(0.0, 5.0))
        exact(group, 200)
        twin.state = self.start
        second.method = 'damped_least_squares'
        second.damping = 1.0
        result = twin.env.handle_groups([group, second])
        assert not result.success
        np.testing.assert_allclose(twin.seen('left hand', 'grasp'), np.eye(4), atol=1e-3)
