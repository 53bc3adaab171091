// SPDX-License-Identifier: MIT
// What rungs can be timed against.
#pragma once

#include <array>
#include <string_view>

namespace ladder::bench {

/// On the GPU: the real cuBLAS in its pedantic, default and TF32 math mode, and in that which emulates FP32 in bf16.
inline constexpr std::array<std::string_view, 4> gpu_peers = {"cublas", "cublas_default", "cublas_tf32",
                                                              "cublas_bf16x9"};

/// On the host.
inline constexpr std::array<std::string_view, 2> host_peers = {"openblas", "nvblas"};

}  // namespace ladder::bench
