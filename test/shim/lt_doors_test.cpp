// SPDX-License-Identifier: MIT
// cublasLtMatmul under LADDER_DEVICE=emulate, with the descriptors of a fake cuBLASLt (LADDER_CUBLAS): every order,
// every operation and every epilogue, element by element against float64. All numbers are small integers or halves of
// them, so that sums are exact, and only GELU rounds.
#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "cublas_doors.hpp"
#include "lt_call.hpp"

using namespace ladder::cublas;
using namespace ladder::cublas_lt;
using ladder::test::FakeLt;
using ladder::test::FakeLtCall;

namespace {

constexpr std::int64_t m = 5, n = 7, k = 9;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float untouched = 1234.5f;

const FakeLt& fake() {
  static const FakeLt lt(dlopen(std::getenv("LADDER_CUBLAS"), RTLD_NOW));
  return lt;
}

/// A matrix in memory; its elements by row and column, whatever the order.
struct Stored {
  std::int64_t rows, cols, ld, stride;
  std::int32_t order, batch;
  std::vector<float> memory;

  Stored(std::int64_t row_count, std::int64_t column_count, std::int32_t in_order, std::int32_t products, float fill)
      : rows(row_count),
        cols(column_count),
        ld((in_order == ORDER_ROW ? column_count : row_count) + 2),
        stride(ld * (in_order == ORDER_ROW ? row_count : column_count) + 3),
        order(in_order),
        batch(products),
        memory(static_cast<std::size_t>(stride * products), fill) {}

  float& at(std::int64_t product, std::int64_t row, std::int64_t column) {
    const std::int64_t place = order == ORDER_ROW ? row * ld + column : row + column * ld;
    return memory[static_cast<std::size_t>(product * stride + place)];
  }

  /// Integers from -3 to 3.
  void fill_with_integers(std::uint32_t seed) {
    for (std::int64_t p = 0; p < batch; ++p)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) {
          seed = seed * 1664525u + 1013904223u;  // Numerical Recipes' generator
          at(p, i, j) = static_cast<float>(static_cast<int>(seed >> 16) % 7 - 3);
        }
  }

  FakeLtCall::Extents extents() const {
    return {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols), ld};
  }
};

/// Where C is.
enum class OldC { unread, in_place, elsewhere };

struct Variant {
  std::int32_t order_a, order_b, order_d, op_a, op_b, batch;
  std::uint32_t epilogue;
  OldC old_c;
  PointerMode mode;

  bool has_bias() const { return (epilogue & EPILOGUE_BIAS) != 0; }
};

