// SPDX-License-Identifier: MIT
// Planes that are kept for the emulator, in the host's memory.
#include <cstdlib>
#include <cstring>

#include "plane_memory.hpp"
#include "prepared_planes.hpp"

namespace ladder::emulated {

namespace {

constexpr int host = 0;  // the only context

PreparedTable& table() {
  static PreparedTable kept;
  return kept;
}

}  // namespace

LaunchStatus prepare(const PreparedOperand& operand, Stream stream, Prepared& prepared) {
  constexpr std::size_t most = std::size_t{1} << 40;
  const std::size_t bytes = prepared_bytes(operand);
  void* const memory = bytes > most ? nullptr : std::aligned_alloc(plane_alignment, bytes);
  if (memory == nullptr) return launch_no_memory;
  std::memset(memory, 0, sizeof(RangeFacts));
  prepared = {lay_out_prepared(operand, static_cast<unsigned char*>(memory)), memory};
  LaunchStatus status = write_planes(operand, stream, prepared.planes);
  if (status == launch_ok && !table().add(host, operand, prepared.planes)) status = launch_no_memory;
  if (status != launch_ok) std::free(memory);
  return status;
}

void release(const Prepared& prepared) {
  table().remove(prepared.planes.facts);
  std::free(prepared.memory);
}

KeptOperands kept_operands(const GemmProblem& problem) {
  return table().is_empty() ? KeptOperands{} : table().find(host, problem);
}

}  // namespace ladder::emulated
