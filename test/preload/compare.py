# SPDX-License-Identifier: MIT
"""Compares two runs of a program that saved its matrix products, within the error that their precision allows them."""
import pathlib

import numpy as np

import precision as precisions


def load(path):
    """The saved arrays of a .npz or .mat file by key."""
    if pathlib.Path(path).suffix == ".mat":
        from scipy.io import loadmat
        return {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    with np.load(path) as file:
        return dict(file)


def reference(a, b, alpha=1.0, beta=0.0, c=None, precision="fp32"):
    """alpha a b + beta c in float64, and the error that a rung of this precision may make of each element.

    Beside the products and sums, the product with alpha and the sum with beta c: 2 roundings more on the way of any
    term. A BLAS may add block after block of k to beta c.
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    exact, bound = alpha * (a @ b), abs(alpha) * precisions.bound(a, b, precision, more_roundings=2)
    if beta != 0.0:
        c = np.asarray(c, np.float64)
        exact, bound = exact + beta * c, bound + precisions.gamma(a.shape[-1] + 2) * abs(beta) * np.abs(c)
    return exact, bound


def differences(alone, ours, precision="fp32", declined=()):
    """What is wrong with our run (list of sentences), and how many calls the program makes.

    `precision` is that of the rung which served our run, but for products whose k is among `declined`: FP32 served these.
    """
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
        operands = value(alone, "a"), value(alone, "b"), *scalars, value(alone, "c")
        served = "fp32" if value(alone, "a").shape[-1] in declined else precision
        for run, who, allowed in ((alone, "the run without us", "fp32"), (ours, "our run", served)):
            exact, bound = reference(*operands, precision=allowed)
            off = np.abs(np.asarray(value(run, "out"), np.float64) - exact)
            if off.shape != bound.shape or not np.all(off <= bound):
                wrong.append(f"{case}: {who} is off by up to {np.max(off):.3g}")
    return wrong, calls
