// SPDX-License-Identifier: MIT
#include "host_door_lineup.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "host_door_here.hpp"
#include "host_door_nvblas.hpp"

namespace ladder::bench {

namespace {

constexpr const char* openblas_name = "openblas";
constexpr const char* nvblas_name = "nvblas";
constexpr const char* openblas_soname = "libopenblas.so.0";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// "/usr/lib/libopenblas.so.0, OpenBLAS 0.3.21 ..., 16 threads", as far as the library tells.
std::string description(const LoadedBlas& library) {
  std::string text = library.path;
  const auto configuration = reinterpret_cast<const char* (*)()>(dlsym(library.handle, "openblas_get_config"));
  const auto threads = reinterpret_cast<int (*)()>(dlsym(library.handle, "openblas_get_num_threads"));
  if (configuration != nullptr) text += fmt::format(", {}", configuration());
  while (text.ends_with(' ')) text.pop_back();
  if (threads != nullptr) text += fmt::format(", {} threads", threads());
  return text;
}

class Entries {
 public:
  Entries(const HostDoorOptions& options, HostDoor door) : options_(options), door_(door) {}

  LineUp& lineup() { return lineup_; }

  /// Each gives why it failed; empty when it did not.
  std::string add_ours();
  std::string add_openblas();
  std::string add_nvblas();

 private:
  const HostDoorOptions& options_;
  HostDoor door_;
  LineUp lineup_;
};

std::string Entries::add_ours() {
  std::string complaint;
  const auto library = load_blas(options_.library, complaint);
  const auto api = library ? find_ladder_api(*library, complaint) : std::nullopt;
  const auto function = api ? find_function(*library, door_, complaint) : std::nullopt;
  if (!function) return complaint;
  const std::string device = variable("LADDER_DEVICE");
  const bool gpu_serves = options_.has_gpu && device != "emulate";
  const std::vector<std::string> rungs = options_.rungs.empty() ? std::vector<std::string>{""} : options_.rungs;
  for (const std::string& rung : rungs)
    lineup_.ours.push_back(std::make_unique<LadderHere>(*function, *api, rung, gpu_serves));
  std::string how = fmt::format("{}, LADDER_DEVICE={}", api->version(), device.empty() ? "auto" : device);
  for (const char* name : {"LADDER_GPUS", "LADDER_OFFLOAD"}) {
    if (const std::string value = variable(name); !value.empty()) how += fmt::format(", {}={}", name, value);
  }
  lineup_.conditions.emplace_back("libladderblas", how);
  return {};
}

std::string Entries::add_openblas() {
  std::string complaint;
  const auto library = load_blas(openblas_file(options_.blas), complaint);
  const auto function = library ? find_function(*library, door_, complaint) : std::nullopt;
  if (!function) return complaint;
  // Where it took the place of the system's BLAS.
  if (dlsym(library->handle, "ladder_version") != nullptr) return library->path + " is libladderblas itself";
  lineup_.peers.push_back(std::make_unique<BlasHere>(openblas_name, *function));
  lineup_.conditions.emplace_back(openblas_name, description(*library));
  return {};
}

std::string Entries::add_nvblas() {
  if (options_.nvblas.empty() && !options_.has_gpu) return "there is no GPU that works here";
  std::string complaint;
  const auto cpu_blas = load_blas(openblas_file(options_.blas), complaint);
  if (!cpu_blas) return "it needs a CPU BLAS: " + complaint;
  const std::vector<std::string> candidates =
      options_.nvblas.empty() ? std::vector<std::string>{"libnvblas.so.13", "libnvblas.so.12", "libnvblas.so.11"}
                              : std::vector<std::string>{options_.nvblas};
  const std::string tool = options_.tool.empty() ? "/proc/self/exe" : options_.tool;
  auto contender = std::make_unique<NvblasThere>(
      NvblasStart{tool, candidates, options_.nvblas_gpus, cpu_blas->path, options_.peer_timeout_s});
  if (complaint = contender->try_out(); !complaint.empty()) return complaint;
  lineup_.conditions.emplace_back(
      nvblas_name,
      contender->library() + ", its sgemm_ in a process of its own, autopin, GPUs " + options_.nvblas_gpus);
  lineup_.peers.push_back(std::move(contender));
  return {};
}

}  // namespace

std::string openblas_file(const std::string& named) {
  if (!named.empty()) return named;
  const std::string variables = variable("LADDER_BLAS");
  return variables.empty() ? openblas_soname : variables;
}

std::optional<LineUp> line_up(const HostDoorOptions& options, std::string& complaint) {
  const auto door = host_door_of(options.door);
  if (!door) {
    complaint = fmt::format("'{}' is no host door: cblas and sgemm_ are", options.door);
    return std::nullopt;
  }
  Entries entries(options, *door);
  if (complaint = entries.add_ours(); !complaint.empty()) return std::nullopt;
  const bool asked = !options.against.empty();
  for (const std::string& peer : asked ? options.against : std::vector<std::string>{openblas_name, nvblas_name}) {
    if (peer != openblas_name && peer != nvblas_name) {
      complaint = fmt::format("'{}' has no host door: openblas and nvblas have", peer);
      return std::nullopt;
    }
    const std::string why = peer == openblas_name ? entries.add_openblas() : entries.add_nvblas();
    if (why.empty()) continue;
    complaint = fmt::format("{} is left out: {}", peer, why);
    if (asked) return std::nullopt;
    if (options.remark) options.remark(complaint);
  }
  complaint.clear();
  return std::move(entries.lineup());
}

}  // namespace ladder::bench
