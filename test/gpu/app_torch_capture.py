# SPDX-License-Identifier: MIT
"""A PyTorch program whose very first product is captured in a CUDA graph, which is then replayed on other numbers.

usage: app_torch_capture.py {mm,bmm,linear}
"""
import sys

import torch

import fp32_bounds
import served_calls

REPLAYS = 5
SHAPES = {"mm": [(257, 515), (515, 131)], "bmm": [(12, 65, 129), (12, 129, 77)],
          "linear": [(63, 384), (1001, 384), (1001,)]}
FUNCTIONS = {"mm": torch.mm, "bmm": torch.bmm, "linear": torch.nn.functional.linear}


def in_float64(a, b, bias=None):
    """The same product, through functions that multiply nothing in FP32."""
    return torch.matmul(a, b) if bias is None else torch.matmul(a, b.mT) + bias


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in SHAPES:
        print(__doc__, file=sys.stderr)
        return 2
    name = sys.argv[1]
    function = FUNCTIONS[name]
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    operands = [torch.randn(shape, device="cuda") for shape in SHAPES[name]]
    torch.cuda.current_blas_handle()  # cuBLAS cannot make a handle while a stream is captured
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function(*operands)
    captured = served_calls.calls_by_door()
    errors = []
    for _ in range(REPLAYS):
        for operand in operands:
            operand.normal_()
        result.fill_(float("nan"))
        graph.replay()
        expected = in_float64(*(operand.double() for operand in operands))
        magnitude = in_float64(*(operand.double().abs() for operand in operands))
        products = operands[0].shape[-1] + fp32_bounds.MOST_FACTORS
        errors.append(float(((result - expected).abs() / (fp32_bounds.gamma(products) * magnitude)).max()))
        print(f"{name} replayed, error {errors[-1]:.3f} of its bound {'right' if errors[-1] <= 1 else 'WRONG'}")
    again = served_calls.calls_by_door()
    if again != captured:
        print(f"replaying made calls: {captured} became {again}")
    worst = fp32_bounds.worst(errors)
    print(f"called torch.{name} 1 times, in a capture, replayed {REPLAYS} times, worst error {worst:.3f} of its bound, "
          f"{served_calls.closing_words()}")
    return 0 if worst <= 1 and again == captured else 1


if __name__ == "__main__":
    sys.exit(main())
