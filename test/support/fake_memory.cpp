// SPDX-License-Identifier: MIT
#include "fake_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ladder::test {

namespace {

constexpr int nan_byte = 0xff;          // four of them are a NaN
constexpr std::size_t alignment = 256;  // of a GPU's allocations

std::size_t size_of(const Touched& range) { return static_cast<std::size_t>(range.end - range.begin); }

}  // namespace

void* FakeMemory::give(std::size_t bytes, int context) {
  auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes + alignment);
  std::byte* begin = memory.get() + (-reinterpret_cast<std::uintptr_t>(memory.get())) % alignment;
  std::memset(begin, nan_byte, bytes);
  pieces_.emplace(begin, Piece{std::move(memory), {begin, begin + bytes}, context, true});
  held_ += bytes;
  most_held_ = std::max(most_held_, held_);
  return begin;
}

const char* FakeMemory::take_back(const void* memory, Touched& all) {
  const auto found = pieces_.find(static_cast<const std::byte*>(memory));
  if (found == pieces_.end()) return "released what was never allocated";
  all = found->second.all;
  if (!std::exchange(found->second.is_held, false)) return "released twice";
  held_ -= size_of(all);
  return nullptr;
}

const FakeMemory::Piece* FakeMemory::find(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  auto after = pieces_.upper_bound(byte);
  if (after == pieces_.begin()) return nullptr;
  const Piece& piece = std::prev(after)->second;
  return byte < piece.all.end ? &piece : nullptr;
}

const char* FakeMemory::complaint(const Touched& use, int context) const {
  const Piece* piece = find(use.begin);
  if (piece == nullptr) return "not allocated";
  if (!piece->is_held) return "released";
  if (piece->context != context) return "of another context";
  return use.end > piece->all.end ? "too small" : nullptr;
}

std::size_t FakeMemory::held_in(int context) const {
  std::size_t bytes = 0;
  for (const auto& [begin, piece] : pieces_) {
    if (piece.is_held && piece.context == context) bytes += size_of(piece.all);
  }
  return bytes;
}

}  // namespace ladder::test
