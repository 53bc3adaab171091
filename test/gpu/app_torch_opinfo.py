# SPDX-License-Identifier: MIT
"""PyTorch's own samples (OpInfo) of the operations that multiply matrices, and some larger ones, forward and backward in
FP32, each held to a bound derived from the operation (fp32_bounds.py). TF32 and cuDNN are off: convolutions go through
im2col and a product.

usage: app_torch_opinfo.py [--device cuda] [--out FILE]     the file gets a line a sample: operation, number, verdict
"""
import argparse
import collections
import functools
import sys
import types
import unittest

import torch

import fp32_bounds

# Importing PyTorch's tests freezes these.
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.enabled = False
try:
    import expecttest  # noqa: F401, pylint: disable=unused-import
except ImportError:  # PyTorch's tests want it to be there; none of its samples uses it
    sys.modules["expecttest"] = types.SimpleNamespace(TestCase=unittest.TestCase)
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.testing._internal.opinfo.core import SampleInput  # noqa: E402

PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "addbmm", "matmul", "__rmatmul__", "nn.functional.linear", "einsum",
            "tensordot", "inner", "linalg.multi_dot", "nn.functional.bilinear", "nn.functional.conv1d",
            "nn.functional.conv2d", "nn.functional.conv3d", "nn.functional.conv_transpose2d")
# Extents that are no multiples of any tile; a last extent of 0 stands for a vector.
LARGER = {
    "mm": [((257, 1003), (1003, 131)), ((33, 515), (515, 300))],
    "addmm": [((131,), (257, 515), (515, 131)), ((257, 131), (257, 515), (515, 131))],
    "bmm": [((12, 65, 129), (12, 129, 77))],
    "baddbmm": [((12, 65, 77), (12, 65, 129), (12, 129, 77))],
    "matmul": [((3, 4, 65, 129), (3, 4, 129, 77)), ((5, 65, 129), (129, 77))],
    "nn.functional.linear": [((8, 63, 384), (1001, 384), (1001,)), ((8, 63, 384), (1001, 384))],
    "nn.functional.conv2d": [((4, 16, 33, 31), (24, 16, 3, 3), (24,))],
}
FACTORISED = 200  # large enough for cuSOLVER to multiply blocks; singular values take half


def measured_product(function, sample):
    return fp32_bounds.sum_of_products_error(function, sample)


def wide(*values):
    return [value.detach().double() for value in values]


def solve_ratio(sample, kwargs, x):
    a, b, x = wide(sample.input, sample.args[0], x)
    vector = x.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    if vector:
        b, x = b.unsqueeze(-1), x.unsqueeze(-1)
    if not kwargs.get("left", True):
        return fp32_bounds.lapack_ratio((x @ a - b).mT, a.mT, x.mT)
    return fp32_bounds.lapack_ratio(a @ x - b, a, x)


def cholesky_ratio(sample, kwargs, factor):
    a, factor = wide(sample.input, factor)
    if kwargs.get("upper", False):
        factor = factor.mT
    lower = torch.tril(a)
    return fp32_bounds.lapack_ratio(factor @ factor.mT - (lower + torch.tril(a, -1).mT), a)


def qr_ratio(sample, kwargs, q, r):
    if kwargs.get("mode") == "r":
        a, r = wide(sample.input, r)
        gram = a.mT @ a
        return fp32_bounds.lapack_ratio(r.mT @ r - gram, gram)
    a, q, r = wide(sample.input, q, r)
    return max(fp32_bounds.lapack_ratio(q @ r - a, a), fp32_bounds.orthogonality(q))


def svd_ratio(sample, _, u, s, vh):
    a, u, s, vh = wide(sample.input, u, s, vh)
    k = s.shape[-1]
    residual = u[..., :k] * s.unsqueeze(-2) @ vh[..., :k, :] - a
    return max(fp32_bounds.lapack_ratio(residual, a), fp32_bounds.orthogonality(u), fp32_bounds.orthogonality(vh.mT))


