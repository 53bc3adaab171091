// SPDX-License-Identifier: MIT
// cublasLtMatmul in front of a cuBLASLt, whose part a fake one plays: every argument arrives as it was given, and
// what no rung can follow is passed on without being counted. LADDER_RUNG=0, so that FP32 goes there too.
// Argument 1: the fake's path, or nothing where the program is linked to it and we are preloaded.
#include <cstdio>
#include <functional>
#include <vector>

#include "fake_cublas.hpp"
#include "lt_call.hpp"

using namespace ladder::cublas;
using namespace ladder::cublas_lt;
using ladder::test::FakeLt;
using ladder::test::FakeLtCall;

namespace {

int failures = 0;

void check(bool condition, const char* call, const char* what) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "failed: %s: %s\n", call, what);
}

std::uint64_t (*call_count)(const char* door, const char* rung) = nullptr;

std::uint64_t counted() { return call_count("cublasLtMatmul", "cublas"); }

const float alpha = 2.0f, beta = 3.0f, a[64] = {}, b[64] = {}, c[64] = {}, bias[8] = {};
float d[64] = {};
const int algorithm = 0, stream = 0;
char workspace[16];

/// D := 2 A B + 3 C, 3 x 4 x 5.
struct Call : FakeLtCall {
  explicit Call(const FakeLt& lt, Compute compute = COMPUTE_32F)
      : FakeLtCall(lt, {{{3, 5, 6}, {5, 4, 7}, {3, 4, 8}, {3, 4, 9}}}, compute) {
    handle = reinterpret_cast<ladder::cublas_lt::Handle>(::workspace);
    alpha = &::alpha, a = ::a, b = ::b, beta = &::beta, c = ::c, d = ::d;
    algorithm = reinterpret_cast<const ladder::cublas_lt::Algorithm*>(&::algorithm);
    workspace = ::workspace, workspace_bytes = sizeof ::workspace;
    stream = reinterpret_cast<CudaStream>(const_cast<int*>(&::stream));
  }
};

/// The call reaches the fake as it is, once; it is counted where a rung could have served it.
void goes_through(const FakeLt& lt, const char* name, const Call& call, bool served) {
  const int calls = lt.state->calls;
  const std::uint64_t count = counted();
  lt.state->answer = STATUS_ARCH_MISMATCH;
  check(call.make() == STATUS_ARCH_MISMATCH, name, "the real status comes back");
  check(lt.state->calls == calls + 1, name, "the real one is called, once");
  check(lt.state->arguments == bits_of_each(call.handle, call.desc, call.alpha, call.a, call.layout[Call::A], call.b,
                                            call.layout[Call::B], call.beta, call.c, call.layout[Call::C], call.d,
                                            call.layout[Call::D], call.algorithm, call.workspace, call.workspace_bytes,
                                            call.stream),
        name, "with the very same arguments");
  check(counted() == count + (served ? 1 : 0), name, served ? "and counted" : "and not counted");
}

struct Case {
  const char* name;
  bool served;
  std::function<bool(Call&)> change;
};

bool with_bias(Call& call, std::uint32_t epilogue, std::int32_t bias_type) {
  constexpr int bias_data_type = 26;
  return call.set(MATMUL_EPILOGUE, epilogue) && call.set(MATMUL_BIAS_POINTER, static_cast<const float*>(bias)) &&
         call.set(bias_data_type, bias_type);
}

bool with_batch(Call& call, std::int32_t of_c) {
  const std::int32_t batch = 2;
  for (const Call::Matrix matrix : {Call::A, Call::B, Call::D})
    if (!call.set(matrix, LAYOUT_BATCH_COUNT, batch)) return false;
  return call.set(Call::C, LAYOUT_BATCH_COUNT, of_c);
}

constexpr std::int32_t half = 2, single = 0, as_in_d = -1;

