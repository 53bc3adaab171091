// SPDX-License-Identifier: MIT
#include "cublas_sgemm.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

namespace ladder::bench {

namespace {

using cublas::Handle;
using cublas::Operation;
using cublas::Status;

constexpr int emulate_wherever_possible = 2;       // CUBLAS_EMULATION_STRATEGY_EAGER
constexpr std::size_t workspace_bytes = 32 << 20;  // what NVIDIA documents as cuBLAS's own choice on sm_90

template <class Extent>
using Single = Status (*)(Handle, Operation, Operation, Extent m, Extent n, Extent k, const float* alpha,
                          const float* a, Extent lda, const float* b, Extent ldb, const float* beta, float* c,
                          Extent ldc);
template <class Extent>
using Batched = Status (*)(Handle, Operation, Operation, Extent m, Extent n, Extent k, const float* alpha,
                           const float* a, Extent lda, long long stride_a, const float* b, Extent ldb,
                           long long stride_b, const float* beta, float* c, Extent ldc, long long stride_c,
                           Extent batch);

// The functions of one library; null where it has no such function.
struct Functions {
  explicit Functions(void* library) {
    find(library, "cublasCreate_v2", create);
    find(library, "cublasDestroy_v2", destroy);
    find(library, "cublasSetStream_v2", set_stream);
    find(library, "cublasSetWorkspace_v2", set_workspace);
    find(library, "cublasSetMathMode", set_math_mode);
    find(library, "cublasSetEmulationStrategy", set_emulation_strategy);
    find(library, "cublasSgemm_v2", single);
    find(library, "cublasSgemm_v2_64", single_64);
    find(library, "cublasSgemmStridedBatched", batched);
    find(library, "cublasSgemmStridedBatched_64", batched_64);
  }

  template <class Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
  }

  bool can_begin() const { return create && destroy && set_stream && set_workspace && set_math_mode && single; }

  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  Status (*set_stream)(Handle, cublas::CudaStream);
  Status (*set_workspace)(Handle, void*, std::size_t);
  Status (*set_math_mode)(Handle, cublas::Math);
  Status (*set_emulation_strategy)(Handle, int);
  Single<int> single;
  Single<std::int64_t> single_64;
  Batched<int> batched;
  Batched<std::int64_t> batched_64;
};

const char* complaint_of(Status status) {
  if (status == cublas::STATUS_SUCCESS) return nullptr;
  switch (status) {
#define STATUS_TEXT(name, value, text) \
  case cublas::STATUS_##name:          \
    return "CUBLAS_STATUS_" #name ": " text;
    LADDER_CUBLAS_STATUSES(STATUS_TEXT)
#undef STATUS_TEXT
  }
  return "a cuBLAS status without a name";
}

Operation operation_of(Op op) { return op == Op::none ? cublas::OP_N : cublas::OP_T; }

bool fits_int(const GemmProblem& p) {
  return std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.batch}) <= std::numeric_limits<int>::max();
}

class CublasHandle {
 public:
  explicit CublasHandle(void* library) : functions_(library) {}
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  ~CublasHandle() {
    if (handle_ != nullptr) functions_.destroy(handle_);
    cudaFree(workspace_);
  }

  // Null, or why there is no handle.
  const char* create(cublas::Math mode) {
    if (!functions_.can_begin()) return "the library lacks functions of cuBLAS";
    if (const char* complaint = complaint_of(functions_.create(&handle_))) return complaint;
    if (cudaMalloc(&workspace_, workspace_bytes) != cudaSuccess) return "no memory for cuBLAS's workspace";
    const char* complaint = complaint_of(functions_.set_math_mode(handle_, mode));
    if (complaint != nullptr || mode != cublas::FP32_EMULATED_BF16X9_MATH) return complaint;
    if (functions_.set_emulation_strategy == nullptr) return "the library emulates nothing";
    return complaint_of(functions_.set_emulation_strategy(handle_, emulate_wherever_possible));
  }

  const char* sgemm(const GemmProblem& problem, Stream stream) {
    if (const char* complaint = use_stream(stream)) return complaint;
    const bool small = fits_int(problem);
    if (problem.batch == 1) {
      return small ? call(functions_.single, problem) : call(functions_.single_64, problem);
    }
    return small ? call(functions_.batched, problem) : call(functions_.batched_64, problem);
  }

 private:
  const char* use_stream(Stream stream) {
    if (stream == stream_) return nullptr;
    const char* complaint = complaint_of(functions_.set_stream(handle_, static_cast<cublas::CudaStream>(stream)));
    // A new stream takes the workspace away.
    if (complaint == nullptr) complaint = complaint_of(functions_.set_workspace(handle_, workspace_, workspace_bytes));
    if (complaint == nullptr) stream_ = stream;
    return complaint;
  }

  template <class Extent>
  const char* call(Single<Extent> function, const GemmProblem& p) {
    if (function == nullptr) return "the library has no such function";
    const auto extent = [](std::int64_t value) { return static_cast<Extent>(value); };
    return complaint_of(function(handle_, operation_of(p.op_a), operation_of(p.op_b), extent(p.m), extent(p.n),
                                 extent(p.k), &p.alpha.value, p.a, extent(p.lda), p.b, extent(p.ldb), &p.beta.value,
                                 p.c, extent(p.ldc)));
  }

  template <class Extent>
  const char* call(Batched<Extent> function, const GemmProblem& p) {
    if (function == nullptr) return "the library has no cublasSgemmStridedBatched";
    const auto extent = [](std::int64_t value) { return static_cast<Extent>(value); };
    return complaint_of(function(handle_, operation_of(p.op_a), operation_of(p.op_b), extent(p.m), extent(p.n),
                                 extent(p.k), &p.alpha.value, p.a, extent(p.lda), p.stride_a, p.b, extent(p.ldb),
                                 p.stride_b, &p.beta.value, p.c, extent(p.ldc), p.stride_c, extent(p.batch)));
  }

  Functions functions_;
  Handle handle_ = nullptr;
  void* workspace_ = nullptr;
  Stream stream_ = nullptr;
};

}  // namespace

void* open_library(const std::vector<std::string>& files, std::string& complaint) {
  for (const std::string& file : files) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* why = dlerror();
    if (complaint.empty()) complaint = why != nullptr ? why : file + " cannot be opened";
  }
  return nullptr;
}

std::vector<std::string> cublas_files() {
  const char* chosen = std::getenv("LADDER_CUBLAS");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  return {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
}

std::string cublas_version(void* library) {
  Status (*get_property)(cublas::Property, int*) = nullptr;
  Functions::find(library, "cublasGetProperty", get_property);
  int parts[3] = {};
  if (get_property == nullptr) return {};
  for (int i = 0; i < 3; ++i) {
    if (get_property(static_cast<cublas::Property>(i), &parts[i]) != cublas::STATUS_SUCCESS) return {};
  }
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

DeviceSgemm cublas_sgemm(void* library, cublas::Math mode, std::string& complaint) {
  const auto handle = std::make_shared<CublasHandle>(library);
  if (const char* failure = handle->create(mode)) {
    complaint = failure;
    return {};
  }
  return [handle](const GemmProblem& problem, Stream stream) { return handle->sgemm(problem, stream); };
}

}  // namespace ladder::bench
