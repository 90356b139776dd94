# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
Environments as text: a JSON document with everything in full double precision.

The layout is documented in docs/file_format.md. Poses are the numbers of their matrices and floats
are written so that they read back bit for bit, so saving what was loaded gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import json
import math
from typing import Any

from ik_node.constraints.vectors import unit, Z_AXIS
from ik_node.environment.calculation import Constraint, GroupFlag, Method
from ik_node.environment.element import ElementRecord
from ik_node.environment.scene import ERASED_UID, Scene, WORLD_UID
from ik_node.environment.stack import Settings
from ik_node.errors import IkNodeError, LoadError
from ik_node.kernels.arrays import FloatArray
from ik_node.model.mechanism import Mechanism
from ik_node.model.objects import Dependency, Frame, Joint, JointKind, Thing, WORLD
from ik_node.model.walk import Position
import numpy as np

FORMAT = 'ik_node environment'
VERSION = 1
ERASED = 'erased'

_ELEMENT_NUMBERS = (
    'linear_precision',
    'angular_precision',
    'linear_weight',
    'angular_weight',
    'weight',
)

Groups = list[Settings]
"""Groups whose elements name objects by identity (`dump`) or by index (`parse`)."""
Functions = Mapping[str, Callable[[float], float]]


def dump(name: str, scene: Scene, groups: Groups) -> str:
    """
    Write an environment as text.

    Parameters
    ----------
    name : str
        Name of the environment.
    scene : Scene
        Its objects and their positions.
    groups : Groups
        Its groups.

    Returns
    -------
    str
        JSON, one line an object.

    """
    mechanism = scene.mechanism
    head = {
        'format': FORMAT,
        'version': VERSION,
        'name': name,
        'robot': mechanism.name,
        'fixed_joints': dict(mechanism.fixed_joints),
    }
    objects = [_object_record(thing) for thing in mechanism.objects]
    positions = dict(scene.positions)
    group_records = [_group_record(group, scene) for group in groups]
    parts = [f'{_json(key)}: {_json(value)}' for key, value in head.items()]
    for key, rows in (('objects', objects), ('groups', group_records)):
        lines = ',\n'.join('  ' + _json(row) for row in rows)
        parts.append(f'{_json(key)}: [\n{lines}\n ]' if rows else f'{_json(key)}: []')
    parts.append(f'{_json("positions")}: {_json(positions)}')
    return '{' + ',\n '.join(parts) + '}\n'


def parse(text: str, functions: Functions) -> tuple[str, Mechanism, dict[str, Position], Groups]:
    """
    Read what `dump` wrote.

    Parameters
    ----------
    text : str
        JSON.
    functions : mapping of str to callable
        The function of each joint that follows another one by a function.

    Returns
    -------
    name : str
    mechanism : Mechanism
    positions : dict
        Of the independent joints.
    groups : Groups

    Raises
    ------
    LoadError
        Not such a document, another version, damaged, or a function is missing.

    """
    try:
        document = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise LoadError(f'no {FORMAT} file: it is not JSON ({error})') from error
    if not isinstance(document, dict) or document.get('format') != FORMAT:
        raise LoadError(f'no {FORMAT} file: its "format" is not {FORMAT!r}')
    if document.get('version') != VERSION:
        raise LoadError(
            f'the file has version {document.get("version")!r} of the {FORMAT} format, this '
            f'ik_node reads version {VERSION}; save it again with a matching ik_node'
        )
    try:
        return _build(document, functions)
    except LoadError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, IkNodeError) as error:
        raise LoadError(
            f'the {FORMAT} file is damaged: {type(error).__name__}: {error}'
        ) from error


def _no_constant(name: str) -> float:
    raise ValueError(f'{name} is no number of JSON')


def _build(
    document: dict[str, Any], functions: Functions
) -> tuple[str, Mechanism, dict[str, Position], Groups]:
    objects = tuple(_object(record, functions) for record in document['objects'])
    mechanism = Mechanism(document['robot'], objects, dict(document['fixed_joints']))
    positions: dict[str, Position] = {}
    for joint in mechanism.variables:
        at = document['positions'][joint.name]
        if joint.kind is JointKind.SPHERICAL:
            x, y, z = map(_finite, at)
            positions[joint.name] = (x, y, z)
        else:
            positions[joint.name] = _finite(at)
    groups = [_group(record, len(objects)) for record in document['groups']]
    if len({group.name for group in groups}) != len(groups):
        raise ValueError('two groups have the same name')
    return str(document['name']), mechanism, positions, groups


def _group_record(group: Settings, scene: Scene) -> dict[str, Any]:
    return {
        'name': group.name,
        'flags': int(group.flags),
        'method': group.method.name.lower(),
        'damping': group.damping,
        'max_iterations': group.max_iterations,
        'direction': list(group.direction),
        'elements': [_element_record(number, e, scene) for number, e in group.elements.items()],
    }


def _element_record(number: int, element: ElementRecord, scene: Scene) -> dict[str, Any]:
    record: dict[str, Any] = {'number': number, 'tip': _named(element.tip, scene)}
    record['base'] = _named(element.base, scene)
    uid = element.constraints_base
    record['constraints_base'] = 'base' if uid is None else _named(uid, scene)
    record['constraints'] = int(element.constraints)
    for field in _ELEMENT_NUMBERS:
        record[field] = getattr(element, field)
    record['enabled'] = element.enabled
    return record


