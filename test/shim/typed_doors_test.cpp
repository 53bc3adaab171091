// SPDX-License-Identifier: MIT
// The cuBLAS doors for batches and for typed matrices under LADDER_DEVICE=emulate: what is served, what is refused.
#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cublas_doors.hpp"

using namespace ladder::cublas;

namespace {

constexpr int batch = 3;
constexpr int half = 2;  // CUDA_R_16F

/// Three 2 x 2 products, four elements apart: C_i = A_i B_i.
struct Products {
  Handle handle = nullptr;
  float alpha = 1.0f, beta = 0.0f;
  std::vector<float> a{1, 2, 3, 4, 2, 4, 6, 8, 0, 0, 0, 0};
  std::vector<float> b{5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8};
  std::vector<float> c = std::vector<float>(4 * batch, -1.0f);
  std::vector<const float*> a_each, b_each;
  std::vector<float*> c_each;
  const float* const* a_array;
  const float* const* b_array;
  float* const* c_array;
  DataType a_type = R_32F, b_type = R_32F, c_type = R_32F;
  Compute compute = COMPUTE_32F;
  Algorithm algorithm = GEMM_DEFAULT;
  Operation op_a = OP_N;
  int m = 2, k = 2, lda = 2, count = batch;

  Products() {
    REQUIRE(cublasCreate_v2(&handle) == STATUS_SUCCESS);
    for (int i = 0; i < batch; ++i) {
      a_each.push_back(&a[static_cast<std::size_t>(4 * i)]);
      b_each.push_back(&b[static_cast<std::size_t>(4 * i)]);
      c_each.push_back(&c[static_cast<std::size_t>(4 * i)]);
    }
    a_array = a_each.data(), b_array = b_each.data(), c_array = c_each.data();
  }
  ~Products() { CHECK(cublasDestroy_v2(handle) == STATUS_SUCCESS); }

  bool is(std::vector<float> due) const {
    due.resize(c.size(), -1.0f);
    return c == due;
  }
  bool untouched() const { return is({}); }
};

const std::vector<float> first{23, 34, 31, 46};
const std::vector<float> all{23, 34, 31, 46, 46, 68, 62, 92, 0, 0, 0, 0};

/// How a door is called, and how many of the products it computes.
struct Door {
  const char* name;
  std::function<Status(Products&)> call;
  bool batched;
  bool typed;
  bool by_arrays = false;
};

#define STRIDED(name)                                                                                                 \
  {                                                                                                                   \
#name,                                                                                                              \
   [](Products& p) {                                                                                                   \
     return name(p.handle, p.op_a, OP_N, p.m, 2, p.k, &p.alpha, p.a.data(), p.lda, 4, p.b.data(), 2, 4, &p.beta, p.c.data(), \
                 2, 4, p.count);                                                                                       \
   },                                                                                                                  \
   true, false \
  }
#define SGEMM_EX(name)                                                                                               \
  {                                                                                                                  \
#name,                                                                                                             \
   [](Products& p) {                                                                                                  \
     return name(p.handle, p.op_a, OP_N, p.m, 2, p.k, &p.alpha, p.a.data(), p.a_type, p.lda, p.b.data(), p.b_type, 2,       \
                 &p.beta, p.c.data(), p.c_type, 2);                                                                   \
   },                                                                                                                 \
   false, false \
  }
#define GEMM_EX(name)                                                                                                \
  {                                                                                                                  \
#name,                                                                                                             \
   [](Products& p) {                                                                                                  \
     return name(p.handle, p.op_a, OP_N, p.m, 2, p.k, &p.alpha, p.a.data(), p.a_type, p.lda, p.b.data(), p.b_type, 2,       \
                 &p.beta, p.c.data(), p.c_type, 2, p.compute, p.algorithm);                                           \
   },                                                                                                                 \
   false, true \
  }
#define STRIDED_EX(name)                                                                                             \
  {                                                                                                                  \
#name,                                                                                                             \
   [](Products& p) {                                                                                                  \
     return name(p.handle, p.op_a, OP_N, p.m, 2, p.k, &p.alpha, p.a.data(), p.a_type, p.lda, 4, p.b.data(), p.b_type, 2, 4, \
                 &p.beta, p.c.data(), p.c_type, 2, 4, p.count, p.compute, p.algorithm);                               \
   },                                                                                                                 \
   true, true \
  }
#define BATCHED(name)                                                                                                    \
  {                                                                                                                      \
#name,                                                                                                                 \
   [](Products& p) {                                                                                                   \
     return name(p.handle, p.op_a, OP_N, p.m, 2, p.k, &p.alpha, p.a_array, p.lda, p.b_array, 2, &p.beta, p.c_array, 2, \
                 p.count);                                                                                             \
   },                                                                                                                  \
   true, false, true \
  }
#define BATCHED_EX(name)                                                                                                 \
  {                                                                                                                      \
#name,                                                                                                                 \
   [](Products& p) {                                                                                                   \
     return name(p.handle, p.op_a, OP_N, p.m, 2, p.k, &p.alpha, reinterpret_cast<const void* const*>(p.a_array),       \
                 p.a_type, p.lda, reinterpret_cast<const void* const*>(p.b_array), p.b_type, 2, &p.beta,               \
                 reinterpret_cast<void* const*>(p.c_array), p.c_type, 2, p.count, p.compute, p.algorithm);             \
   },                                                                                                                  \
   true, true, true \
  }
const Door doors[] = {STRIDED(cublasSgemmStridedBatched),
                      STRIDED(cublasSgemmStridedBatched_64),
                      SGEMM_EX(cublasSgemmEx),
                      SGEMM_EX(cublasSgemmEx_64),
                      GEMM_EX(cublasGemmEx),
                      GEMM_EX(cublasGemmEx_64),
                      STRIDED_EX(cublasGemmStridedBatchedEx),
                      STRIDED_EX(cublasGemmStridedBatchedEx_64),
                      BATCHED(cublasSgemmBatched),
                      BATCHED(cublasSgemmBatched_64),
                      BATCHED_EX(cublasGemmBatchedEx),
                      BATCHED_EX(cublasGemmBatchedEx_64)};

void expect(const Door& door, Status status, const std::function<void(Products&)>& change) {
  Products p;
  change(p);
  CHECK(door.call(p) == status);
  CHECK(p.untouched());
}

}  // namespace

