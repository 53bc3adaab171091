// SPDX-License-Identifier: MIT
#include "results_by_rung.hpp"

#include <algorithm>
#include <iterator>

#include "rung.hpp"

namespace ladder::bench {

namespace {

constexpr std::string_view peers = "0";

std::vector<std::string> rungs_of(const Results& results) {
  std::vector<std::string> labels;
  for (const BenchRow& row : results.rows) {
    if (row.rung != peers && std::ranges::find(labels, row.rung) == labels.end()) labels.push_back(row.rung);
  }
  return labels;
}

std::string file_of(std::string path, const std::string& label) {
  const Rung* rung = find_rung(label);
  const std::string name = rung == nullptr ? label : rung->name;
  for (std::size_t at = path.find(rung_place); at != path.npos; at = path.find(rung_place, at + name.size())) {
    path.replace(at, rung_place.size(), name);
  }
  return path;
}

}  // namespace

std::vector<std::pair<std::string, Results>> files_of(const std::string& path, const Results& results) {
  if (path.find(rung_place) == path.npos) return {{path, results}};
  std::vector<std::pair<std::string, Results>> files;
  for (const std::string& label : rungs_of(results)) {
    Results own{results.conditions, {}};
    std::ranges::copy_if(results.rows, std::back_inserter(own.rows),
                         [&](const BenchRow& row) { return row.rung == peers || row.rung == label; });
    files.emplace_back(file_of(path, label), std::move(own));
  }
  return files;
}

}  // namespace ladder::bench
