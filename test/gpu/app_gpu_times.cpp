// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program, linked to nothing of ours, that knows how long its products take on the GPU: it times
// some with events of its own, has others captured, of other types or in TF32, and leaves work behind when it ends.
// Prints one line, which gpu_times.py compares with the library's summary.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int side = 4096;
constexpr int large_k = side / 4;  // its products are of another shape class than the others
constexpr int skinny_side = 64;
constexpr int small_side = 128;
constexpr int timed_calls = 20;
constexpr int decode_calls = 100;
constexpr int captured_calls = 5;
constexpr int half_calls = 3;
constexpr int tf32_calls = 4;
constexpr int small_calls = 2000;
constexpr int calls_left_behind = 10;

void need(bool went_well, const char* what) {
  if (went_well) return;
  std::fprintf(stderr, "app_gpu_times: %s failed\n", what);
  std::exit(1);
}

void need(cudaError_t error, const char* what) { need(error == cudaSuccess, what); }

struct Matrices {
  float *a = nullptr, *b = nullptr, *c = nullptr;
};

Matrices make_matrices() {
  constexpr std::size_t bytes = sizeof(float) * side * side;
  Matrices made;
  for (float** matrix : {&made.a, &made.b, &made.c}) {
    need(cudaMalloc(reinterpret_cast<void**>(matrix), bytes), "cudaMalloc");
    need(cudaMemset(*matrix, 0, bytes), "cudaMemset");
  }
  return made;
}

void multiply(cublasHandle_t handle, const Matrices& x, int m, int n, int k) {
  const float one = 1.0f, zero = 0.0f;
  need(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, x.a, side, x.b, side, &zero, x.c, side) ==
           CUBLAS_STATUS_SUCCESS,
       "cublasSgemm");
}

/// The same product as the large ones, through another function: a first launch waits for its kernel to be loaded.
void warm_up(cublasHandle_t handle, const Matrices& x) {
  const float one = 1.0f, zero = 0.0f;
  need(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, side, side, large_k, &one, x.a, CUDA_R_32F, side, x.b, CUDA_R_32F,
                    side, &zero, x.c, CUDA_R_32F, side, CUBLAS_COMPUTE_32F,
                    CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS,
       "cublasGemmEx");
}

/// Milliseconds that the GPU takes for one large product, by the program's own events around several.
double time_large(cublasHandle_t handle, const Matrices& x, cudaStream_t stream) {
  cudaEvent_t start = nullptr, stop = nullptr;
  float milliseconds = 0.0f;
  need(cudaEventCreate(&start), "cudaEventCreate");
  need(cudaEventCreate(&stop), "cudaEventCreate");
  multiply(handle, x, side, side, large_k);
  need(cudaEventRecord(start, stream), "cudaEventRecord");
  for (int i = 1; i < timed_calls; ++i) multiply(handle, x, side, side, large_k);
  need(cudaEventRecord(stop, stream), "cudaEventRecord");
  need(cudaEventSynchronize(stop), "cudaEventSynchronize");
  need(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
  return milliseconds / (timed_calls - 1);
}

/// Microseconds of the host for one small product, of many in a row; waited for now and then, so that no queue fills.
double time_host(cublasHandle_t handle, const Matrices& x, cudaStream_t stream) {
  constexpr int in_a_row = 100;
  std::chrono::duration<double, std::micro> spent{};
  for (int i = 0; i < small_calls; i += in_a_row) {
    need(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const auto begin = std::chrono::steady_clock::now();
    for (int j = 0; j < in_a_row; ++j) multiply(handle, x, small_side, small_side, small_side);
    spent += std::chrono::steady_clock::now() - begin;
  }
  return spent.count() / small_calls;
}

void capture_and_replay(cublasHandle_t handle, const Matrices& x, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < captured_calls; ++i) multiply(handle, x, side, side, side / 2);
  need(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  need(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < 3; ++i) need(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  need(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void multiply_halves(cublasHandle_t handle, const Matrices& x) {
  const float one = 1.0f, zero = 0.0f;
  for (int i = 0; i < half_calls; ++i)
    need(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, x.a, CUDA_R_16F, side, x.b, CUDA_R_16F,
                      side, &zero, x.c, CUDA_R_16F, side, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS,
         "cublasGemmEx");
}

}  // namespace

int main() {
  cublasHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  need(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
  need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const Matrices x = make_matrices();
  for (int i = 0; i < decode_calls; ++i) multiply(handle, x, side, 1, side);  // on the default stream
  need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  need(cublasSetStream(handle, stream) == CUBLAS_STATUS_SUCCESS, "cublasSetStream");

  warm_up(handle, x);
  const double large_ms = time_large(handle, x, stream);
  const double host_us = time_host(handle, x, stream);
  capture_and_replay(handle, x, stream);
  multiply_halves(handle, x);
  need(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS, "cublasSetMathMode");
  for (int i = 0; i < tf32_calls; ++i) multiply(handle, x, side, skinny_side, side);
  need(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH) == CUBLAS_STATUS_SUCCESS, "cublasSetMathMode");
  for (int i = 0; i < calls_left_behind; ++i) multiply(handle, x, side, side, large_k);

  std::printf("large %d decode %d small %d captured %d half %d tf32 %d large_ms %.4f host_us %.2f\n",
              timed_calls + calls_left_behind, decode_calls, small_calls, captured_calls, half_calls, tf32_calls,
              large_ms, host_us);
  return 0;
}
