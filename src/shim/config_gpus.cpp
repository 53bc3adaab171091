// SPDX-License-Identifier: MIT
#include "config_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace ladder::shim {

namespace {

constexpr const char* name = "LADDER_GPUS";

// What Open MPI, Intel MPI and MPICH's hydra, MVAPICH, Slurm, PALS and Flux tell their processes.
constexpr const char* rank_variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                          "MV2_COMM_WORLD_LOCAL_RANK",  "SLURM_LOCALID",
                                          "PALS_LOCAL_RANKID",          "FLUX_TASK_LOCAL_ID"};

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::string complaint_about(std::string_view value, std::string_view what) {
  return fmt::format("ladderblas: {}={} is not valid; {}; the default is used", name, value, what);
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

GpusSetting parse_gpus(const char* (*environment)(const char*), std::vector<std::string>& complaints) {
  const char* value = environment(name);
  const std::string_view text = value != nullptr ? value : "";
  if (text.empty()) return {};
  if (text == "all") return {.kind = GpusSetting::Kind::all};
  if (text == "local-rank") {
    for (const char* variable : rank_variables) {
      const char* rank_text = environment(variable);
      const std::optional<int> rank = rank_text != nullptr ? whole_number(rank_text) : std::nullopt;
      if (rank) return {.kind = GpusSetting::Kind::local_rank, .rank = *rank};
    }
    complaints.push_back(complaint_about(text, "no launcher of MPI processes has told this one its rank"));
    return {};
  }
  if (std::optional<std::vector<int>> ordinals = ordinals_of(text))
    return {.kind = GpusSetting::Kind::listed, .ordinals = std::move(*ordinals)};
  complaints.push_back(complaint_about(text, "valid are: all, local-rank, or different numbers such as 0,2"));
  return {};
}

std::vector<int> chosen_gpus(const GpusSetting& setting, int count, std::string& complaint) {
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
        complaint = fmt::format("ladderblas: {} names GPUs that are not there; this process sees {}: {}", name, count,
                                count == 1 ? "0" : fmt::format("0 to {}", count - 1));
      if (chosen.empty()) chosen.push_back(0);
      break;
  }
  return chosen;
}

}  // namespace ladder::shim
