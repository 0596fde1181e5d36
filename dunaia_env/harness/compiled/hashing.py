"""Arithmetic of hashes in kernels, the same with and without compilation."""

from __future__ import annotations

import numpy as np

from dunaia_env.support.compile_cache import kernel

_SHIFT = np.uint64(32)
_HALF = np.uint64(2**32 - 1)


@kernel
def wrapped_product(a, b):
    """``a * b`` modulo 2**64 of two uint64 numbers, in halves: without compilation, NumPy would warn of an overflow."""
    low_a, high_a = a & _HALF, a >> _SHIFT
    low_b, high_b = b & _HALF, b >> _SHIFT
    low = low_a * low_b
    high = (low >> _SHIFT) + ((high_a * low_b) & _HALF) + ((low_a * high_b) & _HALF)
    return (high << _SHIFT) | (low & _HALF)
