// SPDX-License-Identifier: MIT
// From rows to the text of a result file.
#include <fmt/format.h>

#include "csv_file.hpp"
#include "csv_problem.hpp"
#include "op_letter.hpp"
#include "results.hpp"
#include "results_cells.hpp"

namespace ladder::bench {

namespace {

ResultCell cell(const std::optional<double>& value) { return value ? ResultCell(*value) : ResultCell(); }

ResultCell cell(const std::optional<int>& value) { return value ? ResultCell(std::int64_t{*value}) : ResultCell(); }

ResultCell of_peer(const BenchRow& row, double Spread::*part) {
  return row.peer_time ? ResultCell(*row.peer_time.*part) : ResultCell();
}

std::string text_of(const ResultCell& cell) {
  struct Text {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const std::string& text) const { return csv_cell(text); }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{:.7g}", value); }
  };
  return std::visit(Text{}, cell);
}

}  // namespace

std::vector<std::pair<std::string_view, ResultCell>> cells_of(const BenchRow& row) {
  const BenchProblem& p = row.problem;
  return {{"category", p.category},
          {"op_a", op_letter(p.op_a)},
          {"op_b", op_letter(p.op_b)},
          {"m", p.m},
          {"n", p.n},
          {"k", p.k},
          {"lda", p.lda},
          {"ldb", p.ldb},
          {"ldc", p.ldc},
          {"batch", p.batch},
          {"rung", row.rung},
          {"name", row.name},
          {"precision", row.precision},
          {"data", row.data},
          {"cache", row.cache},
          {"timing", row.timing},
          {"samples", std::int64_t{row.samples}},
          {"ms", row.time.median},
          {"ms_q1", row.time.q1},
          {"ms_q3", row.time.q3},
          {"tflops", tflops(row)},
          {"host_us", cell(row.host_us)},
          {"host_us_least", cell(row.host_us_least)},
          {"peer", row.peer},
          {"peer_ms", of_peer(row, &Spread::median)},
          {"peer_ms_q1", of_peer(row, &Spread::q1)},
          {"peer_ms_q3", of_peer(row, &Spread::q3)},
          {"ratio", cell(ratio(row))},
          {"limit", row.limit},
          {"floor_ms", cell(row.floor_ms)},
          {"share_of_floor", cell(share_of_floor(row))},
          {"worst_error", cell(row.worst_error)},
          {"sm_mhz", cell(row.sm_mhz)},
          {"watts", cell(row.watts)},
          {"verdict", row.verdict}};
}

std::string results_csv(const Results& results) {
  std::string text = csv_conditions(results.conditions);
  const auto add_line = [&text](const auto& cells, auto text_of_cell) {
    const char* separator = "";
    for (const auto& cell : cells) {
      text += separator;
      text += text_of_cell(cell);
      separator = ",";
    }
    text += '\n';
  };
  add_line(cells_of(BenchRow{}), [](const auto& cell) { return std::string(cell.first); });
  for (const BenchRow& row : results.rows) {
    add_line(cells_of(row), [](const auto& cell) { return text_of(cell.second); });
  }
  return text;
}

}  // namespace ladder::bench
