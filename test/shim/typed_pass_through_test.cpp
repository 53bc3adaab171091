// SPDX-License-Identifier: MIT
// Batched and typed products, and the functions about handles and copies, handed on to the real cuBLAS, whose part a
// fake one plays (LADDER_CUBLAS, argument 1): every argument arrives as it was given, and the status comes back.
// LADDER_RUNG=0, so that FP32 goes there too.
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
const void* const untyped_alpha = &alpha;
const void* const untyped_beta = &beta;
const void* const untyped_a = a;
const void* const untyped_b = b;
void* const untyped_c = c;
const float *const a_array[] = {a}, *const b_array[] = {b};
float* const c_array[] = {c};
constexpr long long far = 1LL << 33, back = -5, none = 0;
constexpr auto half = static_cast<DataType>(2);
constexpr auto in_half = static_cast<Compute>(64);
constexpr auto some_algorithm = static_cast<Algorithm>(4711);
constexpr auto some_operation = static_cast<Operation>(77);

#define THROUGH(name, counted, ...) goes_through(#name, name, counted, __VA_ARGS__)

/// The doors for FP32 alone, and those for all types with `type`, for 32-bit or 64-bit extents.
#define ALL_DOORS(suffix, Int)                                                                                         \
  void products##suffix(Handle handle, Int m, Int n, Int k, Int lda, Int ldb, Int ldc, Int batch) {                    \
    const float *pa = a, *pb = b;                                                                                      \
    float* pc = c;                                                                                                     \
    THROUGH(cublasSgemmStridedBatched##suffix, true, handle, OP_T, OP_C, m, n, k, &alpha, pa, lda, far, pb, ldb, back, \
            &beta, pc, ldc, none, batch);                                                                              \
    THROUGH(cublasSgemmBatched##suffix, true, handle, OP_T, OP_C, m, n, k, &alpha, +a_array, lda, +b_array, ldb,       \
            &beta, +c_array, ldc, batch);                                                                              \
  }                                                                                                                    \
  void typed_products##suffix(DataType type, Handle handle, Int m, Int n, Int k, Int lda, Int ldb, Int ldc,            \
                              Int batch) {                                                                             \
    const bool fp32 = type == R_32F;                                                                                   \
    const Compute compute = fp32 ? COMPUTE_32F_PEDANTIC : in_half;                                                     \
    const auto untyped_a_array = reinterpret_cast<const void* const*>(+a_array);                                       \
    const auto untyped_b_array = reinterpret_cast<const void* const*>(+b_array);                                       \
    const auto untyped_c_array = reinterpret_cast<void* const*>(+c_array);                                             \
    THROUGH(cublasSgemmEx##suffix, fp32, handle, OP_T, OP_C, m, n, k, &alpha, untyped_a, type, lda, untyped_b, type,   \
            ldb, &beta, untyped_c, type, ldc);                                                                         \
    THROUGH(cublasGemmEx##suffix, fp32, handle, OP_T, OP_C, m, n, k, untyped_alpha, untyped_a, type, lda, untyped_b,   \
            type, ldb, untyped_beta, untyped_c, type, ldc, compute, GEMM_DEFAULT);                                     \
    THROUGH(cublasGemmStridedBatchedEx##suffix, fp32, handle, OP_T, OP_C, m, n, k, untyped_alpha, untyped_a, type,     \
            lda, far, untyped_b, type, ldb, back, untyped_beta, untyped_c, type, ldc, none, batch, compute,            \
            GEMM_DEFAULT);                                                                                             \
    THROUGH(cublasGemmBatchedEx##suffix, fp32, handle, OP_T, OP_C, m, n, k, untyped_alpha, untyped_a_array, type, lda, \
            untyped_b_array, type, ldb, untyped_beta, untyped_c_array, type, ldc, batch, compute, GEMM_DEFAULT);       \
  }                                                                                                                    \
  void all_products##suffix(Handle handle, Int m, Int n, Int k, Int lda, Int ldb, Int ldc, Int batch) {                \
    products##suffix(handle, m, n, k, lda, ldb, ldc, batch);                                                           \
    for (const DataType type : {R_32F, half}) typed_products##suffix(type, handle, m, n, k, lda, ldb, ldc, batch);     \
  }
