// SPDX-License-Identifier: MIT
// A block's shared memory on the heap, exactly as large as asked for, so that AddressSanitizer sees overruns.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace ladder::simt {

class SharedMemory {
 public:
  /// Throws std::bad_alloc.
  void resize(std::size_t bytes) {
    if (bytes == bytes_) return;
    memory_.reset();
    bytes_ = 0;
    void* memory = nullptr;
    if (bytes > 0 && posix_memalign(&memory, alignment, bytes) != 0) throw std::bad_alloc();
    memory_.reset(memory);
    bytes_ = bytes;
  }

  /// Every float becomes NaN, as nothing may be read before it was written.
  void fill_with_nan() {
    constexpr int bits_of_nan = 0xff;
    if (bytes_ > 0) std::memset(memory_.get(), bits_of_nan, bytes_);
  }

  void* address() const { return memory_.get(); }

 private:
  static constexpr std::size_t alignment = 128;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::unique_ptr<void, Free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace ladder::simt
