# SPDX-License-Identifier: MIT
"""scipy.linalg.blas.sgemm with its options. Saves operands and results to argv[1], as products_numpy.py does."""
import sys

import numpy as np
from scipy.linalg.blas import sgemm

rng = np.random.default_rng(7)
saved = {}


def uniform(rows, columns):
    return np.asfortranarray(rng.uniform(-1, 1, (rows, columns)).astype(np.float32))


def keep(case, a, b, out, **scalars):
    saved.update({f"{case}_a": a, f"{case}_b": b, f"{case}_out": out, f"{case}_calls": 1})
    saved.update({f"{case}_{name}": value for name, value in scalars.items()})


a, b = uniform(41, 23), uniform(23, 35)
keep("plain", a, b, sgemm(1.0, a, b))
a, b = uniform(23, 41), uniform(35, 23)
keep("both_transposed", a.T, b.T, sgemm(0.7, a, b, trans_a=1, trans_b=1), alpha=0.7)
a, b, c = uniform(66, 31), uniform(31, 64), uniform(66, 64)
keep("accumulated", a, b, sgemm(-1.5, a, b, beta=0.5, c=c), alpha=-1.5, beta=0.5, c=c)
a, b, c = uniform(31, 20), uniform(31, 30), uniform(20, 30)
before = c.copy()
keep("in_place", a.T, b, sgemm(1.0, a, b, beta=1.0, c=c, trans_a=1, overwrite_c=1), beta=1.0, c=before)
a, b, c = uniform(33, 200), uniform(200, 21), uniform(33, 21)
keep("long_k", a, b, sgemm(0.7, a, b, beta=-1.5, c=c), alpha=0.7, beta=-1.5, c=c)

np.savez(sys.argv[1], **saved)
