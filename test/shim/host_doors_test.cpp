// SPDX-License-Identifier: MIT
// The BLAS doors of the shared library: every name computes, and every illegal argument is reported
// with Netlib's number to the handlers defined here.
#include "host_doors.hpp"

#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace ladder::shim;

namespace {

struct Report {
  int calls = 0;
  std::string routine;
  int position = 0;
};
Report fortran_report;
Report cblas_report;

}  // namespace

extern "C" void xerbla_(const char* routine, const std::int32_t* position, std::size_t length) {
  fortran_report = {fortran_report.calls + 1, std::string(routine, length), *position};
}

extern "C" void cblas_xerbla(int position, const char* routine, const char*, ...) {
  cblas_report = {cblas_report.calls + 1, routine, position};
}

template <class Int>
using FortranDoor = void(const char*, const char*, const Int*, const Int*, const Int*, const float*, const float*,
                         const Int*, const float*, const Int*, const float*, float*, const Int*);
template <class Int>
using CblasDoor = void(CblasOrder, CblasTranspose, CblasTranspose, Int, Int, Int, float, const float*, Int,
                       const float*, Int, float, float*, Int);

extern "C" {
FortranDoor<std::int32_t> sgemm_, sgemm, scipy_sgemm_;
FortranDoor<std::int64_t> sgemm_64_, sgemm64_, scipy_sgemm_64_;
CblasDoor<std::int32_t> cblas_sgemm, scipy_cblas_sgemm;
CblasDoor<std::int64_t> cblas_sgemm64_, cblas_sgemm_64, scipy_cblas_sgemm64_;
}

namespace {

// C (2 x 3) := A (2 x 4) * B (4 x 3), column-major, and the same numbers seen row-major.
constexpr int m = 2, n = 3, k = 4;

struct Matrices {
  std::vector<float> a, b, c, expected;
  Matrices(bool row_major, bool transposed_a) : a(m * k), b(k * n), c(m * n, -1.0f), expected(m * n, 0.0f) {
    const auto at = [&](int row, int column, int rows, int columns) {
      return row_major ? row * columns + column : row + column * rows;
    };
    for (int i = 0; i < m; ++i)
      for (int l = 0; l < k; ++l) a[transposed_a ? at(l, i, k, m) : at(i, l, m, k)] = static_cast<float>(1 + i + 2 * l);
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < n; ++j) b[at(l, j, k, n)] = static_cast<float>(3 - l * j);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < k; ++l) expected[at(i, j, m, n)] += (1 + i + 2 * l) * (3 - l * j);
  }
};

template <class Int>
void fortran_computes(FortranDoor<Int>* door, const char* name) {
  const std::uint64_t before = ladder_call_count(name, nullptr);
  for (const char* op_a : {"N", "n", "T", "t", "C", "c"}) {
    const bool transposed = op_a[0] != 'N' && op_a[0] != 'n';
    Matrices x(false, transposed);
    const Int im = m, in = n, ik = k, lda = transposed ? k : m;
    const float alpha = 1, beta = 0;
    door(op_a, "N", &im, &in, &ik, &alpha, x.a.data(), &lda, x.b.data(), &ik, &beta, x.c.data(), &im);
    CHECK(x.c == x.expected);
  }
  CHECK(ladder_call_count(name, nullptr) == before + 6);
}

template <class Int>
void cblas_computes(CblasDoor<Int>* door, const char* name) {
  const std::uint64_t before = ladder_call_count(name, nullptr);
  for (const CblasOrder order : {cblas_row_major, cblas_column_major}) {
    for (const CblasTranspose op_a : {cblas_no_trans, cblas_trans, cblas_conj_trans}) {
      const bool row_major = order == cblas_row_major;
      const bool transposed = op_a != cblas_no_trans;
      Matrices x(row_major, transposed);
      door(order, op_a, cblas_no_trans, m, n, k, 1.0f, x.a.data(), row_major == transposed ? m : k, x.b.data(),
           row_major ? n : k, 0.0f, x.c.data(), row_major ? n : m);
      CHECK(x.c == x.expected);
    }
  }
  CHECK(ladder_call_count(name, nullptr) == before + 6);
}

