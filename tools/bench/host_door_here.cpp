// SPDX-License-Identifier: MIT
#include "host_door_here.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

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

void LadderHere::choose_rung() const { api_.set_rung(rung_.empty() ? nullptr : rung_.c_str()); }

std::string LadderHere::begin(const HostTask& task, HostMatrices& matrices) {
  if (!rung_.empty() && api_.set_rung(rung_.c_str()) != LADDER_OK) return fmt::format("it knows no rung {}", rung_);
  calls_before_.clear();
  for (const Rung& rung : rungs()) calls_before_.push_back(calls_served_by(rung));
  return BlasHere::begin(task, matrices);
}

HostAnswer LadderHere::call() {
  choose_rung();
  return BlasHere::call();
}

HostAnswer LadderHere::checked_call() {
  choose_rung();
  return BlasHere::checked_call();
}

std::string LadderHere::rung() const {
  if (!rung_.empty()) return rung_;
  const char* wish = std::getenv("LADDER_RUNG");
  return wish != nullptr && *wish != '\0' ? wish : fmt::format("{}", default_rung().number);
}

std::uint64_t LadderHere::calls_served_by(const Rung& rung) const { return api_.call_count(door_, rung.name); }

std::vector<const Rung*> LadderHere::servers() const {
  std::vector<const Rung*> result;
  for (std::size_t i = 0; i < calls_before_.size(); ++i) {
    if (calls_served_by(rungs()[i]) > calls_before_[i]) result.push_back(&rungs()[i]);
  }
  return result;
}

std::string LadderHere::name() const {
  std::string names;
  for (const Rung* rung : servers()) names += fmt::format("{}{}", names.empty() ? "" : "+", rung->name);
  if (names.empty()) return "next_blas";
  return gpu_serves_ ? names : names + ":emulated";
}

bool LadderHere::on_gpu() const { return gpu_serves_ && !servers().empty(); }

}  // namespace ladder::bench
