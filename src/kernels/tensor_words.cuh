// SPDX-License-Identifier: MIT
// A warp's matrix product on the tensor cores, as a part of device.cuh that few rungs need:
//
//   mma_bf16(d, a, b), mma_fp16(d, a, b)   d (16 x 8) += a (16 x 16) b (16 x 8), two numbers a register
//   mma_tf32(d, a, b)                      d (16 x 8) += a (16 x 8) b (8 x 8), one number a register
//
// All lanes of the warp together. Sums are FP32, cut off toward zero rather than rounded; of a TF32 number the last 13
// bits are cut off too. Subnormals are kept.
//
// With group = lane / 4 and member = lane % 4, a lane's registers hold (PTX ISA, mma.m16n8k16 and mma.m16n8k8):
//   d[0], d[1]   row group, columns 2 * member and 2 * member + 1;    d[2], d[3]   the same of row group + 8
//   a[0], a[1]   rows group and group + 8, at k = P * member (and the k after it where P = 2 numbers lie in a register,
//                the lower one first);    a[2], a[3]   the same 4 * P later in k
//   b[0], b[1]   column group, at k = P * member and 4 * P later
// On a GPU below sm_80, which has no such instructions, the words stop the kernel: it must not be launched.
#pragma once

#include "device.cuh"

#if defined(LADDER_EMULATED)
#include "simt/tensor_words_emulated.hpp"
#else
#include "tensor_words_cuda.cuh"
#endif
