# SPDX-License-Identifier: MIT
"""Error bounds for FP32 results of PyTorch, derived from the operation itself.

What multiplies and adds is, element by element, a sum of products. Evaluated on the magnitudes of its operands it gives
the sum of the products' magnitudes, and evaluated on ones the number of products: in whatever order they were summed,
the error is at most gamma_n times that sum, for n the number of products and of the factors in each. The same holds for
gradients. What factorises a matrix is held to LAPACK's test ratios, and its gradients to what moves them when the matrix
moves as far as a backward stable method may move it.
"""
import torch
from torch.utils import _pytree as pytree

UNIT_ROUNDOFF = 2.0**-24
MOST_FACTORS = 8  # roundings in one product beside its place in the sum: its factors, alpha and beta
LAPACK_THRESHOLD = 30.0  # below which LAPACK's own tests accept a ratio
PERTURBATIONS = 4


def gamma(roundings):
    return roundings * UNIT_ROUNDOFF / (1 - roundings * UNIT_ROUNDOFF)


class Variant:
    """One way to change operands before an operation is evaluated."""

    def __init__(self, dtype, tensor=lambda x: x, scalar=lambda x: x):
        self.dtype, self.tensor, self.scalar = dtype, tensor, scalar


SINGLE = Variant(torch.float32)
DOUBLE = Variant(torch.float64)
MAGNITUDES = Variant(torch.float64, torch.abs, abs)
COUNTS = Variant(torch.float64, torch.ones_like, lambda x: 1)


def is_operand(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def changed(sample, variant):
    """(input, args, kwargs) of the sample under the variant, and the operands that want a gradient."""
    wanting = []

    def change(value):
        if not is_operand(value):
            return value
        operand = variant.tensor(value.detach().to(variant.dtype))
        if value.requires_grad:
            wanting.append(operand.requires_grad_())
        return operand

    call = pytree.tree_map(change, (sample.input, sample.args, sample.kwargs))
    for name in ("alpha", "beta"):
        if name in call[2]:
            call[2][name] = variant.scalar(call[2][name])
    return call, wanting


def outputs_of(function, call):
    first, args, kwargs = call
    return [leaf for leaf in pytree.tree_leaves(function(first, *args, **kwargs)) if is_operand(leaf)]


def directions(outputs, variant):
    """What is sent backward: the same numbers in every run and for every variant."""
    generator = torch.Generator().manual_seed(7)
    random = [torch.randn(out.shape, generator=generator).to(out.device, variant.dtype) for out in outputs]
    return [variant.tensor(direction) for direction in random]


def evaluate(function, sample, variant):
    """Results of the operation and the gradients of its operands."""
    call, wanting = changed(sample, variant)
    outputs = outputs_of(function, call)
    return [out.detach() for out in outputs] + gradients(outputs, wanting, variant)


def gradients(outputs, wanting, variant):
    reached = [out for out in outputs if out.requires_grad]
    if not wanting or not reached:
        return []
    found = torch.autograd.grad(reached, wanting, directions(reached, variant), allow_unused=True)
    return [gradient.detach() for gradient in found if gradient is not None]


def worst(ratios):
    """The largest of some numbers; NaN where one is."""
    values = torch.tensor([0.0, *ratios], dtype=torch.float64)
    return float("nan") if values.isnan().any() else float(values.max())


def sum_of_products_error(function, sample):
    """Largest error of the results and gradients, in units of the bound: 1 is just right."""
    single, double, magnitudes, counts = (evaluate(function, sample, variant)
                                          for variant in (SINGLE, DOUBLE, MAGNITUDES, COUNTS))
    ratios = []
    for got, expected, magnitude, count in zip(single, double, magnitudes, counts, strict=True):
        error = (got.double() - expected).abs()
        bound = gamma(count + MOST_FACTORS) * magnitude
        ratio = torch.where(error == 0, 0.0, error / bound)
        ratios += [float(ratio.max())] if ratio.numel() else []
    return worst(ratios)


def one_norm(matrix):
    return torch.linalg.matrix_norm(matrix, 1)


def lapack_ratio(residual, *scales):
    """residual / (largest extent, unit roundoff and norms of `scales`), the largest of a batch."""
    size = max(1, *residual.shape[-2:], *(extent for matrix in scales for extent in matrix.shape[-2:]))
    ratio = one_norm(residual) / (size * UNIT_ROUNDOFF)
    for matrix in scales:
        ratio = ratio / one_norm(matrix)
    return float(ratio.max()) if ratio.numel() else 0.0


def orthogonality(q):
    return lapack_ratio(q.mT @ q - torch.eye(q.shape[-1], device=q.device, dtype=q.dtype))


def gradient_error(function, sample):
    """Distance of the gradients from float64's, in units of LAPACK's threshold times what a perturbation does."""

    def gradients_at(variant):
        call, wanting = changed(sample, variant)
        outputs = [leaf for leaf in pytree.tree_leaves(sample.output_process_fn_grad(function(call[0], *call[1], **call[2])))
                   if is_operand(leaf)]
        return gradients(outputs, wanting, variant)

    def moved(number):
        generator = torch.Generator().manual_seed(number)

        def move(x):
            step = torch.randn(x.shape, generator=generator, dtype=torch.float64).to(x.device)
            return x + max(1, *x.shape[-2:]) * UNIT_ROUNDOFF * torch.linalg.vector_norm(x) / x.numel()**0.5 * step
        return Variant(torch.float64, lambda x: move(x) if x.numel() else x)

    expected = gradients_at(DOUBLE)
    neighbours = [gradients_at(moved(number)) for number in range(PERTURBATIONS)]
    ratios = []
    for i, got in enumerate(gradients_at(SINGLE)):
        if got.numel() == 0:
            continue
        reach = max(float((near[i] - expected[i]).norm()) for near in neighbours)
        reach += max(got.shape[-2:], default=1) * UNIT_ROUNDOFF * float(expected[i].norm())
        distance = float((got.double() - expected[i]).norm())
        ratios.append(distance / (LAPACK_THRESHOLD * reach) if distance else 0.0)
    return worst(ratios)
