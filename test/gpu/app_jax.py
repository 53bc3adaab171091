# SPDX-License-Identifier: MIT
"""An ordinary JAX program: compiled products in FP32 and with JAX's own choice of precision, and a small network trained
by gradient descent, all checked against float64.

JAX takes its cuBLAS functions with dlsym from its own handle of the library: `ladder run --audit` reaches them, LD_PRELOAD
does not. XLA is told not to write kernels of its own for the products.
"""
import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ["XLA_FLAGS"] = " ".join([os.environ.get("XLA_FLAGS", ""), "--xla_gpu_enable_triton_gemm=false"])

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402

UNIT_ROUNDOFF = 2.0**-24
TF32_ROUNDOFF = 2.0**-11
STEPS = 20
LEARNING_RATE = 0.05
LAYERS = (65, 129, 33)
EXAMPLES = 257

generator = numpy.random.default_rng(1)


def normal(*shape):
    return generator.standard_normal(shape, dtype=numpy.float32)


def product_error(product, a, b, roundoff, factor_roundings):
    """Largest error of a product in units of its bound: rounded factors, then a sum in any order in FP32."""
    result = numpy.asarray(product(a, b)).astype(numpy.float64)
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)
    bound = (factor_roundings * roundoff + (a.shape[-1] + 1) * UNIT_ROUNDOFF) * (abs(a) @ abs(b))
    return float(numpy.max(abs(result - a @ b) / (1.01 * bound)))


def products():
    """{title: error in units of its bound}"""
    full = jax.jit(lambda a, b: jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST))
    usual = jax.jit(jnp.matmul)
    transposed = jax.jit(lambda a, b: jnp.einsum("ki,kj->ij", a.T, b, precision=jax.lax.Precision.HIGHEST))
    a, b = normal(257, 1003), normal(1003, 131)
    batch_a, batch_b = normal(6, 65, 129), normal(6, 129, 33)
    return {
        "jit matmul, precision HIGHEST": product_error(full, a, b, UNIT_ROUNDOFF, 0),
        "jit matmul of a transpose, HIGHEST": product_error(transposed, a, b, UNIT_ROUNDOFF, 0),
        "jit matmul, batched, HIGHEST": product_error(full, batch_a, batch_b, UNIT_ROUNDOFF, 0),
        "jit matmul, JAX's own precision": product_error(usual, a, b, TF32_ROUNDOFF, 2),
    }


def loss(xp, product, weights, inputs, targets):
    """Mean squared error of a network of two layers."""
    hidden = xp.tanh(product(inputs, weights[0]) + weights[1])
    return xp.mean((product(hidden, weights[2]) + weights[3] - targets)**2)


def gradients_by_hand(weights, inputs, targets):
    """The same network's gradients in NumPy."""
    hidden = numpy.tanh(inputs @ weights[0] + weights[1])
    difference = hidden @ weights[2] + weights[3] - targets
    into_output = 2 * difference / difference.size
    into_hidden = (into_output @ weights[2].T) * (1 - hidden**2)
    return [inputs.T @ into_hidden, into_hidden.sum(0), hidden.T @ into_output, into_output.sum(0)]


def trained(inputs, targets, weights):
    """Losses of JAX in FP32 and of NumPy in float64."""
    def product(x, y):
        return jnp.matmul(x, y, precision=jax.lax.Precision.HIGHEST)

    @jax.jit
    def step(parameters):
        value, gradients = jax.value_and_grad(lambda p: loss(jnp, product, p, inputs, targets))(parameters)
        return value, [p - LEARNING_RATE * g for p, g in zip(parameters, gradients)]

    single = [jnp.asarray(weight) for weight in weights]
    double = [weight.astype(numpy.float64) for weight in weights]
    wide_inputs, wide_targets = inputs.astype(numpy.float64), targets.astype(numpy.float64)
    losses, expected = [], []
    for _ in range(STEPS):
        value, single = step(single)
        losses.append(float(value))
        expected.append(float(loss(numpy, numpy.matmul, double, wide_inputs, wide_targets)))
        double = [w - LEARNING_RATE * g for w, g in zip(double, gradients_by_hand(double, wide_inputs, wide_targets))]
    return numpy.array(losses), numpy.array(expected)


def main():
    errors = products()
    first, middle, last = LAYERS
    weights = [normal(first, middle) / first**0.5, normal(middle), normal(middle, last) / middle**0.5, normal(last)]
    losses, expected = trained(normal(EXAMPLES, first), normal(EXAMPLES, last), weights)
    # A loss is a mean of squares of sums: each step adds the roundings of the longest sum, which its gradients go through.
    bound = STEPS * (EXAMPLES + sum(LAYERS)) * UNIT_ROUNDOFF
    errors[f"{STEPS} training steps, loss {losses[0]:.4f} -> {losses[-1]:.4f}"] = float(
        numpy.max(abs(losses - expected) / expected) / bound)
    learnt = losses[-1] < losses[0]
    for title, error in errors.items():
        print(f"{title:50} error {error:.3f} of its bound {'right' if error <= 1 else 'WRONG'}")
    worst = numpy.max(list(errors.values()))
    print(f"called JAX {len(errors)} times on {jax.devices()[0].platform}, worst error {worst:.3f} of its bound")
    return 0 if worst <= 1 and learnt else 1


if __name__ == "__main__":
    sys.exit(main())
