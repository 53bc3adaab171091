// SPDX-License-Identifier: MIT
#include "kept_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "csv_file.hpp"
#include "shape_list.hpp"

namespace ladder::profile {

namespace {

/// From the condition "problem", such as "NN 4096x4096x4096, random normal data".
std::optional<bench::BenchProblem> problem_of(const bench::Conditions& conditions, std::string& complaint) {
  const auto found = std::ranges::find(conditions, "problem", &bench::Conditions::value_type::first);
  if (found == conditions.end()) {
    complaint = "there is no line '# problem: ...'";
    return std::nullopt;
  }
  std::string shape = found->second.substr(0, found->second.find(','));
  std::ranges::replace(shape, ' ', ':');
  return bench::parse_shape(shape, complaint);
}

/// Puts the rows of a file together again.
class Collector {
 public:
  /// Empty, or what is wrong with the row.
  std::string add(bench::CsvCells& cells) {
    if (std::string complaint = turn_to(cells.text("name")); !complaint.empty()) return complaint;
    Reading reading{cells.text("metric"), cells.text("unit"), cells.number("value")};
    const std::string kernel = cells.text("kernel");
    if (needs_another(kernel, reading.metric)) {
      ++launches.back().kernels;
      kernels.push_back({kernel, {}});
    }
    kernels.back().readings.push_back(std::move(reading));
    return {};
  }

  std::vector<Launched> launches;
  std::vector<ProfiledKernel> kernels;

 private:
  std::string turn_to(const std::string& rung) {
    if (!launches.empty() && launches.back().choice.name() == rung) return {};
    std::string complaint;
    const auto choices = bench::parse_rungs(rung, complaint);
    if (!choices) return complaint;
    if (choices->size() != 1) return fmt::format("'{}' is more than one rung", rung);
    launches.push_back({choices->front(), 0});
    return {};
  }

  /// A kernel has each metric once.
  bool needs_another(const std::string& kernel, const std::string& metric) const {
    if (launches.back().kernels == 0 || kernels.back().name != kernel) return true;
    return std::ranges::find(kernels.back().readings, metric, &Reading::metric) != kernels.back().readings.end();
  }
};

}  // namespace

std::optional<KeptProfile> read_kept_profile(const std::filesystem::path& path, std::string& complaint) {
  const auto file = bench::read_csv(path, {"name", "kernel", "metric", "unit", "value"}, complaint);
  if (!file) return std::nullopt;
  std::string wrong;
  const auto problem = problem_of(file->conditions, wrong);
  if (!problem) {
    complaint = fmt::format("{}: {}", path.string(), wrong);
    return std::nullopt;
  }
  Collector collected;
  for (const bench::CsvRecord& record : file->records) {
    bench::CsvCells cells(*file, record);
    if (const std::string unfit = collected.add(cells); !unfit.empty()) cells.complain(unfit);
    complaint = cells.complaint();
    if (!complaint.empty()) return std::nullopt;
  }
  return KeptProfile{profile_of(*problem, collected.launches, std::move(collected.kernels)), file->conditions};
}

}  // namespace ladder::profile
