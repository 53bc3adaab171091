// SPDX-License-Identifier: MIT
// Finding the CPU BLAS that a program really has. Argument 1 says how the fake one came into the
// process, argument 2 is the object to load ("-": none, LADDER_BLAS names it):
//   plugin   a plugin, opened RTLD_LOCAL, depends on the fake and makes the call
//   loaded   the fake was opened RTLD_LOCAL; the caller does not depend on it
//   named    LADDER_BLAS
#include <dlfcn.h>
#include <ladderblas/ladderblas.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "fake_blas.h"
#include "host_doors.hpp"

using namespace ladder::shim;

extern "C" {
void cblas_sgemm(CblasOrder, CblasTranspose, CblasTranspose, int, int, int, float, const float*, int, const float*, int,
                 float, float*, int);
void scipy_cblas_sgemm64_(CblasOrder, CblasTranspose, CblasTranspose, std::int64_t, std::int64_t, std::int64_t, float,
                          const float*, std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);
}

namespace {

int failures = 0;

void check(bool condition, const char* what) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "failed: %s\n", what);
}

float call_directly() {
  const float a = 2, b = 3;
  float c = 0;
  cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, 1, 1, 1, 1.0f, &a, 1, &b, 1, 0.0f, &c, 1);
  return c;
}

float call_wide(std::int64_t ldc) {
  const float a = 2, b = 3;
  float c = 0;
  scipy_cblas_sgemm64_(cblas_column_major, cblas_no_trans, cblas_no_trans, 1, 1, 1, 1.0f, &a, 1, &b, 1, 0.0f, &c, ldc);
  return c;
}

float call_through_plugin(void* plugin) {
  const auto function = reinterpret_cast<float (*)()>(dlsym(plugin, "plugin_product"));
  return function ? function() : 0.0f;
}

}  // namespace

int main(int, char** arguments) {
  const bool through_plugin = std::strcmp(arguments[1], "plugin") == 0;
  void* object = std::strcmp(arguments[2], "-") == 0 ? nullptr : dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  const float product = through_plugin ? call_through_plugin(object) : call_directly();
  check(product == FAKE_BLAS_MARK, "the fake BLAS did the work");
  check(ladder_call_count("cblas_sgemm", nullptr) == 1, "the call was counted");
  check(ladder_call_count("sgemm_", nullptr) == 0, "the fake's own call of sgemm_ was not");
  if (!through_plugin) {
    check(call_wide(1) == FAKE_BLAS_MARK, "a 64-bit name is served by a 32-bit one where all integers fit");
    constexpr std::int64_t too_wide = std::int64_t{1} << 32;
    check(call_wide(too_wide) == 6.0f, "and not where they do not");
  }
  return failures == 0 ? 0 : 1;
}