TEST_CASE("each door serves FP32, a batch in one call, and is counted by its name") {
  for (const Door& door : doors) {
    INFO(door.name);
    Products p;
    const std::uint64_t before = ladder_call_count(door.name, "9");
    CHECK(door.call(p) == STATUS_SUCCESS);
    CHECK(p.is(door.batched ? all : first));
    CHECK(ladder_call_count(door.name, "9") == before + 1);
  }
}

TEST_CASE("with beta = 0 nothing of C is read") {
  for (const Door& door : doors) {
    INFO(door.name);
    Products p;
    std::fill_n(p.c.begin(), door.batched ? 4 * batch : 4, std::numeric_limits<float>::quiet_NaN());
    CHECK(door.call(p) == STATUS_SUCCESS);
    CHECK(p.is(door.batched ? all : first));
  }
}

TEST_CASE("bad arguments get cuBLAS's status and leave C alone") {
  for (const Door& door : doors) {
    INFO(door.name);
    expect(door, STATUS_INVALID_VALUE, [](Products& p) { p.lda = 1; });
    expect(door, STATUS_INVALID_VALUE, [](Products& p) { p.m = -1; });
    constexpr auto conjugate = static_cast<Operation>(3);
    expect(door, STATUS_INVALID_VALUE, [](Products& p) { p.op_a = conjugate; });
    Products p;
    const Handle mine = std::exchange(p.handle, nullptr);
    CHECK(door.call(p) == STATUS_NOT_INITIALIZED);
    p.handle = mine;
    if (!door.batched) continue;
    expect(door, door.typed ? STATUS_EXECUTION_FAILED : STATUS_INVALID_VALUE, [](Products& x) { x.count = -1; });
    if (door.typed) expect(door, STATUS_SUCCESS, [](Products& x) { x.count = -1, x.m = 0; });
    expect(door, STATUS_SUCCESS, [](Products& x) { x.count = 0; });
  }
}

TEST_CASE("an illegal argument is reported under cuBLAS's name and number for it") {
  struct Numbers {
    const char* routine;
    int lda, ldb, ldc, batch, algorithm;  // 0: no such argument, or no complaint about it
  };
  constexpr Numbers due[] = {{"SgemmStridedBatched", 8, 10, 13, 14, 0},
                             {"SGEMM_EX ", 8, 10, 13, 0, 0},
                             {"GEMM_EX ", 9, 12, 16, 0, 18},
                             {"GEMM_EX ", 9, 13, 18, 0, 22},
                             {"SgemmBatched", 8, 10, 13, 14, 0},
                             {"GEMM_EX ", 9, 12, 16, 0, 19}};
  for (std::size_t i = 0; i < std::size(doors); ++i) {
    const Numbers& numbers = due[i / 2];  // each door is followed by its 64-bit twin
    INFO(doors[i].name);
    const auto complains = [&](int number, const std::function<void(Products&)>& change) {
      if (number == 0) return;
      expect(doors[i], STATUS_INVALID_VALUE, change);
      CHECK(std::string(ladder_last_error()) == " ** On entry to " + std::string(numbers.routine) +
                                                    " parameter number " + std::to_string(number) +
                                                    " had an illegal value");
    };
    complains(5, [](Products& p) { p.k = -1; });
    complains(numbers.lda, [](Products& p) { p.lda = 1; });
    complains(numbers.ldb, [](Products& p) { p.k = 3; });
    complains(numbers.ldc, [](Products& p) { p.m = p.lda = 3; });
    complains(numbers.batch, [](Products& p) { p.count = -1; });
    for (const int unknown : {-2, 24, 98, 116, 998, 4711})
      complains(numbers.algorithm, [&](Products& p) { p.algorithm = static_cast<Algorithm>(unknown); });
  }
}