template <class Int>
void fortran_reports(FortranDoor<Int>* door) {
  struct Bad {
    int position;
    const char* op_a;
    const char* op_b;
    Int m, n, k, lda, ldb, ldc;
  };
  // The first illegal argument counts, whatever else is wrong.
  const Bad bad[] = {
      {1, "X", "X", -1, -1, -1, 0, 0, 0}, {1, " ", "N", 2, 2, 2, 2, 2, 2},   {2, "N", "X", -1, -1, -1, 0, 0, 0},
      {3, "N", "N", -1, -1, -1, 0, 0, 0}, {4, "N", "N", 2, -1, -1, 0, 0, 0}, {5, "N", "N", 2, 2, -1, 0, 0, 0},
      {8, "N", "N", 2, 2, 2, 1, 0, 0},    {8, "T", "N", 1, 2, 2, 1, 0, 0},   {8, "N", "N", 0, 2, 2, 0, 0, 0},
      {10, "N", "N", 2, 2, 3, 2, 2, 0},   {10, "N", "T", 2, 3, 2, 2, 2, 0},  {10, "N", "N", 2, 2, 0, 2, 0, 0},
      {13, "N", "N", 2, 2, 2, 2, 2, 1},   {13, "N", "N", 0, 2, 2, 1, 2, 0}};
  const float alpha = 1, beta = 0;
  for (const Bad& x : bad) {
    CAPTURE(x.position);
    float a[16] = {}, b[16] = {}, c[16];
    std::fill_n(c, 16, 5.0f);
    fortran_report = Report{};
    door(x.op_a, x.op_b, &x.m, &x.n, &x.k, &alpha, a, &x.lda, b, &x.ldb, &beta, c, &x.ldc);
    CHECK(fortran_report.calls == 1);
    CHECK(fortran_report.routine == "SGEMM ");
    CHECK(fortran_report.position == x.position);
    CHECK(std::string(ladder_last_error()).find(std::to_string(x.position)) != std::string::npos);
    for (const float element : c) CHECK(element == 5.0f);
  }
}

template <class Int>
void cblas_reports(CblasDoor<Int>* door) {
  constexpr CblasOrder row = cblas_row_major, col = cblas_column_major;
  constexpr CblasTranspose no = cblas_no_trans, tr = cblas_trans;
  const auto order_of = [](int value) { return static_cast<CblasOrder>(value); };
  const auto op_of = [](int value) { return static_cast<CblasTranspose>(value); };
  struct Bad {
    int position;
    CblasOrder order;
    CblasTranspose op_a, op_b;
    Int m, n, k, lda, ldb, ldc;
  };
  const Bad bad[] = {
      {1, order_of(0), op_of(0), op_of(0), -1, -1, -1, 0, 0, 0},
      {2, col, op_of(0), op_of(0), -1, -1, -1, 0, 0, 0},
      {3, col, no, op_of(114), -1, -1, -1, 0, 0, 0},
      {4, col, no, no, -1, -1, -1, 0, 0, 0},
      {5, col, no, no, 2, -1, -1, 0, 0, 0},
      {6, col, no, no, 2, 2, -1, 0, 0, 0},
      {9, col, no, no, 2, 2, 2, 1, 0, 0},
      {9, col, tr, no, 1, 2, 2, 1, 0, 0},
      {11, col, no, no, 2, 2, 2, 2, 1, 0},
      {11, col, no, tr, 2, 2, 1, 2, 1, 0},
      {14, col, no, no, 2, 2, 2, 2, 2, 1},
      {2, row, op_of(0), op_of(0), -1, -1, -1, 0, 0, 0},
      {3, row, no, op_of(0), -1, -1, -1, 0, 0, 0},
      // Row-major: the column-major problem is checked, so N comes before M and ldb before lda.
      {5, row, no, no, -1, -1, -1, 0, 0, 0},
      {4, row, no, no, -1, 2, -1, 0, 0, 0},
      {6, row, no, no, 2, 2, -1, 0, 0, 0},
      {11, row, no, no, 2, 2, 2, 1, 1, 1},
      {11, row, no, tr, 2, 1, 2, 2, 1, 1},
      {9, row, no, no, 2, 2, 2, 1, 2, 1},
      {9, row, tr, no, 2, 2, 1, 1, 2, 2},
      {14, row, no, no, 1, 2, 2, 2, 2, 1},
  };
  for (const Bad& x : bad) {
    CAPTURE(x.order);
    CAPTURE(x.position);
    float a[16] = {}, b[16] = {}, c[16];
    std::fill_n(c, 16, 5.0f);
    cblas_report = Report{};
    door(x.order, x.op_a, x.op_b, x.m, x.n, x.k, 1.0f, a, x.lda, b, x.ldb, 0.0f, c, x.ldc);
    CHECK(cblas_report.calls == 1);
    CHECK(cblas_report.routine == "cblas_sgemm");
    CHECK(cblas_report.position == x.position);
    for (const float element : c) CHECK(element == 5.0f);
  }
}

}  // namespace

TEST_CASE("every Fortran name computes and is counted") {
  fortran_computes<std::int32_t>(sgemm_, "sgemm_");
  fortran_computes<std::int32_t>(sgemm, "sgemm");
  fortran_computes<std::int32_t>(scipy_sgemm_, "scipy_sgemm_");
  fortran_computes<std::int64_t>(sgemm_64_, "sgemm_64_");
  fortran_computes<std::int64_t>(sgemm64_, "sgemm64_");
  fortran_computes<std::int64_t>(scipy_sgemm_64_, "scipy_sgemm_64_");
}

