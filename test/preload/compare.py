# SPDX-License-Identifier: MIT
"""Compares two runs of a program that saved its matrix products, within the error that FP32 allows each of them."""
import pathlib

import numpy as np

UNIT_ROUNDOFF = 2.0 ** -24  # of FP32, rounding to nearest


def load(path):
    """The saved arrays of a .npz or .mat file by key."""
    if pathlib.Path(path).suffix == ".mat":
        from scipy.io import loadmat
        return {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    with np.load(path) as file:
        return dict(file)


def gamma(operations):
    """Relative error of a sum of rounded products, at most: n u / (1 - n u)."""
    return operations * UNIT_ROUNDOFF / (1 - operations * UNIT_ROUNDOFF)


def reference(a, b, alpha=1.0, beta=0.0, c=None):
    """alpha a b + beta c in float64, and the error that FP32 may make of each element.

    k products and sums, the product with alpha, and the sum with beta c: k + 2 roundings on the way of any term.
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    exact, magnitude = alpha * (a @ b), abs(alpha) * (np.abs(a) @ np.abs(b))
    if beta != 0.0:
        exact, magnitude = exact + beta * np.asarray(c, np.float64), magnitude + abs(beta) * np.abs(c)
    return exact, gamma(a.shape[-1] + 2) * magnitude


def differences(alone, ours):
    """What is wrong with our run (list of sentences), and how many calls the program makes."""
    cases = [key[:-len("_out")] for key in alone if key.endswith("_out")]
    wrong, calls = [], 0
    for case in cases:
        def value(run, name, default=None):
            return run.get(f"{case}_{name}", default)
        calls += int(np.asarray(value(alone, "calls")).item())
        if not all(np.array_equal(value(alone, name), value(ours, name)) for name in ("a", "b")):
            wrong.append(f"{case}: the two runs had different operands")
            continue
        scalars = [float(np.float32(np.asarray(value(alone, *pair)).item())) for pair in (("alpha", 1), ("beta", 0))]
        exact, bound = reference(value(alone, "a"), value(alone, "b"), *scalars, value(alone, "c"))
        for run, who in ((alone, "the run without us"), (ours, "our run")):
            off = np.abs(np.asarray(value(run, "out"), np.float64) - exact)
            if off.shape != bound.shape or not np.all(off <= bound):
                wrong.append(f"{case}: {who} is off by up to {np.max(off):.3g}")
    return wrong, calls
