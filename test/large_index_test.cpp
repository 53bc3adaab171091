// SPDX-License-Identifier: MIT
// Leading dimensions beyond 2^31 elements: any index that is cut to 32 bits lands in another place.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

// Address space without memory: only the pages that are touched exist.
class SparseMatrix {
 public:
  explicit SparseMatrix(std::int64_t ld, std::int64_t columns)
      : ld_(ld), bytes_(static_cast<std::size_t>(ld * columns) * sizeof(float)) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
    data_ = memory == MAP_FAILED ? nullptr : static_cast<float*>(memory);
  }
  SparseMatrix(const SparseMatrix&) = delete;
  SparseMatrix& operator=(const SparseMatrix&) = delete;
  ~SparseMatrix() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  float* data() { return data_; }
  float& at(std::int64_t row, std::int64_t column) { return data_[row + column * ld_]; }

 private:
  std::int64_t ld_;
  std::size_t bytes_;
  float* data_;
};

}  // namespace

TEST_CASE("leading dimensions beyond 2^31") {
  constexpr std::int64_t ld = (std::int64_t{1} << 31) + 8;
  constexpr std::int64_t m = 3;
  constexpr std::int64_t n = 2;
  constexpr std::int64_t k = 2;
  for (const Rung* rung : chosen_rungs()) {
    for (const bool transposed : {false, true}) {
      CAPTURE(rung->id);
      CAPTURE(transposed);
      SparseMatrix a(ld, transposed ? m : k);
      SparseMatrix b(ld, transposed ? k : n);
      SparseMatrix c(ld, n);
      if (a.data() == nullptr || b.data() == nullptr || c.data() == nullptr) {
        MESSAGE("skipped: no address space for matrices of this size");
        return;
      }
      const auto a_value = [](std::int64_t i, std::int64_t l) { return static_cast<float>(1 + i + 4 * l); };
      const auto b_value = [](std::int64_t l, std::int64_t j) { return static_cast<float>(2 + 3 * l + 5 * j); };
      for (std::int64_t l = 0; l < k; ++l) {
        for (std::int64_t i = 0; i < m; ++i) (transposed ? a.at(l, i) : a.at(i, l)) = a_value(i, l);
        for (std::int64_t j = 0; j < n; ++j) (transposed ? b.at(j, l) : b.at(l, j)) = b_value(l, j);
      }
      GemmProblem p;
      p.op_a = p.op_b = transposed ? Op::transpose : Op::none;
      p.m = m;
      p.n = n;
      p.k = k;
      p.alpha.value = 1.0f;
      p.beta.value = 1.0f;
      p.a = a.data();
      p.b = b.data();
      p.c = c.data();
      p.lda = p.ldb = p.ldc = ld;
      REQUIRE(rung->emulated->launch(p, nullptr) == launch_ok);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i) {
          CHECK(c.at(i, j) == a_value(i, 0) * b_value(0, j) + a_value(i, 1) * b_value(1, j));
        }
      }
    }
  }
}

}  // namespace ladder::test
