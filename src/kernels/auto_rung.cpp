// SPDX-License-Identifier: MIT
#include "auto_rung.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "choose_config.hpp"
#include "device_traits.hpp"
#include "sum_order.hpp"
#include "tensor_model.hpp"

namespace ladder {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

constexpr const RungKernel* kernel_of(const Rung& rung, KernelHome home) {
  return home == KernelHome::gpu ? rung.gpu : rung.emulated;
}

DeviceTraits traits_of(KernelHome home) {
  return home == KernelHome::gpu ? gpu::device_traits() : emulated::device_traits();
}

// -- The candidates: one for each precision that is as good as FP32 and has a rung here ---------------------------

template <Precision PRECISION, KernelHome HOME>
double cycles_of(const GemmProblem& p, int multiprocessors) {
  const RungKernel& kernel = *kernel_of(*rung_of(PRECISION), HOME);
  constexpr bool on_tensor_cores = uses_tensor_cores(PRECISION);
  if (on_tensor_cores && (plain_sums() || (kernel.declines != nullptr && kernel.declines(p) != nullptr))) return never;
  double least = never;
  for (const KernelConfig& config : kernel.configs)
    least = std::min(least, config.predicted_cycles(p, multiprocessors));
  return on_tensor_cores ? tensor_cycles(PRECISION, p, least, traits_of(HOME)) : least;
}

template <Precision PRECISION, KernelHome HOME>
LaunchStatus launch_of(const GemmProblem& p, Stream stream) {
  return kernel_of(*rung_of(PRECISION), HOME)->launch(p, stream);
}

class Candidates {
 public:
  template <Precision PRECISION, KernelHome HOME>
  void add() {
    static_assert(is_as_good_as_fp32(PRECISION), "nobody who asks for auto asks for less");
    const Rung* rung = rung_of(PRECISION);
    const RungKernel* kernel = rung != nullptr ? kernel_of(*rung, HOME) : nullptr;
    if (kernel == nullptr) return;
    rungs_[count_] = rung;
    configs_[count_] = {rung->name, kernel->tile, launch_of<PRECISION, HOME>, cycles_of<PRECISION, HOME>,
                        uses_tensor_cores(PRECISION) ? Sums::by_slab : Sums::as_asked};
    ++count_;
  }

  std::span<const KernelConfig> configs() const { return std::span(configs_).first(count_); }
  const Rung& rung_behind(const KernelConfig& config) const { return *rungs_[&config - configs_.data()]; }

 private:
  std::size_t count_ = 0;
  std::array<const Rung*, 3> rungs_{};
  std::array<KernelConfig, 3> configs_{};
};

/// The default rung comes first, which all problems without a better one are left to.
template <KernelHome HOME>
const Candidates& candidates() {
  static const Candidates all = [] {
    Candidates found;
    found.add<Precision::fp32, HOME>();
    found.add<Precision::bf16x6, HOME>();
    found.add<Precision::fp16x3, HOME>();
    return found;
  }();
  return all;
}

const Candidates& candidates_of(KernelHome home) {
  return home == KernelHome::gpu ? candidates<KernelHome::gpu>() : candidates<KernelHome::emulated>();
}

// -- The rung that stands for the choice --------------------------------------------------------------------------

template <KernelHome HOME>
LaunchStatus launch_auto(const GemmProblem& p, Stream stream) {
  return kernel_of(auto_rung(p, true, HOME), HOME)->launch(p, stream);
}

template <KernelHome HOME>
const RungKernel* auto_kernel() {
  const RungKernel* behind = kernel_of(default_rung(), HOME);
  if (behind == nullptr) return nullptr;
  static const RungKernel kernel{behind->tile, launch_auto<HOME>, candidates<HOME>().configs()};
  return &kernel;
}

}  // namespace

const Rung& auto_rung(const GemmProblem& p, bool tensor_cores_allowed, KernelHome home) {
  const Candidates& choice = candidates_of(home);
  const bool has_products = p.m > 0 && p.n > 0 && p.k > 0 && p.batch > 0 && !only_scales_c(p);
  if (!tensor_cores_allowed || !has_products || choice.configs().size() < 2) return default_rung();
  const DeviceTraits device = traits_of(home);
  return choice.rung_behind(
      remembered_config(rung_key(auto_rung_id), choice.configs(), p, std::max(device.multiprocessors, 1), device.slot));
}

const Rung& auto_entry() {
  static const Rung entry{auto_rung_id,
                          unnumbered,
                          auto_rung_id,
                          Precision::fp32,
                          "the quickest rung that is as good as FP32, problem by problem",
                          auto_kernel<KernelHome::gpu>(),
                          auto_kernel<KernelHome::emulated>()};
  return entry;
}

const Rung* tuned_rung(std::string_view id) {
  if (id == auto_rung_id) return &auto_entry();
  const Rung* rung = find_rung(id);
  return rung != nullptr && rung->id == id ? rung : nullptr;
}

}  // namespace ladder