def _named(uid: int, scene: Scene) -> int | str | None:
    # What has been erased stays so: the element waits for another one, also when it is read again.
    return _index(scene.index[uid]) if uid in scene.index else ERASED


def _group(record: dict[str, Any], objects: int) -> Settings:
    elements = {}
    for row in record['elements']:
        base = row['constraints_base']
        number = _integer(row['number'], 0)
        if number in elements:
            raise ValueError(f'there are two elements with the number {number}')
        elements[number] = ElementRecord(
            _end(row['tip'], objects),
            _end(row['base'], objects),
            None if base == 'base' else _end(base, objects),
            Constraint(_integer(row['constraints'], 0, int(Constraint.POSE))),
            enabled=_boolean(row['enabled']),
            linear_precision=_positive(_finite(row['linear_precision'])),
            angular_precision=_positive(_finite(row['angular_precision'])),
            linear_weight=_not_negative(_finite(row['linear_weight'])),
            angular_weight=_not_negative(_finite(row['angular_weight'])),
            weight=_not_negative(_finite(row['weight'])),
        )
    if not isinstance(record['name'], str) or not record['name']:
        raise TypeError(f'the group name {record["name"]!r} is not text')
    every = sum(int(flag) for flag in GroupFlag)
    return Settings(
        record['name'],
        GroupFlag(_integer(record['flags'], 0, every)),
        Method[record['method'].upper()],
        _not_negative(_finite(record['damping'])),
        _integer(record['max_iterations'], 1),
        elements,
        # Not in files of before groups had one.
        unit('direction', record.get('direction', Z_AXIS)),
    )


def _end(index: Any, objects: int) -> int:
    if index is None:
        return WORLD
    if index == ERASED:
        return ERASED_UID
    return _integer(index, 0, objects - 1)


def _object_record(thing: Thing) -> dict[str, Any]:
    record: dict[str, Any] = {
        'kind': thing.kind.value if isinstance(thing, Joint) else 'frame',
        'name': thing.name,
        'parent': _index(thing.parent),
        'T_parent_self': thing.T_parent_self[:3].tolist(),
    }
    if isinstance(thing, Frame):
        record['target'] = thing.target
        return record
    for field in (
        'lower',
        'upper',
        'velocity',
        'max_step',
        'limit_margin',
        'weight',
        'screw_lead',
    ):
        value = getattr(thing, field)
        record[field] = None if math.isinf(value) else value
    record['cyclic'] = thing.cyclic
    record['passive'] = thing.passive
    dependency = thing.dependency
    record['dependency'] = (
        None
        if dependency is None
        else {
            'master': dependency.master,
            'multiplier': dependency.multiplier,
            'offset': dependency.offset,
            'function': dependency.function is not None,
        }
    )
    return record


def _object(record: dict[str, Any], functions: Functions) -> Thing:
    parent = WORLD if record['parent'] is None else _integer(record['parent'], 0)
    T_parent_self = _pose(record['T_parent_self'])
    name = record['name']
    if not isinstance(name, str):
        raise TypeError(f'the name {name!r} is not text')
    if record['kind'] == 'frame':
        return Frame(name, parent, T_parent_self, target=record['target'])
    dependency = record['dependency']
    return Joint(
        name,
        parent,
        T_parent_self,
        kind=JointKind(record['kind']),
        lower=_limit(record['lower'], -math.inf),
        upper=_limit(record['upper'], math.inf),
        cyclic=_boolean(record['cyclic']),
        velocity=_not_negative(_limit(record['velocity'], math.inf)),
        screw_lead=_finite(record['screw_lead']),
        passive=_boolean(record['passive']),
        dependency=None if dependency is None else _dependency(name, dependency, functions),
        weight=_positive(_finite(record['weight'])),
        max_step=_positive(_limit(record['max_step'], math.inf)),
        limit_margin=_not_negative(_finite(record['limit_margin'])),
    )


def _dependency(name: str, record: dict[str, Any], functions: Functions) -> Dependency:
    function = None
    if record['function']:
        if name not in functions:
            raise LoadError(
                f'joint {name!r} follows {record["master"]!r} by a function, which a file cannot '
                f'hold; give it: load(path, functions={{{name!r}: function}})'
            )
        function = functions[name]
    return Dependency(
        record['master'], _finite(record['multiplier']), _finite(record['offset']), function
    )


def _pose(rows: Any) -> FloatArray:
    pose = np.eye(4)
    pose[:3] = np.asarray(rows, dtype=float)
    rotation = pose[:3, :3]
    # NaN is nowhere near, either.
    near = float(np.abs(rotation @ rotation.T - np.eye(3)).max()) < 1e-6
    if not (np.isfinite(pose).all() and near and np.linalg.det(rotation) > 0.0):
        raise ValueError(f'{rows} is no pose: three rows of a rotation and a position')
    return pose


def _finite(value: Any) -> float:
    # 1e999 is JSON, and so are "1" and true.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f'{value!r} is no finite number')
    return float(value)


def _positive(value: float) -> float:
    if not value > 0.0:
        raise ValueError(f'{value!r} is not positive')
    return value


def _not_negative(value: float) -> float:
    if not value >= 0.0:
        raise ValueError(f'{value!r} is negative')
    return value


def _integer(value: Any, least: int, most: float = math.inf) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f'{value!r} is no whole number from {least} to {most}')
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f'{value!r} is neither true nor false')
    return value


def _limit(value: Any, missing: float) -> float:
    return missing if value is None else _finite(value)


def _index(index: int) -> int | None:
    return None if index in (WORLD, WORLD_UID) else index


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
