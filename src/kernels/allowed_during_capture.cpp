// SPDX-License-Identifier: MIT
#include "allowed_during_capture.hpp"

#include <cudaTypedefs.h>

#include "driver_function.hpp"

namespace ladder::gpu {

// The driver's own: the runtime's would set the runtime up first, which is among what has to be allowed.
void AllowedDuringCapture::exchange_mode() {
  constexpr unsigned version = 10010;
  static const auto exchange =
      driver_function<PFN_cuThreadExchangeStreamCaptureMode_v10010>("cuThreadExchangeStreamCaptureMode", version);
  if (exchange != nullptr) static_cast<void>(exchange(&mode_));
}

}  // namespace ladder::gpu
