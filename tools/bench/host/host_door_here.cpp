// SPDX-License-Identifier: MIT
#include "host_door_here.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

namespace ladder::bench {

// -- 1. Any BLAS -------------------------------------------------------------------------------------------

std::string BlasHere::begin(const HostTask&, HostMatrices& matrices) {
  matrices_ = &matrices;
  return {};
}

HostAnswer BlasHere::call() { return {{}, function_.timed_call(*matrices_), std::nullopt}; }

HostAnswer BlasHere::checked_call() {
  matrices_->poison();
  const double ms = function_.timed_call(*matrices_);
  return {{}, ms, matrices_->judgement()};
}

// -- 2. Our own library --------------------------------------------------------------------------------------

std::optional<LadderApi> find_ladder_api(const LoadedBlas& library, std::string& complaint) {
  LadderApi api;
  const auto find = [&library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library.handle, name));
    return function != nullptr;
  };
  if (find(api.version, "ladder_version") && find(api.set_rung, "ladder_set_rung") &&
      find(api.call_count, "ladder_call_count"))
    return api;
  complaint = fmt::format("{} is not libladderblas", library.path);
  return std::nullopt;
}

LadderHere::LadderHere(HostFunction function, const LadderApi& api, std::string rung, bool gpu_serves)
    : BlasHere("", function),
      door_(function_name(function.door)),
      api_(api),
      rung_(std::move(rung)),
      gpu_serves_(gpu_serves) {}

LadderHere::~LadderHere() { api_.set_rung(nullptr); }

std::string LadderHere::begin(const HostTask& task, HostMatrices& matrices) {
  if (!rung_.empty() && api_.set_rung(rung_.c_str()) != LADDER_OK) return fmt::format("it knows no rung {}", rung_);
  served_by_.clear();
  return BlasHere::begin(task, matrices);
}

std::vector<std::uint64_t> LadderHere::counts() const {
  std::vector<std::uint64_t> result;
  for (const Rung& rung : rungs()) result.push_back(api_.call_count(door_, rung.name));
  return result;
}

HostAnswer LadderHere::call() {
  api_.set_rung(rung_.empty() ? nullptr : rung_.c_str());
  const auto before = counts();
  HostAnswer answer = BlasHere::call();
  const auto after = counts();
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] > before[i]) served_by_.insert(&rungs()[i]);
  }
  return answer;
}

HostAnswer LadderHere::checked_call() {
  matrices().poison();
  HostAnswer answer = call();
  answer.judgement = matrices().judgement(accuracy());
  return answer;
}

// That of the least accurate of those who served.
Accuracy LadderHere::accuracy() const {
  const auto serves = [this](Precision precision) {
    return std::ranges::any_of(served_by_, [=](const Rung* rung) { return rung->precision == precision; });
  };
  for (const Precision precision : {Precision::tf32, Precision::fp16x3}) {
    if (serves(precision)) return accuracy_of(precision);
  }
  return Accuracy::fp32;
}

std::string LadderHere::rung() const {
  if (!rung_.empty()) return rung_;
  const char* wish = std::getenv("LADDER_RUNG");
  return wish != nullptr && *wish != '\0' ? wish : fmt::format("{}", default_rung().number);
}

std::string LadderHere::name() const {
  std::string names;
  for (const Rung* rung : served_by_) names += fmt::format("{}{}", names.empty() ? "" : "+", rung->name);
  if (names.empty()) return "next_blas";
  return gpu_serves_ ? names : names + ":emulated";
}

bool LadderHere::on_gpu() const { return gpu_serves_ && !served_by_.empty(); }

}  // namespace ladder::bench
