# SPDX-License-Identifier: MIT
"""An ordinary PyTorch program: batched products in FP32 (bmm, baddbmm, matmul), checked against float64."""
import sys

import torch

UNIT_ROUNDOFF = 2.0**-24
BATCH, M, N, K = 12, 65, 77, 129

torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = False
a = torch.randn(BATCH, M, K, device="cuda")
b = torch.randn(BATCH, K, N, device="cuda")
c = torch.randn(BATCH, M, N, device="cuda")
products = {
    "bmm": (lambda: torch.bmm(a, b), 0.0),
    "bmm of transposes": (lambda: torch.bmm(a.transpose(1, 2).contiguous().transpose(1, 2), b), 0.0),
    "baddbmm": (lambda: torch.baddbmm(c, a, b, beta=0.5), 0.5),
    "matmul": (lambda: torch.matmul(a.view(3, 4, M, K), b.view(3, 4, K, N)).view(BATCH, M, N), 0.0),
}
right = True
for name, (product, beta) in products.items():
    result = product()
    expected = torch.bmm(a.double(), b.double()) + beta * c.double()
    scale = torch.bmm(a.double().abs(), b.double().abs()) + abs(beta) * c.double().abs()
    error = float(((result.double() - expected).abs() / scale).max())
    good = error <= (K + 4) * UNIT_ROUNDOFF
    right = right and good
    print(f"{name} error {error:.2e} {'right' if good else 'WRONG'}")
print(f"called PyTorch {len(products)} times")
sys.exit(0 if right else 1)
