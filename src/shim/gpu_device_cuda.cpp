// SPDX-License-Identifier: MIT
// The GPU through the CUDA runtime, which is linked statically.
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <array>

#include "allowed_during_capture.hpp"
#include "driver_function.hpp"
#include "gpu_context.hpp"
#include "gpu_device.hpp"
#include "next_library.hpp"
#include "tuning_source.hpp"

namespace ladder::shim {

namespace {

/// The runtime's answer, with nothing left behind for the program's own cudaGetLastError().
LaunchStatus taken(cudaError_t error) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error;
}

/// The same of a call that has nothing to do with what the program may be capturing just then.
template <class Call>
LaunchStatus taken_aside(const Call& call) {
  const gpu::AllowedDuringCapture allowed;
  return taken(call());
}

cudaMemcpyKind kind_of_copy(Direction direction) {
  if (direction == Direction::by_address) return cudaMemcpyDefault;
  return direction == Direction::to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
}

/// By the driver: the runtime would make a context on the calling thread's device first, which may be another process's
/// business.
PointerKind kind_of_pointer(const void* address) {
  constexpr unsigned version = 7000;
  static const auto get_attributes =
      gpu::driver_function<PFN_cuPointerGetAttributes_v7000>("cuPointerGetAttributes", version);
  if (get_attributes == nullptr) return PointerKind::pageable;
  // The plural function gives 0, not an error, for memory that the driver does not know.
  const auto answer_to = [address](CUpointer_attribute question) {
    unsigned answer = 0;
    void* to = &answer;
    const auto pointer = reinterpret_cast<CUdeviceptr>(address);
    return get_attributes(1, &question, &to, pointer) == CUDA_SUCCESS ? answer : 0;
  };
  const unsigned memory_type = answer_to(CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  if (memory_type == 0) return PointerKind::pageable;
  if (answer_to(CU_POINTER_ATTRIBUTE_IS_MANAGED) != 0) return PointerKind::managed;
  return memory_type == CU_MEMORYTYPE_DEVICE ? PointerKind::device : PointerKind::pinned;
}

class CudaDevice final : public GpuDevice {
 public:
  bool works() override {
    static const bool answer = [] {
      int count = 0;
      return taken(cudaGetDeviceCount(&count)) == launch_ok && count > 0;
    }();
    return answer;
  }

  LaunchStatus current(int& ordinal) override { return taken(cudaGetDevice(&ordinal)); }

  LaunchStatus count(int& devices) override { return taken(cudaGetDeviceCount(&devices)); }

  LaunchStatus pci_address(int ordinal, PciAddress& address) override {
    const auto ask = [ordinal](unsigned& answer, cudaDeviceAttr question) {
      int value = 0;
      const LaunchStatus status = taken(cudaDeviceGetAttribute(&value, question, ordinal));
      if (status == launch_ok) answer = static_cast<unsigned>(value);
      return status;
    };
    LaunchStatus status = ask(address.domain, cudaDevAttrPciDomainId);
    if (status == launch_ok) status = ask(address.bus, cudaDevAttrPciBusId);
    if (status == launch_ok) status = ask(address.device, cudaDevAttrPciDeviceId);
    return status;
  }

  LaunchStatus use(int ordinal) override {
    return taken_aside([&] { return cudaSetDevice(ordinal); });
  }

  LaunchStatus current_context(int& number) override {
    static_assert(most_contexts == gpu::tracked_contexts);
    number = gpu::current_context();
    return number == gpu::no_context ? no_gpu_kernel : launch_ok;
  }

  LaunchStatus make_stream(Stream& stream) override {
    cudaStream_t made = nullptr;
    const LaunchStatus status = taken_aside([&] { return cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking); });
    stream = made;
    return status;
  }

  LaunchStatus allocate(void*& memory, std::size_t bytes) override {
    return taken_aside([&] { return cudaMalloc(&memory, bytes); });
  }

  void release(void* memory) override {
    static_cast<void>(taken_aside([&] { return cudaFree(memory); }));
  }

  LaunchStatus free_memory(std::size_t& bytes) override {
    std::size_t total = 0;
    return taken_aside([&] { return cudaMemGetInfo(&bytes, &total); });
  }

  LaunchStatus allocate_pinned(void*& memory, std::size_t bytes) override {
    return taken_aside([&] { return cudaHostAlloc(&memory, bytes, cudaHostAllocPortable); });
  }

  void release_pinned(void* memory) override {
    static_cast<void>(taken_aside([&] { return cudaFreeHost(memory); }));
  }

  PointerKind kind_of(const void* address) override { return kind_of_pointer(address); }

  LaunchStatus copy(const Copy2d& c, Stream stream) override {
    const cudaMemcpyKind kind = kind_of_copy(c.direction);
    const auto on = static_cast<cudaStream_t>(stream);
    // A dense matrix is one piece; that also lifts the limit that a 2-D copy puts on the pitch.
    const bool is_dense = c.rows == 1 || (c.width == c.to_pitch && c.width == c.from_pitch);
    return taken_aside([&] {
      return is_dense ? cudaMemcpyAsync(c.to, c.from, c.width * c.rows, kind, on)
                      : cudaMemcpy2DAsync(c.to, c.to_pitch, c.from, c.from_pitch, c.width, c.rows, kind, on);
    });
  }

  LaunchStatus synchronize(Stream stream) override {
    return taken_aside([&] { return cudaStreamSynchronize(static_cast<cudaStream_t>(stream)); });
  }

  LaunchStatus make_event(Event& event) override {
    cudaEvent_t made = nullptr;
    const LaunchStatus status = taken_aside([&] { return cudaEventCreateWithFlags(&made, cudaEventDisableTiming); });
    event = made;
    return status;
  }

  LaunchStatus record(Event event, Stream stream) override {
    return taken_aside(
        [&] { return cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream)); });
  }

  LaunchStatus wait(Stream stream, Event event) override {
    return taken_aside(
        [&] { return cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event), 0); });
  }

  LaunchStatus has_passed(Event event, bool& passed) override {
    const LaunchStatus status = taken_aside([&] { return cudaEventQuery(static_cast<cudaEvent_t>(event)); });
    passed = status == launch_ok;
    return status == static_cast<LaunchStatus>(cudaErrorNotReady) ? launch_ok : status;
  }

  LaunchStatus run(const Rung& rung, const GemmProblem& problem, Stream stream) override {
    if (rung.gpu == nullptr) return run_cublas(problem, stream);
    heed_tuning_setting();
    return rung.gpu->launch(problem, stream);
  }

 private:
  // One handle for each context, made at its first use and kept. The caller serialises calls per context.
  std::array<cublas::Handle, most_contexts> handles_{};

  LaunchStatus cublas_handle(cublas::Handle& handle) {
    int context = 0;
    if (const LaunchStatus status = current_context(context); status != launch_ok) return status;
    cublas::Handle& kept = handles_[context];
    if (kept == nullptr) {
      const auto create = next::cublasCreate_v2(nullptr);
      if (create == nullptr || create(&kept) != cublas::STATUS_SUCCESS) return no_gpu_kernel;
    }
    handle = kept;
    return launch_ok;
  }

  LaunchStatus run_cublas(const GemmProblem& p, Stream stream) {
    const gpu::AllowedDuringCapture allowed;
    cublas::Handle handle = nullptr;
    if (const LaunchStatus status = cublas_handle(handle); status != launch_ok) return status;
    const auto set_stream = next::cublasSetStream_v2(nullptr);
    const auto sgemm = next::cublasSgemm_v2_64(nullptr);
    if (set_stream == nullptr || sgemm == nullptr) return no_gpu_kernel;
    const InsideNextLibrary inside;
    cublas::Status status = set_stream(handle, static_cast<cublas::CudaStream>(stream));
    if (status == cublas::STATUS_SUCCESS)
      status = sgemm(handle, p.op_a == Op::none ? cublas::OP_N : cublas::OP_T,
                     p.op_b == Op::none ? cublas::OP_N : cublas::OP_T, p.m, p.n, p.k, &p.alpha.value, p.a, p.lda, p.b,
                     p.ldb, &p.beta.value, p.c, p.ldc);
    return status == cublas::STATUS_SUCCESS ? launch_ok : static_cast<LaunchStatus>(cudaErrorUnknown);
  }
};

}  // namespace

GpuDevice& gpu_device() {
  // Never destroyed: calls may still come while the process ends.
  static CudaDevice& device = *new CudaDevice;
  return device;
}

}  // namespace ladder::shim
