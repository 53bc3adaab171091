// SPDX-License-Identifier: MIT
// What the CUDA runtime hands out, owned: it goes back by itself.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

namespace ladder::bench {

/// A failure to give back is ignored: it repeats one that was seen before.
template <auto GIVE_BACK>
struct GiveBack {
  template <typename Thing>
  void operator()(Thing* thing) const {
    static_cast<void>(GIVE_BACK(thing));
  }
};

// cudaFree and cudaFreeHost are overloaded by some headers, so that their types are named.
using DeviceMemory = std::unique_ptr<void, GiveBack<static_cast<cudaError_t (*)(void*)>(&cudaFree)>>;
using PinnedMemory = std::unique_ptr<void, GiveBack<static_cast<cudaError_t (*)(void*)>(&cudaFreeHost)>>;
using OwnedStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, GiveBack<&cudaStreamDestroy>>;
using OwnedEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, GiveBack<&cudaEventDestroy>>;

}  // namespace ladder::bench
