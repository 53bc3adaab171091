# SPDX-License-Identifier: MIT
"""An ordinary PyTorch program: torch.mm in FP32, checked against float64."""
import sys

import torch

CASES = [(300, 200, 100), (257, 131, 77), (512, 512, 64), (31, 33, 65), (1001, 999, 1003)]
UNIT_ROUNDOFF = 2.0**-24

torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = False
right = True
for m, n, k in CASES:
    a = torch.randn(m, k, device="cuda")
    b = torch.randn(k, n, device="cuda")
    c = torch.mm(a, b)
    expected = a.double() @ b.double()
    scale = a.double().abs() @ b.double().abs()
    error = float(((c.double() - expected).abs() / scale).max())
    good = error <= (k + 4) * UNIT_ROUNDOFF
    right = right and good
    print(f"{m}x{n}x{k} error {error:.2e} {'right' if good else 'WRONG'}")
print(f"called torch.mm {len(CASES)} times")
sys.exit(0 if right else 1)
