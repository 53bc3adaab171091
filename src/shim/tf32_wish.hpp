// SPDX-License-Identifier: MIT
// What a caller says of TF32: in the handle's math mode, and in the compute type of the call.
#pragma once

#include <cstdint>

#include "cublas_abi.hpp"

namespace ladder::shim {

enum class Tf32Wish : std::uint8_t { unsaid, allowed, forbidden };

/// The modes and types that allow halves allow TF32 as well; the pedantic and the emulated ones rule it out.
Tf32Wish tf32_wish(cublas::Math mode);
Tf32Wish tf32_wish(cublas::Compute type);

/// True where somebody allows TF32 and nobody forbids it.
constexpr bool allows_tf32(Tf32Wish handle, Tf32Wish call) {
  if (handle == Tf32Wish::forbidden || call == Tf32Wish::forbidden) return false;
  return handle == Tf32Wish::allowed || call == Tf32Wish::allowed;
}

}  // namespace ladder::shim
