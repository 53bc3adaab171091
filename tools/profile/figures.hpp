// SPDX-License-Identifier: MIT
// What is concluded from the counters of one kernel: ratios and shares that can be compared between rungs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench_problem.hpp"
#include "metrics.hpp"

namespace ladder::profile {

enum class Figure : std::uint8_t {
#define FIGURE(id, heading, unit, formula) id,
#include "figures.def"
#undef FIGURE
};

inline constexpr std::size_t figure_count = 0
#define FIGURE(id, heading, unit, formula) +1
#include "figures.def"
#undef FIGURE
    ;

struct FigureName {
  const char* key;      ///< "fma_pipe"
  const char* heading;  ///< "FMA pipe busy"
  const char* unit;     ///< "%", "ms", ...; empty for a plain ratio
};

const FigureName& name_of(Figure figure);

/// The figures of one kernel; nothing where a counter that one needs is missing.
class Figures {
 public:
  Figures() = default;
  Figures(const Counters& counters, const bench::BenchProblem& problem);

  std::optional<double> operator[](Figure figure) const { return values_[static_cast<std::size_t>(figure)]; }
  void set(Figure figure, std::optional<double> value) { values_[static_cast<std::size_t>(figure)] = value; }

 private:
  std::array<std::optional<double>, figure_count> values_;
};

/// "12.3 %", "0.562", "-" where there is none.
std::string value_text(Figure figure, std::optional<double> value);

}  // namespace ladder::profile
