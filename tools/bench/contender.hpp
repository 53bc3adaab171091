// SPDX-License-Identifier: MIT
// What takes part in a measurement on the GPU: a rung, one of its configurations, a door of the library, or cuBLAS.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cublas_sgemm.hpp"
#include "judgement.hpp"
#include "roofline.hpp"
#include "rung_choice.hpp"

namespace ladder::bench {

struct Contender {
  std::string rung;       ///< "9", "padded", "auto"; "0" for a peer
  std::string name;       ///< "double_buffered", "double_buffered:warp_specialized_128x64", "cublas_tf32"
  std::string precision;  ///< "fp32", "tf32", "bf16x6"
  Multiplier multiplier;
  Accuracy accuracy = Accuracy::fp32;

  /// Enqueues the whole problem, a batch included, and returns without waiting.
  DeviceSgemm enqueue;

  /// Calls that were served by this contender so far, where others might serve them: a library hands some on. Empty
  /// where nobody else can.
  std::function<std::uint64_t()> calls_served;

  /// Who takes part in its place on a problem: a rung leaves some to another one, and auto chooses. That one has the
  /// `rung` of this, for it was wished for, and all else of its own. Empty where this one always does.
  std::function<Contender(const GemmProblem&)> stand_in;
};

/// The contender itself, or its stand-in.
Contender contender_on(const Contender& contender, const GemmProblem& problem);

/// Which unit multiplies. Contenders of one unit take turns, those of the other come after a pause: what a unit draws
/// lowers the clock of whatever follows.
inline bool on_tensor_cores(const Contender& contender) { return contender.multiplier.pipe != Pipe::fp32; }

/// The same for some problem that it may meet.
bool may_use_tensor_cores(const Contender& contender);

/// The kernels themselves, launched without any door.
std::vector<Contender> rung_contenders(const std::vector<RungChoice>& choices);

/// The rungs as a caller of cublasSgemm_v2 gets them, through the library at that path. Nothing, and why, where it
/// cannot be used, or where a choice forces a configuration, which no caller can.
std::optional<std::vector<Contender>> door_contenders(const std::string& library_path,
                                                      const std::vector<RungChoice>& choices, std::string& complaint);

/// Those of gpu_peers, all through the same real cuBLAS. Nothing, and why, where there is none.
std::optional<std::vector<Contender>> peer_contenders(const std::vector<std::string>& names, std::string& complaint);

/// The real cuBLAS that peer_contenders uses; empty where there is none.
std::string peer_version();

}  // namespace ladder::bench
