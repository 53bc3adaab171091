// SPDX-License-Identifier: MIT
// What rungs can be timed against.
#pragma once

#include <array>
#include <string_view>

namespace ladder::bench {

/// On the GPU: the real cuBLAS in its pedantic, default and TF32 math mode.
inline constexpr std::array<std::string_view, 3> gpu_peers = {"cublas", "cublas_default", "cublas_tf32"};

/// On the host.
inline constexpr std::array<std::string_view, 2> host_peers = {"openblas", "nvblas"};

}  // namespace ladder::bench
