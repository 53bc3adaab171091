// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program, linked to nothing of ours, on all devices that there are: threads with handles of their
// own, one thread with handles on each, contexts beside the primary ones, and a device that is reset. Where a part
// needs what this machine has not, it says so and goes on.
#include <cudaTypedefs.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "every_function.hpp"

namespace {

constexpr int rounds = 4;

int device_count() {
  int count = 0;
  need(cudaGetDeviceCount(&count) == cudaSuccess && count > 0, "cudaGetDeviceCount");
  return count;
}

void use_device(int device) { need(cudaSetDevice(device) == cudaSuccess, "cudaSetDevice"); }

/// Handles on a stream of the current context.
struct OwnStream {
  OwnStream() { need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream"); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream); }

  cudaStream_t stream = nullptr;
};

struct Place : OwnStream {
  Place() : site(stream) {}

  Site site;
};

bool is_right_after(const Site& site, const std::string& what, int times) {
  return is_right(site, what, times * function_count, times * batched_count());
}

/// Every function, called and captured, in the current context, all of whose state ends before this returns.
bool works_here(const std::string& what) {
  const Place place;
  bool good = make_all(place.site, 0);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  need(cudaStreamBeginCapture(place.stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "cudaStreamBeginCapture");
  good &= make_all(place.site, 0);
  need(cudaStreamEndCapture(place.stream, &graph) == cudaSuccess, "cudaStreamEndCapture");
  need(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess, "cudaGraphInstantiate");
  for (int round = 1; round < rounds; ++round)
    need(cudaGraphLaunch(executable, place.stream) == cudaSuccess, "cudaGraphLaunch");
  good &= is_right_after(place.site, what, rounds);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  return good;
}

bool threads_on_every_device(int devices) {
  constexpr int threads_each = 2;
  std::vector<char> right(static_cast<std::size_t>(devices * threads_each));
  std::vector<std::thread> threads;
  for (int i = 0; i < devices * threads_each; ++i) {
    threads.emplace_back([i, &right] {
      use_device(i / threads_each);
      const Place place;
      bool good = true;
      for (int round = 0; round < rounds; ++round) good &= make_all(place.site, i);
      right[i] = is_right_after(place.site, "a thread on device " + std::to_string(i / threads_each), rounds) && good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::all_of(right.begin(), right.end(), [](char each) { return each != 0; });
}

bool one_thread_on_every_device(int devices) {
  if (devices == 1) std::printf("one thread on several devices: skipped, there is one\n");
  std::vector<std::unique_ptr<Place>> places;
  for (int device = 0; device < devices; ++device) {
    use_device(device);
    places.push_back(std::make_unique<Place>());
  }
  bool right = true;
  for (int round = 0; round < rounds; ++round) {
    for (int device = 0; device < devices; ++device) {
      use_device(device);
      right &= make_all(places[device]->site, round);
    }
  }
  for (int device = 0; device < devices; ++device) {
    use_device(device);
    right &= is_right_after(places[device]->site, "the thread of all devices on " + std::to_string(device), rounds);
    places[device].reset();
  }
  use_device(0);
  return right;
}

/// The thread that calls has made no CUDA call of its own.
bool a_handle_of_another_thread() {
  const Place place;
  bool good = false;
  std::thread([&] { good = make_all(place.site, 0); }).join();
  return is_right_after(place.site, "a thread that did nothing but call", 1) && good;
}

/// A function of the driver as it was in that version of CUDA. Null where it cannot be had.
template <class Function>
Function of_driver([[maybe_unused]] const char* name, [[maybe_unused]] unsigned version) {
  void* address = nullptr;
#if CUDART_VERSION >= 12050
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found) != cudaSuccess)
    return nullptr;
#endif
  return reinterpret_cast<Function>(address);
}

bool contexts_beside_the_primary_one() {
  const auto create = of_driver<PFN_cuCtxCreate_v3020>("cuCtxCreate", 3020);
  const auto destroy = of_driver<PFN_cuCtxDestroy_v4000>("cuCtxDestroy", 4000);
  const auto pop = of_driver<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent", 4000);
  const auto set_current = of_driver<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent", 4000);
  const auto get_current = of_driver<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);
  if (!create || !destroy || !pop || !set_current || !get_current) {
    std::printf("contexts beside the primary one: skipped, this CUDA runtime does not give the driver's functions\n");
    return true;
  }
  CUcontext primary = nullptr;
  need(get_current(&primary) == CUDA_SUCCESS, "cuCtxGetCurrent");
  bool right = true;
  for (int generation = 0; generation < 3; ++generation) {
    CUcontext contexts[2] = {};
    CUcontext popped = nullptr;
    for (CUcontext& context : contexts)
      need(create(&context, 0, 0) == CUDA_SUCCESS && pop(&popped) == CUDA_SUCCESS, "cuCtxCreate");
    for (CUcontext context : {contexts[0], primary, contexts[1], contexts[0]}) {
      need(set_current(context) == CUDA_SUCCESS, "cuCtxSetCurrent");
      right &= works_here(context == primary ? "the primary context" : "a context of the program");
    }
    need(set_current(primary) == CUDA_SUCCESS, "cuCtxSetCurrent");
    for (CUcontext context : contexts) need(destroy(context) == CUDA_SUCCESS, "cuCtxDestroy");
  }
  return right;
}

/// What tells one context from another, also where it lies at the address of an earlier one.
std::string context_id() {
  const auto get_id = of_driver<PFN_cuCtxGetId_v12000>("cuCtxGetId", 12000);
  unsigned long long id = 0;
  if (get_id == nullptr || cudaFree(nullptr) != cudaSuccess || get_id(nullptr, &id) != CUDA_SUCCESS) return "unknown";
  return std::to_string(id);
}

bool a_device_that_is_reset() {
  bool right = true;
  for (int time = 0; time < 2; ++time) {
    const std::string before = context_id();
    need(cudaDeviceReset() == cudaSuccess, "cudaDeviceReset");
    right &= works_here("after a reset, in context " + context_id() + " instead of " + before);
  }
  return right;
}

}  // namespace

int main() {
  const int devices = device_count();
  bool right = threads_on_every_device(devices);
  right &= one_thread_on_every_device(devices);
  right &= a_handle_of_another_thread();
  right &= contexts_beside_the_primary_one();
  right &= a_device_that_is_reset();
  std::printf("called cuBLAS and cuBLASLt on %d devices %d times\n", devices, calls_made.load());
  return right ? 0 : 1;
}
