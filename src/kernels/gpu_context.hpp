// SPDX-License-Identifier: MIT
// Which CUDA context a call works in. Memory, streams and what was set for a kernel belong to a context, not to a
// device: a program may have several contexts on one, destroy them and make others.
#pragma once

namespace ladder::gpu {

inline constexpr int tracked_contexts = 64;
inline constexpr int no_context = -1;

/// The calling thread's current context by a number below tracked_contexts, which no other context of the process gets,
/// even after this one's end. no_context where there is none and for those beyond so many. A thread that has no context
/// yet gets the primary one of its device, as by any call of the CUDA runtime. Legal while a stream is captured; leaves
/// no CUDA error behind.
int current_context();

}  // namespace ladder::gpu
