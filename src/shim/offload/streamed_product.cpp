// SPDX-License-Identifier: MIT
#include "offload/streamed_product.hpp"

#include <thread>

namespace ladder::shim {

namespace {

constexpr std::size_t most_taken = 4;  // steps whose panels are on their way: more would only wait in line
constexpr std::int64_t no_step = -1;

std::size_t bytes_of(std::int64_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

}  // namespace

const Rung& rung_for(const Rung& wished, const GemmProblem& there) {
  const Rung* rung = &wished;
  while (rung->gpu != nullptr && rung->gpu->declines != nullptr && rung->gpu->declines(there) != nullptr) {
    const Rung* below = rung_below(*rung);
    if (below == nullptr) break;
    rung = below;
  }
  return *rung;
}

void add_unclaimed(PanelClaims& claims, const Cut& cut, std::vector<Rectangle>& rectangles) {
  const bool kept_is_a = cut.kept == Side::a;
  const SideCut& side = cut.kept_side();
  while (const std::optional<std::int64_t> panel = claims.left_over()) {
    const std::int64_t begin = side.begin(*panel);
    const std::int64_t length = side.length(*panel, 1);
    rectangles.push_back(kept_is_a ? Rectangle{begin, length, 0, cut.b.extent}
                                   : Rectangle{0, cut.a.extent, begin, length});
  }
}

StreamedProduct::StreamedProduct(GpuDevice& device, CopyTeam& team, StreamingMeans& means,
                                 const StreamedProblem& problem, const Cut& cut, PanelClaims& claims, int taker)
    : device_(device),
      team_(team),
      means_(means),
      problem_(problem),
      cut_(cut),
      matrix_a_(slot_matrix(cut, Side::a, problem.host.op_a)),
      matrix_b_(slot_matrix(cut, Side::b, problem.host.op_b)),
      reads_c_(problem.host.beta.value != 0.0f),
      shared_(claims.is_shared()),
      schedule_(cut, claims, taker),
      uploads_(device, team, means.ring_up, means.up, bytes_up(problem.host)),
      results_(device, team, means.ring_down, means.down, bytes_down(problem.host)),
      last_use_a_(static_cast<std::size_t>(cut.a.slots), no_step),
      last_use_b_(static_cast<std::size_t>(cut.b.slots), no_step) {}

StreamedProduct::~StreamedProduct() { quiesce(); }

LaunchStatus StreamedProduct::run(GpuLap& lap) {
  quiet_ = false;
  SpareHand hand;
  while (!finished()) {
    bool moved = false;
    if (const LaunchStatus status = advance(moved, lap); status != launch_ok) {
      quiesce();
      return status;
    }
    if (!moved && !team_.help(hand)) std::this_thread::yield();
  }
  quiet_ = true;
  return launch_ok;
}

LaunchStatus StreamedProduct::advance(bool& moved, GpuLap& lap) {
  if (const LaunchStatus status = plan_step(lap); status != launch_ok) return status;
  if (take_step()) moved = true;
  if (const LaunchStatus status = uploads_.advance(moved); status != launch_ok) return status;
  while (!taken_.empty() && launch_may_follow(taken_.front())) {
    if (const LaunchStatus status = launch_step(taken_.front(), lap); status != launch_ok) return status;
    taken_.pop_front();
    moved = true;
  }
  return results_.advance(moved);
}

/// Others' panels are taken late, when there is hardly anything else to do: their owner may come to them first.
LaunchStatus StreamedProduct::plan_step(GpuLap& lap) {
  if (next_ || exhausted_) return launch_ok;
  bool is_last_resort = !shared_;
  if (!is_last_resort) {
    if (const LaunchStatus status = is_nearly_idle(is_last_resort); status != launch_ok) return status;
  }
  if (Step step; schedule_.next(step, is_last_resort)) {
    next_ = step;
  } else if (is_last_resort) {
    exhausted_ = true;
    if (taken_.empty() && steps_launched_ > 0) lap.stop();
  }
  return launch_ok;
}

LaunchStatus StreamedProduct::is_nearly_idle(bool& idle) {
  idle = taken_.empty();
  if (!idle || steps_launched_ < 2) return launch_ok;
  return device_.has_passed(multiplied(steps_launched_ - 2), idle);
}

// ------------------------------------------------------------------------------------------ panels

bool StreamedProduct::may_take(const Step& step) const {
  if (taken_.size() == most_taken) return false;
  // Whoever reads the slot's present panel must be on the GPU's list already: the copy waits for it there.
  for (int i = 0; i < step.load_count; ++i) {
    const PanelLoad& load = step.loads[static_cast<std::size_t>(i)];
    if (last_use(load.side, load.slot) >= steps_launched_) return false;
  }
  if (!reads_c_ || step.piece > 0) return true;
  // The strip of C is sent too, to where another one may not have been multiplied yet, or not fetched.
  const bool others_are_done = results_.added() > strips_begun_ - results_held;
  return others_are_done && is_free(static_cast<int>(strips_begun_ % results_held));
}

/// Enters the next step's panels, and its strip of C where beta asks for it, for sending.
bool StreamedProduct::take_step() {
  if (!next_ || !may_take(*next_)) return false;
  const Step step = *next_;
  if (step.piece == 0) ++strips_begun_;
  const int result = static_cast<int>((strips_begun_ - 1) % results_held);
  if (cut_.k > 0) {
    for (int i = 0; i < step.load_count; ++i)
      uploads_.add(panel_transfer(step.loads[static_cast<std::size_t>(i)], step.piece));
  }
  if (reads_c_ && step.piece == 0) {
    Transfer transfer = strip_transfer(step, result);
    transfer.before = strips_[static_cast<std::size_t>(result)].used ? means_.fetched[result] : nullptr;
    uploads_.add(transfer);
  }
  for (std::int64_t i = 0; i < step.a.count; ++i) last_use(Side::a, step.a.slot + static_cast<int>(i)) = steps_taken_;
  for (std::int64_t i = 0; i < step.b.count; ++i) last_use(Side::b, step.b.slot + static_cast<int>(i)) = steps_taken_;
  taken_.push_back({step, steps_taken_++, uploads_.added(), result});
  next_.reset();
  return true;
}

Transfer StreamedProduct::panel_transfer(const PanelLoad& load, std::int64_t piece) const {
  const bool is_a = load.side == Side::a;
  const SideCut& side = cut_.side(load.side);
  const SlotMatrix& matrix = is_a ? matrix_a_ : matrix_b_;
  const float* host = is_a ? problem_.host.a : problem_.host.b;
  const std::int64_t ld = is_a ? problem_.host.lda : problem_.host.ldb;
  const std::int64_t begin = side.begin(load.panel);
  const std::int64_t length = side.length(load.panel, 1);
  const std::int64_t k0 = piece * cut_.piece;
  const std::int64_t k = cut_.piece_length(piece);
  const std::int64_t in_slots = load.slot * side.panel;

  Transfer transfer;
  transfer.staged = is_a ? problem_.stages_a : problem_.stages_b;
  transfer.host_pitch = bytes_of(ld);
  transfer.device_pitch = bytes_of(matrix.ld);
  const std::int64_t host_begin = matrix.slots_are_rows ? begin + k0 * ld : k0 + begin * ld;
  transfer.host = reinterpret_cast<std::byte*>(const_cast<float*>(host + host_begin));
  transfer.device =
      (is_a ? problem_.slots_a : problem_.slots_b) + bytes_of(matrix.slots_are_rows ? in_slots : in_slots * matrix.ld);
  transfer.width = bytes_of(matrix.slots_are_rows ? length : k);
  transfer.lines = static_cast<std::size_t>(matrix.slots_are_rows ? k : length);
  if (const std::int64_t user = last_use(load.side, load.slot); user != no_step) transfer.before = multiplied(user);
  return transfer;
}

// ---------------------------------------------------------------------------------------- products

bool StreamedProduct::launch_may_follow(const TakenStep& taken) const {
  return uploads_.issued() >= taken.uploads && (taken.step.piece > 0 || is_free(taken.result));
}

LaunchStatus StreamedProduct::launch_step(const TakenStep& taken, GpuLap& lap) {
  ResultStrip& strip = strips_[static_cast<std::size_t>(taken.result)];
  LaunchStatus status = device_.record(means_.sent, means_.up);
  if (status == launch_ok) status = device_.wait(means_.compute, means_.sent);
  if (status == launch_ok && taken.step.piece == 0 && strip.used)
    status = device_.wait(means_.compute, means_.fetched[static_cast<std::size_t>(taken.result)]);
  if (status != launch_ok) return status;

  const GemmProblem problem = problem_of(taken);
  if (steps_launched_ == 0) lap.start(means_.compute);
  status = device_.run(rung_for(problem_.rung, problem), problem, means_.compute);
  if (status == launch_ok) status = device_.record(multiplied(taken.number), means_.compute);
  if (status != launch_ok) return status;
  ++steps_launched_;
  if (exhausted_ && taken_.size() == 1) lap.stop();

  if (taken.step.piece + 1 < cut_.pieces) return launch_ok;
  Transfer transfer = strip_transfer(taken.step, taken.result);
  transfer.before = multiplied(taken.number);
  results_.add(transfer, place_of(taken.step), means_.fetched[static_cast<std::size_t>(taken.result)]);
  strip.used = true;
  strip.fetches = results_.added();
  return launch_ok;
}

GemmProblem StreamedProduct::problem_of(const TakenStep& taken) const {
  const Rectangle place = place_of(taken.step);
  GemmProblem problem = problem_.host;
  problem.m = place.m;
  problem.n = place.n;
  problem.k = cut_.piece_length(taken.step.piece);
  problem.lda = matrix_a_.ld;
  problem.ldb = matrix_b_.ld;
  problem.ldc = device_ld(place.m);
  problem.c = reinterpret_cast<float*>(strip_memory(taken.result));
  if (taken.step.piece > 0) problem.beta.value = 1.0f;
  problem.a = problem.b = nullptr;
  if (cut_.k == 0) return problem;
  const auto operand = [](std::byte* slots, const SlotMatrix& matrix, std::int64_t in_slots) {
    return reinterpret_cast<const float*>(slots) + (matrix.slots_are_rows ? in_slots : in_slots * matrix.ld);
  };
  problem.a = operand(problem_.slots_a, matrix_a_, taken.step.a.slot * cut_.a.panel);
  problem.b = operand(problem_.slots_b, matrix_b_, taken.step.b.slot * cut_.b.panel);
  return problem;
}

// ----------------------------------------------------------------------------------------- results

Rectangle StreamedProduct::place_of(const Step& step) const {
  return {cut_.a.begin(step.a.first), cut_.a.length(step.a.first, step.a.count), cut_.b.begin(step.b.first),
          cut_.b.length(step.b.first, step.b.count)};
}

std::byte* StreamedProduct::strip_memory(int result) const {
  return problem_.results + bytes_of(result * cut_.strip_floats);
}

Transfer StreamedProduct::strip_transfer(const Step& step, int result) const {
  const Rectangle place = place_of(step);
  Transfer transfer;
  transfer.staged = problem_.stages_c;
  transfer.host = reinterpret_cast<std::byte*>(problem_.host.c + place.m0 + place.n0 * problem_.host.ldc);
  transfer.host_pitch = bytes_of(problem_.host.ldc);
  transfer.device = strip_memory(result);
  transfer.device_pitch = bytes_of(device_ld(place.m));
  transfer.width = bytes_of(place.m);
  transfer.lines = static_cast<std::size_t>(place.n);
  return transfer;
}

// ----------------------------------------------------------------------------------------- failure

void StreamedProduct::quiesce() {
  if (quiet_) return;
  quiet_ = true;
  uploads_.stop();
  // A stream that has failed says so again: there is nothing more to learn.
  for (const Stream stream : {means_.up, means_.compute, means_.down}) static_cast<void>(device_.synchronize(stream));
  results_.stop();
}

std::vector<Rectangle> StreamedProduct::unwritten() {
  std::vector<Rectangle> rectangles;
  results_.unwritten(rectangles);
  const auto add = [&](const Step& step) {
    if (step.piece + 1 == cut_.pieces) rectangles.push_back(place_of(step));
  };
  for (const TakenStep& taken : taken_) add(taken.step);
  schedule_.stop_claiming();
  if (next_) add(*next_);
  for (Step step; schedule_.next(step);) add(step);
  return rectangles;
}

}  // namespace ladder::shim