TEST_CASE("arrays of addresses may only be null where nobody reads them") {
  for (const Door& door : doors) {
    if (!door.by_arrays) continue;
    INFO(door.name);
    expect(door, STATUS_INVALID_VALUE, [](Products& p) { p.a_array = nullptr; });
    expect(door, STATUS_INVALID_VALUE, [](Products& p) { p.b_array = nullptr; });
    expect(door, STATUS_INVALID_VALUE, [](Products& p) { p.c_array = nullptr; });
    expect(door, STATUS_SUCCESS, [](Products& p) { p.m = 0, p.c_array = nullptr; });
    expect(door, STATUS_SUCCESS, [](Products& p) { p.count = 0, p.c_array = nullptr; });
    for (const bool by_alpha : {false, true}) {
      Products p;
      p.a_array = p.b_array = nullptr;
      p.beta = 3.0f;
      (by_alpha ? p.alpha = 0.0f : p.k = 0);
      CHECK(door.call(p) == STATUS_SUCCESS);
      CHECK(p.is(std::vector<float>(4 * batch, -3.0f)));
    }
  }
}

TEST_CASE("products of a batch may be anywhere, in any order") {
  for (const Door& door : doors) {
    if (!door.by_arrays) continue;
    INFO(door.name);
    Products p;
    std::swap(p.c_each[0], p.c_each[1]);
    p.b_each[1] = p.b_each[2] = p.b_each[0];
    p.a_each[2] = p.a_each[0];
    CHECK(door.call(p) == STATUS_SUCCESS);
    CHECK(p.is({46, 68, 62, 92, 23, 34, 31, 46, 23, 34, 31, 46}));
  }
}

TEST_CASE("alpha and beta behind device pointers") {
  for (const Door& door : doors) {
    INFO(door.name);
    Products p;
    p.beta = 1.0f;
    REQUIRE(cublasSetPointerMode_v2(p.handle, POINTER_MODE_DEVICE) == STATUS_SUCCESS);
    CHECK(door.call(p) == STATUS_SUCCESS);
    std::vector<float> due = door.batched ? all : first;
    for (float& element : due) element -= 1.0f;
    CHECK(p.is(due));
  }
}

TEST_CASE("what is not FP32 is not served here") {
  for (const Door& door : doors) {
    INFO(door.name);
    const std::uint64_t before = ladder_call_count(door.name, nullptr);
    const bool has_types = std::string(door.name).find("Ex") != std::string::npos;
    if (has_types) {
      expect(door, STATUS_NOT_SUPPORTED, [](Products& p) { p.a_type = static_cast<DataType>(half); });
      expect(door, STATUS_NOT_SUPPORTED, [](Products& p) { p.b_type = static_cast<DataType>(half); });
      expect(door, STATUS_NOT_SUPPORTED, [](Products& p) { p.c_type = static_cast<DataType>(half); });
    }
    if (door.typed) {
      constexpr int in_half = 64, in_double = 70, unknown = 7;
      for (const int compute : {in_half, in_double, unknown})
        expect(door, STATUS_NOT_SUPPORTED, [&](Products& p) { p.compute = static_cast<Compute>(compute); });
    }
    CHECK(ladder_call_count(door.name, nullptr) == before);
  }
}

TEST_CASE("every way to sum in FP32, by every algorithm") {
  for (const Door& door : doors) {
    if (!door.typed) continue;
    INFO(door.name);
    for (const Compute compute : {COMPUTE_32F, COMPUTE_32F_PEDANTIC, COMPUTE_32F_FAST_16F, COMPUTE_32F_FAST_16BF,
                                  COMPUTE_32F_FAST_TF32, COMPUTE_32F_EMULATED_16BFX9}) {
      for (const Algorithm algorithm : {GEMM_DEFAULT, GEMM_ALGO0, GEMM_ALGO23, GEMM_DEFAULT_TENSOR_OP,
                                        GEMM_ALGO0_TENSOR_OP, GEMM_ALGO15_TENSOR_OP, GEMM_AUTOTUNE}) {
        Products p;
        p.compute = compute;
        p.algorithm = algorithm;
        CHECK(door.call(p) == STATUS_SUCCESS);
        CHECK(p.is(door.batched ? all : first));
      }
    }
  }
}
