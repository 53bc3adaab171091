// SPDX-License-Identifier: MIT
// LADDER_RUNG=auto: the quickest of the rungs that are as good as FP32, problem by problem.
#pragma once

#include <cstdint>
#include <string_view>

#include "rung.hpp"

namespace ladder {

/// For which of a rung's two kernels a choice is made.
enum class KernelHome : std::uint8_t { gpu, emulated };

inline constexpr const char* auto_rung_id = "auto";  ///< in the tuning table, where a configuration is a rung's name

/// 1. What was measured to be the quickest for exactly this problem on the current device; 2. what mostly is for
/// problems of its class, unless the models see a cliff; 3. what the models say: as choose_config() has it. Rung 9
/// where the tensor cores are not allowed, where plain_sums() asks for an order of k that does not depend on the
/// problem, and for a problem without products. Never a rung that declines the problem. Remembered by each thread, as
/// remembered_config() does.
const Rung& auto_rung(const GemmProblem& problem, bool tensor_cores_allowed, KernelHome home);

/// All of that as a rung, which is not among rungs(): its configurations are the rungs to choose from, under their
/// names, and its launch() is that of auto_rung().
const Rung& auto_entry();

/// The GPU's kernel; in a build without CUDA the emulator's, which may have fewer configurations. Null for rung 0.
constexpr const RungKernel* foremost_kernel(const Rung& rung) { return rung.gpu != nullptr ? rung.gpu : rung.emulated; }

/// Whom the records of a tuning table mean by this id: a rung, or auto_entry(). Null where they mean nobody.
const Rung* tuned_rung(std::string_view id);

}  // namespace ladder
