// SPDX-License-Identifier: MIT
// The cuBLAS doors under LADDER_DEVICE=emulate: handles of our own, and cuBLAS's statuses.
#include "cublas_doors.hpp"

#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace cublas = ladder::cublas;
using namespace cublas;

namespace {

class NewHandle {
 public:
  NewHandle() { REQUIRE(cublasCreate_v2(&handle_) == STATUS_SUCCESS); }
  ~NewHandle() { CHECK(cublasDestroy_v2(handle_) == STATUS_SUCCESS); }
  operator Handle() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

const float one = 1.0f;
const float zero = 0.0f;

/// The 2 x 2 product of a and b into c, with one argument changed.
struct Call {
  Operation op_a = OP_N, op_b = OP_N;
  int m = 2, n = 2, k = 2;
  const float* alpha = &one;
  const float* a;
  int lda = 2;
  const float* b;
  int ldb = 2;
  const float* beta = &zero;
  float* c;
  int ldc = 2;

  Status through(Handle handle) const {
    return cublasSgemm_v2(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
  Status through_64(Handle handle) const {
    return cublasSgemm_v2_64(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
};

struct Fixture {
  float a[4] = {1, 2, 3, 4};
  float b[4] = {5, 6, 7, 8};
  float c[4] = {-1, -1, -1, -1};
  NewHandle handle;

  Call call() {
    Call call;
    call.a = a, call.b = b, call.c = c;
    return call;
  }
  bool untouched() const { return c[0] == -1 && c[1] == -1 && c[2] == -1 && c[3] == -1; }
  bool multiplied() const { return c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46; }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a product through both names, counted") {
  for (const bool wide : {false, true}) {
    const char* door = wide ? "cublasSgemm_v2_64" : "cublasSgemm_v2";
    const std::uint64_t before = ladder_call_count(door, "9");
    std::fill_n(c, 4, std::numeric_limits<float>::quiet_NaN());
    CHECK((wide ? call().through_64(handle) : call().through(handle)) == STATUS_SUCCESS);
    CHECK(multiplied());
    CHECK(ladder_call_count(door, "9") == before + 1);
  }
}

TEST_CASE_FIXTURE(Fixture, "alpha and beta behind device pointers") {
  CHECK(cublasSetPointerMode_v2(handle, POINTER_MODE_DEVICE) == STATUS_SUCCESS);
  CHECK(call().through(handle) == STATUS_SUCCESS);
  CHECK(multiplied());
}

TEST_CASE_FIXTURE(Fixture, "bad arguments get cuBLAS's status and leave C alone") {
  const auto expect = [&](Status status, auto&& change) {
    Call changed = call();
    change(changed);
    CHECK(changed.through(handle) == status);
    CHECK(changed.through_64(handle) == status);
    CHECK(untouched());
  };
  const Status invalid = STATUS_INVALID_VALUE;
  constexpr int conjugate = 3;
  for (const int op : {-1, conjugate, 111}) {
    expect(invalid, [&](Call& x) { x.op_a = static_cast<Operation>(op); });
    expect(invalid, [&](Call& x) { x.op_b = static_cast<Operation>(op); });
  }
  expect(invalid, [](Call& x) { x.m = -1; });
  expect(invalid, [](Call& x) { x.n = -1; });
  expect(invalid, [](Call& x) { x.k = -1; });
  expect(invalid, [](Call& x) { x.lda = 1; });
  expect(invalid, [](Call& x) { x.ldb = 1; });
  expect(invalid, [](Call& x) { x.ldc = 1; });
  expect(invalid, [](Call& x) { x.m = 0, x.lda = 0; });
  expect(invalid, [](Call& x) { x.k = 0, x.ldb = 0; });
  expect(invalid, [](Call& x) { x.alpha = nullptr; });
  expect(invalid, [](Call& x) { x.beta = nullptr; });
  expect(invalid, [](Call& x) { x.a = nullptr; });
  expect(invalid, [](Call& x) { x.b = nullptr; });
  expect(invalid, [](Call& x) { x.c = nullptr; });
  expect(STATUS_SUCCESS, [](Call& x) { x.m = 0, x.c = nullptr; });
  expect(STATUS_SUCCESS, [](Call& x) { x.n = 0, x.c = nullptr; });
  expect(STATUS_SUCCESS, [](Call& x) { x.k = 0, x.a = nullptr, x.b = nullptr, x.beta = &one; });
  CHECK(call().through(nullptr) == STATUS_NOT_INITIALIZED);
  CHECK(untouched());
}

TEST_CASE_FIXTURE(Fixture, "with k = 0 or alpha = 0 null matrices are legal and C is scaled") {
  for (const bool by_alpha : {false, true}) {
    const float two = 2.0f;
    Call scaling = call();
    scaling.a = scaling.b = nullptr;
    scaling.beta = &two;
    if (by_alpha) {
      scaling.alpha = &zero;
    } else {
      scaling.k = 0;
    }
    std::fill_n(c, 4, 3.0f);
    CHECK(scaling.through(handle) == STATUS_SUCCESS);
    for (const float element : c) CHECK(element == 6.0f);
  }
}

TEST_CASE_FIXTURE(Fixture, "an illegal argument is remembered with its position") {
  Call bad = call();
  bad.ldb = 1;
  CHECK(bad.through(handle) == STATUS_INVALID_VALUE);
  CHECK(std::string(ladder_last_error()) == " ** On entry to SGEMM  parameter number 10 had an illegal value");
}

TEST_CASE_FIXTURE(Fixture, "the legacy interface takes letters and values") {
  const std::uint64_t before = ladder_call_count("cublasSgemm", nullptr);
  cublasSgemm('n', 'N', 2, 2, 2, 1.0f, a, 2, b, 2, 0.0f, c, 2);
  CHECK(multiplied());
  CHECK(ladder_call_count("cublasSgemm", nullptr) == before + 1);
  std::fill_n(c, 4, -1.0f);
  cublasSgemm('X', 'N', 2, 2, 2, 1.0f, a, 2, b, 2, 0.0f, c, 2);
  cublasSgemm('N', 'N', 2, 2, 2, 1.0f, a, 1, b, 2, 0.0f, c, 2);
  CHECK(untouched());
}

TEST_CASE("a handle keeps what it is told") {
  NewHandle handle;
  CudaStream stream = nullptr;
  int storage = 0;
  const auto some_stream = reinterpret_cast<CudaStream>(&storage);
  CHECK(cublasSetStream_v2(handle, some_stream) == STATUS_SUCCESS);
  CHECK(cublasGetStream_v2(handle, &stream) == STATUS_SUCCESS);
  CHECK(stream == some_stream);

  PointerMode pointer_mode = POINTER_MODE_DEVICE;
  CHECK(cublasGetPointerMode_v2(handle, &pointer_mode) == STATUS_SUCCESS);
  CHECK(pointer_mode == POINTER_MODE_HOST);
  CHECK(cublasSetPointerMode_v2(handle, static_cast<PointerMode>(2)) == STATUS_INVALID_VALUE);

  Math math = TENSOR_OP_MATH;
  CHECK(cublasGetMathMode(handle, &math) == STATUS_SUCCESS);
  CHECK(math == DEFAULT_MATH);
  CHECK(cublasSetMathMode(handle, TF32_TENSOR_OP_MATH) == STATUS_SUCCESS);
  CHECK(cublasGetMathMode(handle, &math) == STATUS_SUCCESS);
  CHECK(math == TF32_TENSOR_OP_MATH);
  CHECK(cublasSetMathMode(handle, static_cast<Math>(PEDANTIC_MATH | MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)) ==
        STATUS_SUCCESS);
  for (const int nameless : {7, 15, 31})
    CHECK(cublasSetMathMode(handle, static_cast<Math>(nameless)) == STATUS_SUCCESS);
  for (const int beyond : {-1, 32}) CHECK(cublasSetMathMode(handle, static_cast<Math>(beyond)) == STATUS_INVALID_VALUE);

  AtomicsMode atomics = ATOMICS_ALLOWED;
  CHECK(cublasGetAtomicsMode(handle, &atomics) == STATUS_SUCCESS);
  CHECK(atomics == ATOMICS_NOT_ALLOWED);
  CHECK(cublasSetAtomicsMode(handle, ATOMICS_ALLOWED) == STATUS_SUCCESS);
  CHECK(cublasSetAtomicsMode(handle, static_cast<AtomicsMode>(5)) == STATUS_INVALID_VALUE);

  CHECK(cublasGetStream_v2(handle, nullptr) == STATUS_INVALID_VALUE);
  CHECK(cublasSetWorkspace_v2(handle, nullptr, 0) == STATUS_SUCCESS);
  CHECK(cublasSetWorkspace_v2(handle, reinterpret_cast<void*>(std::uintptr_t{1}), 256) == STATUS_SUCCESS);
}

TEST_CASE("handles that are not alive are refused") {
  Handle handle = nullptr;
  CHECK(cublasCreate_v2(nullptr) == STATUS_INVALID_VALUE);
  REQUIRE(cublasCreate_v2(&handle) == STATUS_SUCCESS);
  CHECK(cublasDestroy_v2(handle) == STATUS_SUCCESS);
  CHECK(cublasDestroy_v2(nullptr) == STATUS_NOT_INITIALIZED);
  CHECK(cublasSetStream_v2(nullptr, nullptr) == STATUS_NOT_INITIALIZED);
}

TEST_CASE("running out of handles is an answer, and destroyed ones are used again") {
  constexpr int far_too_many = 100000;
  std::vector<Handle> handles;
  Status status = STATUS_SUCCESS;
  while (status == STATUS_SUCCESS && handles.size() < far_too_many) {
    Handle handle = nullptr;
    status = cublasCreate_v2(&handle);
    if (status == STATUS_SUCCESS) handles.push_back(handle);
  }
  CHECK(status == STATUS_ALLOC_FAILED);
  for (const Handle handle : handles) CHECK(cublasDestroy_v2(handle) == STATUS_SUCCESS);
  const NewHandle again;
}

TEST_CASE("many threads, one handle each") {
  constexpr int threads = 4;
  constexpr int rounds = 50;
  std::atomic<int> right{0};
  std::vector<std::thread> pool;
  const std::uint64_t before = ladder_call_count("cublasSgemm_v2", nullptr);
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&right, t] {
      for (int round = 0; round < rounds; ++round) {
        Handle handle = nullptr;
        const float a = static_cast<float>(t), b = static_cast<float>(round);
        float c = -1;
        if (cublasCreate_v2(&handle) == STATUS_SUCCESS &&
            cublasSgemm_v2(handle, OP_N, OP_T, 1, 1, 1, &one, &a, 1, &b, 1, &zero, &c, 1) == STATUS_SUCCESS &&
            cublasDestroy_v2(handle) == STATUS_SUCCESS)
          right += c == a * b;
      }
    });
  for (std::thread& thread : pool) thread.join();
  CHECK(right == threads * rounds);
  CHECK(ladder_call_count("cublasSgemm_v2", nullptr) == before + threads * rounds);
}

TEST_CASE("version, property and names") {
  int version = 0, major = -1, minor = -1, patch = -1;
  CHECK(cublasGetVersion_v2(nullptr, &version) == STATUS_SUCCESS);
  CHECK(cublasGetProperty(PROPERTY_MAJOR, &major) == STATUS_SUCCESS);
  CHECK(cublasGetProperty(PROPERTY_MINOR, &minor) == STATUS_SUCCESS);
  CHECK(cublasGetProperty(PROPERTY_PATCH, &patch) == STATUS_SUCCESS);
  CHECK(version == major * 10000 + minor * 100 + patch);
  CHECK(cublasGetProperty(static_cast<Property>(3), &major) == STATUS_INVALID_VALUE);
  CHECK(cublasGetProperty(PROPERTY_MAJOR, nullptr) == STATUS_INVALID_VALUE);
  CHECK(std::string(cublasGetStatusName(STATUS_EXECUTION_FAILED)) == "CUBLAS_STATUS_EXECUTION_FAILED");
  CHECK(std::strlen(cublasGetStatusString(STATUS_INVALID_VALUE)) > 0);
  CHECK(cublasGetStatusName(static_cast<Status>(99)) != nullptr);
}

TEST_CASE("matrices and vectors are copied with their leading dimensions and steps") {
  const double from[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  double to[12] = {};
  const auto matrix = {&cublasSetMatrix, &cublasGetMatrix};
  for (const auto copy : matrix) {
    std::fill_n(to, 12, -1.0);
    CHECK(copy(2, 3, sizeof(double), from, 4, to, 3) == STATUS_SUCCESS);
    const double expected[12] = {0, 1, -1, 4, 5, -1, 8, 9, -1, -1, -1, -1};
    CHECK(std::memcmp(to, expected, sizeof to) == 0);
    CHECK(copy(-1, 3, 8, from, 4, to, 3) == STATUS_INVALID_VALUE);
    CHECK(copy(2, -1, 8, from, 4, to, 3) == STATUS_INVALID_VALUE);
    CHECK(copy(2, 3, 0, from, 4, to, 3) == STATUS_INVALID_VALUE);
    CHECK(copy(2, 3, 8, from, 0, to, 3) == STATUS_INVALID_VALUE);
    CHECK(copy(2, 3, 8, from, 4, to, 0) == STATUS_INVALID_VALUE);
    CHECK(copy(0, 3, 8, nullptr, 4, nullptr, 3) == STATUS_SUCCESS);
  }
  const auto vector = {&cublasSetVector, &cublasGetVector};
  for (const auto copy : vector) {
    std::fill_n(to, 12, -1.0);
    CHECK(copy(3, sizeof(double), from, 4, to, 2) == STATUS_SUCCESS);
    const double expected[6] = {0, -1, 4, -1, 8, -1};
    CHECK(std::memcmp(to, expected, sizeof expected) == 0);
    CHECK(copy(3, 8, from, 0, to, 1) == STATUS_INVALID_VALUE);
    CHECK(copy(3, 8, from, 1, to, -1) == STATUS_INVALID_VALUE);
  }
  CHECK(cublasSetMatrixAsync(2, 3, 8, from, 4, to, 3, nullptr) == STATUS_SUCCESS);
  CHECK(cublasGetMatrixAsync(2, 3, 8, from, 4, to, 3, nullptr) == STATUS_SUCCESS);
  CHECK(cublasSetVectorAsync(3, 8, from, 4, to, 2, nullptr) == STATUS_SUCCESS);
  CHECK(cublasGetVectorAsync(3, 8, from, 4, to, 2, nullptr) == STATUS_SUCCESS);
}