// What rungs follow; each line beside what they do not.
const Case cases[] = {
    {"plain", true, [](Call&) { return true; }},
    {"no algorithm", true, [](Call& x) { return x.algorithm = nullptr, true; }},
    {"A in half precision", false, [](Call& x) { return x.set(Call::A, LAYOUT_TYPE, half); }},
    {"B in half precision", false, [](Call& x) { return x.set(Call::B, LAYOUT_TYPE, half); }},
    {"C in half precision", false, [](Call& x) { return x.set(Call::C, LAYOUT_TYPE, half); }},
    {"D in half precision", false, [](Call& x) { return x.set(Call::D, LAYOUT_TYPE, half); }},
    {"scaled in half precision", false, [](Call& x) { return x.set(MATMUL_SCALE_TYPE, half); }},
    {"A conjugated", true,
     [](Call& x) {
       return x.set(MATMUL_TRANSB, std::int32_t{0}) && x.set(Call::A, LAYOUT_ROWS, std::uint64_t{5}) &&
              x.set(Call::A, LAYOUT_COLS, std::uint64_t{3}) && x.set(MATMUL_TRANSA, std::int32_t{2});
     }},
    {"an operation of another kind", false, [](Call& x) { return x.set(MATMUL_TRANSA, std::int32_t{3}); }},
    {"C transposed", false, [](Call& x) { return x.set(5, std::int32_t{1}); }},
    {"D filled in part", false, [](Call& x) { return x.set(6, std::int32_t{0}); }},
    {"scalars on the device", true, [](Call& x) { return x.set(MATMUL_POINTER_MODE, std::int32_t{1}); }},
    {"vectors of scalars", false, [](Call& x) { return x.set(MATMUL_POINTER_MODE, std::int32_t{2}); }},
    {"a vector of alphas, no beta", false, [](Call& x) { return x.set(MATMUL_POINTER_MODE, std::int32_t{3}); }},
    {"a vector of alphas", false, [](Call& x) { return x.set(MATMUL_POINTER_MODE, std::int32_t{4}); }},
    {"RELU", true, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{2}); }},
    {"GELU", true, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{32}); }},
    {"BIAS", true, [](Call& x) { return with_bias(x, 4, as_in_d); }},
    {"BIAS said to be FP32", true, [](Call& x) { return with_bias(x, 4, single); }},
    {"BIAS in half precision", false, [](Call& x) { return with_bias(x, 4, half); }},
    {"BIAS without one", false, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{4}); }},
    {"RELU_BIAS", true, [](Call& x) { return with_bias(x, 6, as_in_d); }},
    {"GELU_BIAS", true, [](Call& x) { return with_bias(x, 36, as_in_d); }},
    {"RELU_AUX", false, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{130}); }},
    {"RELU_AUX_BIAS", false, [](Call& x) { return with_bias(x, 134, as_in_d); }},
    {"GELU_AUX", false, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{160}); }},
    {"GELU_AUX_BIAS", false, [](Call& x) { return with_bias(x, 164, as_in_d); }},
    {"DRELU", false, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{136}); }},
    {"DRELU_BGRAD", false, [](Call& x) { return with_bias(x, 152, as_in_d); }},
    {"DGELU", false, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{192}); }},
    {"DGELU_BGRAD", false, [](Call& x) { return with_bias(x, 208, as_in_d); }},
    {"BGRADA", false, [](Call& x) { return with_bias(x, 256, as_in_d); }},
    {"BGRADB", false, [](Call& x) { return with_bias(x, 512, as_in_d); }},
    {"an epilogue of no name", false, [](Call& x) { return x.set(MATMUL_EPILOGUE, std::uint32_t{0}); }},
    {"an auxiliary buffer that nothing uses", true,
     [](Call& x) { return x.set(MATMUL_EPILOGUE_AUX_LD, std::int64_t{128}); }},
    {"quick sums of FP8", true, [](Call& x) { return x.set(MATMUL_FAST_ACCUM, std::int8_t{1}); }},
    {"a number of multiprocessors", false, [](Call& x) { return x.set(15, std::int32_t{4}); }},
    {"A scaled", false, [](Call& x) { return x.set(17, &alpha); }},
    {"B scaled", false, [](Call& x) { return x.set(18, &alpha); }},
    {"C scaled", false, [](Call& x) { return x.set(19, &alpha); }},
    {"D scaled", false, [](Call& x) { return x.set(20, &alpha); }},
    {"the largest of D", false, [](Call& x) { return x.set(21, &d[0]); }},
    {"A scaled in blocks", false, [](Call& x) { return x.set(31, std::int32_t{1}); }},
    {"D scaled in blocks", false, [](Call& x) { return x.set(34, std::int32_t{1}); }},
    {"scales written", false, [](Call& x) { return x.set(36, &d[0]); }},
    {"emulated FP32", false, [](Call& x) { return x.set(38, &d[0]); }},
    {"an attribute of the future", false, [](Call& x) { return x.set(fake_lt_new_matmul_attribute, std::int32_t{1}); }},
    {"a layout of the future", false,
     [](Call& x) { return x.set(Call::B, fake_lt_new_layout_attribute, std::int32_t{1}); }},
    {"A by rows", true, [](Call& x) { return x.set(Call::A, LAYOUT_ORDER, std::int32_t{1}); }},
    {"A in tiles of 32 columns", false, [](Call& x) { return x.set(Call::A, LAYOUT_ORDER, std::int32_t{2}); }},
    {"C by rows, D not", false, [](Call& x) { return x.set(Call::C, LAYOUT_ORDER, std::int32_t{1}); }},
    {"D by rows, C not", false, [](Call& x) { return x.set(Call::D, LAYOUT_ORDER, std::int32_t{1}); }},
    {"C and D by rows", true,
     [](Call& x) {
       return x.set(Call::C, LAYOUT_ORDER, std::int32_t{1}) && x.set(Call::D, LAYOUT_ORDER, std::int32_t{1});
     }},
    {"planes", false, [](Call& x) { return x.set(Call::A, 7, std::int64_t{8}); }},
    {"arrays of addresses", false, [](Call& x) { return x.set(Call::A, 8, std::uint32_t{1}); }},
    {"a batch", true, [](Call& x) { return with_batch(x, 2); }},
    {"batches that disagree", false, [](Call& x) { return with_batch(x, 1); }},
    {"a batch of none", false, [](Call& x) { return x.set(Call::A, LAYOUT_BATCH_COUNT, std::int32_t{0}); }},
    {"rows that disagree", false, [](Call& x) { return x.set(Call::D, LAYOUT_ROWS, std::uint64_t{2}); }},
    {"inner extents that disagree", false, [](Call& x) { return x.set(Call::B, LAYOUT_ROWS, std::uint64_t{4}); }},
    {"more rows than memory", false,
     [](Call& x) {
       return x.set(Call::A, LAYOUT_ROWS, ~std::uint64_t{0}) && x.set(Call::C, LAYOUT_ROWS, ~std::uint64_t{0}) &&
              x.set(Call::D, LAYOUT_ROWS, ~std::uint64_t{0});
     }},
    {"no rows", false,
     [](Call& x) {
       return x.set(Call::A, LAYOUT_ROWS, std::uint64_t{0}) && x.set(Call::C, LAYOUT_ROWS, std::uint64_t{0}) &&
              x.set(Call::D, LAYOUT_ROWS, std::uint64_t{0});
     }},
    {"nothing to sum", true,
     [](Call& x) {
       return x.set(Call::A, LAYOUT_COLS, std::uint64_t{0}) && x.set(Call::B, LAYOUT_ROWS, std::uint64_t{0});
     }},
    {"columns of A that overlap", false, [](Call& x) { return x.set(Call::A, LAYOUT_LD, std::int64_t{2}); }},
    {"columns of C that overlap", false, [](Call& x) { return x.set(Call::C, LAYOUT_LD, std::int64_t{0}); }},
    {"columns of D that overlap", false, [](Call& x) { return x.set(Call::D, LAYOUT_LD, std::int64_t{2}); }},
    {"C is D, its columns elsewhere", false, [](Call& x) { return x.c = d, true; }},
    {"C is D", true, [](Call& x) { return x.c = d, x.set(Call::C, LAYOUT_LD, std::int64_t{9}); }},
    {"C is D, its products elsewhere", false,
     [](Call& x) {
       x.c = d;
       return with_batch(x, 2) && x.set(Call::C, LAYOUT_LD, std::int64_t{9}) &&
              x.set(Call::C, LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{1});
     }},
    {"no handle", false, [](Call& x) { return x.handle = nullptr, true; }},
    {"no description", false, [](Call& x) { return x.desc = nullptr, true; }},
    {"no layout of A", false, [](Call& x) { return x.layout[Call::A] = nullptr, true; }},
    {"no layout of C", false, [](Call& x) { return x.layout[Call::C] = nullptr, true; }},
    {"no alpha", false, [](Call& x) { return x.alpha = nullptr, true; }},
    {"no A", false, [](Call& x) { return x.a = nullptr, true; }},
    {"no C", false, [](Call& x) { return x.c = nullptr, true; }},
    {"no D", false, [](Call& x) { return x.d = nullptr, true; }},
};

