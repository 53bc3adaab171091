# SPDX-License-Identifier: MIT
"""An ordinary CuPy program: every kind of product that CuPy sends to cuBLAS, in FP32, and a system of linear equations.

Each product is done by NumPy in float64 too, on the operands, on their magnitudes and on ones: the last two give the sum
of the products' magnitudes and their number, hence a bound for any order of summation.
"""
import sys

import cupy
import cupy.cublas
import numpy

import served_calls

UNIT_ROUNDOFF = 2.0**-24
MORE_ROUNDINGS = 4  # the product itself, alpha, beta and the sum with C
LAPACK_THRESHOLD = 30.0

generator = numpy.random.default_rng(1)


def normal(*shape, order="C"):
    return numpy.asarray(generator.standard_normal(shape, dtype=numpy.float32), order=order)


def gemm(transa, transb, scalar=lambda value: value):
    """cupy.cublas.gemm into its third operand, and the same by NumPy; the scalars are 1 or more, to be counted as sums."""
    alpha, beta = 1.5, 2.0

    def product(xp, a, b, c):
        if xp is cupy:
            out = cupy.array(c, order="F")
            return cupy.cublas.gemm(transa, transb, a, b, out=out, alpha=scalar(alpha), beta=scalar(beta))
        return alpha * ((a.T if transa == "T" else a) @ (b.T if transb == "T" else b)) + beta * c
    return product


def on_device(value):
    return cupy.array(value, dtype=cupy.float32)


def method(name, *arguments, **options):
    """The product of that name of either library."""
    return lambda xp, *operands: getattr(xp, name)(*arguments, *operands, **options)


def products():
    """(title, function of a library and operands, operands)"""
    a, b, c = normal(129, 257), normal(257, 65), normal(129, 65)
    for order in "CF":
        for name in ("matmul", "dot"):
            yield f"{name}, {order} order", method(name), (normal(131, 515, order=order), normal(515, 77, order=order))
        for transa in "NT":
            for transb in "NT":
                shapes = [(65, 129) if transa == "N" else (129, 65), (129, 33) if transb == "N" else (33, 129), (65, 33)]
                operands = tuple(normal(*shape, order=order) for shape in shapes)
                yield f"cublas.gemm {transa}{transb}, {order} order", gemm(transa, transb), operands
    yield "matmul of a transpose", method("matmul"), (normal(257, 129).T, b)
    yield "matmul, every other row", method("matmul"), (normal(258, 257)[::2], b)
    yield "matmul, every third column", method("matmul"), (normal(129, 771)[:, ::3], b)
    yield "matmul, backward", method("matmul"), (a[::-1, ::-1], b[::-1])
    yield "matmul inside larger matrices", method("matmul"), (normal(140, 300)[3:132, 5:262], normal(300, 70)[7:264, 1:66])
    yield "dot into a part", lambda xp, x, y: xp.dot(x, y), (a[:, 1:200], b[1:200])
    yield "tensordot of two axes", method("tensordot", axes=([1, 2], [0, 1])), (normal(33, 17, 19), normal(17, 19, 45))
    yield "tensordot of one axis", method("tensordot", axes=1), (normal(3, 33, 65), normal(65, 7, 9))
    yield "inner", method("inner"), (normal(65, 129), normal(33, 129))
    yield "outer", method("outer"), (normal(257), normal(129))
    yield "vector times matrix", method("dot"), (normal(257), b)
    yield "einsum ij,jk", method("einsum", "ij,jk->ik"), (a, b)
    yield "einsum ij,kj", method("einsum", "ij,kj->ik"), (a, normal(65, 257))
    yield "einsum bij,bjk", method("einsum", "bij,bjk->bik"), (normal(6, 33, 65), normal(6, 65, 31))
    yield "einsum of three", method("einsum", "ij,jk,kl->il"), (normal(33, 45), normal(45, 17), normal(17, 29))
    yield "matmul, batched", method("matmul"), (normal(12, 65, 129), normal(12, 129, 77))
    yield "matmul, batch of batches", method("matmul"), (normal(3, 4, 33, 65), normal(3, 4, 65, 31))
    yield "matmul, one matrix for a batch", method("matmul"), (normal(7, 33, 65), normal(65, 31))
    yield "matmul, broadcast batches", method("matmul"), (normal(5, 1, 33, 65), normal(1, 4, 65, 31))
    yield "matmul, batch of transposes", method("matmul"), (normal(7, 65, 33).transpose(0, 2, 1), normal(7, 65, 31))
    yield "matmul, every other matrix", method("matmul"), (normal(14, 33, 65)[::2], normal(7, 65, 31))
    yield "matmul, no rows", method("matmul"), (normal(0, 65), normal(65, 31))
    yield "matmul, nothing to sum", method("matmul"), (normal(33, 0), normal(0, 31))
    yield "matmul, empty batch", method("matmul"), (normal(0, 33, 65), normal(0, 65, 31))
    yield "cublas.gemm, scalars on the device", gemm("N", "N", on_device), (a, b, c)
    yield "dot into an out", lambda xp, x, y: xp.dot(x, y, out=xp.empty((129, 65), dtype=x.dtype)), (a, b)
    yield "matmul, large", method("matmul"), (normal(1001, 1003), normal(1003, 999))


def on_gpu(operand):
    """The same values with the same strides: a view of a copy of what the operand is a view of."""
    base = operand
    while isinstance(base.base, numpy.ndarray):
        base = base.base
    memory = cupy.asarray(base, order="K")
    start = operand.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    if operand.size == 0 or memory.strides != base.strides:
        return cupy.asarray(operand)
    return cupy.ndarray(operand.shape, operand.dtype, memory.data + start, operand.strides)


def error_of(function, operands):
    """Largest error in units of the bound; NaN where there is one."""
    result = cupy.asnumpy(function(cupy, *(on_gpu(operand) for operand in operands)))
    wide = [operand.astype(numpy.float64) for operand in operands]
    expected = function(numpy, *wide)
    magnitude = function(numpy, *(abs(operand) for operand in wide))
    count = function(numpy, *(numpy.ones_like(operand) for operand in wide))
    if result.shape != expected.shape:
        return float("nan")
    error = abs(result - expected)
    roundings = (numpy.ceil(count) + MORE_ROUNDINGS) * UNIT_ROUNDOFF
    with numpy.errstate(invalid="ignore", divide="ignore"):
        ratio = numpy.where(error == 0, 0.0, error / (roundings / (1 - roundings) * magnitude))
    return float(ratio.max(initial=0.0))


def error_of_solve():
    """LAPACK's ratio of the residual to its threshold."""
    n = 515
    a, b = normal(n, n), normal(n, 33)
    x = cupy.asnumpy(cupy.linalg.solve(cupy.asarray(a), cupy.asarray(b))).astype(numpy.float64)
    residual = numpy.linalg.norm(a.astype(numpy.float64) @ x - b, 1)
    return residual / (n * UNIT_ROUNDOFF * numpy.linalg.norm(a, 1) * numpy.linalg.norm(x, 1)) / LAPACK_THRESHOLD


def main():
    errors = {title: error_of(function, operands) for title, function, operands in products()}
    errors["linalg.solve"] = error_of_solve()
    for title, error in errors.items():
        print(f"{title:36} error {error:.3f} of its bound {'right' if error <= 1 else 'WRONG'}")
    worst = numpy.max(list(errors.values()))
    print(f"called CuPy {len(errors)} times, worst error {worst:.3f} of its bound, {served_calls.closing_words()}")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
