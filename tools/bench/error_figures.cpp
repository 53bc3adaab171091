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
  }
  if (std::isnan(all.error_squares)) return {all.error_squares, all.error_squares};
  if (all.error_squares == 0.0) return {};
  return {std::sqrt(all.error_squares / all.result_squares), all.worst};
}

}  // namespace ladder::bench
