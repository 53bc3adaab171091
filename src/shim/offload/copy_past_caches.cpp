// SPDX-License-Identifier: MIT
// Copies that do not pass through the caches: whole cache lines are written without having been read first, which is a
// third of the memory's work, and what the program has in its caches stays there.
#include <cstdint>
#include <cstring>

#include "offload/copy_team.hpp"

// Sanitizers do not see such stores: for them, and elsewhere than on x86, the C library copies.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define LADDER_STREAMS_STORES 1
#include <emmintrin.h>
#endif

namespace ladder::shim {

namespace {

#if defined(LADDER_STREAMS_STORES)

constexpr std::size_t cache_line = 64;
constexpr std::size_t narrow = 4 * cache_line;  // what a line's ends cost is not made up for below

/// Whole cache lines of `to`, from wherever `from` is.
void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += cache_line) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i part0 = _mm_loadu_si128(source);
    const __m128i part1 = _mm_loadu_si128(source + 1);
    const __m128i part2 = _mm_loadu_si128(source + 2);
    const __m128i part3 = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, part0);
    _mm_stream_si128(target + 1, part1);
    _mm_stream_si128(target + 2, part2);
    _mm_stream_si128(target + 3, part3);
  }
}

/// The ends, which share their cache lines with others, go through the caches.
void copy_line(std::byte* to, const std::byte* from, std::size_t width) {
  if (width < narrow) {
    std::memcpy(to, from, width);
    return;
  }
  const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % cache_line;
  const std::size_t body = (width - head) / cache_line * cache_line;
  std::memcpy(to, from, head);
  stream(to + head, from + head, body);
  std::memcpy(to + head + body, from + head + body, width - head - body);
}

/// Such stores are not ordered with those that follow, as that of a flag.
void finish_stores() { _mm_sfence(); }

#else

void copy_line(std::byte* to, const std::byte* from, std::size_t width) { std::memcpy(to, from, width); }
void finish_stores() {}

#endif

}  // namespace

void copy_past_caches(const HostCopy& copy) {
  if (copy.width == 0 || copy.lines == 0) return;
  auto* to = static_cast<std::byte*>(copy.to);
  const auto* from = static_cast<const std::byte*>(copy.from);
  if (copy.width == copy.to_pitch && copy.width == copy.from_pitch) {
    copy_line(to, from, copy.width * copy.lines);
  } else {
    for (std::size_t line = 0; line < copy.lines; ++line)
      copy_line(to + line * copy.to_pitch, from + line * copy.from_pitch, copy.width);
  }
  finish_stores();
}

}  // namespace ladder::shim
