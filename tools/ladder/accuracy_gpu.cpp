// SPDX-License-Identifier: MIT
// `ladder accuracy` on the GPU. Built where there is CUDA.
#include "accuracy_command.hpp"
#include "auto_rung.hpp"
#include "bench/conditions.hpp"
#include "bench/contender.hpp"
#include "bench/device_matrices.hpp"
#include "machine.hpp"
#include "sum_order.hpp"

namespace ladder::cli {

namespace {

struct Entrant {
  bench::Contender contender;
  std::string_view sums = bench::any_sums;
};

/// The contender with plain sums for as long as its launch takes.
bench::Contender summing_by_k(bench::Contender contender) {
  contender.enqueue = [enqueue = contender.enqueue](const GemmProblem& problem, Stream stream) {
    set_plain_sums(true);
    const char* complaint = enqueue(problem, stream);
    set_plain_sums(false);
    return complaint;
  };
  return contender;
}

bool can_sum_by_k(const bench::RungChoice& choice) {
  if (choice.config != nullptr) return choice.config->sums == Sums::by_k || choice.config->sums == Sums::as_asked;
  return choice.rung != &auto_entry() && !uses_tensor_cores(choice.rung->precision);
}

/// Peers first, then each rung, with plain sums right after itself.
std::optional<std::vector<Entrant>> entrants_of(const AccuracyOptions& options, const BenchPlan& plan,
                                                std::string& complaint) {
  auto peers = bench::peer_contenders(plan.peers, complaint);
  if (!peers) return std::nullopt;
  std::vector<Entrant> entrants;
  for (bench::Contender& peer : *peers) entrants.push_back({std::move(peer)});
  const std::vector<bench::Contender> rungs = bench::rung_contenders(plan.rungs);
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    entrants.push_back({rungs[i]});
    if (options.reproducible && can_sum_by_k(plan.rungs[i]))
      entrants.push_back({summing_by_k(rungs[i]), bench::plain_sums_name});
  }
  return entrants;
}

/// `placed`: empty, or why there is no problem in `matrices`.
bench::AccuracyRow row_of(const Entrant& entrant, bench::DeviceMatrices& matrices, const std::string& placed) {
  const bench::Contender contender =
      placed.empty() ? bench::contender_on(entrant.contender, matrices.problem()) : entrant.contender;
  bench::AccuracyRow row;
  row.rung = contender.rung;
  row.name = contender.name;
  row.precision = contender.precision;
  row.sums = entrant.sums;
  if (contender.accuracy == bench::Accuracy::fp16x3) row.bound = bench::stated_bound_of_fp16x3(matrices.problem().k);
  std::string complaint = placed.empty() ? matrices.poison() : placed;
  if (complaint.empty()) {
    const char* failure = contender.enqueue(matrices.problem(), nullptr);
    const bench::Judgement judgement = matrices.judge(contender.accuracy);
    row.verdict = judgement.verdict;
    if (failure != nullptr) complaint = failure;
  }
  if (complaint.empty()) row.errors = matrices.errors(complaint);
  if (row.verdict == bench::verdict_right && row.errors && !bench::is_right(row))
    row.verdict = "beyond the stated bound";
  if (!complaint.empty()) row.verdict = "failed: " + complaint;
  return row;
}

}  // namespace

std::optional<bench::AccuracyResults> accuracy_results(const AccuracyOptions& options, const BenchPlan& plan,
                                                       Progress& progress, std::string& complaint) {
  if (!gpu_name()) {
    complaint = "there is no GPU that works here; `ladder verify --device emulate` checks rungs on the CPU";
    return std::nullopt;
  }
  const auto entrants = entrants_of(options, plan, complaint);
  if (!entrants) return std::nullopt;
  bench::AccuracyResults results;
  results.conditions = bench::conditions_before(typed_command());
  if (!plan.peers.empty()) results.conditions.emplace_back("cuBLAS", bench::peer_version());
  bench::DeviceMatrices matrices;
  const auto kinds = kinds_of_data(options.data);  // which the command has looked at
  for (std::size_t i = 0; i < plan.problems.size(); ++i) {
    progress.show(bench::to_text(plan.problems[i]), i, plan.problems.size());
    for (const bench::Data data : *kinds) {
      const std::string placed = matrices.place(plan.problems[i], data);
      for (const Entrant& entrant : *entrants) {
        results.rows.push_back(row_of(entrant, matrices, placed));
        results.rows.back().problem = plan.problems[i];
        results.rows.back().data = bench::data_name(data);
      }
    }
  }
  return results;
}

}  // namespace ladder::cli
