// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace ladder::profile {

namespace {

constexpr double ms_per_ns = 1e-6;
constexpr double mhz_per_hz = 1e-6;
constexpr double teraflops_per_flop_per_ns = 1e-3;
constexpr double percent = 100.0;
constexpr double sector_bytes = 32.0;
constexpr double warp_lanes = 32.0;

/// A number that may be missing; arithmetic with a missing one, or by zero, gives a missing one.
struct Value {
  Value(std::optional<double> v) : value(v && std::isfinite(*v) ? v : std::nullopt) {}
  Value(double v) : Value(std::optional(v)) {}
  std::optional<double> value;
};

template <class Operation>
Value combined(const Value& left, const Value& right, Operation operation) {
  if (!left.value || !right.value) return std::optional<double>();
  return operation(*left.value, *right.value);
}

Value operator+(const Value& left, const Value& right) { return combined(left, right, std::plus<>()); }
Value operator*(const Value& left, const Value& right) { return combined(left, right, std::multiplies<>()); }
Value operator/(const Value& left, const Value& right) { return combined(left, right, std::divides<>()); }

/// For a part that only some kernels have: none is as good as zero.
Value some(const Value& part) { return part.value.value_or(0.0); }

Value either(const Value& first, const Value& second) { return first.value ? first : second; }

Value least(std::initializer_list<std::optional<double>> values) {
  std::optional<double> smallest;
  for (const auto& value : values) {
    if (value) smallest = std::min(*value, smallest.value_or(*value));
  }
  return smallest;
}

/// FFMA instructions of whole warps; where they were not counted, as many as the product needs.
Value ffmas(const Counters& c, const bench::BenchProblem& p) {
  return Value(c[Metric::ffma_threads].value_or(flops(p) / 2)) / warp_lanes;
}

constexpr FigureName figure_names[] = {
#define FIGURE(id, heading, unit, formula) {#id, heading, unit},
#include "figures.def"
#undef FIGURE
};

std::string plain(double value) {
  constexpr double whole_from = 100.0;  // three digits or more before the point say enough
  return std::abs(value) >= whole_from ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace

const FigureName& name_of(Figure figure) { return figure_names[static_cast<std::size_t>(figure)]; }

Figures::Figures(const Counters& c, const bench::BenchProblem& p)
    : values_{
#define FIGURE(id, heading, unit, formula) Value(formula).value,
#include "figures.def"
#undef FIGURE
      } {
}

std::string value_text(Figure figure, std::optional<double> value) {
  if (!value) return "-";
  const std::string unit = name_of(figure).unit;
  return unit.empty() ? plain(*value) : fmt::format("{} {}", plain(*value), unit);
}

}  // namespace ladder::profile
