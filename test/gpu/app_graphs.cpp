// SPDX-License-Identifier: MIT
// An ordinary CUDA program that captures cuBLAS and cuBLASLt calls in graphs and replays them, linked to nothing of
// ours: every function, in every capture mode, also as the first call of a process; scalars on the device that change
// between replays; two graphs at once on two streams.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "every_function.hpp"

namespace {

struct Mode {
  const char* name;
  cudaStreamCaptureMode value;
};
constexpr Mode modes[] = {{"global", cudaStreamCaptureModeGlobal},
                          {"thread-local", cudaStreamCaptureModeThreadLocal},
                          {"relaxed", cudaStreamCaptureModeRelaxed}};

/// What is captured on a stream while `record` runs.
class Graph {
 public:
  template <class Record>
  Graph(cudaStream_t stream, cudaStreamCaptureMode mode, const Record& record) {
    need(cudaStreamBeginCapture(stream, mode) == cudaSuccess, "cudaStreamBeginCapture");
    const bool recorded = record();
    cudaGraph_t graph = nullptr;
    need(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "cudaStreamEndCapture");
    need(recorded, "a captured call");
    need(cudaGraphInstantiate(&executable_, graph, 0) == cudaSuccess, "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphExecDestroy(executable_); }

  void launch(cudaStream_t stream) const {
    need(cudaGraphLaunch(executable_, stream) == cudaSuccess, "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// In a process of its own: no product comes before the captured ones.
bool first_calls_captured(int index) {
  constexpr int replays = 3;
  cudaStream_t stream = nullptr;
  need(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
  const Site site(stream);
  const int first = index * function_count / static_cast<int>(std::size(modes));
  const Graph graph(stream, modes[index].value, [&] { return make_all(site, first); });
  for (int i = 0; i < replays; ++i) graph.launch(stream);
  return is_right(site,
                  std::string("first calls of a process, from ") + functions[first].name + " on, captured in mode " +
                      modes[index].name,
                  replays * function_count, replays * batched_count());
}

bool first_calls_captured_elsewhere(int index) {
  std::string program = "/proc/self/exe", number = std::to_string(index);
  char* const arguments[] = {program.data(), number.data(), nullptr};
  pid_t child = 0;
  int status = 1;
  return posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) == 0 &&
         waitpid(child, &status, 0) == child && status == 0;
}

/// A call, its replays, and replays whose alpha is on the device and another one each time.
bool one_by_one(cudaStream_t stream) {
  const Site site(stream);
  const std::vector<float> scalars = {1.0f, 1.0f};
  float* const alpha = on_device(scalars);
  bool right = true;
  for (const Function& function : functions) {
    need(cudaMemsetAsync(site.c, 0, size_c * batch * sizeof(float), stream) == cudaSuccess, "cudaMemsetAsync");
    site.set_pointer_mode(false);
    right &= make(function, site, &one, &one);
    const Graph by_value(stream, cudaStreamCaptureModeGlobal, [&] { return make(function, site, &one, &one); });
    site.set_pointer_mode(true);
    const Graph by_address(stream, cudaStreamCaptureModeGlobal, [&] { return make(function, site, alpha, alpha + 1); });
    int times = 1;
    for (const int change : {2, -1, 3}) {
      const float value = static_cast<float>(change);
      by_value.launch(stream);
      need(cudaMemcpyAsync(alpha, &value, sizeof value, cudaMemcpyHostToDevice, stream) == cudaSuccess, "upload");
      by_address.launch(stream);
      times += 1 + change;
    }
    right &= is_right(site, function.name, times, function.products == batch ? times : 0);
  }
  cudaFree(alpha);
  return right;
}

bool two_at_once(cudaStream_t captured_on) {
  constexpr int replays = 20;
  cudaStream_t streams[2] = {};
  for (cudaStream_t& stream : streams)
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "cudaStreamCreateWithFlags");
  const Site sites[2] = {Site(captured_on), Site(captured_on)};
  const auto capture = [&](const Site& site) {
    return Graph(captured_on, cudaStreamCaptureModeThreadLocal, [&] { return make_all(site, 0); });
  };
  const Graph graphs[2] = {capture(sites[0]), capture(sites[1])};
  for (int replay = 0; replay < replays; ++replay) {
    for (int i = 0; i < 2; ++i) graphs[i].launch(streams[i]);
  }
  bool right = true;
  for (const Site& site : sites)
    right &= is_right(site, "one of two graphs at once", replays * function_count, replays * batched_count());
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return first_calls_captured(std::atoi(argv[1])) ? 0 : 1;
  bool right = true;
  constexpr int mode_count = std::size(modes);
  for (int index = 0; index < mode_count; ++index) right &= first_calls_captured_elsewhere(index);
  int lowest = 0, highest = 0;
  cudaStream_t stream = nullptr;
  need(cudaDeviceGetStreamPriorityRange(&lowest, &highest) == cudaSuccess, "cudaDeviceGetStreamPriorityRange");
  need(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest) == cudaSuccess, "a stream of priority");
  right &= one_by_one(stream);
  right &= two_at_once(stream);
  std::printf("called cuBLAS and cuBLASLt %d times\n", calls_made + mode_count * function_count);
  return right ? 0 : 1;
}
