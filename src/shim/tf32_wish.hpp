// SPDX-License-Identifier: MIT
// What a caller says of TF32 and of tensor cores: in the handle's math mode, and in the compute type of the call.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cublas_abi.hpp"

namespace ladder::shim {

/// Each outweighs those before it.
enum class Tf32Wish : std::uint8_t {
  unsaid,
  allowed,
  forbidden,
  pedantic,  ///< forbidden, and with it all that the tensor cores do
};

/// The modes and types that allow halves allow TF32 as well; the emulated ones rule it out, but not the tensor cores.
Tf32Wish tf32_wish(cublas::Math mode);
Tf32Wish tf32_wish(cublas::Compute type);

/// Of what the handle says and what the call says, what holds.
constexpr Tf32Wish weightier(Tf32Wish handle, Tf32Wish call) { return std::max(handle, call); }

}  // namespace ladder::shim
