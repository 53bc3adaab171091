// SPDX-License-Identifier: MIT
// cublasSgemm of the legacy interface: character ops, scalars by value, the legacy default stream.
#include "config.hpp"
#include "cublas_doors.hpp"
#include "dispatch.hpp"
#include "fortran_op.hpp"
#include "illegal_argument.hpp"
#include "next_library.hpp"
#include "serve_device.hpp"

namespace cublas = ladder::cublas;
namespace shim = ladder::shim;
using ladder::GemmProblem;
using ladder::Op;

LADDER_EXPORT void cublasSgemm(char op_a, char op_b, int m, int n, int k, float alpha, const float* a, int lda,
                               const float* b, int ldb, float beta, float* c, int ldc) {
  const auto real = shim::emulating() ? nullptr : shim::next::cublasSgemm(LADDER_CALLER);
  const auto call_real = [&] {
    if (real == nullptr) return cublas::STATUS_NOT_SUPPORTED;
    real(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    return cublas::STATUS_SUCCESS;
  };
  if (shim::inside_next_library()) return static_cast<void>(call_real());

  // 1. Legal? The real function, where there is one, keeps the error for the program's cublasGetError.
  const auto legal_a = shim::parse_op(op_a);
  const auto legal_b = shim::parse_op(op_b);
  const GemmProblem problem{{legal_a.value_or(Op::none),
                             legal_b.value_or(Op::none),
                             m,
                             n,
                             k,
                             {nullptr, alpha},
                             a,
                             lda,
                             b,
                             ldb,
                             {nullptr, beta},
                             c,
                             ldc},
                            {},
                            {}};
  const int position = !legal_a   ? shim::op_a_position
                       : !legal_b ? shim::op_b_position
                                  : shim::fortran_position(ladder::first_illegal_argument(problem));
  if (position != 0) {
    if (call_real() == cublas::STATUS_NOT_SUPPORTED) shim::report_on_stderr(shim::sgemm_routine, position);
    return;
  }

  // 2. Serve it.
  if (ladder::is_noop(problem)) {
    shim::nothing_to_do(shim::Door::cublasSgemm, problem);
    return;
  }
  const shim::Plan plan = shim::plan_by_wish(problem, real == nullptr, shim::Tf32Wish::unsaid);
  shim::serve_device_call(shim::Door::cublasSgemm, plan, problem, nullptr, call_real);
}
