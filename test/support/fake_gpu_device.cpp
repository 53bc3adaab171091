// SPDX-License-Identifier: MIT
#include "fake_gpu_device.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "plain_product.hpp"

namespace ladder::test {

namespace {

using shim::Copy2d;
using shim::Direction;

constexpr LaunchStatus invalid_value = 1;     // cudaErrorInvalidValue
constexpr LaunchStatus invalid_handle = 400;  // cudaErrorInvalidResourceHandle

const std::byte* bytes_at(const void* address) { return static_cast<const std::byte*>(address); }

Touched lines(const void* first, std::size_t pitch, std::size_t width, std::size_t count) {
  const std::size_t bytes = width == 0 || count == 0 ? 0 : (count - 1) * pitch + width;
  return {bytes_at(first), bytes_at(first) + bytes};
}

Touched columns(const float* first, std::int64_t ld, std::int64_t rows, std::int64_t count) {
  return lines(first, static_cast<std::size_t>(ld) * sizeof(float), static_cast<std::size_t>(rows) * sizeof(float),
               static_cast<std::size_t>(count));
}

void copy_lines(const Copy2d& copy, std::size_t bytes) {
  for (std::size_t row = 0; row < copy.rows && bytes > 0; ++row) {
    const std::size_t width = std::min(copy.width, bytes);
    std::memcpy(static_cast<std::byte*>(copy.to) + row * copy.to_pitch, bytes_at(copy.from) + row * copy.from_pitch,
                width);
    bytes -= width;
  }
}

}  // namespace

struct FakeGpuDevice::FakeEvent {
  int context;
  const StreamTask* last_record = nullptr;
};

FakeGpuDevice::FakeGpuDevice(std::size_t memory_bytes) : memory_bytes_(memory_bytes) {}

FakeGpuDevice::~FakeGpuDevice() {
  if (!idle()) note("destroyed while streams are at work");
  go_on();
  for (const auto& stream : streams_) wait_for(stream->last());
  streams_.clear();
  for (const std::string& misuse : misuses_) FAIL_CHECK(misuse);
}

// -- 1. Calls, and how they go -----------------------------------------------------------------------------

FakeGpuDevice::Call FakeGpuDevice::enter(bool enqueues) {
  const int number = calls_.fetch_add(1, std::memory_order_relaxed);
  if (const LaunchStatus status = status_now(); status != launch_ok) return {number, Outcome::was_lost, status};
  if (number != fault.at) return {number, Outcome::well, launch_ok};
  if (fault.course == Fault::Course::late && enqueues) return {number, Outcome::fails_late, launch_ok};
  if (fault.course == Fault::Course::late) clock_.lost.store(true, std::memory_order_relaxed);
  if (fault.course == Fault::Course::forever) all_fail_.store(true, std::memory_order_relaxed);
  return {number, Outcome::fails, fault.status};
}

/// What was lost has not been done, even where it has ended.
LaunchStatus FakeGpuDevice::status_now() const {
  const bool fails = clock_.lost.load(std::memory_order_relaxed) || all_fail_.load(std::memory_order_relaxed);
  return fails ? fault.status : launch_ok;
}

void FakeGpuDevice::note(std::string misuse) { misuses_.push_back(std::move(misuse)); }

// -- 2. Streams and events ---------------------------------------------------------------------------------

FakeGpuDevice::FakeEvent* FakeGpuDevice::event_of(shim::Event event) {
  for (const auto& ours : events_) {
    if (ours.get() == event) return ours.get();
  }
  note("an event that was never made");
  return nullptr;
}

StreamTask& FakeGpuDevice::make_task(FakeStream& stream, const Call& call, Work work) {
  StreamTask& task = stream.make_task();
  task.entry.work = work;
  task.entry.stream = stream.number();
  task.entry.call = call.number;
  task.loses_device = call.outcome == Outcome::fails_late;
  if (delay) task.delay = delay(work);
  return task;
}

LaunchStatus FakeGpuDevice::make_stream(Stream& stream) {
  const HiddenLock lock(mutex_);
  if (const Call call = enter(false); call.status != launch_ok) return call.status;
  streams_.push_back(std::make_unique<FakeStream>(clock_, static_cast<int>(streams_.size()), context_here()));
  stream = streams_.back().get();
  return launch_ok;
}

LaunchStatus FakeGpuDevice::synchronize(Stream stream) {
  const StreamTask* last = nullptr;
  Call call{};
  {
    const HiddenLock lock(mutex_);
    call = enter(false);
    FakeStream* ours = stream_of(stream);
    if (ours == nullptr) return invalid_handle;
    last = &ours->last();
  }
  wait_for(*last);
  return call.status != launch_ok ? call.status : status_now();
}

LaunchStatus FakeGpuDevice::make_event(shim::Event& event) {
  const HiddenLock lock(mutex_);
  if (const Call call = enter(false); call.status != launch_ok) return call.status;
  events_.push_back(std::make_unique<FakeEvent>(FakeEvent{context_here()}));
  event = events_.back().get();
  return launch_ok;
}

LaunchStatus FakeGpuDevice::record(shim::Event event, Stream stream) {
  const HiddenLock lock(mutex_);
  const Call call = enter(true);
  FakeStream* on = stream_of(stream);
  FakeEvent* ours = event_of(event);
  if (on == nullptr || ours == nullptr) return invalid_handle;
  if (ours->context != on->context()) note("an event recorded in another context than its own");
  if (call.status != launch_ok) return call.status;
  StreamTask& task = make_task(*on, call, Work::record);
  ours->last_record = &task;
  on->enqueue(task);
  return launch_ok;
}

LaunchStatus FakeGpuDevice::wait(Stream stream, shim::Event event) {
  const HiddenLock lock(mutex_);
  const Call call = enter(true);
  FakeStream* on = stream_of(stream);
  const FakeEvent* ours = event_of(event);
  if (on == nullptr || ours == nullptr) return invalid_handle;
  if (call.status != launch_ok) return call.status;
  StreamTask& task = make_task(*on, call, Work::wait);
  task.after = ours->last_record;
  on->enqueue(task);
  return launch_ok;
}

LaunchStatus FakeGpuDevice::has_passed(shim::Event event, bool& passed) {
  const HiddenLock lock(mutex_);
  passed = false;
  const FakeEvent* ours = event_of(event);
  if (ours == nullptr) return invalid_handle;
  // Acquired only where it has passed: a question that is answered with no orders nothing.
  const StreamTask* record = ours->last_record;
  if (record != nullptr && !record->ended.load(std::memory_order_relaxed)) return status_now();
  const bool has_ended = record == nullptr || record->ended.load(std::memory_order_acquire);
  const Call call = enter(false);
  passed = has_ended && call.status == launch_ok;
  return call.status;
}

// -- 3. Work -----------------------------------------------------------------------------------------------

Work FakeGpuDevice::work_of(const Copy2d& copy) const {
  if (copy.direction == Direction::to_device) return Work::copy_to_device;
  if (copy.direction == Direction::to_host) return Work::copy_to_host;
  if (!is_seen_by_device(copy.to)) return Work::copy_to_host;
  return is_seen_by_device(copy.from) ? Work::copy_on_device : Work::copy_to_device;
}

LaunchStatus FakeGpuDevice::copy(const Copy2d& copy, Stream stream) {
  const HiddenLock lock(mutex_);
  const Call call = enter(true);
  FakeStream* on = stream_of(stream);
  if (on == nullptr) return invalid_handle;
  if (call.outcome == Outcome::was_lost) return call.status;

  const Touched to = lines(copy.to, copy.to_pitch, copy.width, copy.rows);
  const Touched from = lines(copy.from, copy.from_pitch, copy.width, copy.rows);
  const Work work = work_of(copy);
  const std::size_t noted = misuses_.size();
  if (copy.rows > 1 && (copy.to_pitch < copy.width || copy.from_pitch < copy.width))
    note("a copy of lines that overlap");
  work == Work::copy_to_host ? look_at_host_side(to, "copied to") : look_at_device_side(to, "copied to");
  work == Work::copy_to_device ? look_at_host_side(from, "copied from") : look_at_device_side(from, "copied from");

  const std::size_t whole = copy.width * copy.rows;
  const std::size_t bytes = call.outcome == Outcome::well ? whole : whole / 2;
  StreamTask& task = make_task(*on, call, work);
  task.entry.bytes = bytes;
  task.entry.to = copy.to;
  task.entry.from = copy.from;
  task.touches = {to, from};
  if (misuses_.size() == noted) task.action = [copy, bytes] { copy_lines(copy, bytes); };
  on->enqueue(task);
  return call.status;
}

LaunchStatus FakeGpuDevice::run(const Rung& rung, const GemmProblem& problem, Stream stream) {
  const HiddenLock lock(mutex_);
  const Call call = enter(true);
  FakeStream* on = stream_of(stream);
  if (on == nullptr) return invalid_handle;
  if (problem.batch != 1 || !problem.is_plain() || problem.alpha.device != nullptr || problem.beta.device != nullptr) {
    note("a product that this device does not know");
    return invalid_value;
  }
  const std::size_t noted = misuses_.size();
  std::vector<Touched> touches = look_at_problem(problem);
  if (call.status != launch_ok) return call.status;

  StreamTask& task = make_task(*on, call, Work::run);
  task.entry.to = problem.c;
  task.entry.m = problem.m, task.entry.n = problem.n, task.entry.k = problem.k;
  task.entry.rung = &rung;
  task.touches = std::move(touches);
  GemmProblem part = problem;
  if (call.outcome == Outcome::fails_late) part.n /= 2;
  if (misuses_.size() == noted) task.action = [part] { plain_product(part); };
  on->enqueue(task);
  return launch_ok;
}

std::vector<Touched> FakeGpuDevice::look_at_problem(const GemmProblem& p) {
  std::vector<Touched> touches{columns(p.c, p.ldc, p.m, p.n)};
  if (!only_scales_c(p)) {
    const bool a_as_is = p.op_a == Op::none, b_as_is = p.op_b == Op::none;
    touches.push_back(columns(p.a, p.lda, a_as_is ? p.m : p.k, a_as_is ? p.k : p.m));
    touches.push_back(columns(p.b, p.ldb, b_as_is ? p.k : p.n, b_as_is ? p.n : p.k));
  }
  if (first_illegal_argument(p) != GemmArgument::none) note("a product with an illegal argument");
  for (const Touched& matrix : touches) look_at_device_side(matrix, "multiplied");
  return touches;
}

// -- 4. What a test asks -----------------------------------------------------------------------------------

std::vector<WorkEntry> FakeGpuDevice::log() {
  const HiddenLock lock(mutex_);
  std::vector<WorkEntry> entries;
  for (const auto& stream : streams_) {
    wait_for(stream->last());
    for (const StreamTask& task : stream->tasks()) entries.push_back(task.entry);
  }
  std::sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) { return x.began < y.began; });
  return entries;
}

bool FakeGpuDevice::idle() {
  const HiddenLock lock(mutex_);
  return std::none_of(streams_.begin(), streams_.end(), [](const auto& stream) { return stream->busy_with(nullptr); });
}

std::vector<std::string> FakeGpuDevice::misuses() {
  const HiddenLock lock(mutex_);
  return std::exchange(misuses_, {});
}

}  // namespace ladder::test
