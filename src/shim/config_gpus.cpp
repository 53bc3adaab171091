// SPDX-License-Identifier: MIT
#include "config_gpus.hpp"

#include <algorithm>
#include <optional>

#include "config_text.hpp"

namespace ladder::shim {

namespace {

constexpr const char* name = "LADDER_GPUS";

// What Open MPI, Intel MPI and MPICH's hydra, MVAPICH, Slurm, PALS and Flux tell their processes.
constexpr const char* rank_variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                          "MV2_COMM_WORLD_LOCAL_RANK",  "SLURM_LOCALID",
                                          "PALS_LOCAL_RANKID",          "FLUX_TASK_LOCAL_ID"};

std::optional<int> whole_number(std::string_view text) {
  const std::optional<int> number = number_of<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<std::vector<int>> ordinals_of(std::string_view list) {
  std::vector<int> ordinals;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::optional<int> ordinal = whole_number(list.substr(begin, end - begin));
    if (!ordinal || std::ranges::count(ordinals, *ordinal) > 0) return std::nullopt;
    ordinals.push_back(*ordinal);
    begin = end + 1;
  }
  return ordinals;
}

}  // namespace

GpusSetting parse_gpus(Environment environment, std::vector<std::string>& complaints) {
  const std::string_view text = read(environment, name);
  if (text.empty()) return {};
  if (text == "all") return {.kind = GpusSetting::Kind::all};
  if (text == "local-rank") {
    for (const char* variable : rank_variables) {
      if (const std::optional<int> rank = whole_number(read(environment, variable)))
        return {.kind = GpusSetting::Kind::local_rank, .rank = *rank};
    }
    complaints.push_back(complaint_because(name, text, "no launcher of MPI processes has told this one its rank"));
    return {};
  }
  if (std::optional<std::vector<int>> ordinals = ordinals_of(text))
    return {.kind = GpusSetting::Kind::listed, .ordinals = std::move(*ordinals)};
  complaints.push_back(complaint(name, text, "all, local-rank, or different numbers such as 0,2"));
  return {};
}

std::vector<int> chosen_gpus(const GpusSetting& setting, int count, std::string& missing) {
  std::vector<int> chosen;
  if (count < 1) return chosen;
  switch (setting.kind) {
    case GpusSetting::Kind::current:
      break;
    case GpusSetting::Kind::all:
      for (int ordinal = 0; ordinal < count; ++ordinal) chosen.push_back(ordinal);
      break;
    case GpusSetting::Kind::local_rank:
      chosen.push_back(setting.rank % count);
      break;
    case GpusSetting::Kind::listed:
      std::ranges::copy_if(setting.ordinals, std::back_inserter(chosen), [&](int ordinal) { return ordinal < count; });
      if (chosen.size() < setting.ordinals.size())
        missing = fmt::format("ladderblas: {} names GPUs that are not there; this process sees {}: {}", name, count,
                              count == 1 ? "0" : fmt::format("0 to {}", count - 1));
      if (chosen.empty()) chosen.push_back(0);
      break;
  }
  return chosen;
}

}  // namespace ladder::shim