ALL_DOORS(, int)
ALL_DOORS(_64, std::int64_t)
#undef ALL_DOORS

/// What cuBLAS refuses, and what we do not know, is its own business.
void odd_calls(Handle handle) {
  const float* no_matrix = nullptr;
  float* no_result = nullptr;
  const float* const* no_array = nullptr;
  float* const* no_result_array = nullptr;
  THROUGH(cublasGemmEx, false, handle, OP_N, OP_N, -1, 0, 0, untyped_alpha, untyped_a, R_32F, 0, untyped_b, R_32F, 0,
          untyped_beta, untyped_c, R_32F, 0, COMPUTE_32F, some_algorithm);
  THROUGH(cublasSgemmBatched, true, handle, some_operation, OP_N, -1, -2, -3, no_matrix, no_array, 0, no_array, 0,
          no_matrix, no_result_array, 0, -1);
  THROUGH(cublasSgemmStridedBatched, true, handle, some_operation, OP_N, -1, -2, -3, no_matrix, no_matrix, 0, none,
          no_matrix, 0, none, no_matrix, no_result, 0, none, -1);
}

void handle_functions(Handle handle) {
  AtomicsMode atomics = ATOMICS_ALLOWED;
  int value = 0;
  void* const workspace = c + 1;  // not aligned: not our business either
  const auto some_stream = reinterpret_cast<CudaStream>(&value);
  const std::size_t bytes = std::size_t{1} << 40;
  THROUGH(cublasSetAtomicsMode, false, handle, static_cast<AtomicsMode>(5));
  THROUGH(cublasGetAtomicsMode, false, handle, &atomics);
  THROUGH(cublasSetWorkspace_v2, false, handle, workspace, bytes);
  THROUGH(cublasGetProperty, false, static_cast<Property>(7), &value);
  THROUGH(cublasSetMatrix, false, -1, 2, 3, untyped_a, 4, untyped_c, 5);
  THROUGH(cublasGetMatrix, false, 1, -2, 3, untyped_a, 4, untyped_c, 5);
  THROUGH(cublasSetMatrixAsync, false, 1, 2, -3, untyped_a, 4, untyped_c, 5, some_stream);
  THROUGH(cublasGetMatrixAsync, false, 1, 2, 3, untyped_a, -4, untyped_c, 5, some_stream);
  THROUGH(cublasSetVector, false, 1, 2, untyped_a, 3, untyped_c, -4);
  THROUGH(cublasGetVector, false, -1, 2, untyped_a, 3, untyped_c, 4);
  THROUGH(cublasSetVectorAsync, false, 1, -2, untyped_a, 3, untyped_c, 4, some_stream);
  THROUGH(cublasGetVectorAsync, false, 1, 2, untyped_a, -3, untyped_c, 4, some_stream);
  check(std::strcmp(cublasGetStatusName(STATUS_SUCCESS), fake_status_text) == 0, "cublasGetStatusName", "is real");
  check(std::strcmp(cublasGetStatusString(STATUS_SUCCESS), fake_status_text) == 0, "cublasGetStatusString", "is real");
}

}  // namespace

int main(int, char** arguments) {
  Handle handle = nullptr;
  if (cublasCreate_v2(&handle) != STATUS_SUCCESS) return 1;
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return 1;
  last_call = reinterpret_cast<decltype(&fake_cublas_last_call)>(dlsym(library, "fake_cublas_last_call"))();
  reinterpret_cast<decltype(&fake_cublas_state)>(dlsym(library, "fake_cublas_state"))()->answer = STATUS_ARCH_MISMATCH;

  constexpr std::int64_t big = std::int64_t{1} << 40;
  all_products(handle, 3, 4, 5, 6, 7, 8, 9);
  all_products_64(handle, big, big + 1, big + 2, big + 3, big + 4, big + 5, big + 6);
  odd_calls(handle);
  handle_functions(handle);
  cublasDestroy_v2(handle);
  return failures == 0 ? 0 : 1;
}
