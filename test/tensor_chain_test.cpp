// SPDX-License-Identifier: MIT
// The launches behind a product on the tensor cores one after the other, emulated: in pieces as well as whole, and who
// does the problem where a value does not suit the planes.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "mma_product.cuh"
#include "support/matrix.hpp"
#include "tensor_launch.cuh"

namespace ladder::test {

namespace {

/// A product of random matrices, into a C of NaN.
struct Product {
  Product(std::int64_t m, std::int64_t n, std::int64_t k) : a(m, k, m + 1, 1), b(n, k, n, 0), c(m, n, m + 3, 2) {
    a.fill_randomly(1);
    b.fill_randomly(2);
  }

  GemmProblem problem() {
    c.fill(std::numeric_limits<float>::quiet_NaN());
    GemmProblem p;
    p.op_b = Op::transpose;
    p.m = a.rows(), p.n = b.rows(), p.k = a.columns();
    p.alpha.value = 1.0f;
    p.a = a.data(), p.lda = a.ld();
    p.b = b.data(), p.ldb = b.ld();
    p.c = c.data(), p.ldc = c.ld();
    return p;
  }

  Matrix a, b, c;
};

template <PlaneFormat FORMAT>
LaunchStatus launch_piece(const GemmProblem& piece, const PlaneMemory& memory) {
  const SplitOperands planes = lay_out(piece, FORMAT, memory);
  const LaunchStatus status = emulated::launch_split<FORMAT>(piece, nullptr, planes);
  if (status != launch_ok) return status;
  return emulated::launch_multiply_planes<FORMAT>(piece, nullptr, planes, Gate::always);
}

/// In pieces of at most so many bytes; returns how many there were. What is found out about the values is put back.
template <PlaneFormat FORMAT>
int launch_within(const GemmProblem& p, std::size_t most_bytes) {
  int pieces = 0;
  const auto status = launch_in_pieces(
      p, [](const GemmProblem& piece) { return plane_bytes(piece, FORMAT); },
      [most_bytes](std::size_t bytes) {
        return bytes <= most_bytes ? emulated::plane_memory_of(nullptr, bytes) : PlaneMemory{};
      },
      [&pieces](const GemmProblem& piece, const PlaneMemory& memory) {
        ++pieces;
        const LaunchStatus launched = launch_piece<FORMAT>(piece, memory);
        *memory.facts = {};
        return launched;
      });
  CHECK(status == launch_ok);
  return pieces;
}

template <PlaneFormat FORMAT>
void check_pieces() {
  Product product(300, 270, 70);
  const std::size_t whole = plane_bytes(product.problem(), FORMAT);
  CHECK(launch_within<FORMAT>(product.problem(), whole) == 1);
  const Matrix due = product.c;
  CHECK(launch_within<FORMAT>(product.problem(), whole - 1) == 2);
  CHECK(product.c.same_bits(due));
  GemmProblem quarter = product.problem();
  quarter.m = quarter.n = 256;
  CHECK(launch_within<FORMAT>(product.problem(), plane_bytes(quarter, FORMAT)) == 4);
  CHECK(product.c.same_bits(due));
}

LaunchStatus launch_fp32_only(const GemmProblem& p) {
  RangeFacts facts = {bits_of(std::numeric_limits<float>::infinity()), 0, 0, 0};
  return emulated::launch_out_of_range(p, nullptr, &facts, OfferedPlanes::bf16x3);
}

constexpr auto launch_six_products = emulated::launch_bf16x3<emulated::launch_multiply_planes<PlaneFormat::bf16x3>>;

}  // namespace

TEST_CASE("a product in pieces has the bits of the whole") {
  check_pieces<PlaneFormat::bf16x3>();
  check_pieces<PlaneFormat::fp16x2>();
  check_pieces<PlaneFormat::tf32>();
}

TEST_CASE("one value out of range hands the whole problem to FP32 FMAs, and only that problem") {
  Product product(70, 40, 100);
  REQUIRE(launch_six_products(product.problem(), nullptr) == launch_ok);
  const Matrix by_tensor_cores = product.c;
  REQUIRE(launch_fp32_only(product.problem()) == launch_ok);
  const Matrix by_fmas = product.c;
  CHECK_FALSE(by_fmas.same_bits(by_tensor_cores));

  const float good = product.a.at(3, 99);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 0x1p126f}) {
    product.a.at(3, 99) = bad;
    REQUIRE(launch_six_products(product.problem(), nullptr) == launch_ok);
    for (std::int64_t j = 0; j < product.c.columns(); ++j) {
      CHECK(std::isfinite(product.c.at(3, j)) == std::isfinite(bad));
      for (std::int64_t i = 0; i < product.c.rows(); ++i) {
        if (i != 3) CHECK(bits_of(product.c.at(i, j)) == bits_of(by_fmas.at(i, j)));
      }
    }
    product.a.at(3, 99) = good;
    REQUIRE(launch_six_products(product.problem(), nullptr) == launch_ok);
    CHECK(product.c.same_bits(by_tensor_cores));
  }
}

}  // namespace ladder::test
