// SPDX-License-Identifier: MIT
#include "tuning_table.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "auto_rung.hpp"
#include "rung.hpp"

namespace ladder {

namespace {

bool quads_aligned(const float* data, std::int64_t ld, std::int64_t stride, std::int64_t batch) {
  constexpr int quad = 4;  // floats in a 128-bit access
  const bool first = reinterpret_cast<std::uintptr_t>(data) % (quad * sizeof(float)) == 0 && ld % quad == 0;
  return first && (batch == 1 || stride % quad == 0);
}

/// Twice the logarithm to base 2, rounded.
std::int64_t half_octave(std::int64_t extent) {
  if (extent <= 0) return -1;
  constexpr int fraction_bits = 10;
  constexpr std::uint64_t quarter_octave = 1218;  // 2^(1/4) * 2^fraction_bits
  constexpr std::uint64_t three_quarters = 1722;  // 2^(3/4) * 2^fraction_bits
  const auto value = static_cast<std::uint64_t>(extent);
  const int octave = std::bit_width(value) - 1;
  const std::uint64_t mantissa =
      octave <= fraction_bits ? value << (fraction_bits - octave) : value >> (octave - fraction_bits);
  return 2 * octave + (mantissa >= quarter_octave) + (mantissa >= three_quarters);
}

std::uint64_t hash_of(const TuningKey& key) {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
  constexpr int half = 32;
  const std::uint64_t kind = static_cast<std::uint64_t>(key.rung) << half | static_cast<std::uint64_t>(key.op_a) << 3 |
                             static_cast<std::uint64_t>(key.op_b) << 2 | static_cast<std::uint64_t>(key.alignment);
  std::uint64_t hash = kind;
  for (const std::int64_t extent : {key.m, key.n, key.k, key.batch}) {
    hash = (hash ^ static_cast<std::uint64_t>(extent)) * golden_ratio;
    hash ^= hash >> half;
  }
  return hash;
}

int config_named(std::string_view rung_id, std::string_view name) {
  const Rung* rung = tuned_rung(rung_id);
  if (rung == nullptr || foremost_kernel(*rung) == nullptr) return no_config;
  const std::span<const KernelConfig> configs = foremost_kernel(*rung)->configs;
  const auto found = std::ranges::find(configs, name, [](const KernelConfig& c) { return std::string_view(c.name); });
  return found == configs.end() ? no_config : static_cast<int>(found - configs.begin());
}

int most_frequent(const std::map<int, int>& votes) {
  return std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; })->first;
}

}  // namespace

Alignment alignment_of(const GemmProblem& p) {
  if (p.c_array != nullptr) return Alignment::none;  // of addresses in arrays nothing is known
  const bool a = quads_aligned(p.a, p.lda, p.stride_a, p.batch);
  const bool b = quads_aligned(p.b, p.ldb, p.stride_b, p.batch);
  if (a) return b ? Alignment::both : Alignment::a;
  return b ? Alignment::b : Alignment::none;
}

const char* alignment_name(Alignment alignment) {
  switch (alignment) {
    case Alignment::none:
      return "none";
    case Alignment::a:
      return "a";
    case Alignment::b:
      return "b";
    case Alignment::both:
      return "both";
  }
  return "unknown";
}

TuningKey tuning_key(RungKey rung, const GemmProblem& p) {
  return {rung, p.op_a, p.op_b, alignment_of(p), p.m, p.n, p.k, p.batch};
}

TuningKey class_of(TuningKey key) {
  for (std::int64_t* extent : {&key.m, &key.n, &key.k, &key.batch}) *extent = half_octave(*extent);
  return key;
}

TuningTable::TuningTable(std::span<const TuningRecord> records) {
  std::map<TuningKey, int> winners;
  for (const TuningRecord& r : records) {
    const int config = config_named(r.rung, r.config);
    if (config == no_config) continue;
    winners[{rung_key(r.rung), r.op_a, r.op_b, r.alignment, r.m, r.n, r.k, r.batch}] = config;
  }
  std::map<TuningKey, std::map<int, int>> votes;
  exact_.reserve(winners.size());
  for (const auto& [key, config] : winners) {
    exact_.insert(key, config);
    ++votes[class_of(key)][config];
  }
  classes_.reserve(votes.size());
  for (const auto& [key, of_configs] : votes) classes_.insert(key, most_frequent(of_configs));
}

void TuningTable::Map::reserve(std::size_t entries) {
  if (entries > 0) slots_.resize(std::bit_ceil(2 * entries));
}

/// Where the key is, or the free slot where it would be.
std::size_t TuningTable::Map::position_of(const TuningKey& key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash_of(key) & mask;
  while (slots_[at].config != no_config && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

void TuningTable::Map::insert(const TuningKey& key, int config) {
  slots_[position_of(key)] = {key, config};
  ++size_;
}

int TuningTable::Map::find(const TuningKey& key) const {
  return slots_.empty() ? no_config : slots_[position_of(key)].config;
}

}  // namespace ladder
