// SPDX-License-Identifier: MIT
#include "tuning_builtin.hpp"

#include <iterator>

#include "kernels_build_id.hpp"

namespace ladder {

namespace {

constexpr const char* h200_name = "NVIDIA H200";
constexpr int h200_multiprocessors = 132;

constexpr Op N = Op::none;
constexpr Op T = Op::transpose;

#define TUNED(rung, op_a, op_b, alignment, m, n, k, batch, config, ms, runner_up) \
  {#rung, op_a, op_b, Alignment::alignment, m, n, k, batch, config, ms, runner_up},
constexpr TuningRecord h200[] = {
#include "tuning_h200.def"
#include "tuning_h200_tensor.def"
    {}};  // the end, so that a file without lines is one too
#undef TUNED

}  // namespace

std::span<const TuningRecord> builtin_tuning_records(const GpuIdentity& gpu) {
  if (gpu.name != h200_name || gpu.multiprocessors != h200_multiprocessors) return {};
  return std::span(h200).first(std::size(h200) - 1);
}

const TuningTable* builtin_tuning_table(const GpuIdentity& gpu) {
  const std::span<const TuningRecord> records = builtin_tuning_records(gpu);
  if (records.empty()) return nullptr;
  static const TuningTable& table = *new TuningTable(records);  // the only GPU that has any
  return &table;
}

const char* kernels_build_id() { return build_id_text; }

}  // namespace ladder
