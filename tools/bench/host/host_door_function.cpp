// SPDX-License-Identifier: MIT
#include "host_door_function.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <limits>

#include "bench/host_clock.hpp"
#include "host_doors.hpp"
#include "op_letter.hpp"

namespace ladder::bench {

namespace {

using shim::CblasTranspose;
using Int = std::int32_t;

constexpr float alpha = 1.0f;
constexpr float beta = 0.0f;

Int narrow(std::int64_t extent) { return static_cast<Int>(extent); }

void call_cblas(void* address, HostMatrices& matrices, std::int64_t member) {
  const BenchProblem& p = matrices.problem();
  const auto word = [](Op op) { return op == Op::none ? shim::cblas_no_trans : shim::cblas_trans; };
  reinterpret_cast<shim::CblasSgemm<Int>>(address)(
      shim::cblas_column_major, word(p.op_a), word(p.op_b), narrow(p.m), narrow(p.n), narrow(p.k), alpha,
      matrices.a(member), narrow(p.lda), matrices.b(member), narrow(p.ldb), beta, matrices.c(member), narrow(p.ldc));
}

void call_fortran(void* address, HostMatrices& matrices, std::int64_t member) {
  const BenchProblem& p = matrices.problem();
  const char op_a = *op_letter(p.op_a), op_b = *op_letter(p.op_b);
  const Int m = narrow(p.m), n = narrow(p.n), k = narrow(p.k);
  const Int lda = narrow(p.lda), ldb = narrow(p.ldb), ldc = narrow(p.ldc);
  reinterpret_cast<shim::FortranSgemm<Int>>(address)(&op_a, &op_b, &m, &n, &k, &alpha, matrices.a(member), &lda,
                                                     matrices.b(member), &ldb, &beta, matrices.c(member), &ldc,
                                                     sizeof op_a, sizeof op_b);
}

std::string path_of(void* handle, const std::string& file) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name[0] == '\0') return file;
  return map->l_name;
}

}  // namespace

std::optional<HostDoor> host_door_of(const std::string& text) {
  if (text == "cblas") return HostDoor::cblas;
  if (text == "sgemm_") return HostDoor::fortran;
  return std::nullopt;
}

const char* function_name(HostDoor door) { return door == HostDoor::cblas ? "cblas_sgemm" : "sgemm_"; }

bool fits_host_door(const BenchProblem& p) {
  return std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) <= std::numeric_limits<Int>::max();
}

double HostFunction::timed_call(HostMatrices& matrices) const {
  const auto call = door == HostDoor::cblas ? call_cblas : call_fortran;
  constexpr double us_per_ms = 1000.0;
  const HostTimer timer;
  for (std::int64_t member = 0; member < matrices.problem().batch; ++member) call(address, matrices, member);
  return timer.microseconds() / us_per_ms;
}

std::optional<LoadedBlas> load_blas(const std::string& file, std::string& complaint) {
  if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return LoadedBlas{handle, path_of(handle, file)};
  const char* reason = dlerror();
  complaint = reason != nullptr ? reason : file + " cannot be opened";
  return std::nullopt;
}

std::optional<HostFunction> find_function(const LoadedBlas& library, HostDoor door, std::string& complaint) {
  if (void* address = dlsym(library.handle, function_name(door))) return HostFunction{door, address};
  complaint = fmt::format("{} has no function {}", library.path, function_name(door));
  return std::nullopt;
}

std::optional<HostFunction> find_global_function(HostDoor door, std::string& complaint) {
  if (void* address = dlsym(RTLD_DEFAULT, function_name(door))) return HostFunction{door, address};
  complaint = fmt::format("no library of this process has a function {}", function_name(door));
  return std::nullopt;
}

}  // namespace ladder::bench
