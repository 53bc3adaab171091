// SPDX-License-Identifier: MIT
#include "bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bench/results_json.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ladder::cli {

namespace {

using bench::Figures;

std::string as_number(const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

std::string name_of(const bench::RungSummary& rung) {
  if (rung.name.empty() || rung.name == rung.label) return rung.label;
  // A forced configuration stands in both.
  return fmt::format("{} {}", rung.label.substr(0, rung.label.find(':')), rung.name);
}

std::vector<std::string> cells_of(const std::string& heading, const Figures& figures) {
  return {heading,
          fmt::format("{}", figures.problems),
          as_number(figures.ratio.geomean),
          as_number(figures.ratio.min),
          as_number(figures.share_of_floor.geomean),
          as_number(figures.share_of_floor.min),
          figures.failed == 0 ? "-" : fmt::format("{}", figures.failed),
          figures.ratio.worst.empty() ? figures.share_of_floor.worst : figures.ratio.worst};
}

Table figures_table(const std::string& heading) {
  return Table({heading, "problems", "ratio", "least", "of floor", "least", "failed", "worst problem"});
}

/// One rung, a line a category.
std::string categories_text(const bench::RungSummary& rung) {
  Table table = figures_table("rung " + name_of(rung));
  for (const auto& [category, figures] : rung.categories) table.add_row(cells_of(category, figures));
  table.add_row(cells_of("all", rung.overall));
  return table.text();
}

/// All rungs, a line each.
std::string rungs_text(const std::vector<bench::RungSummary>& rungs) {
  Table table = figures_table("rung");
  for (const bench::RungSummary& rung : rungs) table.add_row(cells_of(name_of(rung), rung.overall));
  return table.text();
}

std::string text_of(const char* heading, const std::vector<bench::Change>& changes) {
  if (changes.empty()) return fmt::format("{}: none\n", heading);
  constexpr double percent = 100.0;
  Table table({"change", "ms before", "ms after", "what"});
  for (const bench::Change& change : changes) {
    table.add_row({fmt::format("{:+.1f} %", percent * change.change), fmt::format("{:.5g}", change.before.median),
                   fmt::format("{:.5g}", change.after.median), change.what});
  }
  return fmt::format("{}: {}\n{}", heading, changes.size(), table.text());
}

std::string text_of(const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("{}: {}\n", heading, lines.size());
  for (const std::string& line : lines) text += fmt::format("  {}\n", line);
  return text;
}

int cannot_be_used(const std::string& complaint) {
  fmt::print(stderr, "ladder: {}\n", complaint);
  return exit_usage;
}

bool failed(const bench::RungSummary& rung) { return rung.overall.failed > 0; }

}  // namespace

std::string summary_text(const bench::Summary& summary) {
  const bench::RungSummary* first = bench::headline(summary);
  if (first == nullptr) return {};
  std::string text =
      fmt::format("Geometric means; ratio: time of {} / own time, of floor: shortest possible / own time.\n",
                  first->peer.empty() ? "the peer" : first->peer);
  if (summary.rungs.size() > 1) text += rungs_text(summary.rungs) + "\n";
  return text + categories_text(*first);
}

std::string comparison_text(const bench::Comparison& comparison) {
  std::string text = text_of("Measured under other conditions", comparison.conditions);
  text += text_of("Slower beyond the spread", comparison.slower);
  text += text_of("Quicker beyond the spread", comparison.quicker);
  text += text_of("Right before, not any more", comparison.broken);
  text += text_of("Right now, not before", comparison.repaired);
  text += text_of("Only in the first file", comparison.only_before);
  text += text_of("Only in the second file", comparison.only_after);
  text += fmt::format("{} compared, geometric mean of time before / time after: {}\n", comparison.compared,
                      as_number(comparison.geomean));
  return text;
}

int summarize_command(const std::filesystem::path& path, bool json, const std::string& rung) {
  std::string complaint;
  const auto results = bench::read_results(path, complaint);
  if (!results) return cannot_be_used(complaint);
  const bench::Summary summary = bench::summarize(*results, rung);
  if (summary.rungs.empty()) {
    return cannot_be_used(rung.empty() ? fmt::format("{}: there are rows of peers only", path.string())
                                       : fmt::format("{}: there are no rows of rung '{}'", path.string(), rung));
  }
  if (json) {
    fmt::print("{}\n", bench::json_text(bench::summary_json(summary)));
  } else {
    fmt::print("{}", summary_text(summary));
  }
  return std::any_of(summary.rungs.begin(), summary.rungs.end(), failed) ? exit_failed : exit_ok;
}

int compare_command(const std::filesystem::path& before, const std::filesystem::path& after, bool json) {
  std::string complaint;
  const auto results_before = bench::read_results(before, complaint);
  if (!results_before) return cannot_be_used(complaint);
  const auto results_after = bench::read_results(after, complaint);
  if (!results_after) return cannot_be_used(complaint);
  const bench::Comparison comparison = bench::compare(*results_before, *results_after);
  if (json) {
    fmt::print("{}\n", bench::json_text(bench::comparison_json(comparison)));
  } else {
    fmt::print("{}", comparison_text(comparison));
  }
  if (comparison.compared == 0 && comparison.broken.empty())
    return cannot_be_used("no row of the one file has a counterpart in the other that is right in both");
  return comparison.slower.empty() && comparison.broken.empty() ? exit_ok : exit_failed;
}

}  // namespace ladder::cli