void each_way_to_sum(const FakeLt& lt) {
  constexpr int in_half = 64, in_double = 70;
  for (const int other : {in_half, in_double, -1})
    goes_through(lt, "another way to sum", Call(lt, static_cast<Compute>(other)), false);
  for (const Compute compute :
       {COMPUTE_32F, COMPUTE_32F_PEDANTIC, COMPUTE_32F_FAST_16F, COMPUTE_32F_FAST_16BF, COMPUTE_32F_FAST_TF32})
    goes_through(lt, "FP32", Call(lt, compute), true);
}

void what_comes_back_goes_straight_on(const FakeLt& lt) {
  const int calls = lt.state->calls;
  const std::uint64_t count = counted();
  lt.state->calls_itself = true;
  check(Call(lt).make() == STATUS_ARCH_MISMATCH, "round again", "the real status comes back");
  check(!lt.state->calls_itself && lt.state->calls == calls + 2, "round again", "the real one calls itself through us");
  check(counted() == count + 1, "round again", "and only the program's own call is counted");
}

}  // namespace

int main(int count, char** arguments) {
  void* library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : RTLD_DEFAULT;
  call_count = reinterpret_cast<decltype(call_count)>(dlsym(RTLD_DEFAULT, "ladder_call_count"));
  if (call_count == nullptr || (count > 1 && library == nullptr)) {
    std::fprintf(stderr, "libladderblas or the fake cuBLASLt is not in this process\n");
    return 1;
  }
  const FakeLt lt(library);
  for (const Case& one : cases) {
    Call call(lt);
    check(one.change(call), one.name, "the fake takes the attribute");
    goes_through(lt, one.name, call, one.served);
  }
  each_way_to_sum(lt);
  what_comes_back_goes_straight_on(lt);
  constexpr int newest_of_an_old_header = 14;
  lt.state->newest_attribute = newest_of_an_old_header;
  goes_through(lt, "descriptors of an older header", Call(lt), true);
  return failures == 0 ? 0 : 1;
}
