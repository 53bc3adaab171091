// SPDX-License-Identifier: MIT
// How much memory the planes of a problem's operands take, and where in it each of them lies.
#pragma once

#include <cstddef>

#include "gemm_problem.hpp"
#include "plane_memory.hpp"
#include "planes.hpp"

namespace ladder {

/// Rows of the tallest tile that a kernel may load from an image at a multiple of 8 rows inside it: what it reads
/// beyond the image's end is memory, too.
inline constexpr int tallest_tile = 256;

/// Of both operands of all products, one that they share counted once. The largest number there is where the true one
/// is larger.
std::size_t plane_bytes(const GemmProblem& problem, PlaneFormat format);

/// Both operands in memory of plane_bytes().
SplitOperands lay_out(const GemmProblem& problem, PlaneFormat format, const PlaneMemory& memory);

/// The same for one operand alone.
std::size_t image_bytes(PlaneFormat format, std::int64_t rows, std::int64_t k);
PlaneImage image_in(PlaneFormat format, std::int64_t rows, std::int64_t k, unsigned char* memory);

}  // namespace ladder
