// SPDX-License-Identifier: MIT
#include "contender.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

#include "gpu_timer.hpp"
#include "peer_names.hpp"

namespace ladder::bench {

namespace {

struct PeerMode {
  std::string_view name;
  cublas::Math math;
  const char* precision;
  Pipe pipe;
  Accuracy accuracy;
};

// cuBLAS's default mode keeps to FP32 for FP32 data.
constexpr PeerMode peer_modes[] = {
    {gpu_peers[0], cublas::PEDANTIC_MATH, "fp32", Pipe::fp32, Accuracy::fp32},
    {gpu_peers[1], cublas::DEFAULT_MATH, "fp32", Pipe::fp32, Accuracy::fp32},
    {gpu_peers[2], cublas::TF32_TENSOR_OP_MATH, "tf32", Pipe::tf32, Accuracy::tf32},
};

const PeerMode* peer_mode(std::string_view name) {
  for (const PeerMode& mode : peer_modes) {
    if (mode.name == name) return &mode;
  }
  return nullptr;
}

void* peer_library(std::string& complaint) {
  static std::string why;
  static void* const library = open_library(cublas_files(), why);
  if (library == nullptr) complaint = "cuBLAS cannot be loaded: " + why;
  if (library == nullptr || dlsym(library, "ladder_version") == nullptr) return library;
  complaint = "what is loaded as cuBLAS is libladderblas: LADDER_CUBLAS names the real one";
  return nullptr;
}

Contender contender_of(const RungChoice& choice) {
  Contender contender;
  contender.rung = choice.label();
  contender.name = choice.name();
  contender.precision = precision_name(choice.rung->precision);
  return contender;
}

using CallCount = std::uint64_t (*)(const char* door, const char* rung);

// The library's choice of rung for this thread, changed only between contenders: a caller does not pay for it.
class ChosenRung {
 public:
  using Set = int (*)(const char*);

  explicit ChosenRung(Set set) : set_(set) {}

  const char* choose(const char* rung) {
    if (rung == chosen_) return nullptr;
    if (set_(rung) != 0) return "the library does not know the rung";
    chosen_ = rung;
    return nullptr;
  }

 private:
  Set set_;
  const char* chosen_ = nullptr;
};

}  // namespace

std::vector<Contender> rung_contenders(const std::vector<RungChoice>& choices) {
  std::vector<Contender> contenders;
  for (const RungChoice& choice : choices) {
    const auto launch = choice.config != nullptr ? choice.config->launch : choice.rung->gpu->launch;
    contenders.push_back(contender_of(choice));
    contenders.back().enqueue = [launch](const GemmProblem& problem, Stream stream) {
      return launch_complaint(launch(problem, stream));
    };
  }
  return contenders;
}

std::optional<std::vector<Contender>> door_contenders(const std::string& library_path,
                                                      const std::vector<RungChoice>& choices, std::string& complaint) {
  void* library = open_library({library_path}, complaint);
  if (library == nullptr) return std::nullopt;
  const auto set = reinterpret_cast<ChosenRung::Set>(dlsym(library, "ladder_set_thread_rung"));
  const auto count = reinterpret_cast<CallCount>(dlsym(library, "ladder_call_count"));
  const DeviceSgemm sgemm = cublas_sgemm(library, cublas::PEDANTIC_MATH, complaint);
  if (!sgemm || set == nullptr || count == nullptr) {
    complaint = fmt::format("{}: {}", library_path, sgemm ? "it is not libladderblas" : complaint);
    return std::nullopt;
  }
  const auto chosen = std::make_shared<ChosenRung>(set);
  std::vector<Contender> contenders;
  for (const RungChoice& choice : choices) {
    if (choice.config != nullptr) {
      complaint = fmt::format("{}: no caller can force a configuration through a door", choice.name());
      return std::nullopt;
    }
    contenders.push_back(contender_of(choice));
    contenders.back().enqueue = [sgemm, chosen, id = choice.rung->id](const GemmProblem& problem, Stream stream) {
      if (const char* failure = chosen->choose(id)) return failure;
      return sgemm(problem, stream);
    };
    contenders.back().calls_served = [count, id = choice.rung->id] { return count(nullptr, id); };
  }
  return contenders;
}

std::optional<std::vector<Contender>> peer_contenders(const std::vector<std::string>& names, std::string& complaint) {
  std::vector<Contender> contenders;
  for (const std::string& name : names) {
    const PeerMode* mode = peer_mode(name);
    void* library = peer_library(complaint);
    if (mode == nullptr) complaint = fmt::format("'{}' is no peer", name);
    if (mode == nullptr || library == nullptr) return std::nullopt;
    Contender contender{
        "0", name, mode->precision, mode->pipe, mode->accuracy, cublas_sgemm(library, mode->math, complaint), {}};
    if (!contender.enqueue) {
      complaint = fmt::format("{}: {}", name, complaint);
      return std::nullopt;
    }
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

std::string peer_version() {
  std::string complaint;
  void* library = peer_library(complaint);
  return library == nullptr ? std::string() : cublas_version(library);
}

}  // namespace ladder::bench
