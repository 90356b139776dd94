# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
A SIMD register as a type of numba: LLVM's `<LANES x double>`, and the mask of a comparison.

Written with this type a kernel is vectorised by construction: there is no loop over lanes that a
compiler might or might not turn into vector instructions, and no generated code. Operators take
two registers, or a register and a number; `ik_node.kernels.lanes.vector` has the rest.

Imported by `vector` alone, where numba is installed.
"""

from __future__ import annotations

from collections.abc import Callable
import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 4
"""
Registers of 256 bits, on every processor.

Of 512 bits they do a third more in a long batch, but a single solve in between other work takes a
third longer: a processor wakes the wider half of its registers slowly.
"""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_BITS = ir.VectorType(ir.IntType(1), LANES)
_INDEX = ir.IntType(32)


class _Lanes(types.Type):
    """Type of a register of numbers."""

    def __init__(self) -> None:
        super().__init__(name=f'Lanes({LANES})')


class _Mask(types.Type):
    """Type of a register of truth values."""

    def __init__(self) -> None:
        super().__init__(name=f'Mask({LANES})')


lanes = _Lanes()
mask = _Mask()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


@register_model(_Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _BITS)


def _operand(kind: Any) -> Any:
    """Tell how an operand enters: as a register or as a number; None: not at all."""
    if kind is lanes:
        return lanes
    return types.float64 if isinstance(kind, types.Float | types.Integer) else None


def _spread(builder: Any, number: Any) -> Any:
    """Copy a number into all lanes."""
    first = builder.insert_element(
        ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
    )
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), everywhere)


def _registers(builder: Any, kinds: Any, values: Any) -> list[Any]:
    return [
        value if kind is lanes else _spread(builder, value)
        for kind, value in zip(kinds, values, strict=True)
    ]


def _define_operator(symbol: Any, result: Any, emit: Callable[..., Any]) -> None:
    """Teach numba an operator of two registers, or of a register and a number."""

    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and lanes in args:
                operands = [_operand(kind) for kind in args]
                if None not in operands:
                    return signature(result, *operands)
            return None

    infer_global(symbol)(Template)

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(builder, *_registers(builder, signature.args, values))

    for pair in ((lanes, lanes), (lanes, types.float64), (types.float64, lanes)):
        lower_builtin(symbol, *pair)(lower)


for _symbol, _instruction in (
    (operator.add, ir.IRBuilder.fadd),
    (operator.sub, ir.IRBuilder.fsub),
    (operator.mul, ir.IRBuilder.fmul),
    (operator.truediv, ir.IRBuilder.fdiv),
):
    _define_operator(_symbol, lanes, _instruction)


def _comparison(sign: str) -> Callable[..., Any]:
    # Ordered: every comparison with NaN is false, as in Python.
    return lambda builder, a, b: builder.fcmp_ordered(sign, a, b)


for _symbol, _sign in (
    (operator.lt, '<'),
    (operator.le, '<='),
    (operator.gt, '>'),
    (operator.ge, '>='),
    (operator.eq, '=='),
):
    _define_operator(_symbol, mask, _comparison(_sign))


def _define_logic(symbol: Any, instruction: Callable[..., Any]) -> None:
    """Teach numba an operator of two masks."""

    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(mask, mask, mask) if tuple(args) == (mask, mask) else None

    infer_global(symbol)(Template)
    lower_builtin(symbol, mask, mask)(
        lambda context, builder, signature, values: instruction(builder, *values)
    )


_define_logic(operator.and_, ir.IRBuilder.and_)
_define_logic(operator.or_, ir.IRBuilder.or_)


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(lanes, lanes) if tuple(args) == (lanes,) else None


@lower_builtin(operator.neg, lanes)
def _negate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.fneg(values[0])


def _place(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> Any:
    """Point at a row of a (rows, LANES) array."""
    data = context.make_array(kind)(context, builder, array).data
    place = builder.gep(data, [builder.mul(row, ir.Constant(row.type, LANES))])
    return builder.bitcast(place, _VECTOR.as_pointer())


@intrinsic
def splat(typing: Any, number: Any) -> Any:
    """Make a register that holds one number in all lanes."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _spread(builder, values[0])

    return lanes(types.float64), emit


@intrinsic
def join(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Make a register of a number for each lane."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        register = ir.Constant(_VECTOR, ir.Undefined)
        for lane, value in enumerate(values):
            register = builder.insert_element(register, value, ir.Constant(_INDEX, lane))
        return register

    return lanes(*[types.float64] * LANES), emit


@intrinsic
def split(typing: Any, register: Any) -> Any:
    """Give the number in each lane."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        numbers = [
            builder.extract_element(values[0], ir.Constant(_INDEX, lane)) for lane in range(LANES)
        ]
        return context.make_tuple(builder, signature.return_type, numbers)

    return types.UniTuple(types.float64, LANES)(register), emit


@intrinsic
def load(typing: Any, array: Any, row: Any) -> Any:
    """Read a row of a C-contiguous (rows, LANES) array."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        # Aligned to single numbers: arrays of NumPy are, rows of registers need not be.
        return builder.load(_place(context, builder, signature.args[0], *values), align=8)

    return lanes(array, types.intp), emit


@intrinsic
def store(typing: Any, array: Any, row: Any, register: Any) -> Any:
    """Write a row of a C-contiguous (rows, LANES) array."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = _place(context, builder, signature.args[0], *values[:2])
        [value] = _registers(builder, signature.args[2:], values[2:])
        builder.store(value, place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, _operand(register)), emit


@intrinsic
def select(typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """Take `yes` where the mask is true, else `no`."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.select(values[0], *_registers(builder, signature.args[1:], values[1:]))

    return lanes(mask, _operand(yes), _operand(no)), emit


@intrinsic
def any_lane(typing: Any, condition: Any) -> Any:
    """Tell whether a mask is true in some lane."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        bits = builder.bitcast(values[0], ir.IntType(LANES))
        return builder.icmp_unsigned('!=', bits, ir.Constant(bits.type, 0))

    return types.boolean(mask), emit


def _unary(name: str) -> Any:
    """Wrap a function that LLVM knows for vectors."""

    @intrinsic
    def function(typing: Any, register: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = ir.FunctionType(_VECTOR, [_VECTOR])
            known = cgutils.get_or_insert_function(
                builder.module, kind, f'llvm.{name}.v{LANES}f64'
            )
            return builder.call(known, values)

        return lanes(lanes), emit

    return function


floor = _unary('floor')
sqrt = _unary('sqrt')
absolute = _unary('fabs')
