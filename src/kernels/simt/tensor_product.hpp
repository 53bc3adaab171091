// SPDX-License-Identifier: MIT
// A warp's matrix product as tensor cores take it, on the CPU: for the emulator's mma words.
#pragma once

#include "lane.hpp"

namespace ladder::simt {

/// What a lane brings to a product of its warp: the numbers in its registers, one after the other, and its sums. Where
/// they stand in the matrices: PTX ISA, mma.m16n8k16 (two numbers a register) and mma.m16n8k8 with .tf32 (one).
struct TensorLane {
  float a[8];
  float b[4];
  float* sums;
};

/// Adds the product of the 16 x K matrix A and the K x 8 matrix B to the sums of a warp, K being 8 times
/// NUMBERS_IN_REGISTER. `lanes`: 32 addresses of TensorLane.
///
/// As measured on Hopper, and as Khattak and Mikaitis describe it (arXiv 2512.07004): an element's products, each
/// exact, and its old sum are aligned to the largest of them, cut off two bits below that one's last FP32 bit, added
/// without another error, and cut off to FP32, toward zero. What is NaN or infinite is so by IEEE's rules.
template <int NUMBERS_IN_REGISTER>
void add_warp_product(const void* const* lanes);

extern template void add_warp_product<1>(const void* const* lanes);
extern template void add_warp_product<2>(const void* const* lanes);

}  // namespace ladder::simt
