// SPDX-License-Identifier: MIT
// The environment, read once: the LADDER_* variables, and NVIDIA's word on TF32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config_gpus.hpp"
#include "environment.hpp"
#include "rung.hpp"

namespace ladder::shim {

enum class DeviceWish : std::uint8_t { automatic, gpu, cpu, emulate };
enum class LogLevel : std::uint8_t { off, summary, call };
enum class LogTime : std::uint8_t { host, gpu };
enum class OffloadWish : std::uint8_t { automatic, always, never };

/// LADDER_RUNG. Unset: no turns and not `automatic`.
struct RungSetting {
  bool automatic = false;          ///< "auto"
  std::vector<const Rung*> turns;  ///< one rung, or several that take turns
};

/// LADDER_TUNING.
struct TuningSetting {
  bool off = false;    ///< no measurements: the model alone
  bool named = false;  ///< the path is the user's own, not the per-user default
  std::string path{};  ///< of the tuning cache; empty: there is none
};

struct Config {
  RungSetting rung;
  DeviceWish device = DeviceWish::automatic;
  LogLevel log = LogLevel::off;
  LogTime log_time = LogTime::host;  ///< LADDER_LOG_TIME: what the summary says about time
  std::string log_file;              ///< empty: stderr; %p stands for the process id
  std::string blas;                  ///< LADDER_BLAS; empty: whatever the loader has
  std::string cublas;                ///< LADDER_CUBLAS; likewise
  TuningSetting tuning;
  GpusSetting gpus;                                    ///< LADDER_GPUS
  OffloadWish offload = OffloadWish::automatic;        ///< LADDER_OFFLOAD: who takes calls with host pointers
  std::size_t offload_memory = 0;                      ///< LADDER_OFFLOAD_MEMORY, bytes of a GPU; 0: by what is free
  std::size_t offload_keep = std::size_t{1} << 30;     ///< LADDER_OFFLOAD_KEEP, of those: bytes kept between calls
  std::size_t offload_pinned = std::size_t{64} << 20;  ///< LADDER_OFFLOAD_PINNED, bytes of host memory a GPU
  int offload_threads = 0;                             ///< LADDER_OFFLOAD_THREADS, that copy; 0: by the cores
  bool reproducible = false;                           ///< LADDER_REPRODUCIBLE: every sum in the plain order of k
  bool tf32_forbidden = false;                         ///< NVIDIA_TF32_OVERRIDE=0: no TF32, whatever a program asks for
};

/// Reads the variables through `environment`. Each value that cannot be used adds one line to
/// `complaints` (which names the valid ones) and leaves the default in place.
Config parse_config(Environment environment, std::vector<std::string>& complaints);

/// The per-user file: $XDG_CACHE_HOME/ladderblas/tuning.json, or ~/.cache/ladderblas/tuning.json. Empty where neither
/// variable holds an absolute path.
std::string default_tuning_cache(Environment environment);

/// The rungs that LADDER_RUNG and the public interface accept, for messages: "0 cublas, 1 naive, ...".
std::string valid_rungs();

/// The process's configuration: parsed at the first call, complaints on stderr then. When that call returns, launches
/// sum as LADDER_REPRODUCIBLE asks. Any thread.
const Config& config();

/// LADDER_DEVICE=emulate: no GPU is ever touched, and no cuBLAS but to read what cuBLASLt's descriptors say.
inline bool emulating() { return config().device == DeviceWish::emulate; }

}  // namespace ladder::shim
