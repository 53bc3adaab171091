// SPDX-License-Identifier: MIT
#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "served_text.hpp"

namespace ladder::shim {

namespace {

constexpr double nanoseconds_per_millisecond = 1e6;
constexpr double flops_per_gflop = 1e9;

/// The numbers of a row, or of several.
struct Figures {
  std::uint64_t calls = 0;
  std::uint64_t captured = 0;
  std::uint64_t timed = 0;
  double flops = 0;
  double host_ns = 0;
  double gpu_ns = 0;
  double timed_flops = 0;

  Figures& operator+=(const Figures& other) {
    calls += other.calls;
    captured += other.captured;
    timed += other.timed;
    flops += other.flops;
    host_ns += other.host_ns;
    gpu_ns += other.gpu_ns;
    timed_flops += other.timed_flops;
    return *this;
  }
};

Figures figures_of(const SummaryRow& row) {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {row.calls.load(relaxed),
          row.captured.load(relaxed),
          row.gpu.laps.load(relaxed),
          row.flops.load(relaxed),
          static_cast<double>(row.nanoseconds.load(relaxed)),
          static_cast<double>(row.gpu.nanoseconds.load(relaxed)),
          row.gpu.flops.load(relaxed)};
}

using Cells = std::vector<std::string>;
constexpr int text_columns = 6;  // to the left; numbers to the right

struct Line {
  Cells texts;
  Figures figures;
};

Cells texts_of(const SummaryKey& key) {
  return {door_name(key.door),     rung_text(key.served.rung),  server_name(key.served),
          device_text(key.served), shape_class_name(key.shape), why_text(key.served)};
}

Cells headings(bool gpu_times) {
  Cells cells{"door", "rung", "name", "device", "class", "why", "calls", "GFLOP", "host_ms"};
  if (gpu_times) cells.insert(cells.end(), {"gpu_ms", "TFLOP/s", "timed", "in_graphs"});
  return cells;
}

Cells cells_of(const Line& line, bool gpu_times) {
  const Figures& f = line.figures;
  Cells cells = line.texts;
  cells.push_back(fmt::format("{}", f.calls));
  cells.push_back(fmt::format("{:.3f}", f.flops / flops_per_gflop));
  cells.push_back(fmt::format("{:.3f}", f.host_ns / nanoseconds_per_millisecond));
  if (!gpu_times) return cells;
  constexpr double flops_per_ns_of_a_tflops = 1e3;
  const bool known = f.timed > 0;
  cells.push_back(known ? fmt::format("{:.3f}", f.gpu_ns / nanoseconds_per_millisecond) : "-");
  cells.push_back(known && f.gpu_ns > 0 && f.timed_flops > 0
                      ? fmt::format("{:.3f}", f.timed_flops / f.gpu_ns / flops_per_ns_of_a_tflops)
                      : "-");
  cells.push_back(fmt::format("{}", f.timed));
  cells.push_back(fmt::format("{}", f.captured));
  return cells;
}

std::string aligned(const std::vector<Cells>& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  fmt::memory_buffer text;
  for (const Cells& cells : table) {
    if (text.size() != 0) text.push_back('\n');
    fmt::format_to(std::back_inserter(text), "ladderblas:");
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i < text_columns) {
        fmt::format_to(std::back_inserter(text), " {:<{}}", cells[i], widths[i]);
      } else {
        fmt::format_to(std::back_inserter(text), " {:>{}}", cells[i], widths[i]);
      }
    }
  }
  return fmt::to_string(text);
}

// -- What the table does not say by itself ------------------------------------------------------------------------

class Notes {
 public:
  void look_at(const SummaryKey& key, const Figures& figures) {
    if (key.served.rung == &cublas_rung()) {
      handed_on_ += figures.calls;
      reasons_[why_text(key.served)] += figures.calls;
    }
    if (key.served.place == Place::gpu) {
      captured_ += figures.captured;
      untimed_ += figures.calls - std::min(figures.calls, figures.timed + figures.captured);
    }
  }

  std::string text(std::uint64_t calls, bool gpu_times) const {
    std::string notes;
    if (handed_on_ > 0) {
      std::string reasons;
      for (const auto& [why, count] : reasons_)
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, why);
      notes +=
          fmt::format("\nladderblas: note: {} of {} calls went on to the real cuBLAS: {}", handed_on_, calls, reasons);
    }
    if (gpu_times && captured_ > 0)
      notes += fmt::format(
          "\nladderblas: note: {} calls became part of graphs: counted once, however often a graph runs, without GPU "
          "time",
          captured_);
    if (gpu_times && untimed_ > 0)
      notes += fmt::format(
          "\nladderblas: note: {} calls on a GPU have no GPU time: they failed, too many others were under way, or the "
          "process ended first",
          untimed_);
    return notes;
  }

 private:
  std::uint64_t handed_on_ = 0;
  std::map<std::string, std::uint64_t> reasons_;
  std::uint64_t captured_ = 0;
  std::uint64_t untimed_ = 0;
};

}  // namespace

std::string format_summary(const SummaryTable& table, bool gpu_times) {
  if (table.empty()) return {};
  std::vector<Line> lines;
  Notes notes;
  table.for_each([&](const SummaryKey& key, const SummaryRow& row) {
    const Figures figures = figures_of(row);
    lines.push_back({texts_of(key), figures});
    notes.look_at(key, figures);
  });
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.figures.gpu_ns != b.figures.gpu_ns ? a.figures.gpu_ns > b.figures.gpu_ns
                                                : a.figures.host_ns > b.figures.host_ns;
  });
  if (const Figures others = figures_of(table.overflow()); others.calls > 0)
    lines.push_back({{"others", "-", "-", "-", "-", "-"}, others});
  Line total{{"total", "-", "-", "-", "-", "-"}, {}};
  for (const Line& line : lines) total.figures += line.figures;
  lines.push_back(total);

  std::vector<Cells> cells{headings(gpu_times)};
  for (const Line& line : lines) cells.push_back(cells_of(line, gpu_times));
  return aligned(cells) + notes.text(total.figures.calls, gpu_times);
}

}  // namespace ladder::shim
