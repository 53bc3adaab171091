// SPDX-License-Identifier: MIT
#include "next_blas.hpp"

#include <algorithm>
#include <limits>

#include "host_doors.hpp"
#include "next_library.hpp"
#include "op_letter.hpp"

namespace ladder::shim {

namespace {

struct Candidate {
  Door door;
  NextSymbol symbol;
  Form form;
};

constexpr Candidate candidates[] = {
#define DEVICE_DOOR(name)
#define HOST_DOOR(name, form) {Door::name, NextSymbol::name, Form::form},
#include "doors.def"
#undef DEVICE_DOOR
#undef HOST_DOOR
};

template <class Int>
void call_fortran(void* function, const GemmProblem& p) {
  const char op_a = *op_letter(p.op_a);
  const char op_b = *op_letter(p.op_b);
  const Int m = static_cast<Int>(p.m), n = static_cast<Int>(p.n), k = static_cast<Int>(p.k);
  const Int lda = static_cast<Int>(p.lda), ldb = static_cast<Int>(p.ldb), ldc = static_cast<Int>(p.ldc);
  reinterpret_cast<FortranSgemm<Int>>(function)(&op_a, &op_b, &m, &n, &k, &p.alpha.value, p.a, &lda, p.b, &ldb,
                                                &p.beta.value, p.c, &ldc, sizeof op_a, sizeof op_b);
}

template <class Int>
void call_cblas(void* function, const GemmProblem& p) {
  const CblasTranspose op_a = p.op_a == Op::none ? cblas_no_trans : cblas_trans;
  const CblasTranspose op_b = p.op_b == Op::none ? cblas_no_trans : cblas_trans;
  reinterpret_cast<CblasSgemm<Int>>(function)(cblas_column_major, op_a, op_b, static_cast<Int>(p.m),
                                              static_cast<Int>(p.n), static_cast<Int>(p.k), p.alpha.value, p.a,
                                              static_cast<Int>(p.lda), p.b, static_cast<Int>(p.ldb), p.beta.value, p.c,
                                              static_cast<Int>(p.ldc));
}

bool fits(Form form, const GemmProblem& p) {
  if (form == Form::fortran64 || form == Form::cblas64) return true;
  return std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) <= std::numeric_limits<std::int32_t>::max();
}

void call(Form form, void* function, const GemmProblem& problem) {
  const InsideNextLibrary inside;
  switch (form) {
    case Form::fortran32:
      return call_fortran<std::int32_t>(function, problem);
    case Form::fortran64:
      return call_fortran<std::int64_t>(function, problem);
    case Form::cblas32:
      return call_cblas<std::int32_t>(function, problem);
    case Form::cblas64:
      return call_cblas<std::int64_t>(function, problem);
  }
}

bool try_candidate(const Candidate& candidate, const GemmProblem& problem, const void* caller) {
  if (!fits(candidate.form, problem)) return false;
  void* function = next_symbol(candidate.symbol, caller);
  if (function == nullptr) return false;
  call(candidate.form, function, problem);
  return true;
}

}  // namespace

bool call_next_blas(Door door, const GemmProblem& problem, const void* caller) {
  for (const Candidate& candidate : candidates) {
    if (candidate.door == door && try_candidate(candidate, problem, caller)) return true;
  }
  for (const Candidate& candidate : candidates) {
    // A bare `sgemm` may be any function of a program's own: it stands in for no other name.
    if (candidate.door != Door::sgemm && try_candidate(candidate, problem, caller)) return true;
  }
  return false;
}

}  // namespace ladder::shim
