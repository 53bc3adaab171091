// SPDX-License-Identifier: MIT
#include "rung_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "auto_rung.hpp"
#include "text_list.hpp"

namespace ladder::bench {

namespace {

// The GPU's kernel, or in a build without CUDA the emulator's, which has the same configurations.
const RungKernel* kernel_of(const Rung& rung) { return rung.gpu != nullptr ? rung.gpu : rung.emulated; }

KernelHome home_of(const Rung& rung) { return rung.gpu != nullptr ? KernelHome::gpu : KernelHome::emulated; }

class Choices {
 public:
  void add(const RungChoice& choice) {
    const auto same = [&](const RungChoice& one) { return one.rung == choice.rung && one.config == choice.config; };
    if (std::none_of(list_.begin(), list_.end(), same)) list_.push_back(choice);
  }

  // False where there is no such rung with a kernel.
  bool add_numbers(int first, int last) {
    bool found = false;
    for (const Rung& rung : rungs()) {
      if (kernel_of(rung) == nullptr || rung.number < first || rung.number > last) continue;
      add({&rung});
      found = true;
    }
    return found;
  }

  void add_all() {
    for (const Rung& rung : rungs()) {
      if (kernel_of(rung) != nullptr) add({&rung});
    }
  }

  std::vector<RungChoice> take() { return std::move(list_); }

 private:
  std::vector<RungChoice> list_;
};

// "2-5"
std::optional<std::pair<int, int>> range_of(std::string_view text) {
  int first = 0;
  int last = 0;
  const char* end = text.data() + text.size();
  const auto [dash, no_first] = std::from_chars(text.data(), end, first);
  if (no_first != std::errc{} || dash == end || *dash != '-') return std::nullopt;
  const auto [rest, no_last] = std::from_chars(dash + 1, end, last);
  if (no_last != std::errc{} || rest != end) return std::nullopt;
  return std::pair{first, last};
}

bool declines(const Rung& rung, const GemmProblem& problem) {
  const auto why = kernel_of(rung)->declines;
  return why != nullptr && why(problem) != nullptr && rung_below(rung) != nullptr;
}

std::string config_names(const RungKernel& kernel) {
  std::string names;
  for (const KernelConfig& config : kernel.configs)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", config.name);
  return names.empty() ? "it has none" : names;
}

std::string add_configs(const Rung& rung, std::string_view wanted, Choices& choices) {
  const RungKernel& kernel = *kernel_of(rung);
  bool found = false;
  for (const KernelConfig& config : kernel.configs) {
    if (wanted != "all" && wanted != config.name) continue;
    choices.add({&rung, &config});
    found = true;
  }
  if (found) return {};
  return fmt::format("'{}' is no configuration of rung {}: {}", wanted, rung.name, config_names(kernel));
}

// Empty, or why `word` names no rung.
std::string add_word(std::string_view word, Choices& choices) {
  if (word == "all") {
    choices.add_all();
    return {};
  }
  if (const auto range = range_of(word)) {
    if (choices.add_numbers(range->first, range->second)) return {};
    return fmt::format("there are no rungs {}; `ladder list` shows them", word);
  }
  const std::size_t colon = word.find(':');
  const std::string_view wanted = word.substr(0, colon);
  const Rung* rung = wanted == auto_entry().name ? &auto_entry() : find_rung(wanted);
  if (rung == nullptr) return fmt::format("'{}' is not a rung; `ladder list` shows them", wanted);
  if (kernel_of(*rung) == nullptr) return fmt::format("rung {} is cuBLAS itself: a peer, see --against", word);
  if (colon != word.npos) return add_configs(*rung, word.substr(colon + 1), choices);
  choices.add({rung});
  return {};
}

}  // namespace

std::string RungChoice::name() const {
  return config == nullptr ? rung->name : fmt::format("{}:{}", rung->name, config->name);
}

std::string RungChoice::label() const {
  return rung->number == unnumbered ? rung->name : fmt::format("{}", rung->number);
}

std::optional<std::vector<RungChoice>> parse_rungs(std::string_view text, std::string& complaint) {
  Choices choices;
  for (const std::string_view word : split(text, ',')) {
    complaint = add_word(word, choices);
    if (!complaint.empty()) return std::nullopt;
  }
  return choices.take();
}

RungChoice server_of(const RungChoice& choice, const GemmProblem& problem) {
  if (choice.config != nullptr) return choice;
  const Rung* rung = choice.rung == &auto_entry() ? &auto_rung(problem, true, home_of(*choice.rung)) : choice.rung;
  while (declines(*rung, problem)) rung = rung_below(*rung);
  return {rung, nullptr};
}

}  // namespace ladder::bench
