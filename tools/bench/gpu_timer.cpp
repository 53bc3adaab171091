// SPDX-License-Identifier: MIT
#include "gpu_timer.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host_clock.hpp"

namespace ladder::bench {

namespace {

constexpr std::size_t flushed_l2_sizes = 4;  // written, so that nothing older stays whatever the replacement policy
constexpr double warm_graph_ms = 0.2;        // that a graph of repeated work lasts: long against the events' resolution
constexpr int most_repeats = 1000;           // nodes of that graph
constexpr double burst_us = 5000.0;          // of work that run_for() enqueues before it waits
constexpr double us_per_ms = 1000.0;
constexpr int most_waiting_calls = 100;  // far fewer than fill the driver's queue, where a call waits for the GPU

cudaStream_t cuda(Stream stream) { return static_cast<cudaStream_t>(stream); }

const char* text_unless_ok(cudaError_t status) { return status == cudaSuccess ? nullptr : cudaGetErrorString(status); }

}  // namespace

const char* launch_complaint(LaunchStatus status) { return status == launch_ok ? nullptr : launch_status_text(status); }

// -- GpuTimer -------------------------------------------------------------------------------------------------

GpuTimer::GpuTimer() {
  int device = 0;
  int l2_bytes = 0;
  cudaStream_t stream = nullptr;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device);
  if (status == cudaSuccess) status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  flush_bytes_ = flushed_l2_sizes * static_cast<std::size_t>(l2_bytes);
  if (status == cudaSuccess && flush_bytes_ > 0) status = cudaMalloc(&flush_, flush_bytes_);
  stream_ = stream;
  if (status != cudaSuccess) complaint_ = cudaGetErrorString(status);
}

GpuTimer::~GpuTimer() {
  cudaFree(flush_);
  if (stream_ != nullptr) cudaStreamDestroy(cuda(stream_));
}

std::string GpuTimer::run_for(const Enqueue& work, double milliseconds) const {
  const HostTimer all;
  int burst = 1;
  do {
    const HostTimer timer;
    for (int i = 0; i < burst; ++i) {
      if (const char* complaint = work(stream_)) return complaint;
    }
    if (const cudaError_t status = cudaStreamSynchronize(cuda(stream_)); status != cudaSuccess) {
      return cudaGetErrorString(status);
    }
    if (timer.microseconds() < burst_us) burst *= 2;
  } while (all.microseconds() < milliseconds * us_per_ms);
  return {};
}

void GpuTimer::wait(std::string& complaint) const {
  const cudaError_t status = cudaStreamSynchronize(cuda(stream_));
  if (status != cudaSuccess && complaint.empty()) complaint = cudaGetErrorString(status);
}

double GpuTimer::host_microseconds(const Enqueue& work, std::string& complaint) const {
  wait(complaint);
  const HostTimer timer;
  const char* failure = work(stream_);
  const double microseconds = timer.microseconds();
  if (failure != nullptr && complaint.empty()) complaint = failure;
  wait(complaint);
  return complaint.empty() ? microseconds : 0.0;
}

std::vector<double> GpuTimer::host_microseconds_in_a_row(const Enqueue& work, int calls, std::string& complaint) const {
  std::vector<double> microseconds;
  microseconds.reserve(static_cast<std::size_t>(calls));
  for (int call = 0; call < calls && complaint.empty(); ++call) {
    if (call % most_waiting_calls == 0) wait(complaint);
    const HostTimer timer;
    const char* failure = work(stream_);
    microseconds.push_back(timer.microseconds());
    if (failure != nullptr && complaint.empty()) complaint = failure;
  }
  wait(complaint);
  return microseconds;
}

const char* GpuTimer::flush_l2() const {
  return text_unless_ok(cudaMemsetAsync(flush_, 0, flush_bytes_, cuda(stream_)));
}

// -- TimedWork ------------------------------------------------------------------------------------------------

TimedWork::TimedWork(const GpuTimer& timer, Enqueue work, TimingMode mode) : timer_(timer), work_(std::move(work)) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  note(cudaEventCreate(&start));
  note(cudaEventCreate(&stop));
  start_ = start;
  stop_ = stop;
  // The first call may load code and allocate: a capture allows neither.
  if (complaint_.empty()) note(work_(timer_.stream()));
  estimate_ = sample();  // cold, whatever the mode: the flush hides the host's part
  mode_ = mode;
  if (!mode_.graph || !complaint_.empty()) return;
  if (!mode_.cold) {
    const double wanted = std::ceil(warm_graph_ms / std::max(estimate_, warm_graph_ms / most_repeats));
    repeats_ = static_cast<int>(wanted);
  }
  capture();
  sample();
}

TimedWork::~TimedWork() {
  if (graph_ != nullptr) cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph_));
  if (start_ != nullptr) cudaEventDestroy(static_cast<cudaEvent_t>(start_));
  if (stop_ != nullptr) cudaEventDestroy(static_cast<cudaEvent_t>(stop_));
}

void TimedWork::note(const char* complaint) {
  if (complaint != nullptr && complaint_.empty()) complaint_ = complaint;
}

void TimedWork::note(int status) { note(text_unless_ok(static_cast<cudaError_t>(status))); }

// What comes before the first event also hides the host's part of the call: the GPU is busy with it meanwhile.
void TimedWork::enqueue_sample(unsigned event_flags) {
  const Stream stream = timer_.stream();
  note(mode_.cold ? timer_.flush_l2() : work_(stream));
  note(cudaEventRecordWithFlags(static_cast<cudaEvent_t>(start_), cuda(stream), event_flags));
  for (int i = 0; i < repeats_ && complaint_.empty(); ++i) note(work_(stream));
  note(cudaEventRecordWithFlags(static_cast<cudaEvent_t>(stop_), cuda(stream), event_flags));
}

void TimedWork::capture() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  note(cudaStreamBeginCapture(cuda(timer_.stream()), cudaStreamCaptureModeThreadLocal));
  if (!complaint_.empty()) return;
  enqueue_sample(cudaEventRecordExternal);
  note(cudaStreamEndCapture(cuda(timer_.stream()), &graph));
  if (complaint_.empty()) note(cudaGraphInstantiate(&executable, graph, 0));
  if (graph != nullptr) cudaGraphDestroy(graph);
  graph_ = executable;
}

void TimedWork::begin() {
  if (!complaint_.empty()) return;
  if (graph_ != nullptr) {
    note(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph_), cuda(timer_.stream())));
  } else {
    enqueue_sample(cudaEventRecordDefault);
  }
}

double TimedWork::end() {
  float milliseconds = 0.0f;
  note(cudaStreamSynchronize(cuda(timer_.stream())));
  if (complaint_.empty()) {
    note(cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(start_), static_cast<cudaEvent_t>(stop_)));
  }
  return milliseconds / repeats_;
}

}  // namespace ladder::bench
