// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstddef>
#include <iterator>

#include "rung.hpp"

namespace ladder {

#define HANDED_ON_RUNG(id, number, name, precision, idea)
#define KERNEL_RUNG(id, number, name, precision, idea) extern const RungKernel id;
#if LADDER_HAS_CUDA
namespace gpu {
#include "rungs.def"
}
#endif
namespace emulated {
#include "rungs.def"
}
#undef HANDED_ON_RUNG
#undef KERNEL_RUNG

namespace {

#if LADDER_HAS_CUDA
#define GPU_KERNEL(id) &gpu::id
#else
#define GPU_KERNEL(id) nullptr
#endif
#define HANDED_ON_RUNG(id, number, name, precision, idea) \
  {#id, number, #name, Precision::precision, idea, nullptr, nullptr},
#define KERNEL_RUNG(id, number, name, precision, idea) \
  {#id, number, #name, Precision::precision, idea, GPU_KERNEL(id), &emulated::id},
constexpr Rung all_rungs[] = {
#include "rungs.def"
};
#undef HANDED_ON_RUNG
#undef KERNEL_RUNG
#undef GPU_KERNEL

// Calls ask for these two all the time: found when this file is compiled.
consteval std::size_t index_of(std::string_view name) {
  std::size_t index = 0;
  while (index < std::size(all_rungs) && name != all_rungs[index].name) ++index;
  return index;
}

constexpr std::size_t double_buffered = index_of("double_buffered");
constexpr std::size_t cublas = index_of("cublas");
static_assert(double_buffered < std::size(all_rungs) && cublas < std::size(all_rungs),
              "rungs.def has the default rung and the one that hands on to cuBLAS");

bool parse_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number >= 0;
}

}  // namespace

const char* precision_name(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::tf32:
      return "tf32";
    case Precision::bf16x6:
      return "bf16x6";
    case Precision::fp16x3:
      return "fp16x3";
  }
  return "unknown";
}

std::span<const Rung> rungs() { return all_rungs; }

const Rung* find_rung(std::string_view name_or_number) {
  int number = unnumbered;
  const bool numeric = parse_number(name_or_number, number);
  for (const Rung& rung : all_rungs) {
    if (numeric ? rung.number == number : (name_or_number == rung.name || name_or_number == rung.id)) return &rung;
  }
  return nullptr;
}

const Rung& default_rung() { return all_rungs[double_buffered]; }

const Rung& cublas_rung() { return all_rungs[cublas]; }

const Rung* rung_of(Precision precision) {
  if (precision == Precision::fp32) return &default_rung();
  for (const Rung& rung : all_rungs) {
    if (rung.precision == precision) return &rung;
  }
  return nullptr;
}

const Rung* rung_below(const Rung& rung) {
  if (rung.precision == Precision::fp32) return nullptr;
  const Rung* unscaled = rung.precision == Precision::fp16x3 ? rung_of(Precision::bf16x6) : nullptr;
  return unscaled != nullptr ? unscaled : &default_rung();
}

}  // namespace ladder
