// SPDX-License-Identifier: MIT
// Problem by problem: every contender checked, then timed in turns with the others of its unit of the GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contender.hpp"
#include "device_matrices.hpp"
#include "gpu_timer.hpp"
#include "nvml.hpp"
#include "results.hpp"
#include "roofline.hpp"

namespace ladder::bench {

struct MeasureOptions {
  Data data = Data::normal;
  bool cold = true;      ///< L2 flushed before each sample
  int samples = 0;       ///< of each contender; 0: 15, and up to 51 where they are short
  double sustain_s = 0;  ///< above 0: instead of samples in turns each works so long without a pause, see sustain.hpp
  int calls = 0;         ///< in a row, for the host's time of a call; 0: up to 15, each into an idle stream
  double pause_s = 0.3;  ///< before the contenders of the other unit of the GPU, and before each that is sustained
  std::string peer;      ///< name of the contender that `ratio` compares with; may be empty
  Ceilings ceilings;     ///< for floors, and for the choice between graphs and streams
};

/// Told which problem is next; `all` of them are twice as many where there are contenders of both units.
using RaceProgress = std::function<void(const BenchProblem& problem, std::size_t done, std::size_t all)>;

/// Races on the current device. One thread; nothing else should run on the device.
class Race {
 public:
  Race(std::vector<Contender> contenders, MeasureOptions options);

  /// Empty, or why nothing can be measured here.
  const std::string& complaint() const { return timer_.complaint(); }

  /// Problem by problem a row for each contender, in their order. One that fails, or whose result is wrong, has that as
  /// its verdict and no time; the others run all the same. FP32 contenders have met all problems before those on tensor
  /// cores meet the first.
  std::vector<BenchRow> run(const std::vector<BenchProblem>& problems, const RaceProgress& progress);

  /// Milliseconds that a sample of no work at all takes, taken as a graph or not: that much of every sample is the
  /// stopwatch's own. Nothing where it cannot be measured.
  std::optional<double> empty_sample_ms(bool graph) const;

  /// NVML's reasons for lower clocks that were seen while samples ran, or'ed.
  std::uint64_t throttle_seen() const { return throttle_seen_; }

 private:
  struct Lane;  // a contender on the present problem, with its samples

  void run_unit(const BenchProblem& problem, bool tensor_cores, std::span<BenchRow> rows);
  Lane lane_of(const Contender& contender, const BenchProblem& problem) const;
  TimingMode mode_for(const BenchProblem& problem) const;
  void check(Lane& lane, const Enqueue& work);
  void check_call(Lane& lane);
  void check_timed(Lane& lane);
  void time_unit(const std::vector<Lane*>& lanes, bool tensor_cores);
  void warm_up(const std::vector<Lane*>& lanes, bool tensor_cores);
  void take_samples(const std::vector<Lane*>& lanes);
  void rest(double worked_ms) const;
  void sustain_each(const std::vector<Lane*>& lanes);
  void take_sample(Lane& lane, bool with_sensors);
  void time_calls(Lane& lane) const;
  Enqueue work_of(const Contender& contender) const;

  MeasureOptions options_;
  GpuTimer timer_;
  DeviceMatrices matrices_;
  std::vector<Contender> contenders_;  ///< after the timer, whose stream their handles hold
  GpuSensors sensors_;
  bool tensor_cores_take_part_ = false;       ///< of any contender: samples then have a rest between them
  bool was_long_ = false;                     ///< the samples of the problem before
  std::optional<bool> last_on_tensor_cores_;  ///< unit of the last samples; nothing while the card sleeps
  std::uint64_t throttle_seen_ = 0;
};

}  // namespace ladder::bench
