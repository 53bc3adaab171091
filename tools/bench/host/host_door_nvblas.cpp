// SPDX-License-Identifier: MIT
#include "host_door_nvblas.hpp"

#include <fmt/format.h>

#include <fstream>

#include "host_door_protocol.hpp"

namespace ladder::bench {

namespace {

/// What even one slow core gets done: no answer is late before that.
double seconds_explained_by(const BenchProblem& p) {
  constexpr double slow_flops_per_s = 2e9;
  constexpr double slow_elements_per_s = 1e7;  // drawn, and touched for the first time
  const auto elements = static_cast<double>(p.batch) * static_cast<double>(stride_a(p) + stride_b(p) + stride_c(p));
  return flops(p) / slow_flops_per_s + elements / slow_elements_per_s;
}

std::filesystem::path log_of(const std::filesystem::path& folder) { return folder / "nvblas.log"; }

bool write_configuration(const std::filesystem::path& folder, const NvblasStart& start) {
  std::ofstream file(folder / "nvblas.conf");
  file << "NVBLAS_LOGFILE " << log_of(folder).string() << "\n"
       << "NVBLAS_CPU_BLAS_LIB " << start.cpu_blas << "\n"
       << "NVBLAS_GPU_LIST " << start.gpus << "\n"
       << "NVBLAS_AUTOPIN_MEM_ENABLED\n";
  return static_cast<bool>(file.flush());
}

}  // namespace

std::string NvblasThere::start_with(const std::string& preloaded, const HostTask& task) {
  if (folder_.path().empty()) return "there is no folder for temporary files";
  if (!write_configuration(folder_.path(), start_)) return "no room for its configuration file";
  const ProcessStart start{
      {start_.tool, "host-peer"},
      {{"LD_PRELOAD", preloaded}, {"NVBLAS_CONFIG_FILE", (folder_.path() / "nvblas.conf").string()}},
      (folder_.path() / "stderr").string()};
  std::string complaint;
  process_ = PeerProcess::start(start, complaint);
  return process_ == nullptr ? complaint : ask_for(task);
}

std::string NvblasThere::ask_for(const HostTask& task) {
  std::string complaint;
  const auto answer = process_->ask(task_request(task), answer_prefix, timeout_s_, complaint);
  const auto library = answer ? parse_ready_answer(*answer, complaint) : std::nullopt;
  if (library) {
    library_ = *library;
    return {};
  }
  process_.reset();
  return complaint;
}

std::string NvblasThere::begin(const HostTask& task, HostMatrices&) {
  timeout_s_ = start_.timeout_s + seconds_explained_by(task.problem);
  if (process_ != nullptr) return ask_for(task);
  std::string complaints;
  for (const std::string& candidate : start_.candidates) {
    const std::string complaint = start_with(candidate, task);
    if (complaint.empty()) {
      start_.candidates = {candidate};
      return {};
    }
    complaints += fmt::format("{}{}: {}", complaints.empty() ? "" : "; ", candidate, complaint);
  }
  return complaints;
}

HostAnswer NvblasThere::request(const char* line) {
  HostAnswer answer;
  if (process_ == nullptr) return {"has no process", 0.0, std::nullopt};
  const auto text = process_->ask(line, answer_prefix, timeout_s_, answer.complaint);
  if (text) answer = parse_ms_answer(*text);
  if (!answer.complaint.empty()) process_.reset();
  return answer;
}

std::string NvblasThere::try_out() {
  BenchProblem smallest;
  smallest.m = smallest.n = smallest.k = 1;
  const HostTask task{with_leading_dimensions(smallest)};
  HostMatrices unused(task);
  if (std::string complaint = begin(task, unused); !complaint.empty()) return complaint;
  if (std::string complaint = call().complaint; !complaint.empty()) return complaint;
  // Its log is written when it ends.
  process_->finish();
  process_.reset();
  std::ifstream log(log_of(folder_.path()));
  for (std::string line; std::getline(log, line);) {
    if (line.find("No device selected") != std::string::npos) return "it would not use a GPU: " + line;
  }
  return {};
}

std::optional<pid_t> NvblasThere::own_process() const {
  if (process_ == nullptr) return std::nullopt;
  return process_->pid();
}

HostAnswer NvblasThere::call() { return request(call_request); }

HostAnswer NvblasThere::checked_call() {
  HostAnswer answer = request(check_request);
  if (answer.complaint.empty() && !answer.judgement) answer.complaint = "answered without a verdict";
  return answer;
}

}  // namespace ladder::bench
