// SPDX-License-Identifier: MIT
#include "offload/transfer.hpp"

#include <algorithm>

namespace ladder::shim {

namespace {

std::size_t ceil_div(std::size_t x, std::size_t y) { return (x + y - 1) / y; }

/// Lines in a chunk, or 0 where a line takes several.
std::size_t lines_per_chunk(const Transfer& t, std::size_t most) { return t.staged ? most / t.width : t.lines; }

}  // namespace

std::size_t chunk_bytes(double bytes, std::size_t slot_bytes) {
  constexpr double wished_chunks = 16.0;
  constexpr std::size_t page = 4096;
  constexpr std::size_t smallest = std::size_t{256} << 10;  // below, what a copy costs the caller's thread counts
  const double wished = bytes / wished_chunks;
  if (wished >= static_cast<double>(slot_bytes)) return slot_bytes;
  return std::min(std::max(ceil_div(static_cast<std::size_t>(wished), page) * page, smallest), slot_bytes);
}

std::size_t chunk_count(const Transfer& t, std::size_t most) {
  if (t.width == 0 || t.lines == 0) return 0;
  const std::size_t lines = lines_per_chunk(t, most);
  return lines > 0 ? ceil_div(t.lines, lines) : t.lines * ceil_div(t.width, most);
}

Chunk chunk_at(const Transfer& t, std::size_t most, std::size_t index) {
  if (const std::size_t lines = lines_per_chunk(t, most); lines > 0) {
    const std::size_t line = index * lines;
    return {line, 0, t.width, std::min(lines, t.lines - line)};
  }
  const std::size_t parts = ceil_div(t.width, most);
  const std::size_t byte = index % parts * most;
  return {index / parts, byte, std::min(most, t.width - byte), 1};
}

}  // namespace ladder::shim
