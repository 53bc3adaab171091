// SPDX-License-Identifier: MIT
#include "contender.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

#include "auto_rung.hpp"
#include "gpu_timer.hpp"
#include "peer_names.hpp"

namespace ladder::bench {

namespace {

struct PeerMode {
  std::string_view name;
  cublas::Math math;
  const char* precision;
  Multiplier multiplier;
  Accuracy accuracy;
};

constexpr int bf16x9_products = 9;

// cuBLAS's default mode keeps to FP32 for FP32 data.
constexpr PeerMode peer_modes[] = {
    {gpu_peers[0], cublas::PEDANTIC_MATH, "fp32", {Pipe::fp32}, Accuracy::fp32},
    {gpu_peers[1], cublas::DEFAULT_MATH, "fp32", {Pipe::fp32}, Accuracy::fp32},
    {gpu_peers[2], cublas::TF32_TENSOR_OP_MATH, "tf32", {Pipe::tf32}, Accuracy::tf32},
    {gpu_peers[3], cublas::FP32_EMULATED_BF16X9_MATH, "bf16x9", {Pipe::bf16, bf16x9_products}, Accuracy::fp32},
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
  contender.multiplier = multiplier_of(choice.rung->precision);
  contender.accuracy = accuracy_of(choice.rung->precision);
  return contender;
}

// False where nothing but the choice itself serves a problem.
bool may_have_stand_in(const RungChoice& choice) {
  if (choice.config != nullptr) return false;
  return choice.rung == &auto_entry() || choice.rung->gpu->declines != nullptr;
}

// Gives each contender its stand-in; make(choice) is the contender of a choice that serves a problem itself.
template <class Make>
void add_stand_in(Contender& contender, const RungChoice& choice, Make make) {
  if (!may_have_stand_in(choice)) return;
  contender.stand_in = [wished = contender.rung, choice, make](const GemmProblem& problem) {
    Contender stand_in = make(server_of(choice, problem));
    stand_in.rung = wished;
    return stand_in;
  };
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

Contender contender_on(const Contender& contender, const GemmProblem& problem) {
  return contender.stand_in ? contender.stand_in(problem) : contender;
}

bool may_use_tensor_cores(const Contender& contender) { return on_tensor_cores(contender) || contender.stand_in; }

std::vector<Contender> rung_contenders(const std::vector<RungChoice>& choices) {
  const auto kernel = [](const RungChoice& choice) {
    Contender contender = contender_of(choice);
    contender.enqueue = [launch = choice.config != nullptr ? choice.config->launch : choice.rung->gpu->launch](
                            const GemmProblem& problem, Stream stream) {
      return launch_complaint(launch(problem, stream));
    };
    return contender;
  };
  std::vector<Contender> contenders;
  for (const RungChoice& choice : choices) {
    contenders.push_back(kernel(choice));
    add_stand_in(contenders.back(), choice, kernel);
  }
  return contenders;
}

std::optional<std::vector<Contender>> door_contenders(const std::string& library_path,
                                                      const std::vector<RungChoice>& choices, std::string& complaint) {
  void* library = open_library({library_path}, complaint);
  if (library == nullptr) return std::nullopt;
  const auto set = reinterpret_cast<ChosenRung::Set>(dlsym(library, "ladder_set_thread_rung"));
  const auto count = reinterpret_cast<CallCount>(dlsym(library, "ladder_call_count"));
  const DeviceSgemm sgemm = cublas_sgemm(library, cublas::DEFAULT_MATH, complaint);  // auto obeys a pedantic caller
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
    const auto call = [sgemm, chosen, count, wished = choice.rung->id](const RungChoice& server) {
      Contender contender = contender_of(server);
      contender.enqueue = [sgemm, chosen, wished](const GemmProblem& problem, Stream stream) {
        const char* failure = chosen->choose(wished);
        return failure != nullptr ? failure : sgemm(problem, stream);
      };
      contender.calls_served = [count, id = server.rung->id] { return count(nullptr, id); };
      return contender;
    };
    contenders.push_back(call(choice));
    add_stand_in(contenders.back(), choice, call);
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
        "0", name, mode->precision, mode->multiplier, mode->accuracy, cublas_sgemm(library, mode->math, complaint),
        {},  {}};
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
