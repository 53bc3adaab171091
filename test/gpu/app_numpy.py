# SPDX-License-Identifier: MIT
"""An ordinary NumPy program: float32 products, checked against float64."""
import sys

import numpy as np

CASES = [(700, 600, 500), (1001, 999, 1003), (512, 2048, 64)]
UNIT_ROUNDOFF = 2.0**-24

generator = np.random.default_rng(1)
right = True
for m, n, k in CASES:
    a = generator.standard_normal((m, k), dtype=np.float32)
    b = generator.standard_normal((k, n), dtype=np.float32)
    for x, y in ((a, b), (np.asfortranarray(a), b)):
        c = x @ y
        expected = x.astype(np.float64) @ y.astype(np.float64)
        scale = np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64)
        error = float((np.abs(c - expected) / scale).max())
        good = error <= (k + 4) * UNIT_ROUNDOFF
        right = right and good
        print(f"{m}x{n}x{k} error {error:.2e} {'right' if good else 'WRONG'}")
print(f"called matmul {2 * len(CASES)} times")
sys.exit(0 if right else 1)
