// SPDX-License-Identifier: MIT
// alpha and beta as a kernel uses them, and what follows from their values.
#pragma once

#include "device.cuh"

namespace ladder::LADDER_DEVICE {

/// k = 0 has become alpha = 0.
struct Scalars {
  float alpha;
  float beta;
};

__device__ __forceinline__ Scalars load_scalars(const GemmProduct& p) {
  Scalars s;
  s.alpha = p.alpha.device ? *p.alpha.device : p.alpha.value;
  s.beta = p.beta.device ? *p.beta.device : p.beta.value;
  if (p.k == 0) s.alpha = 0.0f;
  return s;
}

/// The same for C itself: beta is 0 where it scales another matrix, which comes in with the rest of the epilogue.
__device__ __forceinline__ Scalars load_scalars(const GemmProduct& p, const Epilogue& epilogue) {
  Scalars s = load_scalars(p);
  if (epilogue.old_c != nullptr) s.beta = 0.0f;
  return s;
}

/// C stays as it is (alpha and beta may come from the device, so the host could not tell).
__device__ __forceinline__ bool leaves_c_alone(const Scalars& s, const Epilogue& epilogue) {
  return s.alpha == 0.0f && s.beta == 1.0f && epilogue.is_plain();
}

/// Extent of the mainloop: with alpha = 0 neither A nor B may be read.
__device__ __forceinline__ std::int64_t mainloop_k(const GemmProduct& p, const Scalars& s) {
  return s.alpha == 0.0f ? 0 : p.k;
}

}  // namespace ladder::LADDER_DEVICE
