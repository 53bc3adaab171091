// SPDX-License-Identifier: MIT
#include "prepared_planes.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "plane_plan.hpp"

namespace ladder {

std::size_t prepared_bytes(const PreparedOperand& operand) {
  const std::size_t wide = image_bytes(PlaneFormat::bf16x3, operand.rows, operand.k);
  const std::size_t scaled = image_bytes(PlaneFormat::fp16x2, operand.rows, operand.k);
  std::size_t images = 0;
  std::size_t sum = 0;
  const bool too_many = __builtin_add_overflow(wide, scaled, &images) ||  //
                        __builtin_add_overflow(images, plane_alignment, &sum);
  return too_many ? std::numeric_limits<std::size_t>::max() : sum;
}

PreparedPlanes lay_out_prepared(const PreparedOperand& operand, unsigned char* memory) {
  unsigned char* const wide = memory + plane_alignment;
  unsigned char* const scaled = wide + image_bytes(PlaneFormat::bf16x3, operand.rows, operand.k);
  return {image_in(PlaneFormat::bf16x3, operand.rows, operand.k, wide),
          image_in(PlaneFormat::fp16x2, operand.rows, operand.k, scaled), reinterpret_cast<RangeFacts*>(memory)};
}

bool PreparedTable::add(int context, const PreparedOperand& operand, const PreparedPlanes& planes) {
  const std::lock_guard lock(mutex_);
  const auto is_free = [](const Entry& entry) { return entry.planes.facts == nullptr; };
  const auto found = std::find_if(entries_.begin(), entries_.end(), is_free);
  if (found == entries_.end()) return false;
  *found = {context, operand, planes};
  count_.fetch_add(1, std::memory_order_release);
  return true;
}

void PreparedTable::remove(const RangeFacts* facts) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.planes.facts != facts) continue;
    entry = {};
    count_.fetch_sub(1, std::memory_order_release);
  }
}

PreparedPlanes PreparedTable::planes_of(int context, const PreparedOperand& operand) const {
  for (const Entry& entry : entries_) {
    if (entry.planes.facts != nullptr && entry.context == context && entry.operand == operand) return entry.planes;
  }
  return {};
}

KeptOperands PreparedTable::find(int context, const GemmProblem& p) const {
  KeptOperands kept;
  if (p.c_array != nullptr) return kept;
  const std::shared_lock lock(mutex_);
  if (p.batch == 1 || p.stride_a == 0) kept.a = planes_of(context, {p.a, p.m, p.k, p.lda, p.op_a == Op::transpose});
  if (p.batch == 1 || p.stride_b == 0) kept.b = planes_of(context, {p.b, p.n, p.k, p.ldb, p.op_b == Op::none});
  return kept;
}

SplitOperands KeptOperands::in_place_of(SplitOperands planes, PlaneFormat format) const {
  const auto image = [format](const PreparedPlanes& kept) {
    return format == PlaneFormat::fp16x2 ? kept.fp16x2 : kept.bf16x3;
  };
  if (a.facts != nullptr) planes.a = image(a);
  if (b.facts != nullptr) planes.b = image(b);
  return planes;
}

}  // namespace ladder
