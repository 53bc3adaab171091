# SPDX-License-Identifier: MIT
"""A PyTorch program that turns what PyTorch lets a user turn: the library behind its products, TF32, streams, graphed
callables, and the environment variable NVIDIA_TF32_OVERRIDE, which it heeds; and that multiplies what is large, wide in
range, or no number. Every result is checked."""
import copy
import os
import sys

import torch

import fp32_bounds
import served_calls

TF32_ROUNDOFF = 2.0**-11
STEPS = 5
DEVICE = "cuda"


def normal(*shape):
    return torch.randn(*shape, device=DEVICE)


def error_of(c, a, b, factor_roundoff=0.0):
    """Largest error of c = a b in units of its bound: each factor rounded, then a sum in FP32 in any order. Infinite
    where another infinity is due, or a NaN, or neither."""
    roundings = fp32_bounds.gamma(a.shape[-1] + fp32_bounds.MOST_FACTORS) + 2.01 * factor_roundoff
    a_wide, b_wide = a.double(), b.double()
    due = a_wide @ b_wide
    error = (c - due).abs() / (roundings * (a_wide.abs() @ b_wide.abs()))
    same = (c == due) | (c.isnan() & due.isnan())
    return float(torch.where(due.isfinite(), error, torch.where(same, 0.0, torch.inf)).max())


def by_library(name):
    """Products through the library of that name."""
    previous = torch.backends.cuda.preferred_blas_library()
    operands = [(normal(257, 515), normal(515, 131)), (normal(12, 65, 129), normal(12, 129, 77))]
    torch.backends.cuda.preferred_blas_library(name)
    products = [torch.matmul(a, b) for a, b in operands]
    torch.backends.cuda.preferred_blas_library(previous)
    return fp32_bounds.worst(error_of(c, a, b) for c, (a, b) in zip(products, operands))


def with_tf32():
    """Products for which TF32 is allowed; NVIDIA_TF32_OVERRIDE=0 forbids it all the same."""
    forbidden = os.environ.get("NVIDIA_TF32_OVERRIDE") == "0"
    torch.backends.cuda.matmul.allow_tf32 = True
    roundoff = 0.0 if forbidden else TF32_ROUNDOFF
    operands = [(normal(257, 515), normal(515, 131)), (normal(12, 65, 129), normal(12, 129, 77))]
    errors = [error_of(torch.matmul(a, b), a, b, roundoff) for a, b in operands]
    torch.backends.cuda.matmul.allow_tf32 = False
    return fp32_bounds.worst(errors)


def large():
    """Products that are worth the tensor cores, of both orders."""
    a, b = normal(2049, 1543), normal(1543, 2047)
    return fp32_bounds.worst(error_of(torch.mm(x, y), a, b) for x in (a, a.T.contiguous().T) for y in (b, b.T.contiguous().T))


def wide(*exponents):
    """Products of numbers whose logarithms are spread evenly to both sides of 0, each time as far."""
    errors = []
    for exponent in exponents:
        a, b = (normal(*shape) * torch.exp2(exponent * (2 * torch.rand(*shape, device=DEVICE) - 1))
                for shape in ((769, 1024), (1024, 641)))
        errors.append(error_of(torch.mm(a, b), a, b))
    return fp32_bounds.worst(errors)


def without_bounds():
    """A product with infinities of both signs in rows of their own, and a NaN in a column."""
    a, b = normal(769, 1024), normal(1024, 641)
    a[3, 100], a[700, 1023], b[511, 5] = torch.inf, -torch.inf, torch.nan
    return error_of(torch.mm(a, b), a, b)


def on_streams():
    """Products on streams of both priorities at once."""
    a, b = normal(515, 1003), normal(1003, 515)
    streams = [torch.cuda.Stream(priority=priority) for priority in (0, -1, 0, -1)]
    results = []
    for stream in streams:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            results.append(torch.mm(a, b))
    torch.cuda.synchronize()
    return fp32_bounds.worst(error_of(c, a, b) for c in results)


def solved():
    """torch.linalg.solve, by LAPACK's ratio."""
    a, b = normal(768, 768), normal(768, 96)
    x = torch.linalg.solve(a, b).double()
    return fp32_bounds.lapack_ratio(a.double() @ x - b.double(), a.double(), x) / fp32_bounds.LAPACK_THRESHOLD


def train(model, inputs, targets):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().double())
    return torch.stack(losses)


def graphed():
    """A network trained through torch.cuda.make_graphed_callables, and the same in float64."""
    layers = (129, 257, 65)
    single = torch.nn.Sequential(torch.nn.Linear(layers[0], layers[1]), torch.nn.ReLU(),
                                 torch.nn.Linear(layers[1], layers[2])).to(DEVICE)
    double = copy.deepcopy(single).double().cpu()
    inputs, targets = normal(100, layers[0]), normal(100, layers[2])
    expected = train(double, inputs.double().cpu(), targets.double().cpu())
    losses = train(torch.cuda.make_graphed_callables(single, (inputs.clone(),)), inputs, targets).cpu()
    # Each step adds the roundings of the longest sums that its loss and its gradients go through.
    bound = STEPS * fp32_bounds.gamma(100 + sum(layers))
    return float(((losses - expected).abs() / (bound * expected)).max())


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    works = {"preferred library cublas": lambda: by_library("cublas"),
             "preferred library cublaslt": lambda: by_library("cublaslt"),
             "TF32 allowed": with_tf32,
             "large products": large,
             "magnitudes of 40 and 120 binades": lambda: wide(20, 60),
             "infinities and a NaN": without_bounds,
             "streams of two priorities": on_streams,
             "torch.linalg.solve": solved,
             "graphed callables": graphed}
    errors = []
    for name, work in works.items():
        before = served_calls.calls_by_door()
        errors.append(work())
        calls = {door: calls - before.get(door, 0) for door, calls in served_calls.calls_by_door().items()}
        words = ", ".join(f"{door} {number}" for door, number in calls.items() if number)
        print(f"{name:32} error {errors[-1]:.3f} of its bound {'right' if errors[-1] <= 1 else 'WRONG'}  {words}")
    worst = fp32_bounds.worst(errors)
    print(f"called PyTorch in {len(errors)} ways, worst error {worst:.3f} of its bound, {served_calls.closing_words()}")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