RATIOS = {"linalg.solve": solve_ratio, "linalg.cholesky": cholesky_ratio, "linalg.qr": qr_ratio, "linalg.svd": svd_ratio}


def measured_factorisation(ratio, function, sample):
    """The worse of: LAPACK's ratio to its threshold, the gradients' error to their bound."""
    if 0 in sample.input.shape:
        return 0.0
    with torch.no_grad():
        found = function(sample.input, *sample.args, **sample.kwargs)
    results = (found,) if isinstance(found, torch.Tensor) else tuple(found)
    forward = ratio(sample, sample.kwargs, *results) / fp32_bounds.LAPACK_THRESHOLD
    if sample.kwargs.get("mode") in ("r", "complete"):  # PyTorch has no gradient of these
        return forward
    return fp32_bounds.worst([forward, fp32_bounds.gradient_error(function, sample)])


def larger_products(name, device):
    for shapes in LARGER.get(name, []):
        first, *rest = (torch.randn(shape, device=device).requires_grad_() for shape in shapes)
        yield SampleInput(first, args=tuple(rest))


def larger_factorisations(name, device):
    n = FACTORISED if name != "linalg.svd" else FACTORISED // 2
    a = torch.randn(n, n, device=device)
    if name == "linalg.cholesky":
        a = a @ a.mT + n * torch.eye(n, device=device)
    args = (torch.randn(n, n // 2, device=device).requires_grad_(),) if name == "linalg.solve" else ()
    kwargs = {"full_matrices": False} if name == "linalg.svd" else {}
    process = (lambda usv: usv[1]) if name == "linalg.svd" else (lambda x: x)
    yield SampleInput(a.detach().requires_grad_(), args=args, kwargs=kwargs, output_process_fn_grad=process)


def cases(device):
    """(name of the operation, function, measure, samples)"""
    for name in (*PRODUCTS, *RATIOS):
        variants = [op for op in op_db if op.name == name]
        if not variants:
            raise LookupError(f"this PyTorch has no OpInfo of {name}")
        measure = functools.partial(measured_factorisation, RATIOS[name]) if name in RATIOS else measured_product
        larger = larger_factorisations if name in RATIOS else larger_products
        torch.manual_seed(1)
        samples = [sample for op in variants for sample in op.sample_inputs(device, torch.float32, requires_grad=True)]
        yield name, variants[0].op, measure, samples + list(larger(name, device))


def judged(measure, function, sample):
    """(verdict, how much of the bound was used)"""
    try:
        error = measure(function, sample)
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as problem:
        return f"raises {type(problem).__name__}: {str(problem).splitlines()[0]}", 0.0
    return ("right" if error <= 1 else "WRONG"), error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", help="write the verdicts here")
    arguments = parser.parse_args()
    lines, totals, overall = [], collections.Counter(), []
    print(f"{'operation':32}{'samples':>8}{'right':>7}{'of bound':>10}")
    for name, function, measure, samples in cases(arguments.device):
        verdicts = [judged(measure, function, sample) for sample in samples]
        right = sum(verdict == "right" for verdict, _ in verdicts)
        error = fp32_bounds.worst([error for _, error in verdicts])
        overall.append(error)
        totals.update(samples=len(samples), right=right)
        print(f"{name:32}{len(samples):8}{right:7}{error:10.3f}", flush=True)
        lines += [f"{name} {number} {verdict} {error:.3f}" for number, (verdict, error) in enumerate(verdicts)]
        for line in (line for line in lines[-len(samples):] if " right " not in line):
            print(f"  {line}")
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    print(f"called PyTorch on {totals['samples']} samples, {totals['right']} right, worst error "
          f"{fp32_bounds.worst(overall):.3f} of its bound")
    return 0 if totals["right"] == totals["samples"] else 1


if __name__ == "__main__":
    sys.exit(main())
