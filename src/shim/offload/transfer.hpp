// SPDX-License-Identifier: MIT
// A part of a matrix on its way between the host and the device, and the chunks in which it goes through pinned slots.
#pragma once

#include <cstddef>

#include "gpu_device.hpp"

namespace ladder::shim {

/// `lines` lines (columns of the matrix as stored) of `width` bytes.
struct Transfer {
  std::byte* host = nullptr;
  std::size_t host_pitch = 0;
  std::byte* device = nullptr;
  std::size_t device_pitch = 0;
  std::size_t width = 0;
  std::size_t lines = 0;
  bool staged = true;      ///< through pinned slots, in chunks; else the GPU copies it at once
  Event before = nullptr;  ///< the copies begin after it has passed; null: at once
};

/// Whole lines, or a part of one.
struct Chunk {
  std::size_t line = 0;  ///< of the transfer
  std::size_t byte = 0;  ///< of the line
  std::size_t width = 0;
  std::size_t lines = 0;
};

/// The size of chunks for `bytes` in all through slots of `slot_bytes`: a slot's, or less where these would be too few
/// to keep all copying threads busy, and the first and the last of them long to wait for.
std::size_t chunk_bytes(double bytes, std::size_t slot_bytes);

/// In how many chunks of at most `most` bytes a transfer goes, and which they are.
std::size_t chunk_count(const Transfer& transfer, std::size_t most);
Chunk chunk_at(const Transfer& transfer, std::size_t most, std::size_t index);

inline std::byte* on_host(const Transfer& t, const Chunk& c) { return t.host + c.line * t.host_pitch + c.byte; }
inline std::byte* on_device(const Transfer& t, const Chunk& c) { return t.device + c.line * t.device_pitch + c.byte; }

}  // namespace ladder::shim
