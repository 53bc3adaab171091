// SPDX-License-Identifier: MIT
#include "profile_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "diagnosis.hpp"
#include "op_letter.hpp"

namespace ladder::profile {

namespace {

using Json = nlohmann::ordered_json;

std::string label_of(const bench::RungChoice& choice) {
  return choice.rung->number == unnumbered ? choice.name() : fmt::format("{} {}", choice.rung->number, choice.name());
}

/// "-76 %", "x 8.1" where it more than doubles, "" where there is nothing to compare.
std::string change_text(std::optional<double> before, std::optional<double> after) {
  constexpr double doubled = 2.0, percent = 100.0;
  if (!before || !after || *before == 0.0) return "";
  const double ratio = *after / *before;
  return ratio > doubled ? fmt::format("x {:.3g}", ratio) : fmt::format("{:+.1f} %", (ratio - 1.0) * percent);
}

std::string figure_lines(const RungProfile& rung, const RungProfile* lower) {
  constexpr int heading_width = 36, value_width = 15;
  std::string text =
      fmt::format("  {:<{}}{:>{}}", "", heading_width, fmt::format("rung {}", rung.choice.label()), value_width);
  if (lower != nullptr)
    text += fmt::format("{0:>{2}}{1:>{2}}", fmt::format("rung {}", lower->choice.label()), "change", value_width);
  text += "\n";
  for (std::size_t i = 0; i < figure_count; ++i) {
    const auto figure = static_cast<Figure>(i);
    const auto now = rung.figures[figure];
    text += fmt::format("  {:<{}}{:>{}}", name_of(figure).heading, heading_width, value_text(figure, now), value_width);
    if (lower != nullptr) {
      const auto before = lower->figures[figure];
      text += fmt::format("{0:>{2}}{1:>{2}}", value_text(figure, before), change_text(before, now), value_width);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

std::string rung_text(const Profile& profile, const RungProfile& rung) {
  std::string text = fmt::format("\nrung {}: {}", label_of(rung.choice), rung.kernels[rung.longest].name);
  if (rung.kernels.size() > 1) text += fmt::format(", the longest of {} kernels", rung.kernels.size());
  text += "\n";
  text += figure_lines(rung, below(profile, rung));
  for (const Movement& movement : movements(profile, rung)) text += fmt::format("  idea: {}\n", to_text(movement));
  return text + fmt::format("  limiter: {}\n", limiter_of(rung.figures).sentence);
}

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json problem_json(const bench::BenchProblem& p) {
  return {{"op_a", op_letter(p.op_a)}, {"op_b", op_letter(p.op_b)}, {"m", p.m}, {"n", p.n}, {"k", p.k}};
}

Json moved_json(const std::vector<Movement>& moved) {
  Json all = Json::array();
  for (const Movement& movement : moved) {
    Json one;
    one["figure"] = name_of(movement.meant.figure).key;
    one["before"] = number_or_null(movement.before);
    one["after"] = number_or_null(movement.after);
    one["as_meant"] = movement.as_meant ? Json(*movement.as_meant) : Json(nullptr);
    one["sentence"] = to_text(movement);
    all.push_back(std::move(one));
  }
  return all;
}

Json rung_json(const Profile& profile, const RungProfile& rung) {
  Json one;
  one["rung"] = rung.choice.rung->number == unnumbered ? Json(nullptr) : Json(rung.choice.rung->number);
  one["name"] = rung.choice.name();
  one["kernels"] = Json::array();
  for (const ProfiledKernel& kernel : rung.kernels) one["kernels"].push_back(kernel.name);
  const RungProfile* lower = below(profile, rung);
  one["below"] = lower == nullptr ? Json(nullptr) : Json(lower->choice.name());
  one["figures"] = Json::object();
  for (std::size_t i = 0; i < figure_count; ++i) {
    const auto figure = static_cast<Figure>(i);
    one["figures"][name_of(figure).key] = number_or_null(rung.figures[figure]);
  }
  one["moved"] = moved_json(movements(profile, rung));
  const Limiter limiter = limiter_of(rung.figures);
  one["limiter"] = {{"key", limiter.key}, {"sentence", limiter.sentence}};
  return one;
}

}  // namespace

std::string to_text(const Profile& profile, const bench::Conditions& conditions) {
  std::string text;
  for (const auto& [name, value] : conditions) text += fmt::format("{}: {}\n", name, value);
  for (const RungProfile& rung : profile.rungs) text += rung_text(profile, rung);
  return text;
}

std::string to_json(const Profile& profile, const bench::Conditions& conditions) {
  Json all;
  all["conditions"] = Json::object();
  for (const auto& [name, value] : conditions) all["conditions"][name] = value;
  all["problem"] = problem_json(profile.problem);
  all["rungs"] = Json::array();
  for (const RungProfile& rung : profile.rungs) all["rungs"].push_back(rung_json(profile, rung));
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ladder::profile
