// SPDX-License-Identifier: MIT
#include "doors.hpp"

#include "text.hpp"

namespace ladder::audit {

int door_index(const char* symbol) {
  for (int i = 0; i < door_count; ++i) {
    if (same(symbol, doors[i].text)) return i;
  }
  return -1;
}

const char* companion_of(const char* door) {
  if (same(door, "sgemm")) return "sgemm_";
  return same(door, "cublasSgemm") ? "cublasSgemm_v2" : nullptr;
}

bool is_gemm_like(const char* symbol) {
  for (const char* rest = symbol; *rest != '\0'; ++rest) {
    if (begins_with(rest, "gemm") || begins_with(rest, "Gemm")) return true;
  }
  return begins_with(symbol, "cublasLt");
}

}  // namespace ladder::audit
