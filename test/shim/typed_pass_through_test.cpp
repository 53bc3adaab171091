// SPDX-License-Identifier: MIT
// Batched and typed products handed on to the real cuBLAS, whose part a fake one plays (LADDER_CUBLAS, argument 1):
// every argument arrives as it was given. LADDER_RUNG=0, so that FP32 goes there too.
#include <dlfcn.h>
#include <ladderblas/ladderblas.h>

#include <cstdio>
#include <cstring>

#include "fake_cublas.hpp"

using namespace ladder::cublas;

namespace {

int failures = 0;

void check(bool condition, const char* door, const char* what) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "failed: %s: %s\n", door, what);
}

const RecordedCall* last_call = nullptr;

/// Calls the door and compares what the fake was handed, and what came back.
template <class Function, class... Arguments>
void goes_through(const char* door, Function* function, bool counted, Arguments... arguments) {
  const int calls = last_call->calls;
  const std::uint64_t count = ladder_call_count(door, "cublas");
  check(function(arguments...) == STATUS_ARCH_MISMATCH, door, "the real status comes back");
  check(last_call->calls == calls + 1 && std::strcmp(last_call->door, door) == 0, door, "the real one is called, once");
  check(last_call->arguments == bits_of_each(arguments...), door, "with the very same arguments");
  check(ladder_call_count(door, "cublas") == count + (counted ? 1 : 0), door, "and counted where it is SGEMM");
}

const float alpha = 2.0f, beta = 3.0f, a[4] = {}, b[4] = {};
float c[4] = {};
constexpr auto half = static_cast<DataType>(2);
constexpr auto in_half = static_cast<Compute>(64);
constexpr auto some_algorithm = static_cast<Algorithm>(4711);

#define THROUGH(name, counted, ...) goes_through(#name, name, counted, __VA_ARGS__)

template <class Int>
void all_types(Handle handle, Int m, Int n, Int k, Int six, Int seven, Int eight, Int batch) {
  const void *va = a, *vb = b, *valpha = &alpha, *vbeta = &beta;
  void* vc = c;
  const long long far = 1LL << 33, back = -5, none = 0;
  for (const DataType type : {R_32F, half}) {
    const bool fp32 = type == R_32F;
    const Compute compute = fp32 ? COMPUTE_32F_PEDANTIC : in_half;
    if constexpr (sizeof(Int) == sizeof(int)) {
      THROUGH(cublasSgemmEx, fp32, handle, OP_T, OP_C, m, n, k, &alpha, va, type, six, vb, type, seven, &beta, vc, type,
              eight);
      THROUGH(cublasGemmEx, fp32, handle, OP_T, OP_C, m, n, k, valpha, va, type, six, vb, type, seven, vbeta, vc, type,
              eight, compute, GEMM_DEFAULT);
      THROUGH(cublasGemmStridedBatchedEx, fp32, handle, OP_T, OP_C, m, n, k, valpha, va, type, six, far, vb, type,
              seven, back, vbeta, vc, type, eight, none, batch, compute, GEMM_DEFAULT);
    } else {
      THROUGH(cublasSgemmEx_64, fp32, handle, OP_T, OP_C, m, n, k, &alpha, va, type, six, vb, type, seven, &beta, vc,
              type, eight);
      THROUGH(cublasGemmEx_64, fp32, handle, OP_T, OP_C, m, n, k, valpha, va, type, six, vb, type, seven, vbeta, vc,
              type, eight, compute, GEMM_DEFAULT);
      THROUGH(cublasGemmStridedBatchedEx_64, fp32, handle, OP_T, OP_C, m, n, k, valpha, va, type, six, far, vb, type,
              seven, back, vbeta, vc, type, eight, none, batch, compute, GEMM_DEFAULT);
    }
  }
}

}  // namespace

int main(int, char** arguments) {
  Handle handle = nullptr;
  if (cublasCreate_v2(&handle) != STATUS_SUCCESS) return 1;
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return 1;
  last_call = reinterpret_cast<decltype(&fake_cublas_last_call)>(dlsym(library, "fake_cublas_last_call"))();
  reinterpret_cast<decltype(&fake_cublas_state)>(dlsym(library, "fake_cublas_state"))()->answer = STATUS_ARCH_MISMATCH;

  const long long far = 1LL << 33, back = -5, none = 0;
  const float* pa = a;
  const float* pb = b;
  float* pc = c;
  THROUGH(cublasSgemmStridedBatched, true, handle, OP_T, OP_C, 3, 4, 5, &alpha, pa, 6, far, pb, 7, back, &beta, pc, 8,
          none, 9);
  const std::int64_t big = std::int64_t{1} << 40;
  THROUGH(cublasSgemmStridedBatched_64, true, handle, OP_T, OP_C, big, big, big, &alpha, pa, big, far, pb, big, back,
          &beta, pc, big, none, big);
  all_types<int>(handle, 3, 4, 5, 6, 7, 8, 9);
  all_types<std::int64_t>(handle, big, big + 1, big + 2, big, big + 3, big, big);
  const void *va = a, *vb = b, *valpha = &alpha, *vbeta = &beta;
  void* vc = c;
  THROUGH(cublasGemmEx, false, handle, OP_N, OP_N, -1, 0, 0, valpha, va, R_32F, 0, vb, R_32F, 0, vbeta, vc, R_32F, 0,
          COMPUTE_32F, some_algorithm);
  cublasDestroy_v2(handle);
  return failures == 0 ? 0 : 1;
}
