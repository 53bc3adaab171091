// SPDX-License-Identifier: MIT
// From what was typed to the list of problems, rungs and peers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "bench/peer_names.hpp"
#include "bench/replay.hpp"
#include "bench/shape_list.hpp"
#include "bench/text_list.hpp"
#include "bench_command.hpp"
#include "machine.hpp"
#include "op_letter.hpp"
#include "rung.hpp"

namespace ladder::cli {

namespace {

using bench::BenchProblem;

constexpr std::array<std::int64_t, 5> default_squares = {256, 512, 1024, 2048, 4096};

BenchProblem with_ops(BenchProblem problem, std::string_view ops) {
  problem.op_a = op_of_letter(ops[0]);
  problem.op_b = op_of_letter(ops[1]);
  problem.lda = problem.ldb = problem.ldc = 0;
  return bench::with_leading_dimensions(problem);
}

// Once for each of `ops`; as it is where there are none.
void add_with_ops(const BenchProblem& problem, const std::string& ops, std::vector<BenchProblem>& problems) {
  if (ops.empty()) {
    problems.push_back(problem);
    return;
  }
  for (const std::string_view pair : bench::split(ops, ',')) problems.push_back(with_ops(problem, pair));
}

bool add_typed(const BenchOptions& options, std::vector<BenchProblem>& problems, std::string& complaint) {
  for (const std::string& shapes : options.shapes) {
    const auto typed = bench::parse_shapes(shapes, complaint);
    if (!typed) return false;
    for (const BenchProblem& problem : *typed) add_with_ops(problem, options.ops, problems);
  }
  return true;
}

void add_squares(const BenchOptions& options, std::vector<BenchProblem>& problems) {
  for (const std::int64_t size : default_squares) {
    BenchProblem square;
    square.category = "square";
    square.m = square.n = square.k = size;
    add_with_ops(bench::with_leading_dimensions(square), options.ops, problems);
  }
}

// The rung of the line is what --rungs would have said.
bool add_replay(const std::string& line, std::vector<BenchProblem>& problems, std::string& rung,
                std::string& complaint) {
  const auto replay = bench::parse_replay(line, complaint);
  if (!replay) {
    complaint = "--replay: " + complaint;
    return false;
  }
  if (replay->alpha != 1.0f || replay->beta != 0.0f || replay->scalars_on_device) {
    fmt::print(stderr, "ladder: timed with alpha = 1 and beta = 0 by value, whatever the line says\n");
  }
  if (!replay->epilogue.empty()) {
    fmt::print(stderr, "ladder: timed without the epilogue of the line, {}\n", replay->epilogue);
  }
  problems.push_back(replay->problem);
  rung = replay->rung;
  return true;
}

bool find_problems(const BenchOptions& options, BenchPlan& plan, std::string& rung, std::string& complaint) {
  std::vector<BenchProblem>& problems = plan.problems;
  if (!options.ops.empty() && (!options.shape_file.empty() || !options.replay.empty())) {
    complaint = "--ops is for shapes that are typed: the problems of --shapes and --replay have theirs";
    return false;
  }
  if (!add_typed(options, problems, complaint)) return false;
  if (!options.shape_file.empty()) {
    const auto listed = bench::read_shapes(options.shape_file, complaint);
    if (!listed) return false;
    problems.insert(problems.end(), listed->begin(), listed->end());
  }
  if (!options.replay.empty() && !add_replay(options.replay, problems, rung, complaint)) return false;
  if (!names_problems(options)) add_squares(options, problems);
  if (!options.category.empty()) {
    std::erase_if(problems, [&](const BenchProblem& problem) { return problem.category != options.category; });
  }
  if (problems.empty()) {
    complaint = options.category.empty() ? "there are no problems in the list"
                                         : fmt::format("there is no problem of category '{}'", options.category);
  }
  return !problems.empty();
}

// Empty where each of them is a known one.
std::string unknown_peer(const std::vector<std::string>& peers, std::span<const std::string_view> known) {
  for (const std::string& peer : peers) {
    if (std::find(known.begin(), known.end(), peer) != known.end()) continue;
    return fmt::format("--against: '{}' is none of {}", peer, bench::joined(known, ", "));
  }
  return {};
}

}  // namespace

bool is_host_door(const BenchOptions& options) { return options.door == "cblas" || options.door == "sgemm_"; }

bool names_problems(const BenchOptions& options) {
  return !options.shapes.empty() || !options.shape_file.empty() || !options.replay.empty();
}

std::optional<BenchPlan> bench_plan(const BenchOptions& options, std::string& complaint) {
  BenchPlan plan;
  std::string replayed_rung;
  if (!find_problems(options, plan, replayed_rung, complaint)) return std::nullopt;
  const bool on_host = is_host_door(options);
  std::string rungs = options.rungs.empty() ? replayed_rung : options.rungs;
  if (rungs.empty() && !on_host) rungs = rung_label(default_rung());
  if (!rungs.empty()) {
    auto choices = bench::parse_rungs(rungs, complaint);
    if (!choices) return std::nullopt;
    plan.rungs = std::move(*choices);
  }
  if (options.against.empty() && !on_host) plan.peers = {"cublas"};
  if (!options.against.empty() && options.against != "none") {
    for (const std::string_view peer : bench::split(options.against, ',')) plan.peers.emplace_back(peer);
  }
  complaint = on_host ? unknown_peer(plan.peers, bench::host_peers) : unknown_peer(plan.peers, bench::gpu_peers);
  if (!complaint.empty()) return std::nullopt;
  return plan;
}

std::string typed_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(file, word, '\0');) {
    if (text.empty()) word = std::filesystem::path(word).filename().string();
    const bool plain = !word.empty() && word.find_first_of(" '\"*?$;&|<>()") == word.npos;
    const char* quote = plain ? "" : "'";
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", quote, word, quote);
  }
  return text;
}

}  // namespace ladder::cli
