# SPDX-License-Identifier: MIT
"""A matrix factorised in single precision: by SciPy with the LAPACK that it brings, or by another LAPACK.

usage: factor_scipy.py lu|cholesky N REPEATS [FILE]     FILE: a LAPACK, whose sgetrf_ or spotrf_ is called
"""
import ctypes
import sys

import numpy as np
import scipy.linalg

import timed

CHECKED_ROWS = 16

kind, size, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lapack = ctypes.CDLL(sys.argv[4]) if len(sys.argv) > 4 else None
random = np.random.default_rng(1)
matrix = random.standard_normal((size, size), dtype=np.float32)
if kind == "cholesky":  # symmetric; the eigenvalues of the random part stay within sqrt(2 N)
    matrix = (matrix + matrix.T) / 2 + 2 * np.float32(size ** 0.5) * np.eye(size, dtype=np.float32)
matrix = np.asfortranarray(matrix)


def called(name, *arguments):
    """A routine of LAPACK, whose arguments are addresses and whose last one says what went wrong."""
    info = ctypes.c_int(0)
    getattr(lapack, name)(*arguments, ctypes.byref(info))
    if info.value != 0:
        sys.exit(f"{name}: info {info.value}")


def factorise():
    """(factors in one matrix, row swaps)"""
    if lapack is None:
        if kind == "lu":
            return scipy.linalg.lu_factor(matrix, check_finite=False)
        return scipy.linalg.cholesky(matrix, lower=True, check_finite=False), None
    factors, swaps, n = matrix.copy(order="F"), np.zeros(size, np.int32), ctypes.c_int(size)
    order, data = ctypes.byref(n), ctypes.c_void_p(factors.ctypes.data)
    if kind == "lu":
        called("sgetrf_", order, order, data, order, ctypes.c_void_p(swaps.ctypes.data))
        return factors, swaps - 1
    called("spotrf_", ctypes.c_char_p(b"L"), order, data, order)
    return factors, None


def judge(outcome):
    """Some rows of the product of the factors: |A - L U| <= gamma(N) |L| |U|, and likewise with one more of L L^T."""
    factors, swaps = outcome
    rows = random.choice(size, min(CHECKED_ROWS, size), replace=False)
    origin = np.arange(size)
    for i, j in enumerate(swaps if swaps is not None else ()):
        origin[[i, j]] = origin[[j, i]]
    left = np.tril(factors[rows], 0).astype(np.float64)
    for i, row in enumerate(rows):
        left[i] = np.where(np.arange(size) <= row, factors[row], 0)
        if kind == "lu":
            left[i, row] = 1
    if kind == "lu":
        right = np.triu(factors).astype(np.float64)
    else:
        right = np.tril(factors).T.astype(np.float64)
    error = np.abs(matrix[origin[rows]] - left @ right)
    return timed.share_of_bound(error, timed.gamma(size + 1) * (np.abs(left) @ np.abs(right)))


timed.run(factorise, judge, repeats)
