# SPDX-License-Identifier: MIT
"""How far a product in a precision of the ladder may be from the exact one, element by element.

The same bounds as the C++ tests have; test/support/precision_bounds.hpp derives them.
"""
import numpy as np

UNIT_ROUNDOFF = 2.0 ** -24  # of FP32, rounding to nearest
TF32_ROUNDOFF = 2.0 ** -11
LEAST_NORMAL = 2.0 ** -126  # TF32 may take less for 0
SLAB, CHUNK, STEP = 32, 64, 16  # k of a sum in bf16x6, in fp16x3, and of an instruction
REST_OF_FP16 = 2.0 ** -39  # of the largest element that shares a scale


def gamma(roundings, unit=UNIT_ROUNDOFF):
    """Relative error of a sum whose terms go through so many roundings, at most: r u / (1 - r u)."""
    return roundings * unit / (1 - roundings * unit)


def roundings(k, precision):
    """Through how many, at most, a product goes on its way into the sum."""
    slabs = -(-k // SLAB)
    if precision == "tf32":
        return k + 3
    if precision == "bf16x6":
        return min(k, SLAB) / 2 + 7 + 2 * slabs
    if precision == "fp16x3":
        of_chunk = min(k, CHUNK)
        scaled = 14 + of_chunk / 2 + 2.5 * -(-of_chunk // STEP) + -(-k // CHUNK)
        return max(scaled, roundings(k, "bf16x6"))
    assert precision == "fp32", precision
    return k


def chunk_products(a, b):
    """The sum over chunks of k of (the chunk's largest element of a row of |a|) times (|b| summed over the chunk)."""
    total = 0.0
    for begin in range(0, a.shape[-1], CHUNK):
        of_a, of_b = a[..., begin:begin + CHUNK], b[..., begin:begin + CHUNK, :]
        total = total + of_a.max(-1)[..., :, np.newaxis] * of_b.sum(-2)[..., np.newaxis, :]
    return total


def bound(a, b, precision, more_roundings=0):
    """Of each element of the product a b."""
    a, b = np.abs(a), np.abs(b)
    k = a.shape[-1]
    limit = gamma(roundings(k, precision) + more_roundings) * (a @ b)
    if precision == "tf32":
        limit += (2 * TF32_ROUNDOFF + TF32_ROUNDOFF ** 2) * (a @ b)
        limit += LEAST_NORMAL * (a.sum(-1)[..., :, np.newaxis] + b.sum(-2)[..., np.newaxis, :])
    if precision == "fp16x3" and k > 0:
        swapped = chunk_products(np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2))
        limit += REST_OF_FP16 * (chunk_products(a, b) + np.swapaxes(swapped, -1, -2))
    return limit
