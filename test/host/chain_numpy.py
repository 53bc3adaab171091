# SPDX-License-Identifier: MIT
"""A chain of NumPy's matrix products in single precision.

usage: chain_numpy.py N REPEATS
"""
import sys

import numpy as np

import timed

FACTORS = 3
CHECKED_ROWS = 16

size, repeats = map(int, sys.argv[1:])
random = np.random.default_rng(1)
start = random.standard_normal((size, size), dtype=np.float32)
factors = [random.standard_normal((size, size), dtype=np.float32) / np.float32(size ** 0.5) for _ in range(FACTORS)]


def chain():
    """The product of all so far, factor by factor."""
    products = [start]
    for factor in factors:
        products.append(products[-1] @ factor)
    return products


def judge(products):
    """Some rows of each product, against the product of what it was made of."""
    rows = random.choice(size, min(CHECKED_ROWS, size), replace=False)
    worst = 0.0
    for before, factor, after in zip(products, factors, products[1:]):
        left, right = before[rows].astype(np.float64), factor.astype(np.float64)
        error = np.abs(after[rows] - left @ right)
        worst = max(worst, timed.share_of_bound(error, timed.gamma(size) * (np.abs(left) @ np.abs(right))))
    return worst


timed.run(chain, judge, repeats)
