// SPDX-License-Identifier: MIT
#include "error_figures.hpp"

#include <algorithm>
#include <cmath>

namespace ladder::bench {

ErrorFigures figures_of(std::span<const ErrorSums> parts) {
  ErrorSums all{};
  for (const ErrorSums& part : parts) {
    all.error_squares += part.error_squares;
    all.result_squares += part.result_squares;
    all.worst = std::max(all.worst, part.worst);
    all.worst_of_largest = std::max(all.worst_of_largest, part.worst_of_largest);
    all.checksum += part.checksum;
  }
  const double squares = all.error_squares;
  if (std::isnan(squares)) return {squares, squares, squares, all.checksum};
  const double relative_l2 = squares == 0.0 ? 0.0 : std::sqrt(squares / all.result_squares);
  return {relative_l2, all.worst, all.worst_of_largest, all.checksum};
}

}  // namespace ladder::bench