double activated(const Variant& v, double x) {
  if ((v.epilogue & EPILOGUE_RELU) != 0) return x > 0 ? x : 0.0;
  if ((v.epilogue & EPILOGUE_GELU) == 0) return x;
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

/// One call, and what should come of it.
class Product {
 public:
  explicit Product(const Variant& variant)
      : v_(variant),
        a_(v_.op_a == OP_N ? m : k, v_.op_a == OP_N ? k : m, v_.order_a, v_.batch, nan),
        b_(v_.op_b == OP_N ? k : n, v_.op_b == OP_N ? n : k, v_.order_b, v_.batch, nan),
        c_(m, n, v_.order_d, v_.batch, nan),
        d_(m, n, v_.order_d, v_.batch, untouched),
        bias_(1, m, ORDER_ROW, v_.batch, nan) {
    a_.fill_with_integers(1);
    b_.fill_with_integers(2);
    bias_.fill_with_integers(3);
    if (v_.old_c != OldC::unread) c_.fill_with_integers(4);
    if (v_.old_c == OldC::in_place) d_.fill_with_integers(5);
    beta_ = v_.old_c == OldC::unread ? 0.0f : -0.5f;
  }

  Status make() { return make(reinterpret_cast<ladder::cublas_lt::Handle>(this)); }

  Status make(ladder::cublas_lt::Handle handle) {
    const bool in_place = v_.old_c == OldC::in_place;
    before_ = d_;
    FakeLtCall call(fake(), {{a_.extents(), b_.extents(), (in_place ? d_ : c_).extents(), d_.extents()}});
    call.handle = handle;
    call.alpha = &alpha_, call.a = a_.memory.data(), call.b = b_.memory.data(), call.beta = &beta_;
    call.c = in_place ? d_.memory.data() : v_.old_c == OldC::elsewhere ? c_.memory.data() : nullptr;
    call.d = d_.memory.data();
    REQUIRE((call.set(MATMUL_TRANSA, v_.op_a) && call.set(MATMUL_TRANSB, v_.op_b) &&
             call.set(MATMUL_EPILOGUE, v_.epilogue) && call.set(MATMUL_POINTER_MODE, v_.mode)));
    if (v_.has_bias())
      REQUIRE((call.set(MATMUL_BIAS_POINTER, bias_.memory.data()) && call.set(MATMUL_BIAS_BATCH_STRIDE, bias_.stride)));
    describe(call, FakeLtCall::A, a_);
    describe(call, FakeLtCall::B, b_);
    describe(call, FakeLtCall::C, in_place ? d_ : c_);
    describe(call, FakeLtCall::D, d_);
    return call.make();
  }

  /// Number of elements that are not as they should be, those beside D included.
  int wrong_elements() {
    int wrong = 0;
    for (std::int64_t p = 0; p < v_.batch; ++p)
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const double due = activated(v_, sum_due(p, i, j));
          // GELU in FP32: tanh within a few units in the last place, and a handful of roundings of x.
          const double bound = (v_.epilogue & EPILOGUE_GELU) != 0 ? 1e-6 * std::fmax(1.0, std::fabs(due)) : 0.0;
          if (!(std::fabs(d_.at(p, i, j) - due) <= bound)) ++wrong;
          d_.at(p, i, j) = before_.at(p, i, j);
        }
    for (std::size_t place = 0; place < d_.memory.size(); ++place)
      if (d_.memory[place] != before_.memory[place]) ++wrong;
    return wrong;
  }

 private:
  static void describe(FakeLtCall& call, FakeLtCall::Matrix matrix, const Stored& stored) {
    REQUIRE((call.set(matrix, LAYOUT_ORDER, stored.order) && call.set(matrix, LAYOUT_BATCH_COUNT, stored.batch) &&
             call.set(matrix, LAYOUT_STRIDED_BATCH_OFFSET, stored.stride)));
  }

  double sum_due(std::int64_t p, std::int64_t i, std::int64_t j) {
    double sum = 0.0;
    for (std::int64_t l = 0; l < k; ++l)
      sum += static_cast<double>(v_.op_a == OP_N ? a_.at(p, i, l) : a_.at(p, l, i)) *
             static_cast<double>(v_.op_b == OP_N ? b_.at(p, l, j) : b_.at(p, j, l));
    sum *= alpha_;
    if (v_.old_c != OldC::unread) sum += beta_ * (v_.old_c == OldC::in_place ? before_ : c_).at(p, i, j);
    return v_.has_bias() ? sum + bias_.at(p, 0, i) : sum;
  }

  Variant v_;
  Stored a_, b_, c_, d_, bias_;
  Stored before_{1, 1, ORDER_COL, 1, 0.0f};
  float alpha_ = 0.5f, beta_ = 0.0f;
};

void every_order_and_operation(std::uint32_t epilogue, OldC old_c, std::int32_t batch) {
  for (int bits = 0; bits < 32; ++bits) {
    const auto bit = [bits](int position) { return bits >> position & 1; };
    Product product({bit(0), bit(1), bit(2), bit(3) != 0 ? OP_T : OP_N, bit(4) != 0 ? OP_C : OP_N, batch, epilogue,
                     old_c, POINTER_MODE_HOST});
    INFO("epilogue ", epilogue, " batch ", batch, " old C ", static_cast<int>(old_c), " orders and operations ", bits);
    CHECK(product.make() == STATUS_SUCCESS);
    CHECK(product.wrong_elements() == 0);
  }
}

constexpr std::uint32_t epilogues[] = {EPILOGUE_DEFAULT,   EPILOGUE_BIAS, EPILOGUE_RELU,
                                       EPILOGUE_RELU_BIAS, EPILOGUE_GELU, EPILOGUE_GELU_BIAS};

}  // namespace

TEST_CASE("every order, operation and epilogue, with C unread, in place and elsewhere") {
  const std::uint64_t before = ladder_call_count("cublasLtMatmul", "9");
  for (const std::uint32_t epilogue : epilogues)
    for (const OldC old_c : {OldC::unread, OldC::in_place, OldC::elsewhere})
      every_order_and_operation(epilogue, old_c, 1);
  CHECK(ladder_call_count("cublasLtMatmul", "9") - before == 6 * 3 * 32);
}

TEST_CASE("a batch, each product with its own C and bias") {
  for (const std::uint32_t epilogue : epilogues) every_order_and_operation(epilogue, OldC::elsewhere, 3);
  every_order_and_operation(EPILOGUE_DEFAULT, OldC::in_place, 3);
}

TEST_CASE("scalars by address") {
  for (const OldC old_c : {OldC::in_place, OldC::elsewhere}) {
    Product product({0, 1, 1, OP_N, OP_T, 1, EPILOGUE_RELU_BIAS, old_c, POINTER_MODE_DEVICE});
    CHECK(product.make() == STATUS_SUCCESS);
    CHECK(product.wrong_elements() == 0);
  }
}

