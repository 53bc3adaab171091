// SPDX-License-Identifier: MIT
// One product of host matrices on one GPU: panels go up, strips of C are multiplied and go down, all at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "gpu_stopwatch.hpp"
#include "offload/cut.hpp"
#include "offload/results.hpp"
#include "offload/schedule.hpp"
#include "offload/uploads.hpp"

namespace ladder::shim {

/// The rung, or the first one below it that takes `there`, a problem on the device: a rung that takes a problem may
/// decline a part of it.
const Rung& rung_for(const Rung& wished, const GemmProblem& there);

/// What of C nobody has claimed, and now nobody will.
void add_unclaimed(PanelClaims& claims, const Cut& cut, std::vector<Rectangle>& rectangles);

/// What a context keeps for the products that stream through it, one at a time.
struct StreamingMeans {
  static constexpr int step_events = 64;

  Stream up = nullptr;
  Stream compute = nullptr;
  Stream down = nullptr;
  Event sent = nullptr;                         ///< behind a step's panels, on `up`
  std::array<Event, step_events> multiplied{};  ///< behind the products, taking turns, on `compute`
  std::array<Event, results_held> fetched{};    ///< behind the last copy from a strip of C, on `down`
  PinnedRing ring_up, ring_down;
};

/// Where the matrices lie, and how the GPU reaches them.
struct StreamedProblem {
  const Rung& rung;
  const GemmProblem& host;
  bool stages_a, stages_b, stages_c;  ///< through pinned slots
  std::byte* slots_a;                 ///< device memory, as cut
  std::byte* slots_b;
  std::byte* results;
};

/// All of the product, or one taker's part of it. One thread runs it, with the context current.
class StreamedProduct {
 public:
  StreamedProduct(GpuDevice& device, CopyTeam& team, StreamingMeans& means, const StreamedProblem& problem,
                  const Cut& cut, PanelClaims& claims, int taker);
  /// Nothing touches the caller's matrices after, however run() was left.
  ~StreamedProduct();
  StreamedProduct(const StreamedProduct&) = delete;
  StreamedProduct& operator=(const StreamedProduct&) = delete;

  /// Returns when nothing is left to be claimed and all that was is written, or after a failure when nothing touches
  /// the caller's matrices any more. `lap` begins with the first product and stops with the last.
  LaunchStatus run(GpuLap& lap);

  /// After a failure: what this taker has claimed of C and not written; the rest of its part is as it should be.
  std::vector<Rectangle> unwritten();

 private:
  struct TakenStep {
    Step step;
    std::int64_t number;
    std::int64_t uploads;  // that must have been issued before it
    int result;            // strip of C
  };
  struct ResultStrip {
    bool used = false;
    std::int64_t fetches = 0;  // of Results, after which it is free
  };

  LaunchStatus advance(bool& moved, GpuLap& lap);
  LaunchStatus plan_step(GpuLap& lap);
  LaunchStatus is_nearly_idle(bool& idle);
  bool take_step();
  bool may_take(const Step& step) const;
  bool launch_may_follow(const TakenStep& taken) const;
  LaunchStatus launch_step(const TakenStep& taken, GpuLap& lap);
  bool is_free(int result) const { return results_.issued() >= strips_[static_cast<std::size_t>(result)].fetches; }
  bool finished() const { return exhausted_ && taken_.empty() && results_.all_written(); }
  void quiesce();

  Transfer panel_transfer(const PanelLoad& load, std::int64_t piece) const;
  Transfer strip_transfer(const Step& step, int result) const;
  Rectangle place_of(const Step& step) const;
  GemmProblem problem_of(const TakenStep& taken) const;
  std::byte* strip_memory(int result) const;
  std::int64_t& last_use(Side side, int slot) {
    return (side == Side::a ? last_use_a_ : last_use_b_)[static_cast<std::size_t>(slot)];
  }
  std::int64_t last_use(Side side, int slot) const {
    return (side == Side::a ? last_use_a_ : last_use_b_)[static_cast<std::size_t>(slot)];
  }
  Event multiplied(std::int64_t step) const {
    return means_.multiplied[static_cast<std::size_t>(step % StreamingMeans::step_events)];
  }

  GpuDevice& device_;
  CopyTeam& team_;
  StreamingMeans& means_;
  const StreamedProblem& problem_;
  const Cut& cut_;
  const SlotMatrix matrix_a_, matrix_b_;
  const bool reads_c_;
  const bool shared_;  // with other takers
  Schedule schedule_;
  Uploads uploads_;
  Results results_;

  bool quiet_ = true;         // nothing is under way
  std::optional<Step> next_;  // to be taken
  bool exhausted_ = false;    // there are no more
  std::deque<TakenStep> taken_;
  std::int64_t steps_taken_ = 0;
  std::int64_t steps_launched_ = 0;
  std::int64_t strips_begun_ = 0;
  std::vector<std::int64_t> last_use_a_, last_use_b_;  // step whose product reads the slot last; -1: none
  std::array<ResultStrip, results_held> strips_{};
};

}  // namespace ladder::shim
