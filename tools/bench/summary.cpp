// SPDX-License-Identifier: MIT
#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rung.hpp"
#include "statistics.hpp"

namespace ladder::bench {

namespace {

using Rows = std::vector<const BenchRow*>;
using Quantity = std::optional<double> (*)(const BenchRow&);

std::string number_text(int number) { return fmt::format("{}", number); }

/// A forced configuration of a rung is a contender of its own.
std::string label_of(const BenchRow& row) {
  const std::size_t colon = row.name.find(':');
  return colon == std::string::npos ? row.rung : row.rung + row.name.substr(colon);
}

Figure figure(const Rows& rows, Quantity quantity) {
  Figure figure;
  std::vector<double> values;
  for (const BenchRow* row : rows) {
    const std::optional<double> value = quantity(*row);
    if (!value) continue;
    values.push_back(*value);
    if (figure.min && *figure.min <= *value) continue;
    figure.min = value;
    figure.worst = to_text(row->problem);
  }
  if (values.empty() || values.size() < rows.size()) return {};
  figure.geomean = geometric_mean(values);
  return figure;
}

Figures figures(const Rows& rows, bool needs_ratio) {
  Rows succeeded;
  for (const BenchRow* row : rows) {
    if (is_right(*row) && (!needs_ratio || ratio(*row))) succeeded.push_back(row);
  }
  Figures figures;
  figures.problems = static_cast<int>(rows.size());
  figures.failed = static_cast<int>(rows.size() - succeeded.size());
  figures.ratio = figure(succeeded, ratio);
  figures.share_of_floor = figure(succeeded, share_of_floor);
  return figures;
}

/// The members of `rows` by `key`, in the order in which the keys first come.
template <typename Key>
std::vector<std::pair<std::string, Rows>> grouped(const Rows& rows, Key key) {
  std::vector<std::pair<std::string, Rows>> groups;
  for (const BenchRow* row : rows) {
    const std::string wanted = key(*row);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == wanted; });
    if (group == groups.end()) group = groups.insert(groups.end(), {wanted, {}});
    group->second.push_back(row);
  }
  return groups;
}

std::string category_of(const BenchRow& row) { return row.problem.category.empty() ? "other" : row.problem.category; }

RungSummary summary_of(const std::string& label, const Rows& rows) {
  RungSummary summary;
  summary.label = label;
  for (const auto& [name, members] : grouped(rows, [](const BenchRow& row) { return row.name; }))
    summary.name += (summary.name.empty() ? "" : "+") + name;
  summary.peer = rows.front()->peer;
  const bool needs_ratio =
      std::any_of(rows.begin(), rows.end(), [](const BenchRow* row) { return row->peer_time || !row->peer.empty(); });
  summary.overall = figures(rows, needs_ratio);
  for (const auto& [category, members] : grouped(rows, category_of))
    summary.categories.emplace_back(category, figures(members, needs_ratio));
  return summary;
}

}  // namespace

Summary summarize(const Results& results, const std::string& rung) {
  const std::string peers = number_text(cublas_rung().number);
  Rows rows;
  for (const BenchRow& row : results.rows) {
    const bool wanted = rung.empty() || rung == label_of(row) || rung == row.name;
    if (row.rung != peers && wanted) rows.push_back(&row);
  }
  Summary summary;
  for (const auto& [label, members] : grouped(rows, label_of)) summary.rungs.push_back(summary_of(label, members));
  return summary;
}

const RungSummary* headline(const Summary& summary) {
  if (summary.rungs.empty()) return nullptr;
  const std::string wanted = number_text(default_rung().number);
  for (const bool variant : {false, true}) {
    const auto found = std::find_if(summary.rungs.begin(), summary.rungs.end(), [&](const RungSummary& one) {
      return variant ? one.label.starts_with(wanted + ":") : one.label == wanted;
    });
    if (found != summary.rungs.end()) return &*found;
  }
  return &summary.rungs.back();
}

}  // namespace ladder::bench
