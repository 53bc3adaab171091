// SPDX-License-Identifier: MIT
#include "illegal_argument.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <exception>

#include "last_error.hpp"
#include "stderr_line.hpp"

// The program's handlers, or those of its BLAS. Weak: a program may have none, and we export none.
extern "C" __attribute__((weak)) void xerbla_(const char* routine, const std::int64_t* position, std::size_t length);
extern "C" __attribute__((weak)) void cblas_xerbla(int position, const char* routine, const char* form, ...);

// Where this variable exists (Netlib's CBLAS has it), cblas_xerbla is told the position in the
// column-major problem, looks here whether A and B were exchanged, and finds the caller's position itself.
extern "C" __attribute__((weak)) int RowMajorStrg;

namespace ladder::shim {

namespace {

void remember(const char* routine, int position) {
  try {
    set_last_error(fmt::format("{}: argument {} is illegal", routine, position));
  } catch (const std::exception&) {
    set_last_error("illegal argument");
  }
}

constexpr char cblas_routine[] = "cblas_sgemm";

}  // namespace

void report_on_stderr(const char* routine, int position) {
  try {
    const std::string line =
        fmt::format(" ** On entry to {} parameter number {} had an illegal value", routine, position);
    set_last_error(line);
    stderr_line(line);
  } catch (const std::exception&) {
    set_last_error("illegal argument");
  }
}

void report_to_xerbla(int position) {
  if (xerbla_ == nullptr) return report_on_stderr(sgemm_routine, position);
  remember(sgemm_routine, position);
  // 64 bits serve a handler with integers of either size: on a little-endian machine the low half comes first.
  const std::int64_t info = position;
  xerbla_(sgemm_routine, &info, sizeof sgemm_routine - 1);
}

void report_to_cblas_xerbla(const CblasIllegal& illegal) {
  if (cblas_xerbla == nullptr) return report_on_stderr(cblas_routine, illegal.position);
  remember(cblas_routine, illegal.position);
  if (&RowMajorStrg == nullptr) return cblas_xerbla(illegal.position, cblas_routine, illegal.form, illegal.value);
  const int before = RowMajorStrg;
  RowMajorStrg = illegal.row_major;
  cblas_xerbla(illegal.exchanged_position, cblas_routine, illegal.form, illegal.value);
  RowMajorStrg = before;
}

}  // namespace ladder::shim
