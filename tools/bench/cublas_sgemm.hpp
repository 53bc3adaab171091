// SPDX-License-Identifier: MIT
// SGEMM of a library with cuBLAS's interface, found at run time: the real one, or ours behind the same names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cublas_abi.hpp"
#include "gemm_problem.hpp"
#include "rung.hpp"

namespace ladder::bench {

/// Null, or what went wrong, in words that live on.
using DeviceSgemm = std::function<const char*(const GemmProblem&, Stream)>;

/// dlopen's handle of the first of `files` that can be opened, with RTLD_LOCAL, for as long as the process lives. Null,
/// and why none can.
void* open_library(const std::vector<std::string>& files, std::string& complaint);

/// Where the real cuBLAS may lie: what LADDER_CUBLAS says and nowhere else, or the usual names.
std::vector<std::string> cublas_files();

/// "13.1.0"; empty where the library does not tell.
std::string cublas_version(void* library);

/// cublasSgemm_v2 of the library, and cublasSgemmStridedBatched for batch > 1, with 64-bit extents where 32 are too
/// few, through a handle of its own in that math mode on the current device. The handle has a workspace of its own, so
/// that neither a call nor its capture into a graph allocates. Scalars are values. One thread, one stream at a time.
/// Empty, and why, where there can be no handle.
DeviceSgemm cublas_sgemm(void* library, cublas::Math mode, std::string& complaint);

}  // namespace ladder::bench
