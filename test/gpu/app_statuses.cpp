// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program that makes every bad call of cublasSgemm and its batched and typed relatives, and the odd
// but legal ones, and prints the status of each and what became of C; then what the functions about handles say to odd
// values. What cuBLAS prints alone it must also print with somebody in front of it. Lines that begin with ` **` are
// cuBLAS's own.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

namespace {

constexpr int size = 8;
constexpr int count = size * size;
constexpr int most_products = 2;
constexpr float c_before = 5.0f;

// Younger than some toolkits.
constexpr auto compute_emulated_by_bf16 = static_cast<cublasComputeType_t>(78);
constexpr auto algorithm_autotune = static_cast<cublasGemmAlgo_t>(999);

struct Call {
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  int m = size, n = size, k = size;
  float alpha_value = 1.0f, beta_value = 2.0f;
  const float* alpha = &alpha_value;
  const float* a = nullptr;
  int lda = size;
  const float* b = nullptr;
  int ldb = size;
  const float* beta = &beta_value;
  float* c = nullptr;
  int ldc = size;
  int batch = 1;
  long long stride = count;               ///< of A, B and C
  const float* const* a_array = nullptr;  ///< `most_products` times the same address: `stride` is always 0 here
  const float* const* b_array = nullptr;
  float* const* c_array = nullptr;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasGemmAlgo_t algorithm = CUBLAS_GEMM_DEFAULT;
};

struct Door {
  const char* name;
  cublasStatus_t (*call)(cublasHandle_t, const Call&);
  bool by_arrays = false;
};

#define DOOR(name, by_arrays, ...)                                                        \
  Door(                                                                                   \
      #name,                                                                              \
      [](cublasHandle_t handle, const Call& x) {                                          \
        return cublas##name(handle, x.op_a, x.op_b, x.m, x.n, x.k, x.alpha, __VA_ARGS__); \
      },                                                                                  \
      by_arrays)
#define FP32_A x.a, CUDA_R_32F, x.lda
#define FP32_B x.b, CUDA_R_32F, x.ldb
#define FP32_C x.c, CUDA_R_32F, x.ldc
#define A_ARRAY reinterpret_cast<const void* const*>(x.a_array)
#define B_ARRAY reinterpret_cast<const void* const*>(x.b_array)
#define C_ARRAY reinterpret_cast<void* const*>(x.c_array)
#define DOORS(suffix)                                                                                                  \
  DOOR(Sgemm##suffix, false, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc),                                              \
      DOOR(SgemmStridedBatched##suffix, false, x.a, x.lda, x.stride, x.b, x.ldb, x.stride, x.beta, x.c, x.ldc,         \
           x.stride, x.batch),                                                                                         \
      DOOR(SgemmBatched##suffix, true, x.a_array, x.lda, x.b_array, x.ldb, x.beta, x.c_array, x.ldc, x.batch),         \
      DOOR(SgemmEx##suffix, false, FP32_A, FP32_B, x.beta, FP32_C),                                                    \
      DOOR(GemmEx##suffix, false, FP32_A, FP32_B, x.beta, FP32_C, x.compute, x.algorithm),                             \
      DOOR(GemmStridedBatchedEx##suffix, false, FP32_A, x.stride, FP32_B, x.stride, x.beta, FP32_C, x.stride, x.batch, \
           x.compute, x.algorithm),                                                                                    \
      DOOR(GemmBatchedEx##suffix, true, A_ARRAY, CUDA_R_32F, x.lda, B_ARRAY, CUDA_R_32F, x.ldb, x.beta, C_ARRAY,       \
           CUDA_R_32F, x.ldc, x.batch, x.compute, x.algorithm)
const Door doors[] = {DOORS(), DOORS(_64)};

enum class Danger {
  none,
  fatal,      ///< made through cublasSgemm alone: cuBLAS itself crashed among these behind the other doors
  by_arrays,  ///< arrays of addresses are null: made by a process of its own, which says nothing if it does not survive
};

struct Oddity {
  const char* what;
  std::function<void(Call&)> make;
  Danger danger = Danger::none;
};

void no_operands(Call& x) {
  x.a = x.b = nullptr;
  x.a_array = x.b_array = nullptr;
}

const Oddity oddities[] = {
    {"plain", [](Call&) {}},
    {"op A unknown", [](Call& x) { x.op_a = static_cast<cublasOperation_t>(9); }},
    {"op B unknown", [](Call& x) { x.op_b = static_cast<cublasOperation_t>(9); }},
    {"op A conjugate, no transpose", [](Call& x) { x.op_a = CUBLAS_OP_CONJG; }},
    {"op B conjugate, no transpose", [](Call& x) { x.op_b = CUBLAS_OP_CONJG; }},
    {"op A conjugate transpose", [](Call& x) { x.op_a = CUBLAS_OP_C; }},
    {"m < 0", [](Call& x) { x.m = -1; }},
    {"n < 0", [](Call& x) { x.n = -1; }},
    {"k < 0", [](Call& x) { x.k = -1; }},
    {"lda small", [](Call& x) { x.lda = size - 1; }},
    {"lda 0", [](Call& x) { x.lda = 0; }},
    {"ldb small", [](Call& x) { x.ldb = size - 1; }},
    {"ldc small", [](Call& x) { x.ldc = size - 1; }},
    {"lda small, m = 0", [](Call& x) { x.m = 0, x.lda = 0; }},
    {"ldb small, k = 0", [](Call& x) { x.k = 0, x.ldb = 0; }},
    {"alpha null", [](Call& x) { x.alpha = nullptr; }, Danger::fatal},
    {"beta null", [](Call& x) { x.beta = nullptr; }, Danger::fatal},
    {"A null", [](Call& x) { x.a = nullptr; }, Danger::fatal},
    {"B null", [](Call& x) { x.b = nullptr; }, Danger::fatal},
    {"m = 0", [](Call& x) { x.m = 0; }},
    {"n = 0", [](Call& x) { x.n = 0; }},
    {"k = 0", [](Call& x) { x.k = 0; }},
    {"k = 0, A and B null", [](Call& x) { x.k = 0, no_operands(x); }, Danger::by_arrays},
    {"alpha = 0, A and B null", [](Call& x) { x.alpha_value = 0.0f, no_operands(x); }, Danger::by_arrays},
    {"alpha = 0, beta = 1", [](Call& x) { x.alpha_value = 0.0f, x.beta_value = 1.0f; }},
    {"C null, m = 0", [](Call& x) { x.m = 0, x.c = nullptr, x.c_array = nullptr; }, Danger::by_arrays},
    {"beta = 0", [](Call& x) { x.beta_value = 0.0f; }},
    {"batch < 0", [](Call& x) { x.batch = -1; }},
    {"batch < 0, m = 0", [](Call& x) { x.batch = -1, x.m = 0; }},
    {"batch 0", [](Call& x) { x.batch = 0; }},
    {"two products in one place", [](Call& x) { x.batch = 2, x.stride = 0, x.beta_value = 0.0f; }},
    {"algorithm unknown", [](Call& x) { x.algorithm = static_cast<cublasGemmAlgo_t>(4711); }},
    {"compute type of halves", [](Call& x) { x.compute = CUBLAS_COMPUTE_16F; }},
    {"pedantic", [](Call& x) { x.compute = CUBLAS_COMPUTE_32F_PEDANTIC; }},
    {"TF32 allowed", [](Call& x) { x.compute = CUBLAS_COMPUTE_32F_FAST_TF32; }},
    {"halves allowed", [](Call& x) { x.compute = CUBLAS_COMPUTE_32F_FAST_16F; }},
    {"bfloat16 allowed", [](Call& x) { x.compute = CUBLAS_COMPUTE_32F_FAST_16BF; }},
    {"emulated by bfloat16", [](Call& x) { x.compute = compute_emulated_by_bf16; }},
    {"algorithm by trial", [](Call& x) { x.algorithm = algorithm_autotune, x.beta_value = 0.0f; }},
    {"beta NaN", [](Call& x) { x.beta_value = std::numeric_limits<float>::quiet_NaN(); }},
};

template <class T>
T* device_array(const std::vector<T>& host) {
  T* device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

/// Matrices and arrays of their addresses on the device, for one call.
class Operands {
 public:
  explicit Operands(Call& x) {
    x.a = a_, x.b = b_, x.c = c_;
    x.a_array = a_array_, x.b_array = b_array_, x.c_array = c_array_;
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() {
    for (float* matrix : {a_, b_, c_}) cudaFree(matrix);
    for (float** array : {a_array_, b_array_, c_array_}) cudaFree(array);
  }

  cudaError_t first_of_c(float& value) const { return cudaMemcpy(&value, c_, sizeof value, cudaMemcpyDeviceToHost); }

 private:
  static float* matrix_of(float value) { return device_array(std::vector<float>(count, value)); }
  static float** array_of(float* matrix) { return device_array(std::vector<float*>(most_products, matrix)); }

  float *a_ = matrix_of(1.0f), *b_ = matrix_of(0.5f), *c_ = matrix_of(c_before);
  float **a_array_ = array_of(a_), **b_array_ = array_of(b_), **c_array_ = array_of(c_);
};

void make_call(cublasHandle_t handle, const Door& door, const Oddity& oddity, bool must_survive = true) {
  Call x;
  const Operands operands(x);
  oddity.make(x);
  const cublasStatus_t status = door.call(handle, x);
  float first = 0.0f;
  const cudaError_t error = operands.first_of_c(first);
  if (must_survive || error == cudaSuccess)
    std::printf("status of %s, %s: %d cuda %d C(0,0) %g\n", door.name, oddity.what, status, error, first);
}

/// A dangerous call in a process of its own. To be called before this one has touched the GPU.
pid_t make_call_elsewhere(const Door& door, const Oddity& oddity) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS) make_call(handle, door, oddity, false);
  std::fflush(stdout);
  _exit(0);
}

void make_calls_elsewhere() {
  std::vector<pid_t> children;
  for (const Door* door = doors; door < doors + std::size(doors) / 2; ++door) {  // without their 64-bit twins
    for (const Oddity& oddity : oddities) {
      if (door->by_arrays && oddity.danger == Danger::by_arrays) children.push_back(make_call_elsewhere(*door, oddity));
    }
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
}

void set_odd_values(cublasHandle_t handle) {
  constexpr int last_mode = 33;
  for (int mode = -1; mode <= last_mode; ++mode)
    std::printf("status of SetMathMode %d: %d\n", mode, cublasSetMathMode(handle, static_cast<cublasMath_t>(mode)));
  for (const int mode : {-1, 2}) {
    const cublasStatus_t pointers = cublasSetPointerMode(handle, static_cast<cublasPointerMode_t>(mode));
    const cublasStatus_t atomics = cublasSetAtomicsMode(handle, static_cast<cublasAtomicsMode_t>(mode));
    std::printf("status of SetPointerMode %d: %d, SetAtomicsMode: %d\n", mode, pointers, atomics);
  }
  constexpr std::size_t bytes = 1 << 20;
  char* memory = nullptr;
  cudaMalloc(&memory, bytes + 1);
  std::printf("status of SetWorkspace without memory: %d\n", cublasSetWorkspace(handle, nullptr, bytes));
  std::printf("status of SetWorkspace misaligned: %d\n", cublasSetWorkspace(handle, memory + 1, bytes));
  std::printf("status of SetWorkspace: %d\n", cublasSetWorkspace(handle, memory, bytes));
  std::printf("status of SetWorkspace with none: %d\n", cublasSetWorkspace(handle, nullptr, 0));
  cudaFree(memory);
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  make_calls_elsewhere();
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  for (const Door& door : doors) {
    for (const Oddity& oddity : oddities) {
      const bool too_dangerous =
          (oddity.danger == Danger::fatal && &door != doors) || (oddity.danger == Danger::by_arrays && door.by_arrays);
      if (!too_dangerous) make_call(handle, door, oddity);
    }
    make_call(nullptr, door, {"handle null", [](Call&) {}});
  }
  set_odd_values(handle);
  cublasDestroy(handle);
  return 0;
}
