// SPDX-License-Identifier: MIT
// What the fake cuBLAS remembers, and how a test reaches it.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "cublas_doors.hpp"

struct RecordedSgemm {
  int calls = 0;
  bool wide = false;  ///< through the _64 name
  ladder::cublas::Handle handle = nullptr;
  int op_a = 0, op_b = 0;
  std::int64_t m = 0, n = 0, k = 0;
  const float* alpha = nullptr;
  const float* a = nullptr;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t ldb = 0;
  const float* beta = nullptr;
  float* c = nullptr;
  std::int64_t ldc = 0;
  int legacy_calls = 0;  ///< through the v1 name; ops are then letters, scalars are not kept
};

struct FakeHandleState {
  ladder::cublas::CudaStream stream = nullptr;
  ladder::cublas::PointerMode pointer_mode = ladder::cublas::POINTER_MODE_HOST;
  ladder::cublas::Math math = ladder::cublas::DEFAULT_MATH;
  ladder::cublas::Status answer = ladder::cublas::STATUS_SUCCESS;  ///< of the next product
};

inline constexpr int fake_cublas_version = 424242;
inline constexpr char fake_status_text[] = "what the fake cuBLAS calls a status";

/// The last call of a door whose arguments are kept as they came.
struct RecordedCall {
  const char* door = "";
  std::vector<std::uint64_t> arguments;
  int calls = 0;  ///< of all such doors
};

/// Each argument as 64 bits.
template <class... Arguments>
std::vector<std::uint64_t> bits_of_each(const Arguments&... arguments) {
  const auto bits = [](const auto& argument) {
    std::uint64_t whole = 0;
    std::memcpy(&whole, &argument, sizeof argument);
    return whole;
  };
  return {bits(arguments)...};
}

LADDER_EXPORT const RecordedCall* fake_cublas_last_call();
LADDER_EXPORT const RecordedSgemm* fake_cublas_recorded();
LADDER_EXPORT FakeHandleState* fake_cublas_state();
