// SPDX-License-Identifier: MIT
// The kernels behind DeviceMatrices: drawing operands, float64 sums of sampled elements, looking for NaN.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemm_problem.hpp"
#include "judgement.hpp"
#include "matrix_data.hpp"

namespace ladder::bench {

/// False where this build's device code is unoptimised (nvcc -G): its times say nothing.
bool device_code_is_optimized();

// Each of these enqueues on the default stream and gives the launch's cudaError_t.

/// Fills `count` floats, column after column of `ld`: the first `rows` of each with numbers that depend on the seed and
/// their place alone, the others with NaN.
int draw_matrix(float* matrix, std::int64_t count, std::int64_t rows, std::int64_t ld, Data data, std::uint64_t seed);

/// Along which of a stored matrix's indices k runs, in a batch of them, and in which direction its numbers grow.
struct Grading {
  std::int64_t columns;  ///< stored, of one matrix
  bool k_is_row;
  bool rising;
};

/// Turns numbers of Data::normal into those of Data::graded; the other arguments are those of draw_matrix().
int grade_matrix(float* matrix, std::int64_t count, std::int64_t rows, std::int64_t ld, const Grading& grading);

/// Sets sum, partial_sums and magnitude of the samples, which lie in device memory.
int sum_samples(const GemmProblem& problem, Sample* samples, std::size_t count);

/// values[i] := C at samples[i], both in device memory.
int gather_samples(const GemmProblem& problem, const Sample* samples, std::size_t count, float* values);

/// Adds the NaN of C to *nans in device memory, where `first` must begin as the largest number there is.
int count_nans(const GemmProblem& problem, NanCount* nans);

}  // namespace ladder::bench
