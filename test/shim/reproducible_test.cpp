// SPDX-License-Identifier: MIT
// LADDER_REPRODUCIBLE=1 as a program sees it, emulated: the default rung gives rung 1's bits from the first call on.
#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" void sgemm_(const char* op_a, const char* op_b, const std::int32_t* m, const std::int32_t* n,
                       const std::int32_t* k, const float* alpha, const float* a, const std::int32_t* lda,
                       const float* b, const std::int32_t* ldb, const float* beta, float* c, const std::int32_t* ldc);

namespace {

struct Extents {
  std::int32_t m, n, k;
};

// Where blocks of k would pay: few tiles and a deep k; one column; a square too small for the GPU.
constexpr Extents problems[] = {{64, 64, 4096}, {8, 8, 20011}, {300, 1, 2000}, {3, 257, 3001}, {129, 127, 513}};

std::vector<float> values(std::int64_t count, std::uint32_t seed) {
  std::vector<float> all(static_cast<std::size_t>(count));
  for (float& value : all) {
    seed = seed * 1664525u + 1013904223u;  // Numerical Recipes' generator
    value = static_cast<float>(static_cast<std::int32_t>(seed)) * 0x1p-31f;
  }
  return all;
}

std::vector<float> product(const char* rung, const Extents& p) {
  REQUIRE(ladder_set_thread_rung(rung) == LADDER_OK);
  const std::vector<float> a = values(std::int64_t{p.m} * p.k, 1), b = values(std::int64_t{p.k} * p.n, 2);
  std::vector<float> c(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
  const float alpha = 1.0f, beta = 0.0f;
  sgemm_("N", "N", &p.m, &p.n, &p.k, &alpha, a.data(), &p.m, b.data(), &p.k, &beta, c.data(), &p.m);
  return c;
}

}  // namespace

TEST_CASE("every sum is rung 1's, bit for bit") {
  for (const Extents& p : problems) {
    CAPTURE(p.m);
    const std::vector<float> in_order = product(nullptr, p);
    CHECK(in_order == product("naive", p));
  }
}
