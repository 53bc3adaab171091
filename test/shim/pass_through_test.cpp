// SPDX-License-Identifier: MIT
// Handing on to the real cuBLAS, whose part a fake one plays (LADDER_CUBLAS). Argument 1 is its path,
// argument 2 what is expected: "rung0" (LADDER_RUNG=0) or "tf32" (no variable set).
#include <dlfcn.h>
#include <ladderblas/ladderblas.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "fake_cublas.hpp"

namespace cublas = ladder::cublas;

namespace {

int failures = 0;

void check(bool condition, const char* what) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "failed: %s\n", what);
}

struct Fake {
  const RecordedSgemm* recorded = nullptr;
  FakeHandleState* state = nullptr;
};

Fake find_fake(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) return {};
  const auto recorded = reinterpret_cast<decltype(&fake_cublas_recorded)>(dlsym(library, "fake_cublas_recorded"));
  const auto state = reinterpret_cast<decltype(&fake_cublas_state)>(dlsym(library, "fake_cublas_state"));
  return {recorded(), state()};
}

const float alpha = 2.0f, beta = 3.0f, a[4] = {}, b[4] = {};
float c[4] = {};

/// The arguments of call(), with `more` added to each extent and leading dimension.
bool same_arguments(const RecordedSgemm& r, cublas::Handle handle, std::int64_t more = 0) {
  return r.handle == handle && r.op_a == 1 && r.op_b == 2 && r.m == more + 3 && r.n == more + 4 && r.k == more + 5 &&
         r.alpha == &alpha && r.a == a && r.lda == more + 6 && r.b == b && r.ldb == more + 7 && r.beta == &beta &&
         r.c == c && r.ldc == more + 8;
}

cublas::Status call(cublas::Handle handle) {
  return cublasSgemm_v2(handle, cublas::OP_T, cublas::OP_C, 3, 4, 5, &alpha, a, 6, b, 7, &beta, c, 8);
}

void handle_functions_are_passed_on(cublas::Handle handle, const Fake& fake) {
  check(handle == reinterpret_cast<cublas::Handle>(fake.state), "cublasCreate gives the real handle");
  cublasSetMathMode(handle, cublas::TF32_TENSOR_OP_MATH);
  check(fake.state->math == cublas::TF32_TENSOR_OP_MATH, "cublasSetMathMode reaches the real library");
  cublas::Math math = cublas::DEFAULT_MATH;
  check(cublasGetMathMode(handle, &math) == cublas::STATUS_SUCCESS && math == cublas::TF32_TENSOR_OP_MATH,
        "cublasGetMathMode asks the real library");
  cublas::CudaStream stream = nullptr;
  const auto some_stream = reinterpret_cast<cublas::CudaStream>(&math);
  cublasSetStream_v2(handle, some_stream);
  check(fake.state->stream == some_stream, "cublasSetStream reaches the real library");
  check(cublasGetStream_v2(handle, &stream) == cublas::STATUS_SUCCESS && stream == some_stream,
        "cublasGetStream asks the real library");
  cublas::PointerMode mode = cublas::POINTER_MODE_HOST;
  cublasSetPointerMode_v2(handle, cublas::POINTER_MODE_DEVICE);
  check(fake.state->pointer_mode == cublas::POINTER_MODE_DEVICE, "cublasSetPointerMode reaches the real library");
  check(cublasGetPointerMode_v2(handle, &mode) == cublas::STATUS_SUCCESS && mode == cublas::POINTER_MODE_DEVICE,
        "cublasGetPointerMode asks the real library");
  cublasSetPointerMode_v2(handle, cublas::POINTER_MODE_HOST);
  int version = 0;
  cublasGetVersion_v2(handle, &version);
  check(version == fake_cublas_version, "cublasGetVersion is the real one's");
}

