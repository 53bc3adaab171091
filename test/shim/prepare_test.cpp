// SPDX-License-Identifier: MIT
// ladder_prepare() as a program sees it, emulated: the products are the same, and do not look at the matrix again.
#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

extern "C" void sgemm_(const char* op_a, const char* op_b, const std::int32_t* m, const std::int32_t* n,
                       const std::int32_t* k, const float* alpha, const float* a, const std::int32_t* lda,
                       const float* b, const std::int32_t* ldb, const float* beta, float* c, const std::int32_t* ldc);

namespace {

constexpr std::int32_t m = 130, n = 65, k = 160;

std::vector<float> values(int count) {
  std::vector<float> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i * 2654435761u % 2001u) / 1000.0f - 1.0f;
  return all;
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(static_cast<std::size_t>(m * n));
  const float alpha = 1.0f, beta = 0.0f;
  sgemm_("T", "N", &m, &n, &k, &alpha, a.data(), &k, b.data(), &k, &beta, c.data(), &m);
  return c;
}

ladder_status prepare(char side, char op, std::int64_t rows, const float* matrix, std::int64_t ld,
                      ladder_prepared** prepared) {
  return ladder_prepare(side, op, rows, k, matrix, ld, nullptr, prepared);
}

}  // namespace

TEST_CASE("what is prepared is not read again until it is released") {
  for (const char* rung : {"fp32_tensor", "fp32_tensor_scaled"}) {
    CAPTURE(rung);
    REQUIRE(ladder_set_thread_rung(rung) == LADDER_OK);
    ladder_reset_counters();
    std::vector<float> a = values(k * m);
    const std::vector<float> b = values(k * n);
    const std::vector<float> due = product(a, b);
    REQUIRE(ladder_call_count(nullptr, rung) == 1);
    ladder_prepared* prepared = nullptr;
    REQUIRE(prepare('A', 'T', m, a.data(), k, &prepared) == LADDER_OK);
    REQUIRE(prepared != nullptr);
    a.assign(a.size(), std::numeric_limits<float>::quiet_NaN());
    CHECK(product(a, b) == due);
    ladder_release(prepared);
    CHECK(std::isnan(product(a, b)[0]));
  }
  REQUIRE(ladder_set_thread_rung(nullptr) == LADDER_OK);
}

TEST_CASE("what cannot be prepared is said") {
  const std::vector<float> a = values(k * m);
  ladder_prepared* prepared = nullptr;
  CHECK(prepare('A', 'T', m, a.data(), k, nullptr) == LADDER_INVALID_ARGUMENT);
  CHECK(prepare('C', 'T', m, a.data(), k, &prepared) == LADDER_INVALID_ARGUMENT);
  CHECK(prepare('A', 'X', m, a.data(), k, &prepared) == LADDER_INVALID_ARGUMENT);
  CHECK(prepare('A', 'T', 0, a.data(), k, &prepared) == LADDER_INVALID_ARGUMENT);
  CHECK(prepare('A', 'T', m, nullptr, k, &prepared) == LADDER_INVALID_ARGUMENT);
  CHECK(prepare('A', 'T', m, a.data(), k - 1, &prepared) == LADDER_INVALID_ARGUMENT);
  CHECK(prepare('B', 'T', m, a.data(), m - 1, &prepared) == LADDER_INVALID_ARGUMENT);
  CHECK(std::string(ladder_last_error()).find("ladder_prepare: ") == 0);
  CHECK(prepared == nullptr);
  ladder_release(nullptr);
}