TEST_CASE("every CBLAS name computes in both orders and is counted") {
  cblas_computes<std::int32_t>(cblas_sgemm, "cblas_sgemm");
  cblas_computes<std::int32_t>(scipy_cblas_sgemm, "scipy_cblas_sgemm");
  cblas_computes<std::int64_t>(cblas_sgemm64_, "cblas_sgemm64_");
  cblas_computes<std::int64_t>(cblas_sgemm_64, "cblas_sgemm_64");
  cblas_computes<std::int64_t>(scipy_cblas_sgemm64_, "scipy_cblas_sgemm64_");
}

TEST_CASE("every illegal argument of every Fortran name reaches xerbla_") {
  fortran_reports<std::int32_t>(sgemm_);
  fortran_reports<std::int32_t>(sgemm);
  fortran_reports<std::int32_t>(scipy_sgemm_);
  fortran_reports<std::int64_t>(sgemm_64_);
  fortran_reports<std::int64_t>(sgemm64_);
  fortran_reports<std::int64_t>(scipy_sgemm_64_);
}

TEST_CASE("every illegal argument of every CBLAS name reaches cblas_xerbla") {
  cblas_reports<std::int32_t>(cblas_sgemm);
  cblas_reports<std::int32_t>(scipy_cblas_sgemm);
  cblas_reports<std::int64_t>(cblas_sgemm64_);
  cblas_reports<std::int64_t>(cblas_sgemm_64);
  cblas_reports<std::int64_t>(scipy_cblas_sgemm64_);
}

TEST_CASE("empty products touch nothing; k = 0 and alpha = 0 scale C without reading A and B") {
  float c[4] = {1, 2, 3, 4};
  cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, 0, 2, 2, 1, nullptr, 1, nullptr, 2, 0, c, 1);
  cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, 2, 0, 2, 1, nullptr, 2, nullptr, 2, 0, c, 2);
  cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, 2, 2, 0, 1, nullptr, 2, nullptr, 1, 1, c, 2);
  cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, 2, 2, 2, 0, nullptr, 2, nullptr, 2, 1, c, 2);
  CHECK((c[0] == 1 && c[1] == 2 && c[2] == 3 && c[3] == 4));
  cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, 2, 2, 0, 1, nullptr, 2, nullptr, 1, 2, c, 2);
  CHECK((c[0] == 2 && c[1] == 4 && c[2] == 6 && c[3] == 8));
  cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, 2, 2, 2, 0, nullptr, 2, nullptr, 2, 0, c, 2);
  CHECK((c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 0));
}

TEST_CASE("the public interface chooses the rung of the process and of the thread") {
  CHECK(ladder_set_rung("no such rung") == LADDER_UNKNOWN_RUNG);
  CHECK(std::strlen(ladder_last_error()) > 0);
  CHECK(ladder_get_rung() == nullptr);
  const auto one_call_by = [](const char* rung) {
    const std::uint64_t before = ladder_call_count("cblas_sgemm", rung);
    Matrices x(false, false);
    cblas_sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, m, n, k, 1, x.a.data(), m, x.b.data(), k, 0,
                x.c.data(), m);
    CHECK(x.c == x.expected);
    return ladder_call_count("cblas_sgemm", rung) == before + 1;
  };
  CHECK(one_call_by("double_buffered"));
  CHECK(ladder_set_rung("3") == LADDER_OK);
  CHECK(std::string(ladder_get_rung()) == "shared");
  CHECK(one_call_by("shared"));
  CHECK(ladder_set_thread_rung("r04") == LADDER_OK);
  CHECK(std::string(ladder_get_thread_rung()) == "thread_tile_1d");
  CHECK(one_call_by("4"));
  CHECK(ladder_set_thread_rung(nullptr) == LADDER_OK);
  CHECK(one_call_by("3"));
  CHECK(ladder_set_rung(nullptr) == LADDER_OK);
  CHECK(one_call_by("9"));
  CHECK(ladder_call_count("no_such_door", nullptr) == 0);
  CHECK(ladder_call_count(nullptr, "no such rung") == 0);
  ladder_reset_counters();
  CHECK(ladder_call_count(nullptr, nullptr) == 0);
}

TEST_CASE("the public interface lists the rungs") {
  ladder_rung rung;
  REQUIRE(ladder_rung_count() > 0);
  for (int i = 0; i < ladder_rung_count(); ++i) {
    REQUIRE(ladder_rung_info(i, &rung) == LADDER_OK);
    CHECK(std::strlen(rung.id) > 0);
    CHECK(std::strlen(rung.name) > 0);
    CHECK(std::strlen(rung.idea) > 0);
    CHECK(std::strlen(rung.precision) > 0);
  }
  CHECK(ladder_rung_info(0, nullptr) == LADDER_INVALID_ARGUMENT);
  CHECK(ladder_rung_info(-1, &rung) == LADDER_UNKNOWN_RUNG);
  CHECK(ladder_rung_info(ladder_rung_count(), &rung) == LADDER_UNKNOWN_RUNG);
}
