// SPDX-License-Identifier: MIT
// How much of a piece of work the GPU does in a second.
#include "rate_meter.hpp"

#include <thread>

#include "bench/statistics.hpp"

namespace ladder::bench {

namespace {

constexpr double milliseconds_per_second = 1000.0;
constexpr double half = 0.5;

}  // namespace

RateMeter::RateMeter(std::string& complaint) : complaint_(complaint) {
  cudaStream_t stream = nullptr;
  if (succeeded("a stream", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) stream_.reset(stream);
}

bool RateMeter::succeeded(const char* what, cudaError_t error) {
  if (error == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  if (!complaint_.empty()) complaint_ += "; ";
  complaint_ += std::string(what) + ": " + cudaGetErrorString(error);
  return false;
}

DeviceMemory RateMeter::device_memory(const char* what, std::size_t bytes, int fill) {
  void* memory = nullptr;
  if (!succeeded(what, cudaMalloc(&memory, bytes))) return nullptr;
  DeviceMemory owned(memory);
  cudaError_t error = cudaMemsetAsync(memory, fill, bytes, stream_.get());
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream_.get());
  return succeeded(what, error) ? std::move(owned) : nullptr;
}

void RateMeter::keep_busy(const Work& work, std::chrono::milliseconds how_long) {
  const auto end = std::chrono::steady_clock::now() + how_long;
  cudaError_t error = cudaSuccess;
  while (error == cudaSuccess && std::chrono::steady_clock::now() < end) {
    error = work.launch(stream_.get());
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream_.get());
  }
  succeeded("waking up", error);
}

std::optional<double> RateMeter::rate(const char* what, const Work& work, const RunPlan& plan) {
  std::vector<double> seconds;
  cudaError_t error = work.launch(stream_.get());
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream_.get());
  for (int burst = 0; error == cudaSuccess && burst < plan.bursts; ++burst) {
    std::this_thread::sleep_for(plan.pause);
    error = time_burst(work, plan.runs, seconds);
  }
  if (!succeeded(what, error)) return std::nullopt;
  return work.amount / quantile(std::move(seconds), half);
}

cudaError_t RateMeter::time_burst(const Work& work, int runs, std::vector<double>& seconds) {
  cudaError_t error = cudaSuccess;
  const auto went_well = [&error](cudaError_t status) { return (error = status) == cudaSuccess; };
  while (events_.size() <= static_cast<std::size_t>(runs)) {
    cudaEvent_t event = nullptr;
    if (!went_well(cudaEventCreate(&event))) return error;
    events_.emplace_back(event);
  }
  if (!went_well(cudaEventRecord(events_[0].get(), stream_.get()))) return error;
  for (int run = 0; run < runs; ++run)
    if (!went_well(work.launch(stream_.get())) || !went_well(cudaEventRecord(events_[run + 1].get(), stream_.get())))
      return error;
  if (!went_well(cudaStreamSynchronize(stream_.get()))) return error;
  for (int run = 0; run < runs; ++run) {
    float milliseconds = 0.0f;
    if (!went_well(cudaEventElapsedTime(&milliseconds, events_[run].get(), events_[run + 1].get()))) return error;
    seconds.push_back(milliseconds / milliseconds_per_second);
  }
  return error;
}

}  // namespace ladder::bench
