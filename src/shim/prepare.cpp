// SPDX-License-Identifier: MIT
// ladder_prepare(): an operand that does not change, kept ready for the tensor cores.
#include <ladderblas/ladderblas.h>

#include <cstring>
#include <memory>
#include <new>

#include "config.hpp"
#include "last_error.hpp"
#include "prepared_planes.hpp"

using ladder::LaunchStatus;
using ladder::PreparedOperand;

struct ladder_prepared {
  ladder::Prepared kept;
  bool emulated = false;
};

namespace {

bool is_one_of(char letter, const char* letters) { return letter != '\0' && std::strchr(letters, letter) != nullptr; }

/// Null, or what is wrong with the arguments.
const char* complaint_about(char side, char op, const PreparedOperand& operand) {
  if (!is_one_of(side, "AaBb")) return "ladder_prepare: the side is 'A' or 'B'";
  if (!is_one_of(op, "NnTtCc")) return "ladder_prepare: op is 'N', 'T' or 'C'";
  if (operand.matrix == nullptr) return "ladder_prepare: there is no matrix";
  if (operand.rows < 1 || operand.k < 1) return "ladder_prepare: an extent is below 1";
  if (operand.ld < (operand.k_major ? operand.k : operand.rows))
    return "ladder_prepare: the leading dimension is smaller than a column";
  return nullptr;
}

LaunchStatus prepare(const PreparedOperand& operand, void* stream, ladder_prepared& prepared) {
  prepared.emulated = ladder::shim::config().device == ladder::shim::DeviceWish::emulate;
  if (prepared.emulated) return ladder::emulated::prepare(operand, stream, prepared.kept);
#if LADDER_HAS_CUDA
  return ladder::gpu::prepare(operand, stream, prepared.kept);
#else
  return ladder::launch_not_supported;
#endif
}

ladder_status failed(ladder_status status, const char* text) {
  ladder::shim::set_last_error(text);
  return status;
}

}  // namespace

ladder_status ladder_prepare(char side, char op, int64_t rows, int64_t k, const float* matrix, int64_t ld, void* stream,
                             ladder_prepared** prepared) {
  const bool transposes = !is_one_of(op, "Nn");
  const PreparedOperand operand{matrix, rows, k, ld, is_one_of(side, "Aa") == transposes};
  if (prepared == nullptr) return failed(LADDER_INVALID_ARGUMENT, "ladder_prepare: nowhere to put the result");
  if (const char* complaint = complaint_about(side, op, operand)) return failed(LADDER_INVALID_ARGUMENT, complaint);
  std::unique_ptr<ladder_prepared> made(new (std::nothrow) ladder_prepared);
  const LaunchStatus status = made ? prepare(operand, stream, *made) : ladder::launch_no_memory;
  if (status == ladder::launch_no_memory)
    return failed(LADDER_NO_MEMORY, "ladder_prepare: no room for the operand, or for one more of them");
  if (status != ladder::launch_ok) return failed(LADDER_GPU_FAILED, ladder::launch_status_text(status));
  *prepared = made.release();
  return LADDER_OK;
}

void ladder_release(ladder_prepared* prepared) {
  const std::unique_ptr<ladder_prepared> ending(prepared);
  if (prepared == nullptr) return;
  if (prepared->emulated) return ladder::emulated::release(prepared->kept);
#if LADDER_HAS_CUDA
  ladder::gpu::release(prepared->kept);
#endif
}
