// SPDX-License-Identifier: MIT
#include "scratch_pieces.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace ladder {

std::size_t piece_bytes(std::int64_t floats) {
  constexpr std::size_t smallest_piece = std::size_t{1} << 20;
  const std::size_t needed = ticket_bytes + static_cast<std::size_t>(floats) * sizeof(float);
  return std::min(std::bit_ceil(std::max(needed, smallest_piece)), largest_piece);
}

ScratchPieces::Taken ScratchPieces::take(const CapturedStream& owner, std::size_t bytes, std::size_t most_bytes) {
  const std::lock_guard lock(mutex_);
  ScratchPiece* free_piece = nullptr;
  std::size_t bytes_of_context = 0;
  for (ScratchPiece* piece = first_; piece != nullptr; piece = piece->next) {
    if (piece->bytes == 0 || piece->owner.context != owner.context) continue;
    bytes_of_context += piece->bytes;
    if (piece->memory == nullptr || piece->bytes < bytes) continue;
    if (piece->is_held) {
      if (piece->owner == owner) return {piece, true};
    } else if (free_piece == nullptr || piece->bytes < free_piece->bytes) {
      free_piece = piece;
    }
  }
  if (free_piece == nullptr) {
    if (bytes_of_context + bytes > most_bytes) return {};
    free_piece = blank();
    if (free_piece == nullptr) return {};
    free_piece->bytes = bytes;
  }
  free_piece->owner = owner;
  free_piece->is_held = true;
  return {free_piece, false};
}

void ScratchPieces::fill(ScratchPiece& piece, char* memory) {
  const std::lock_guard lock(mutex_);
  piece.memory = memory;
}

void ScratchPieces::forget(ScratchPiece& piece) {
  const std::lock_guard lock(mutex_);
  piece.bytes = 0;
  piece.is_held = false;
}

void ScratchPieces::give_back(ScratchPiece& piece) {
  const std::lock_guard lock(mutex_);
  piece.is_held = false;
}

/// A record of no memory: a forgotten one, else one more. Null where there is no host memory.
ScratchPiece* ScratchPieces::blank() {
  for (ScratchPiece* piece = first_; piece != nullptr; piece = piece->next) {
    if (piece->bytes == 0) return piece;
  }
  auto* const piece = new (std::nothrow) ScratchPiece;
  if (piece == nullptr) return nullptr;
  piece->home = this;
  piece->next = first_;
  first_ = piece;
  return piece;
}

}  // namespace ladder
