// SPDX-License-Identifier: MIT
// Stands in for place_gpu.cpp in a build without CUDA.
#include "place.hpp"

namespace ladder::cli {

std::unique_ptr<Place> gpu_place() { return nullptr; }

}  // namespace ladder::cli
