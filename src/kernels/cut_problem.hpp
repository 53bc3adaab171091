// SPDX-License-Identifier: MIT
// A problem in pieces, for when there is not memory enough to do it as one. k is never cut, so no sum is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gemm_problem.hpp"
#include "rung.hpp"

namespace ladder {

/// A part of the batch and of C: which part, or how large.
struct PieceExtents {
  std::int64_t batch = 0;
  std::int64_t m = 0;
  std::int64_t n = 0;
};

/// Makes the pieces about half as large: fewer products while there are several, then fewer rows or columns of C,
/// whichever are more, in multiples of 256. False where they cannot be smaller; addresses in arrays cannot be moved
/// along m and n.
bool halve(PieceExtents& extents, const GemmProblem& problem);

/// The piece that begins at product, row and column `first` and ends with the problem where that comes before `extents`
/// do.
GemmProblem piece_at(const GemmProblem& problem, const PieceExtents& first, const PieceExtents& extents);

/// Calls launch(piece, memory) for the fewest pieces, found by halves, for which memory_of(bytes_of(piece)).bytes is
/// not null; the memory is the same for all. Returns the first failure, or nothing where there was no memory for the
/// smallest piece either, and nothing has been launched.
template <class BytesOf, class MemoryOf, class Launch>
std::optional<LaunchStatus> launch_in_pieces(const GemmProblem& problem, const BytesOf& bytes_of,
                                             const MemoryOf& memory_of, const Launch& launch) {
  PieceExtents extents{problem.batch, problem.m, problem.n};
  auto memory = memory_of(bytes_of(problem));
  while (memory.bytes == nullptr) {
    if (!halve(extents, problem)) return std::nullopt;
    memory = memory_of(bytes_of(piece_at(problem, {}, extents)));
  }
  PieceExtents first;
  for (first.batch = 0; first.batch < problem.batch; first.batch += extents.batch) {
    for (first.n = 0; first.n < problem.n; first.n += extents.n) {
      for (first.m = 0; first.m < problem.m; first.m += extents.m) {
        const LaunchStatus status = launch(piece_at(problem, first, extents), memory);
        if (status != launch_ok) return status;
      }
    }
  }
  return launch_ok;
}

}  // namespace ladder
