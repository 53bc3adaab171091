# SPDX-License-Identifier: MIT
"""Single-precision matrix products as a NumPy user writes them. Saves operands and results to argv[1].

Keys are CASE_a, CASE_b (as multiplied) and CASE_out; CASE_calls is how many SGEMM calls NumPy makes of it.
"""
import sys

import numpy as np

rng = np.random.default_rng(20240607)
saved = {}


def uniform(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def keep(case, a, b, out, calls=1):
    assert out.dtype == np.float32
    saved.update({f"{case}_a": a, f"{case}_b": b, f"{case}_out": out, f"{case}_calls": calls})


a, b = uniform(37, 53), uniform(53, 29)
keep("contiguous", a, b, a @ b)
a, b = uniform(64, 31), uniform(45, 31)
keep("transposed_b", a, b.T, a @ b.T)
a, b = uniform(31, 64), uniform(31, 45)
keep("transposed_a", a.T, b, a.T @ b)
a, b = uniform(33, 17), uniform(65, 33)
keep("transposed_both", a.T, b.T, a.T @ b.T)
a, b = np.asfortranarray(uniform(50, 70)), uniform(70, 40)
keep("fortran_order", a, b, np.dot(a, b))
a, b = uniform(100, 90)[10:71, 5:72], uniform(80, 66)[:67, 3:50]
keep("views", a, b, a @ b)
a, b = uniform(3, 257), uniform(257, 5)
keep("long_k", a, b, np.matmul(a, b))
a, b, out = uniform(129, 7), uniform(7, 130), np.empty((129, 130), np.float32)
keep("short_k", a, b, np.matmul(a, b, out=out))
a, b = uniform(4, 20, 30), uniform(4, 30, 10)
keep("stack", a, b, a @ b, calls=4)
a, b = uniform(6, 8, 5), uniform(8, 5, 11)
keep("tensordot", a.reshape(6, 40), b.reshape(40, 11), np.tensordot(a, b, axes=([1, 2], [0, 1])))

np.savez(sys.argv[1], **saved)
