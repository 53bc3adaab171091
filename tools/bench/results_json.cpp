// SPDX-License-Identifier: MIT
#include "results_json.hpp"

#include <cmath>

#include "results_cells.hpp"

namespace ladder::bench {

namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(); }

Json json_of(const ResultCell& cell) {
  struct ToJson {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(std::int64_t value) const { return value; }
    Json operator()(double value) const { return number(value); }
  };
  return std::visit(ToJson{}, cell);
}

Json json_of(const Figures& figures) {
  Json json;
  json["geomean"] = number(figures.ratio.geomean);
  json["min"] = number(figures.ratio.min);
  json["worst"] = figures.ratio.worst;
  json["share_of_floor"] = number(figures.share_of_floor.geomean);
  json["share_of_floor_min"] = number(figures.share_of_floor.min);
  json["share_of_floor_worst"] = figures.share_of_floor.worst;
  json["problems"] = figures.problems;
  json["failed"] = figures.failed;
  return json;
}

Json json_of(const RungSummary& rung) {
  Json json = json_of(rung.overall);
  json["rung"] = rung.label;
  json["name"] = rung.name;
  json["peer"] = rung.peer;
  json["categories"] = Json::object();
  for (const auto& [category, figures] : rung.categories) json["categories"][category] = json_of(figures);
  return json;
}

Json json_of(const std::vector<Change>& changes) {
  Json json = Json::array();
  for (const Change& change : changes) {
    json.push_back({{"what", change.what},
                    {"before_ms", number(change.before.median)},
                    {"after_ms", number(change.after.median)},
                    {"change", number(change.change)}});
  }
  return json;
}

}  // namespace

Json results_json(const Results& results) {
  Json json;
  json["conditions"] = Json::object();
  for (const auto& [key, value] : results.conditions) json["conditions"][key] = value;
  json["rows"] = Json::array();
  for (const BenchRow& row : results.rows) {
    Json one;
    for (const auto& [column, cell] : cells_of(row)) one[std::string(column)] = json_of(cell);
    json["rows"].push_back(std::move(one));
  }
  return json;
}

Json summary_json(const Summary& summary) {
  const RungSummary* first = headline(summary);
  Json json = first == nullptr ? json_of(RungSummary{}) : json_of(*first);
  if (summary.rungs.size() < 2) return json;
  json["rungs"] = Json::object();
  for (const RungSummary& rung : summary.rungs) json["rungs"][rung.label] = json_of(rung);
  return json;
}

Json comparison_json(const Comparison& comparison) {
  Json json;
  json["compared"] = comparison.compared;
  json["geomean"] = number(comparison.geomean);
  json["slower"] = json_of(comparison.slower);
  json["quicker"] = json_of(comparison.quicker);
  json["broken"] = comparison.broken;
  json["repaired"] = comparison.repaired;
  json["only_before"] = comparison.only_before;
  json["only_after"] = comparison.only_after;
  json["conditions"] = comparison.conditions;
  return json;
}

std::string json_text(const Json& json) {
  constexpr int indent = 2;
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ladder::bench
