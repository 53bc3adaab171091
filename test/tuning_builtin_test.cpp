// SPDX-License-Identifier: MIT
// The measurements that come with the library: that they name what exists, and that the model which ranks what the
// tuner times would have had them timed.
#include "tuning_builtin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "auto_rung.hpp"
#include "rung.hpp"

namespace ladder::test {

namespace {

constexpr int multiprocessors = 132;
const GpuIdentity h200{"NVIDIA H200", multiprocessors, 13000};

/// The problem of a record, with operands that are aligned as it says.
GemmProblem problem_of(const TuningRecord& r) {
  static const float* const aligned = reinterpret_cast<const float*>(std::uintptr_t{256});
  const auto quads = [](std::int64_t extent) { return (extent + 3) / 4 * 4; };
  GemmProblem p;
  p.op_a = r.op_a, p.op_b = r.op_b;
  p.m = r.m, p.n = r.n, p.k = r.k, p.batch = r.batch;
  p.lda = quads(r.op_a == Op::none ? r.m : r.k);
  p.ldb = quads(r.op_b == Op::none ? r.k : r.n);
  p.ldc = quads(r.m);
  p.stride_a = p.lda * (r.op_a == Op::none ? r.k : r.m);
  p.stride_b = p.ldb * (r.op_b == Op::none ? r.n : r.k);
  p.a = r.alignment == Alignment::a || r.alignment == Alignment::both ? aligned : aligned + 1;
  p.b = r.alignment == Alignment::b || r.alignment == Alignment::both ? aligned : aligned + 1;
  return p;
}

bool exists(const TuningRecord& record) { return !TuningTable(std::span(&record, 1)).empty(); }

/// How many of the rung's configurations the model holds to be quicker than the one that was; nothing where that one
/// cannot run here: without a GPU, the models of tensor cores say so.
std::optional<std::ptrdiff_t> models_rank(const TuningRecord& r) {
  const std::span<const KernelConfig> all = foremost_kernel(*tuned_rung(r.rung))->configs;
  const GemmProblem problem = problem_of(r);
  const auto won = std::ranges::find(all, r.config, [](const KernelConfig& c) { return std::string_view(c.name); });
  REQUIRE(won != all.end());
  const double its_cycles = won->predicted_cycles(problem, multiprocessors);
  if (!std::isfinite(its_cycles)) return std::nullopt;
  return std::ranges::count_if(all, [&](const KernelConfig& c) {
    const double cycles = c.predicted_cycles(problem, multiprocessors);
    return cycles < its_cycles || (cycles == its_cycles && &c < &*won);
  });
}

}  // namespace

TEST_CASE("the built-in table names rungs and configurations that exist, each problem once") {
  const std::span<const TuningRecord> records = builtin_tuning_records(h200);
  REQUIRE_FALSE(records.empty());
  std::set<TuningKey> problems;
  std::size_t known = 0;
  for (const TuningRecord& r : records) {
    CAPTURE(r.rung);
    CAPTURE(r.config);
    REQUIRE(tuned_rung(r.rung) != nullptr);
    // Some configurations on tensor cores exist on the GPU alone.
    const bool may_lack = LADDER_HAS_CUDA == 0 && uses_tensor_cores(tuned_rung(r.rung)->precision);
    known += exists(r);
    CHECK((exists(r) || may_lack));
    TuningRecord next = r;
    next.config = r.runner_up;
    CHECK((r.runner_up.empty() || exists(next) || may_lack));
    CHECK(r.config != r.runner_up);
    CHECK(r.ms > 0.0);
    CHECK(problems.insert({rung_key(r.rung), r.op_a, r.op_b, r.alignment, r.m, r.n, r.k, r.batch}).second);
  }
  const TuningTable* table = builtin_tuning_table(h200);
  CHECK((table == nullptr ? 0 : table->size()) == known);
  CHECK(builtin_tuning_records({"NVIDIA H200", 114, 13000}).empty());
  CHECK(builtin_tuning_records({"NVIDIA H100", 132, 13000}).empty());
  CHECK(std::string(kernels_build_id()).size() == 16);
}

TEST_CASE("the search, which times the model's best six, would have timed what was measured to be the quickest") {
  const std::span<const TuningRecord> records = builtin_tuning_records(h200);
  constexpr std::size_t candidates = 6;
  std::size_t wins = 0;
  std::size_t among = 0;
  for (const TuningRecord& r : records) {
    CHECK(alignment_of(problem_of(r)) == r.alignment);
    if (foremost_kernel(*tuned_rung(r.rung))->configs.size() <= candidates) continue;  // all of them are timed
    if (!exists(r)) continue;                                                          // on the GPU alone
    const auto rank = models_rank(r);
    if (!rank) continue;
    ++wins;
    among += *rank < static_cast<std::ptrdiff_t>(candidates);
  }
  CAPTURE(among);
  CAPTURE(wins);
  REQUIRE(wins > 0);
  CHECK(10 * among >= 9 * wins);  // 117 of the 120 of rung 7
}

}  // namespace ladder::test
