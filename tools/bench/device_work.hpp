// SPDX-License-Identifier: MIT
// The kernels behind DeviceMatrices' judgement: float64 sums of sampled elements, looking for NaN.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemm_problem.hpp"
#include "judgement.hpp"

namespace ladder::bench {

/// False where this build's device code is unoptimised (nvcc -G): its times say nothing.
bool device_code_is_optimized();

// Each of these enqueues on the default stream and gives the launch's cudaError_t.

/// Sets all numbers of the samples that are about the products; the samples lie in device memory.
int sum_samples(const GemmProblem& problem, Sample* samples, std::size_t count);

/// values[i] := C at samples[i], both in device memory.
int gather_samples(const GemmProblem& problem, const Sample* samples, std::size_t count, float* values);

/// Adds the NaN of C to *nans in device memory, where `first` must begin as the largest number there is.
int count_nans(const GemmProblem& problem, NanCount* nans);

}  // namespace ladder::bench
