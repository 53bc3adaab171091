// SPDX-License-Identifier: MIT
// The contenders of a host door race that run in this process: OpenBLAS, and our own library.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host_door_contender.hpp"
#include "host_door_function.hpp"
#include "ladderblas/ladderblas.h"
#include "rung.hpp"

namespace ladder::bench {

/// Any BLAS, on the matrices of this process.
class BlasHere : public HostContender {
 public:
  BlasHere(std::string name, HostFunction function) : name_(std::move(name)), function_(function) {}

  std::string begin(const HostTask& task, HostMatrices& matrices) override;
  HostAnswer call() override;
  HostAnswer checked_call() override;
  std::string name() const override { return name_; }
  bool on_cpu_blas() const override { return true; }

 protected:
  HostMatrices& matrices() { return *matrices_; }  ///< since begin()

 private:
  std::string name_;
  HostFunction function_;
  HostMatrices* matrices_ = nullptr;
};

/// The functions of ladderblas.h, from a library opened at run time.
struct LadderApi {
  decltype(&ladder_version) version = nullptr;
  decltype(&ladder_set_rung) set_rung = nullptr;
  decltype(&ladder_call_count) call_count = nullptr;
};

/// Nothing, and why, where the library is not ours.
std::optional<LadderApi> find_ladder_api(const LoadedBlas& library, std::string& complaint);

/// Our library with one rung chosen, or with none ("": what LADDER_RUNG says, or its default).
class LadderHere : public BlasHere {
 public:
  /// `gpu_serves`: a rung that serves a call runs it on the GPU, not in the emulator.
  LadderHere(HostFunction function, const LadderApi& api, std::string rung, bool gpu_serves);
  ~LadderHere() override;  ///< takes the choice back

  std::string begin(const HostTask& task, HostMatrices& matrices) override;
  HostAnswer call() override;
  HostAnswer checked_call() override;

  std::string rung() const override;

  /// The rung that served the calls since begin(): "double_buffered", "double_buffered:emulated" where the CPU ran it,
  /// several with "+" between them; "next_blas" where the library handed the calls on.
  std::string name() const override;
  bool on_gpu() const override;
  bool on_cpu_blas() const override { return served_by_.empty(); }

 private:
  /// Calls of the door so far by the rung that served them, in the order of rungs().
  std::vector<std::uint64_t> counts() const;
  Accuracy accuracy() const;

  const char* door_;
  LadderApi api_;
  std::string rung_;
  bool gpu_serves_;
  std::set<const Rung*> served_by_;
};

}  // namespace ladder::bench
