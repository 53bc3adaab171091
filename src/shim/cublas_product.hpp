// SPDX-License-Identifier: MIT
// How every cuBLAS door serves a product, once its own arguments have been adapted.
#pragma once

#include "config.hpp"
#include "dispatch.hpp"
#include "hand_on.hpp"
#include "handle.hpp"
#include "illegal_argument.hpp"
#include "next_library.hpp"
#include "serve_device.hpp"

namespace ladder::shim {

/// A product, or a batch of them, as a cuBLAS door was asked for it: nothing has been checked yet. Where the matrices'
/// addresses stand in arrays, `layout` has these, and a, b and c are null.
struct CublasRequest {
  Door door;
  cublas::Handle handle;
  cublas::Operation op_a, op_b;
  std::int64_t m, n, k;
  const float* alpha;
  const float* a;
  std::int64_t lda;
  const float* b;
  std::int64_t ldb;
  const float* beta;
  float* c;
  std::int64_t ldc;
  BatchLayout layout = {};
  Tf32Wish tf32 = Tf32Wish::unsaid;
};

/// The request as a problem; scalars as the pointer mode says. Illegal operations count as a transpose.
GemmProblem problem_of(const CublasRequest& request, cublas::PointerMode mode);

/// SUCCESS where a rung may serve the problem; otherwise what cuBLAS answers, and the reason as the last error.
cublas::Status check_request(const CublasRequest& request, const GemmProblem& problem);

/// `call_real` calls the real function with the caller's own arguments and returns its status.
template <class CallReal>
cublas::Status serve_cublas_request(const CublasRequest& request, const void* caller, const CallReal& call_real) {
  if (inside_next_library()) return call_real();

  // 1. The handle, whoever made it.
  HandleView view;
  if (const cublas::Status status = view_handle(request.handle, caller, view); status != cublas::STATUS_SUCCESS)
    return status;

  // 2. The problem, and the ways to serve it.
  const GemmProblem problem = problem_of(request, view.pointer_mode);
  const Plan plan = plan_by_wish(problem, view.own, weightier(view.tf32, request.tf32));

  // 3. Legal? The real cuBLAS answers for itself.
  if (plan.front().target != Target::next) {
    const cublas::Status status = check_request(request, problem);
    if (status != cublas::STATUS_SUCCESS) return status;
    if (is_noop(problem)) return nothing_to_do(request.door, problem);
  }

  // 4. Serve it.
  return serve_device_call(request.door, plan, problem, view.stream, call_real);
}

}  // namespace ladder::shim
