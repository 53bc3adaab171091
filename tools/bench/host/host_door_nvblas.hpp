// SPDX-License-Identifier: MIT
// NVBLAS as a contender: it works by LD_PRELOAD only, so it gets a process of its own, which speaks the protocol of
// host_door_protocol.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/temporary_folder.hpp"
#include "host_door_contender.hpp"
#include "host_door_process.hpp"

namespace ladder::bench {

struct NvblasStart {
  std::string tool;                     ///< path of a `ladder` with the subcommand host-peer
  std::vector<std::string> candidates;  ///< what LD_PRELOAD may name; the first with an SGEMM is taken
  std::string gpus;                     ///< of NVBLAS_GPU_LIST
  std::string cpu_blas;                 ///< path of the BLAS that NVBLAS hands small problems to
  double timeout_s = 0.0;               ///< for one answer, beyond what the problem's size explains
};

/// NVBLAS intercepts Fortran's sgemm_ and nothing of CBLAS, so that is what its process calls whatever the door. Its
/// matrices are its own, drawn from the same seed. A process that was lost is started again at the next begin().
class NvblasThere : public HostContender {
 public:
  explicit NvblasThere(NvblasStart start) : start_(std::move(start)) {}

  std::string begin(const HostTask& task, HostMatrices& matrices) override;
  HostAnswer call() override;
  HostAnswer checked_call() override;
  std::string name() const override { return "nvblas"; }
  std::optional<pid_t> own_process() const override;

  /// Starts a process, makes the smallest call, and lets it end. Why that failed, or why NVBLAS would only hand calls
  /// on: without a GPU it works too, and says so in its log alone.
  std::string try_out();

  /// Of the library that answers; empty before the first call that worked.
  const std::string& library() const { return library_; }

 private:
  std::string start_with(const std::string& preloaded, const HostTask& task);
  std::string ask_for(const HostTask& task);
  HostAnswer request(const char* line);

  NvblasStart start_;
  TemporaryFolder folder_;
  std::unique_ptr<PeerProcess> process_;
  std::string library_;
  double timeout_s_ = 0.0;
};

}  // namespace ladder::bench
