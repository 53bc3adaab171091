// SPDX-License-Identifier: MIT
// Names and descriptions of cuBLAS's statuses.
#include "config.hpp"
#include "cublas_doors.hpp"
#include "next_library.hpp"

namespace cublas = ladder::cublas;
namespace next = ladder::shim::next;
using ladder::shim::emulating;

LADDER_EXPORT const char* cublasGetStatusName(cublas::Status status) {
  if (const auto real = emulating() ? nullptr : next::cublasGetStatusName(LADDER_CALLER)) return real(status);
  switch (status) {
#define STATUS_NAME(name, value, text) \
  case cublas::STATUS_##name:          \
    return "CUBLAS_STATUS_" #name;
    LADDER_CUBLAS_STATUSES(STATUS_NAME)
#undef STATUS_NAME
  }
  return "unknown status";
}

LADDER_EXPORT const char* cublasGetStatusString(cublas::Status status) {
  if (const auto real = emulating() ? nullptr : next::cublasGetStatusString(LADDER_CALLER)) return real(status);
  switch (status) {
#define STATUS_TEXT(name, value, text) \
  case cublas::STATUS_##name:          \
    return text;
    LADDER_CUBLAS_STATUSES(STATUS_TEXT)
#undef STATUS_TEXT
  }
  return "unknown status";
}