TEST_CASE("extents of 0, and calls that lack something, leave D alone") {
  float one = 1.0f, d = untouched;
  const auto handle = reinterpret_cast<ladder::cublas_lt::Handle>(&one);
  const auto status_of = [&](const auto& change) {
    FakeLtCall call(fake(), {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
    call.handle = handle;
    call.alpha = call.beta = call.a = call.b = call.c = &one;
    call.d = &d;
    change(call);
    return call.make();
  };
  const auto no_rows = [](FakeLtCall& x) {
    for (const auto matrix : {FakeLtCall::A, FakeLtCall::C, FakeLtCall::D})
      REQUIRE(x.set(matrix, LAYOUT_ROWS, std::uint64_t{0}));
  };
  CHECK(status_of(no_rows) == STATUS_SUCCESS);
  CHECK(status_of([](FakeLtCall& x) { x.handle = nullptr; }) == STATUS_NOT_INITIALIZED);
  CHECK(status_of([](FakeLtCall& x) { x.desc = nullptr; }) == STATUS_INVALID_VALUE);
  CHECK(status_of([](FakeLtCall& x) { x.layout[FakeLtCall::B] = nullptr; }) == STATUS_INVALID_VALUE);
  CHECK(status_of([](FakeLtCall& x) { x.beta = nullptr; }) == STATUS_INVALID_VALUE);
  CHECK(status_of([](FakeLtCall& x) { x.a = nullptr; }) == STATUS_INVALID_VALUE);
  CHECK(status_of([](FakeLtCall& x) { x.d = nullptr; }) == STATUS_INVALID_VALUE);
  CHECK(status_of([](FakeLtCall& x) { REQUIRE(x.set(MATMUL_EPILOGUE, std::uint32_t{130})); }) == STATUS_NOT_SUPPORTED);
  CHECK(status_of([](FakeLtCall& x) { REQUIRE(x.set(FakeLtCall::A, LAYOUT_TYPE, 2)); }) == STATUS_NOT_SUPPORTED);
  CHECK(d == untouched);
  CHECK(fake().state->calls == 0);
}

TEST_CASE("a handle of cuBLAS is one of cuBLASLt") {
  ladder::cublas::Handle handle = nullptr;
  REQUIRE(cublasCreate_v2(&handle) == STATUS_SUCCESS);
  Product product({0, 0, 0, OP_N, OP_N, 1, EPILOGUE_BIAS, OldC::unread, POINTER_MODE_HOST});
  CHECK(product.make(reinterpret_cast<ladder::cublas_lt::Handle>(handle)) == STATUS_SUCCESS);
  CHECK(product.wrong_elements() == 0);
  CHECK(cublasDestroy_v2(handle) == STATUS_SUCCESS);
}

TEST_CASE("nothing to sum: D is what becomes of beta C and the bias") {
  float one = 1.0f, c = 6.0f, d = untouched;
  const float half = -0.5f, bias = 1.0f;
  FakeLtCall call(fake(), {{{1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}}});
  call.handle = reinterpret_cast<ladder::cublas_lt::Handle>(&one);
  call.alpha = call.a = call.b = &one, call.beta = &half, call.c = &c, call.d = &d;
  REQUIRE((call.set(MATMUL_EPILOGUE, std::uint32_t{EPILOGUE_BIAS}) && call.set(MATMUL_BIAS_POINTER, &bias)));
  CHECK(call.make() == STATUS_SUCCESS);
  CHECK(d == -2.0f);
}

TEST_CASE("a compute type that allows TF32 gets the rung of TF32, a pedantic one does not") {
  const float two = 2.0f, three = 3.0f, none = 0.0f;
  const auto in_tf32 = [&](Compute compute) {
    float d = untouched;
    FakeLtCall call(fake(), {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}, compute);
    call.handle = reinterpret_cast<ladder::cublas_lt::Handle>(&d);
    call.alpha = call.a = &two, call.b = &three, call.beta = &none, call.c = call.d = &d;
    const std::uint64_t before = ladder_call_count("cublasLtMatmul", "tf32");
    CHECK(call.make() == STATUS_SUCCESS);
    CHECK(d == 12.0f);
    return ladder_call_count("cublasLtMatmul", "tf32") == before + 1;
  };
  for (const Compute compute : {COMPUTE_32F_FAST_TF32, COMPUTE_32F_FAST_16F, COMPUTE_32F_FAST_16BF})
    CHECK(in_tf32(compute));
  for (const Compute compute : {COMPUTE_32F, COMPUTE_32F_PEDANTIC, COMPUTE_32F_EMULATED_16BFX9})
    CHECK_FALSE(in_tf32(compute));
}
