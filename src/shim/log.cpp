// SPDX-License-Identifier: MIT
#include "log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <iterator>

#include "config.hpp"
#include "op_letter.hpp"
#include "stderr_line.hpp"

namespace ladder::shim {

namespace {

std::string scalar_text(const Scalar& scalar) {
  return scalar.device ? std::string("device") : fmt::format("{}", scalar.value);
}

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The reason as one lower-case word.
std::string why_text(const Served& served) {
  if (served.failure == nullptr) return served.why;
  std::string text = fmt::format("fallback:{}", served.failure);
  for (char& character : text) character = character == ' ' ? '-' : lower_case(character);
  return text;
}

std::string rung_number_text(const Rung* rung) {
  if (rung == nullptr) return "none";
  return rung->number == unnumbered ? rung->id : fmt::format("{}", rung->number);
}

const char* server_name(Server server, const Rung* rung) {
  if (server == Server::rung) return rung->name;
  return server == Server::next_blas ? "next_blas" : "none";
}

std::string device_text(const Served& served) {
  const char* name = place_name(served.place);
  return served.gpu_ordinal < 0 ? std::string(name) : fmt::format("{}:{}", name, served.gpu_ordinal);
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

// Runs when the library is finalised: after the program's own exit handlers, so that calls made in
// those are in the table too. Nothing it uses is ever destroyed.
__attribute__((destructor)) void write_summary() {
  // A process that made no call has not looked at the environment and does not do so now.
  if (count_of(std::nullopt, nullptr) == 0 || config().log != LogLevel::summary) return;
  try {
    write_line(opened_log(), format_summary());
  } catch (const std::exception&) {
    stderr_line("ladderblas: no memory for the summary");
  }
}

}  // namespace

CallRecord::CallRecord(Door door) : door_(door) {
  if (config().log != LogLevel::off) begin_ = std::chrono::steady_clock::now();
}

void CallRecord::close(const GemmProblem& problem, const Served& served) const {
  const LogLevel level = config().log;
  double microseconds = 0;
  if (level != LogLevel::off)
    microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
  count_call(door_, served, microseconds);
  if (level == LogLevel::off) return;
  try {
    const int descriptor = opened_log();
    if (level == LogLevel::call) write_line(descriptor, format_call(door_, problem, served, microseconds));
  } catch (const std::exception&) {
    stderr_line("ladderblas: no memory for a line of the log");
  }
}

bool logs_calls() { return config().log == LogLevel::call; }

std::string format_call(Door door, const GemmProblem& p, const Served& served, double microseconds) {
  return fmt::format(
      "ladderblas: sgemm via={} rung={} name={} device={} op={}{} m={} n={} k={} lda={} ldb={} ldc={} alpha={} beta={} "
      "batch={} why={} us={:.1f}",
      door_name(door), rung_number_text(served.rung), server_name(served.server, served.rung), device_text(served),
      op_letter(p.op_a), op_letter(p.op_b), p.m, p.n, p.k, p.lda, p.ldb, p.ldc, scalar_text(p.alpha),
      scalar_text(p.beta), p.batch, why_text(served), microseconds);
}

std::string format_summary() {
  fmt::memory_buffer table;
  for_each_count([&](const Count& count) {
    if (table.size() == 0)
      fmt::format_to(std::back_inserter(table), "ladderblas: {:<30} {:>4} {:<16} {:<8} {:>10} {:>14}", "door", "rung",
                     "name", "device", "calls", "ms");
    constexpr double microseconds_per_millisecond = 1e3;
    fmt::format_to(std::back_inserter(table), "\nladderblas: {:<30} {:>4} {:<16} {:<8} {:>10} {:>14.3f}",
                   door_name(count.door), rung_number_text(count.rung), server_name(count.server, count.rung),
                   place_name(count.place), count.calls, count.microseconds / microseconds_per_millisecond);
  });
  return fmt::to_string(table);
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

}  // namespace ladder::shim
