// SPDX-License-Identifier: MIT
// Who did the work of one call, where, and why: what the log and the counters are told.
#pragma once

#include <cstdint>

#include "offload/host_model.hpp"
#include "rung.hpp"

namespace ladder::shim {

enum class Server : std::uint8_t { rung, next_blas, nobody };
enum class Place : std::uint8_t { gpu, emulate, cpu };

inline constexpr int place_count = 3;

/// Words of the log for a call that needed no work (m = 0 and the like), and for those that are not ours to serve:
/// other types than FP32 or an algorithm that nobody knows, or descriptors of cuBLASLt that ask for what no rung does.
inline constexpr const char* why_noop = "noop";
inline constexpr const char* why_types = "types";
inline constexpr const char* why_descriptors = "descriptors";

struct Served {
  Server server = Server::nobody;
  const Rung* rung = nullptr;  ///< set when `server` is a rung
  Place place = Place::cpu;
  int gpu_ordinal = -1;           ///< -1: not known; of several, the first
  const char* why = why_noop;     ///< one word; static storage
  const char* failure = nullptr;  ///< why the first choice did not serve, where this is a fallback; static storage
  Prediction predicted{};         ///< where somebody asked
  std::uint64_t more_gpus = 0;    ///< a bit for the ordinal of each GPU beside the first

  /// One of the GPUs that served the call.
  void add_gpu(int ordinal) {
    constexpr int bits = 64;
    if (gpu_ordinal < 0) {
      gpu_ordinal = ordinal;
    } else if (ordinal < bits) {
      more_gpus |= std::uint64_t{1} << ordinal;
    }
  }
};

inline const char* place_name(Place place) {
  constexpr const char* names[place_count] = {"gpu", "emulate", "cpu"};
  return names[static_cast<int>(place)];
}

// Every server has an index: the rungs in their order, then the next BLAS, then nobody.
#define HANDED_ON_RUNG(...) +1
#define KERNEL_RUNG(...) +1
inline constexpr int rung_count = 0
#include "rungs.def"
    ;
#undef HANDED_ON_RUNG
#undef KERNEL_RUNG
inline constexpr int server_count = rung_count + 2;

inline int server_index(const Served& served) {
  if (served.server == Server::rung) return static_cast<int>(served.rung - rungs().data());
  return served.server == Server::next_blas ? rung_count : rung_count + 1;
}

/// A call that the server of that index served; only `server` and `rung` are set.
inline Served served_by_index(int index) {
  Served served;
  if (index < rung_count) served.rung = &rungs()[index];
  served.server = index < rung_count ? Server::rung : index == rung_count ? Server::next_blas : Server::nobody;
  return served;
}

}  // namespace ladder::shim
