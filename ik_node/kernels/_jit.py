# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
The decorators of every kernel, and so the one place that knows about numba.

`nogil`: a long solve must not stall the callbacks of the node. `error_model='numpy'`: a check for
division by zero in every lane keeps LLVM from vectorising. Without numba (it has no rosdep key on
RHEL and Fedora) the same functions run as plain Python: slow, correct.
"""

from __future__ import annotations

from collections.abc import Callable
import importlib
from typing import Any, TypeVar

from ik_node.kernels import _cache

try:
    numba: Any = importlib.import_module('numba')
except ImportError:
    numba = None

Function = TypeVar('Function', bound=Callable[..., Any])

COMPILED: bool = numba is not None and not numba.config.DISABLE_JIT
"""Whether kernels are machine code; False also under NUMBA_DISABLE_JIT=1."""

# 'contract' allows fused multiply-add. 'reassoc' is left out, as it merges the two pieces of
# pi / 2 in `lanes.rotations.sin_cos`; 'nnan' and 'ninf' are, as kernels are the ones that detect
# NaN.
_FAST_MATH = {'contract', 'nsz', 'arcp'}

_folder, _reason = None, ''
if COMPILED:
    _llvm: Any = importlib.import_module('llvmlite.binding')
    _cpu = f'{_llvm.get_host_cpu_name()} {_llvm.get_host_cpu_features().flatten()}'
    _folder, _reason = _cache.choose_folder(numba.__version__, _cpu)


def kernel(function: Function) -> Function:
    """
    Compile a function of scalars and float64/int64 arrays that allocates nothing.

    Its arrays are borrowed: without numba's counting of references (an atomic instruction for
    every array of every call) a step takes half the time.

    Parameters
    ----------
    function : callable
        Plain Python over NumPy arrays: no objects, no strings, no exceptions, no new arrays.

    Returns
    -------
    callable
        The compiled function, or the function itself without numba.

    """
    return _compile(function, _nrt=False, forceinline=True)


def called(function: Function) -> Function:
    """
    Compile a kernel that stays a function of its own: long, and called in several places.

    A call with a dozen arrays takes 20 to 30 ns, which is as long as a short kernel runs; inside
    of a long one it makes no difference, and a copy in every place takes seconds to compile.

    Parameters
    ----------
    function : callable
        As for `kernel`.

    Returns
    -------
    callable
        The compiled function, or the function itself without numba.

    """
    return _compile(function, _nrt=False)


def inlined(function: Function) -> Function:
    """
    Compile a kernel into each of its callers, so that a literal argument is a constant in it.

    Parameters
    ----------
    function : callable
        As for `kernel`; small, and with loops whose length the caller knows.

    Returns
    -------
    callable
        The compiled function, or the function itself without numba.

    """
    return _compile(function, _nrt=False, inline='always')


def allocating(function: Function) -> Function:
    """
    Compile a kernel that makes arrays.

    Parameters
    ----------
    function : callable
        As for `kernel`, but it may call np.empty and the like, outside of its inner loops.

    Returns
    -------
    callable
        The compiled function, or the function itself without numba.

    """
    return _compile(function)


def _compile(function: Function, **options: Any) -> Function:
    if not COMPILED:
        return function
    before = numba.config.CACHE_DIR
    # numba looks at this setting when it decorates; putting it back leaves the caches of other
    # packages in the process where they are.
    numba.config.CACHE_DIR = '' if _folder is None else str(_folder)
    try:
        compiled: Function = numba.njit(
            nogil=True,
            error_model='numpy',
            fastmath=_FAST_MATH,
            cache=_folder is not None,
            **options,
        )(function)
        return compiled
    finally:
        numba.config.CACHE_DIR = before


def backend() -> str:
    """
    Tell how the kernels run.

    Returns
    -------
    str
        For a log: compiler and cache folder, or why there is no cache or no compiler.

    """
    if numba is None:
        return 'plain Python, slow: numba is not installed (pip install numba)'
    if not COMPILED:
        return 'plain Python, slow: numba is switched off by NUMBA_DISABLE_JIT'
    where = f'no cache on disk: {_reason}' if _folder is None else f'cache {_folder}'
    return f'numba {numba.__version__}, {where}'
