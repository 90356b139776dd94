# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""A group as kernels see it: tables of its elements, their rows, and what a search runs on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ik_node.environment import measures
from ik_node.environment.chain import configuration_of
from ik_node.environment.element import ElementRecord
from ik_node.environment.element_group import ElementGroup, ends_of
from ik_node.environment.lowering import chains, columns_of, lower, Lowered
from ik_node.environment.request import given_tips, prepare, Prepared, Targets
from ik_node.environment.scene import Scene
from ik_node.environment.stack import Settings, stack_of, System
from ik_node.errors import InvalidArgumentError, InvalidStateError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.tables import Tables
from ik_node.solvers.starts import load_kernels
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ik_node.environment.environment import Environment


class LoweredGroup(ElementGroup):
    """
    Elements of a group, compiled when something asks for it.

    Parameters
    ----------
    environment : Environment
        Where the objects are.
    settings : Settings
        Attributes and elements to begin with.

    """

    def __init__(self, environment: Environment, settings: Settings) -> None:
        self._lowered: Lowered | None = None
        self._prepared: Prepared | None = None
        self._limit_hits: dict[str, float] = {}
        super().__init__(environment, settings)

    def tables_at(self, scene: Scene) -> Tables:
        """Give the compiled elements of one scene; see `Chain.tables_at`."""
        return self.lowered_at(scene).tables

    def chains_at(self, scene: Scene) -> tuple[Tables, ...]:
        """Give tables of each tip seen from its own base; see `Chain.chains_at`."""
        return chains(scene, self.lowered_at(scene))

    def lowered_at(self, scene: Scene) -> Lowered:
        """
        Compile the enabled elements, or all of them where none is enabled.

        Parameters
        ----------
        scene : Scene
            A scene of the environment.

        Returns
        -------
        Lowered

        Raises
        ------
        InvalidStateError
            There is no element, or one refers to something that has been erased.
        InvalidArgumentError
            No joint can move between a base and its tip.

        """
        every = tuple(self._settings.elements.values())
        records = tuple(record for record in every if record.enabled) or every
        lowered = self._lowered and self._lowered.fitted(scene, records)
        if lowered is None:
            ends_of(self._settings)  # refuses a group without elements
            for record in records:
                self._check_usable(scene, record)
            lowered = lower(scene, records)
        self._lowered = lowered
        return lowered

    def _check_usable(self, scene: Scene, record: ElementRecord) -> None:
        for uid, what in ((record.base, 'base'), (record.tip, 'tip')):
            if uid not in scene.index:
                raise InvalidStateError(
                    f'the {what} of group {self._name!r} has been erased; create the group anew, '
                    'or its element'
                )
        if record.constraints_base is not None and record.constraints_base not in scene.index:
            raise InvalidStateError(
                f'the constraints base of an element of group {self._name!r} has been erased; '
                'give it another one, or None for the base'
            )
        if not columns_of(scene, record):
            base, tip = self._name_of(record.base), self._name_of(record.tip)
            raise InvalidArgumentError(
                f'group {self._name!r}: no joint that can move between {base!r} and {tip!r}; '
                'choose objects with at least one joint that is neither fixed nor passive between '
                'them'
            )

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints that the enabled elements move, one entry a joint, in the order of columns."""
        scene = self._environment.scene
        names: dict[str, None] = {}
        for element in self._settings.elements.values():
            if element.enabled:
                names |= dict.fromkeys(columns_of(scene, element))
        return tuple(names)

    @property
    def joint_limit_hits(self) -> dict[str, float]:
        """Joints that the last handling would have taken beyond a limit, and how far."""
        return dict(self._limit_hits)

    def take_limit_hits(self, hits: Mapping[str, float]) -> None:
        """Remember the limit hits of a handling."""
        self._limit_hits = dict(hits)

    def stacked_jacobian(
        self, q: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
        """
        Compute Jacobian and error of all usable elements, as `handle` does in an iteration.

        Parameters
        ----------
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.

        Returns
        -------
        jacobian : (r, n) float64
            Rows x, y, z, alpha, beta, gamma of each element, as far as they are constrained;
            linear ones in the axes of the constraints base, angular ones in those of the tip.
        error : (r,) float64
            Target minus tip [m, rad], not weighted.
        coordinates : tuple of str
            (n,) the columns.

        Raises
        ------
        InvalidStateError
            No element can be used.
        InvalidArgumentError
            Wrong length of q, or values that are not finite.

        """
        system, coordinates = self.stacked_rows(q)
        return system.jacobian, system.error, coordinates

    def stacked_rows(self, q: ArrayLike | None = None) -> tuple[System, tuple[str, ...]]:
        """
        Compute the same, with what each row is: its name and its element.

        Parameters
        ----------
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.

        Returns
        -------
        system : System
            Jacobian, error, weights, names and elements of the rows.
        coordinates : tuple of str
            (n,) the columns.

        Raises
        ------
        InvalidStateError, InvalidArgumentError
            As for `stacked_jacobian`.

        """
        scene, settings = self._environment.scene, self._settings
        stack = stack_of(scene, [settings], self._lowered)
        if stack is None:
            raise InvalidStateError(
                f'group {self.name!r} has no element that can be used: enabled, with a joint that '
                'can move between its base and its tip'
            )
        tables = stack.tables
        config = scene.coordinates(tables) if q is None else configuration_of(tables, q)
        return stack.system(settings, stack.rows_at(config), config), tables.coordinate_names

    def manipulability(self, q: ArrayLike | None = None) -> float:
        """
        Compute the manipulability of the rows of `stacked_jacobian`.

        Parameters
        ----------
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.

        Returns
        -------
        float
            See `ik_node.environment.measures.manipulability`.

        """
        return measures.manipulability(self.stacked_jacobian(q)[0])

    def condition_number(self, q: ArrayLike | None = None) -> float:
        """
        Compute the condition number of the rows of `stacked_jacobian`.

        Parameters
        ----------
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.

        Returns
        -------
        float
            See `ik_node.environment.measures.condition_number`.

        """
        return measures.condition_number(self.stacked_jacobian(q)[0])

    def null_space(self, q: ArrayLike | None = None) -> FloatArray:
        """
        Compute a basis of the motions that change no row of `stacked_jacobian`.

        Parameters
        ----------
        q : (n,) array_like, optional
            Configuration [rad or m]; None: the state of the environment.

        Returns
        -------
        (n, k) float64
            Orthonormal columns; the coordinates are those of `stacked_jacobian`.

        """
        return measures.null_space(self.stacked_jacobian(q)[0])

    def prepared(self) -> Prepared:
        """
        Check and compile the group for the scene of this moment, once for both.

        Returns
        -------
        Prepared
            What searches for the targets of its dummies run on.

        """
        # Both are immutable and replaced as a whole, so the same objects need no other look.
        scene, settings, prepared = self._environment.scene, self._settings, self._prepared
        if prepared is None or prepared.scene is not scene or prepared.settings is not settings:
            lowered = self.lowered_at(scene)
            if prepared is not None and prepared.tables is lowered.tables:
                prepared = prepared._replace(scene=scene, settings=settings, lowered=lowered)
            else:
                prepared = prepare(scene, settings, lowered)
            load_kernels()
            self._prepared = prepared
        return prepared

    def prepared_for(self, target: Targets | None) -> Prepared:
        """
        Do the same for targets of a caller.

        Parameters
        ----------
        target : array_like, mapping or None
            As for `Group.solve`, not checked.

        Returns
        -------
        Prepared

        """
        prepared = self.prepared()
        if prepared.plain or target is None:
            return prepared
        given = given_tips(prepared, target)
        if not given:
            return prepared
        lowered = lower(prepared.scene, prepared.lowered.records, given)
        return prepare(prepared.scene, prepared.settings, lowered, given)
