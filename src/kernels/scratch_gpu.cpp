// SPDX-License-Identifier: MIT
// Scratch memory of the GPUs' streams, given out at a stream's first split problem and kept until the process ends, and
// of captured graphs: tickets first, then parts.
#include "context_memory.hpp"
#include "scratch.hpp"
#include "stream_of_launch.hpp"
#include "stream_table.hpp"

namespace ladder::gpu {

namespace {

struct StreamScratch {
  char* memory = nullptr;  // null: there was none
};

constinit StreamTable<StreamScratch> streams;
constinit ScratchPieces pieces;

Scratch scratch_in(char* memory) {
  if (memory == nullptr) return {};
  return {reinterpret_cast<float*>(memory + ticket_bytes), reinterpret_cast<std::uint32_t*>(memory)};
}

}  // namespace

Scratch scratch_of(Stream stream, std::int64_t floats) {
  constexpr std::size_t graphs_share = 32;  // what all graphs of a context may hold: one in so many bytes of the device
  if (floats > scratch_floats) return {};
  const auto launch = stream_of_launch(stream);
  if (!launch) return {};
  if (launch->graph != nullptr) {
    const ScratchPiece* const piece = piece_of_graph(pieces, launch->graph, launch->captured(), piece_bytes(floats),
                                                     ticket_bytes, device_bytes(launch->context) / graphs_share);
    return scratch_in(piece == nullptr ? nullptr : piece->memory);
  }
  const StreamScratch* const scratch = streams.holding_of(launch->context, launch->number, [](StreamScratch& fresh) {
    fresh.memory = allocate(largest_piece, ticket_bytes);
  });
  return scratch_in(scratch == nullptr ? nullptr : scratch->memory);
}

}  // namespace ladder::gpu
