// SPDX-License-Identifier: MIT
// How a rung with several configurations picks one for a problem: by measurement where there is one, else by its
// model. Any thread; no allocation and no lock, apart from the first choice on a GPU.
#pragma once

#include <span>

#include "gpu_identity.hpp"
#include "rung.hpp"
#include "tuning_table.hpp"

namespace ladder {

/// A device for which choices are made: a GPU by its ordinal, or the emulator.
enum class TuningSlot : int {};

inline constexpr int tracked_devices = 64;  ///< GPUs beyond these have the model alone
inline constexpr TuningSlot emulator_slot{tracked_devices};
inline constexpr TuningSlot no_slot{-1};  ///< of a device without measurements

/// Gives the table of a GPU, or null for none. Called at the first choice on that GPU, once; the table must live on.
using TuningSource = const TuningTable* (*)(const GpuIdentity& gpu);

/// Replaces builtin_tuning_table() as the source of GPUs for which there was no choice yet.
void set_tuning_source(TuningSource source);

/// Makes a table the one of that device from now on, or takes it away (null): then the model decides. The table must
/// outlive every choice that may still see it.
void publish_tuning_table(TuningSlot slot, const TuningTable* table);

/// 1. What was measured to be the quickest for exactly this problem; 2. what mostly is for problems of its class, as
/// long as the model does not predict that another were more than a tenth quicker: the last round of blocks over the
/// multiprocessors makes steps inside a class; 3. what the model predicts to be the quickest, the earlier of equals.
/// Never a configuration that cannot run here, unless none can. `configs` is not empty.
const KernelConfig& choose_config(RungKey rung, std::span<const KernelConfig> configs, const GemmProblem& problem,
                                  int multiprocessors, TuningSlot slot);

/// The same, remembered: each thread keeps its last few answers until a table or plain_sums() changes, so that a
/// program that asks again does not pay for the models. `configs` lives as long as the program.
const KernelConfig& remembered_config(RungKey rung, std::span<const KernelConfig> configs, const GemmProblem& problem,
                                      int multiprocessors, TuningSlot slot);

}  // namespace ladder
