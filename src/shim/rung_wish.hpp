// SPDX-License-Identifier: MIT
// Which rung is wished for: by the thread, the process, the environment, or nobody.
#pragma once

#include "auto_rung.hpp"
#include "config.hpp"
#include "rung.hpp"

namespace ladder::shim {

struct RungWish {
  const Rung* rung = nullptr;  ///< auto_entry() until settled() has put a rung in its place
  const char* why = "default";
  bool forced = false;  ///< somebody asked: the caller's math mode does not change it
};

/// The wish that holds for the next call on this thread. Lists of LADDER_RUNG take turns here.
RungWish wished_rung();

/// The wish with the rung that auto means for this problem on the current device.
RungWish settled(RungWish wish, const GemmProblem& problem, bool tensor_cores_allowed, KernelHome home);

/// The same for a call that no GPU may be asked about: auto means the default rung.
RungWish settled_without_gpu(RungWish wish);

/// Set by the public interface; null takes the wish back. A thread's wish wins over the process's.
void wish_for_process(const Rung* rung);
void wish_for_thread(const Rung* rung);
const Rung* wish_of_process();
const Rung* wish_of_thread();

}  // namespace ladder::shim
