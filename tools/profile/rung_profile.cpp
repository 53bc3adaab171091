// SPDX-License-Identifier: MIT
#include "rung_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>

namespace ladder::profile {

namespace {

constexpr std::string_view rung_key = "rung=", kernels_key = " kernels=";

std::size_t longest_of(const std::vector<ProfiledKernel>& kernels) {
  const auto time = [](const ProfiledKernel& kernel) { return Counters(kernel)[Metric::duration].value_or(0.0); };
  return static_cast<std::size_t>(std::ranges::max_element(kernels, {}, time) - kernels.begin());
}

}  // namespace

std::string to_text(const Launched& launched) {
  const auto& [choice, kernels] = launched;
  const std::string rung =
      choice.config == nullptr ? choice.rung->id : fmt::format("{}:{}", choice.rung->id, choice.config->name);
  return fmt::format("{}{}{}{}", rung_key, rung, kernels_key, kernels);
}

std::optional<Launched> launched_from(std::string_view line) {
  const std::size_t middle = line.find(kernels_key);
  if (!line.starts_with(rung_key) || middle == std::string_view::npos) return std::nullopt;
  const std::string_view count = line.substr(middle + kernels_key.size());
  int kernels = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), kernels);
  if (error != std::errc() || end != count.data() + count.size() || kernels < 1) return std::nullopt;
  std::string complaint;
  const auto choices = bench::parse_rungs(line.substr(rung_key.size(), middle - rung_key.size()), complaint);
  if (!choices || choices->size() != 1) return std::nullopt;
  return Launched{choices->front(), kernels};
}

Profile profile_of(const bench::BenchProblem& problem, const std::vector<Launched>& launches,
                   std::vector<ProfiledKernel> kernels) {
  Profile profile{problem, {}, {}};
  const auto expected = std::transform_reduce(launches.begin(), launches.end(), std::size_t{0}, std::plus<>(),
                                              [](const Launched& l) { return static_cast<std::size_t>(l.kernels); });
  if (kernels.size() != expected) {
    profile.complaint = fmt::format("{} kernels were launched, but {} profiled", expected, kernels.size());
    return profile;
  }
  auto next = std::make_move_iterator(kernels.begin());
  for (const Launched& launched : launches) {
    RungProfile& rung =
        profile.rungs.emplace_back(RungProfile{launched.choice, {next, next + launched.kernels}, 0, {}});
    next += launched.kernels;
    rung.longest = longest_of(rung.kernels);
    rung.figures = Figures(Counters(rung.kernels[rung.longest]), problem);
  }
  return profile;
}

const RungProfile* below(const Profile& profile, const RungProfile& rung) {
  const RungProfile* nearest = nullptr;
  for (const RungProfile& other : profile.rungs) {
    const Rung* candidate = other.choice.rung;  // rungs lie in one array, bottom to top
    if (candidate->number == unnumbered || candidate >= rung.choice.rung) continue;
    if (nearest == nullptr || candidate > nearest->choice.rung) nearest = &other;
  }
  return nearest;
}

std::vector<Movement> movements(const Profile& profile, const RungProfile& rung) {
  const RungProfile* lower = below(profile, rung);
  std::vector<Movement> moved;
  for (const Expectation& meant : expectations()) {
    if (meant.rung_id == rung.choice.rung->id) {
      moved.push_back(movement_of(meant, rung.figures, lower == nullptr ? nullptr : &lower->figures));
    }
  }
  return moved;
}

}  // namespace ladder::profile