void rung_0_passes_everything_on(cublas::Handle handle, const Fake& fake) {
  check(call(handle) == cublas::STATUS_SUCCESS, "the real status comes back");
  check(fake.recorded->calls == 1 && !fake.recorded->wide && same_arguments(*fake.recorded, handle),
        "cublasSgemm_v2 gets the very same arguments");
  constexpr std::int64_t big = std::int64_t{1} << 40;
  cublasSgemm_v2_64(handle, cublas::OP_T, cublas::OP_C, big + 3, big + 4, big + 5, &alpha, a, big + 6, b, big + 7,
                    &beta, c, big + 8);
  check(fake.recorded->calls == 2 && fake.recorded->wide && same_arguments(*fake.recorded, handle, big),
        "cublasSgemm_v2_64 gets the very same arguments");
  fake.state->answer = cublas::STATUS_INVALID_VALUE;
  check(cublasSgemm_v2(handle, static_cast<cublas::Operation>(77), cublas::OP_N, -1, 0, 0, nullptr, nullptr, 0, nullptr,
                       0, nullptr, nullptr, 0) == cublas::STATUS_INVALID_VALUE,
        "illegal arguments are the real library's business");
  check(fake.recorded->calls == 3 && fake.recorded->op_a == 77 && fake.recorded->m == -1, "and reach it unchanged");
  check(ladder_call_count("cublasSgemm_v2", "cublas") == 2, "both calls are counted for rung 0");
}

void the_legacy_name_passes_on_too(const Fake& fake) {
  const int before = fake.recorded->legacy_calls;
  cublasSgemm('t', 'C', 3, 4, 5, alpha, a, 6, b, 7, beta, c, 8);
  check(fake.recorded->legacy_calls == before + 1, "legacy cublasSgemm reaches the real one");
  check(ladder_call_count("cublasSgemm", "cublas") == 1, "and is counted for rung 0");
  cublasSgemm('X', 'N', -1, 0, 0, 0, nullptr, 0, nullptr, 0, 0, nullptr, 0);
  check(fake.recorded->legacy_calls == before + 2 && fake.recorded->op_a == 'X',
        "so does an illegal call, for cublasGetError's sake");
}

void tf32_is_honoured(cublas::Handle handle, const Fake& fake) {
  check(call(handle) == cublas::STATUS_SUCCESS && fake.recorded->calls == 1 && same_arguments(*fake.recorded, handle),
        "a handle in TF32 mode goes to the real cuBLAS");
  check(ladder_call_count("cublasSgemm_v2", "cublas") == 1, "and is counted");
  fake.state->math =
      static_cast<cublas::Math>(cublas::TF32_TENSOR_OP_MATH | cublas::MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  check(call(handle) == cublas::STATUS_SUCCESS && fake.recorded->calls == 2, "so does one with a flag beside TF32");
  check(cublasSgemm_v2(nullptr, cublas::OP_N, cublas::OP_N, 1, 1, 1, &alpha, a, 1, b, 1, &beta, c, 1) ==
            cublas::STATUS_NOT_INITIALIZED,
        "a null handle is refused");
  check(cublasSetMathMode(handle, cublas::DEFAULT_MATH) == cublas::STATUS_SUCCESS, "back to FP32");
  check(cublasSgemm_v2(handle, cublas::OP_N, cublas::OP_N, 2, 2, 2, &alpha, a, 1, b, 2, &beta, c, 2) ==
                cublas::STATUS_INVALID_VALUE &&
            fake.recorded->calls == 2,
        "illegal arguments of a rung are answered here");
}

}  // namespace

int main(int, char** arguments) {
  cublas::Handle handle = nullptr;
  check(cublasCreate_v2(&handle) == cublas::STATUS_SUCCESS, "cublasCreate");
  const Fake fake = find_fake(arguments[1]);
  if (fake.state == nullptr) {
    std::fprintf(stderr, "no fake cuBLAS at %s\n", arguments[1]);
    return 1;
  }
  handle_functions_are_passed_on(handle, fake);
  if (std::strcmp(arguments[2], "rung0") == 0) {
    rung_0_passes_everything_on(handle, fake);
    the_legacy_name_passes_on_too(fake);
  } else {
    tf32_is_honoured(handle, fake);
  }
  cublasDestroy_v2(handle);
  return failures == 0 ? 0 : 1;
}
