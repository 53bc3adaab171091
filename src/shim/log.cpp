// SPDX-License-Identifier: MIT
#include "log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include "config.hpp"
#include "counters.hpp"
#include "op_letter.hpp"
#include "served_text.hpp"
#include "stderr_line.hpp"
#include "summary.hpp"

namespace ladder::shim {

namespace {

std::string scalar_text(const Scalar& scalar) {
  return scalar.device ? std::string("device") : fmt::format("{}", scalar.value);
}

/// A word of its own where there is more to C than alpha op(A) op(B) + beta C.
std::string epilogue_text(const Epilogue& epilogue) {
  if (epilogue.is_plain()) return {};
  std::string parts;
  if (epilogue.old_c != nullptr) parts += ",separate_c";
  if (epilogue.bias != nullptr) parts += epilogue.bias_by_column ? ",column_bias" : ",bias";
  if (epilogue.activation == Activation::relu) parts += ",relu";
  if (epilogue.activation == Activation::gelu) parts += ",gelu";
  return " epilogue=" + parts.substr(1);
}

/// What the choice between CPU and GPU was made by, where it was; the time that came of it is the line's own.
std::string prediction_text(const Prediction& predicted) {
  constexpr double us = 1e6;
  if (!predicted.is_known()) return {};
  return fmt::format(" predicted_cpu_us={:.1f} predicted_gpu_us={:.1f}", us * predicted.cpu_s, us * predicted.gpu_s);
}

int open_log() {
  const std::string& pattern = config().log_file;
  if (pattern.empty()) return STDERR_FILENO;
  constexpr int readable_by_all = 0644;
  const std::string path = log_path(pattern, getpid());
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, readable_by_all);
  if (descriptor >= 0) return descriptor;
  stderr_line(fmt::format("ladderblas: LADDER_LOG_FILE={} cannot be opened; the log goes to stderr", path));
  return STDERR_FILENO;
}

// A forked child writes its own file (%p) and counts its own calls.
std::atomic<int> log_descriptor{-1};

void start_afresh_in_child() {
  log_descriptor.store(-1, std::memory_order_relaxed);
  reset_counters();
  summary_table().reset();
  gpu_stopwatch().abandon_in_child();
}

int opened_log() {
  static const int once = pthread_atfork(nullptr, nullptr, start_afresh_in_child);
  static_cast<void>(once);
  int descriptor = log_descriptor.load(std::memory_order_acquire);
  if (descriptor >= 0) return descriptor;
  const int opened = open_log();
  if (log_descriptor.compare_exchange_strong(descriptor, opened)) return opened;
  if (opened != STDERR_FILENO) close(opened);
  return descriptor;
}

/// Writes what `format` makes of the call, where a line a call is wanted; otherwise the log is opened all the same, so
/// that a file that cannot be is reported while somebody looks.
template <class Format>
void write_call(const Format& format) {
  try {
    const int descriptor = opened_log();
    if (config().log == LogLevel::call) write_line(descriptor, format());
  } catch (const std::exception&) {
    stderr_line("ladderblas: no memory for a line of the log");
  }
}

/// Has the times that are still on their way to the summary waited for when the process ends. Exit handlers run in the
/// reverse order of their registration: this one, registered after a call has used the GPU, runs while the CUDA runtime
/// and the driver are still there.
void wait_for_gpu_times_at_exit() {
  static const int once = std::atexit([] {
    constexpr std::chrono::seconds patience{10};  // with the work that the program left behind
    gpu_stopwatch().collect(patience);
  });
  static_cast<void>(once);
}

// Runs when the library is finalised: after the program's own exit handlers, so that calls made in
// those are in the table too. Nothing it uses is ever destroyed.
__attribute__((destructor)) void write_summary() {
  // A process that made no call has not looked at the environment and does not do so now.
  if (summary_table().empty()) return;
  try {
    write_line(opened_log(), format_summary(summary_table(), logs_gpu_time()));
  } catch (const std::exception&) {
    stderr_line("ladderblas: no memory for the summary");
  }
}

}  // namespace

bool logs_device() { return config().log != LogLevel::off; }

bool logs_gpu_time() { return config().log == LogLevel::summary && config().log_time == LogTime::gpu; }

CallRecord::CallRecord(Door door) : CallRecord(door, logs_gpu_time() ? &gpu_stopwatch() : nullptr) {}

CallRecord::CallRecord(Door door, GpuStopwatch* stopwatch) : door_(door), lap_(stopwatch) {
  if (config().log != LogLevel::off) begin_ = std::chrono::steady_clock::now();
}

double CallRecord::microseconds() const {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
}

void CallRecord::close(const GemmProblem& problem, const Served& served) {
  count_call(door_, served);
  if (config().log == LogLevel::off) return;
  const double us = microseconds();
  if (config().log == LogLevel::summary) add_to_summary(served, &problem, us);
  write_call([&] { return format_call(door_, problem, served, us); });
}

void CallRecord::close_passed_on(const Served& served) {
  if (config().log == LogLevel::off) return;
  const double us = microseconds();
  if (config().log == LogLevel::summary) add_to_summary(served, nullptr, us);
  write_call([&] { return format_passed_on(door_, served, us); });
}

void CallRecord::add_to_summary(const Served& served, const GemmProblem* problem, double us) {
  constexpr double nanoseconds_per_microsecond = 1e3;
  const ShapeClass shape = problem ? shape_class_of(*problem) : ShapeClass::unknown;
  const double flops = problem ? nominal_flops(*problem) : 0.0;
  SummaryRow& row = summary_table().row({door_, served, shape});
  row.calls.fetch_add(1, std::memory_order_relaxed);
  row.nanoseconds.fetch_add(static_cast<std::uint64_t>(us * nanoseconds_per_microsecond), std::memory_order_relaxed);
  row.flops.fetch_add(flops, std::memory_order_relaxed);
  if (served.place != Place::gpu) return;
  if (lap_.captured()) row.captured.fetch_add(1, std::memory_order_relaxed);
  lap_.hand_in(row.gpu, flops);
  if (logs_gpu_time()) wait_for_gpu_times_at_exit();
}

std::string format_call(Door door, const GemmProblem& p, const Served& served, double microseconds) {
  return fmt::format(
      "ladderblas: sgemm via={} rung={} name={} device={} op={}{} m={} n={} k={} lda={} ldb={} ldc={} alpha={} beta={} "
      "batch={} why={} us={:.1f}{}{}",
      door_name(door), rung_text(served.rung), server_name(served), device_text(served), op_letter(p.op_a),
      op_letter(p.op_b), p.m, p.n, p.k, p.lda, p.ldb, p.ldc, scalar_text(p.alpha), scalar_text(p.beta), p.batch,
      why_text(served), microseconds, prediction_text(served.predicted), epilogue_text(p));
}

std::string format_passed_on(Door door, const Served& served, double microseconds) {
  return fmt::format("ladderblas: passed_on via={} rung={} name={} device={} why={} us={:.1f}", door_name(door),
                     rung_text(served.rung), server_name(served), device_text(served), why_text(served), microseconds);
}

std::string log_path(const std::string& pattern, long process_id) {
  constexpr std::string_view placeholder = "%p";
  const std::string number = fmt::format("{}", process_id);
  std::string path = pattern;
  for (std::size_t at = path.find(placeholder); at != std::string::npos;
       at = path.find(placeholder, at + number.size()))
    path.replace(at, placeholder.size(), number);
  return path;
}

void forget_calls() {
  reset_counters();
  summary_table().reset();
  gpu_stopwatch().forget();
}

}  // namespace ladder::shim
