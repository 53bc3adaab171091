// SPDX-License-Identifier: MIT
// `ladder verify`: which problems, through which rungs, and the report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "commands.hpp"
#include "config.hpp"
#include "machine.hpp"
#include "op_letter.hpp"
#include "place.hpp"
#include "table.hpp"
#include "trial.hpp"

namespace ladder::cli {

namespace {

constexpr std::int64_t default_extent = 256;  // of those that are left out where one is given
constexpr std::int64_t long_k = 160;          // no rung holds it to be too short

struct RungReport {
  const Rung* rung = nullptr;
  bool run = false;                ///< false: this rung has no kernel for the place, or declines all problems
  const char* declined = nullptr;  ///< why it declined some, or null
  std::vector<std::string> failures;
  std::int64_t problems = 0, left = 0, elements = 0;  ///< run, declined, judged
  double worst_share = 0.0, worst_error = 0.0;        ///< the error: of ordinary values
  std::string worst_problem;
};

struct Extents {
  std::int64_t m, n, k;
};

/// Problems to either side of the rung's tile and of its pipeline's depth, and some that are all edge.
std::vector<Extents> extents_around(const TileExtents& tile) {
  const std::int64_t bm = tile.bm, bn = tile.bn, bk = tile.bk, depth = std::int64_t{tile.bk} * (tile.stages + 1);
  return {{1, 1, 1},
          {bm - 1, bn + 1, depth + 1},
          {bm + 1, bn - 1, depth - 1},
          {bm, bn, depth},
          {2 * bm + 1, 3, bk},
          {3, 2 * bn + 1, 2 * bk + 1},
          {37, 29, 257},
          {17, 19, 0}};
}

std::vector<TrialSpec> trials_of(const VerifyOptions& options, const TileExtents& tile) {
  struct Scalars {
    float alpha, beta;
  };
  constexpr Scalars scalars[] = {{1.0f, 0.0f}, {0.7f, 1.3f}, {-1.0f, 1.0f}, {0.0f, 0.5f}, {1.5f, 0.0f}};
  const bool one_shape = options.m || options.n || options.k;
  const auto shapes =
      one_shape ? std::vector<Extents>{{options.m.value_or(default_extent), options.n.value_or(default_extent),
                                        options.k.value_or(default_extent)}}
                : extents_around(tile);
  const std::vector<std::string> ops =
      options.op ? std::vector<std::string>{*options.op} : std::vector<std::string>{"NN", "NT", "TN", "TT"};
  std::vector<TrialSpec> trials;
  for (const Extents& shape : shapes) {
    for (const std::string& op : ops) {
      const auto seed = static_cast<std::uint32_t>(trials.size());
      const Scalars& pair = scalars[seed % std::size(scalars)];
      // Every second shape begins on an odd address: no 128-bit access is possible there.
      const int shift = one_shape ? 0 : static_cast<int>(seed / ops.size() % 2);
      trials.push_back({op_of_letter(op[0]), op_of_letter(op[1]), shape.m, shape.n, shape.k,
                        options.alpha.value_or(pair.alpha), options.beta.value_or(pair.beta), options.extra_ld, shift,
                        seed, Values::ordinary});
    }
  }
  if (one_shape) return trials;
  // Once each: what a rung on the tensor cores hands over for its values.
  constexpr Values values[] = {Values::graded, Values::huge, Values::not_finite};
  for (const Values each : values) {
    const auto turn = static_cast<std::size_t>(each);
    const std::string& op = ops[turn % ops.size()];
    const Scalars& pair = scalars[turn % std::size(scalars)];
    trials.push_back({op_of_letter(op[0]), op_of_letter(op[1]), tile.bm + 1, tile.bn + 1, long_k,
                      options.alpha.value_or(pair.alpha), options.beta.value_or(pair.beta), options.extra_ld, 0,
                      static_cast<std::uint32_t>(trials.size()), each});
  }
  return trials;
}

void show_progress(const Rung& rung, std::size_t done, std::size_t all) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[Kladder: {} {}/{}", rung.name, done, all);
}

void end_progress() {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
}

RungReport verify_rung(const Rung& rung, const VerifyOptions& options, Place& place) {
  RungReport report;
  report.rung = &rung;
  const RungKernel* kernel = place.kernel_of(rung);
  if (kernel == nullptr) return report;
  const auto trials = trials_of(options, kernel->tile);
  for (const TrialSpec& spec : trials) {
    show_progress(rung, static_cast<std::size_t>(report.problems + report.left), trials.size());
    const Verdict verdict = run_trial(spec, rung.precision, *kernel, place);
    if (verdict.declined != nullptr) {
      report.declined = verdict.declined;
      ++report.left;
      continue;
    }
    report.run = true;
    ++report.problems;
    report.elements += verdict.elements;
    if (spec.values == Values::ordinary) report.worst_error = std::max(report.worst_error, verdict.worst_error);
    if (verdict.worst_share > report.worst_share) {
      report.worst_share = verdict.worst_share;
      report.worst_problem = to_text(spec);
    }
    if (!verdict.complaint.empty()) report.failures.push_back(fmt::format("{}: {}", to_text(spec), verdict.complaint));
  }
  return report;
}

void print_table(const std::vector<RungReport>& reports) {
  Table table(
      {"rung", "name", "precision", "problems", "declined", "elements", "worst error", "of its bound", "verdict"});
  for (const RungReport& r : reports) {
    const std::string number = r.rung->number == unnumbered ? "" : rung_label(*r.rung);
    const char* precision = precision_name(r.rung->precision);
    const std::string left = fmt::format("{}", r.left);
    if (!r.run) {
      table.add_row({number, r.rung->name, precision, "-", left, "-", "-", "-",
                     r.declined != nullptr ? fmt::format("skipped: {}", r.declined)
                                           : std::string("skipped: it has no kernel of ours here")});
      continue;
    }
    table.add_row({number, r.rung->name, precision, fmt::format("{}", r.problems), left, fmt::format("{}", r.elements),
                   fmt::format("{:.2e}", r.worst_error), fmt::format("{:.3f}", r.worst_share),
                   r.failures.empty() ? "right" : fmt::format("WRONG in {} problems", r.failures.size())});
  }
  fmt::print("{}", table.text());
  for (const RungReport& r : reports) {
    for (const std::string& failure : r.failures) fmt::print("{}: {}\n", r.rung->name, failure);
  }
}

void print_json(const std::vector<RungReport>& reports, const Place& place) {
  nlohmann::ordered_json all;
  all["device"] = place.name();
  all["rungs"] = nlohmann::ordered_json::array();
  for (const RungReport& r : reports) {
    nlohmann::ordered_json one;
    one["name"] = r.rung->name;
    one["passed"] = r.run ? nlohmann::ordered_json(r.failures.empty()) : nlohmann::ordered_json(nullptr);
    one["precision"] = precision_name(r.rung->precision);
    one["problems"] = r.problems;
    one["declined"] = r.left;
    one["elements"] = r.elements;
    one["worst_error"] = r.worst_error;
    one["worst_share_of_bound"] = r.worst_share;
    one["worst_problem"] = r.worst_problem;
    one["failures"] = r.failures;
    all["rungs"].push_back(std::move(one));
  }
  fmt::print("{}\n", all.dump(2));
}

std::unique_ptr<Place> choose_place(const std::string& device) {
  const bool has_gpu = gpu_name().has_value();
  if (device == "gpu" && !has_gpu) return nullptr;
  return device == "gpu" || (device == "auto" && has_gpu) ? gpu_place() : emulated_place();
}

}  // namespace

int verify_command(const VerifyOptions& options) {
  const auto place = choose_place(options.device);
  if (place == nullptr) {
    fmt::print(stderr, "ladder: there is no GPU that works here; --device emulate runs the rungs on the CPU\n");
    return exit_usage;
  }
  shim::config();  // the rungs sum as LADDER_REPRODUCIBLE has them sum in a program
  std::vector<RungReport> reports;
  for (const Rung& rung : rungs()) {
    if (options.rung == "all" || find_rung(options.rung) == &rung)
      reports.push_back(verify_rung(rung, options, *place));
  }
  end_progress();
  options.json ? print_json(reports, *place) : print_table(reports);
  if (std::none_of(reports.begin(), reports.end(), [](const RungReport& r) { return r.run; })) return exit_usage;
  const bool right =
      std::all_of(reports.begin(), reports.end(), [](const RungReport& r) { return r.failures.empty(); });
  return right ? exit_ok : exit_failed;
}

}  // namespace ladder::cli
