// SPDX-License-Identifier: MIT
// cublasLtMatmul, which its descriptors describe: served where they ask for an FP32 product with an epilogue that rungs
// have, and otherwise handed on as it came. The algorithm and the workspace are the real cuBLASLt's own business.
#include "cublas_lt_doors.hpp"
#include "cublas_lt_problem.hpp"
#include "cublas_product.hpp"

namespace cublas = ladder::cublas;
namespace cublas_lt = ladder::cublas_lt;
namespace shim = ladder::shim;
using ladder::GemmProblem;

namespace {

/// What the real cuBLASLt answers to a call that lacks something. Only asked where it cannot be asked itself.
cublas::Status status_of_pointers(cublas_lt::Handle handle, const shim::LtCall& call, bool described) {
  const auto known = reinterpret_cast<cublas::Handle>(handle);
  if (handle == nullptr || (shim::made_here(known) && shim::own_handle(known) == nullptr))
    return cublas::STATUS_NOT_INITIALIZED;
  const bool complete = described && call.alpha && call.beta && call.a && call.b && call.d;
  return complete ? cublas::STATUS_SUCCESS : cublas::STATUS_INVALID_VALUE;
}

/// To cuBLASLt (13.1) a D without elements is an error, EXECUTION_FAILED, which to the BLAS it is not: where there is a
/// real one, it says so itself. Of k = 0 both say that D is beta C.
bool has_no_elements(const GemmProblem& problem) { return problem.m == 0 || problem.n == 0; }

/// What the descriptors say; first what other types than FP32 differ in. They are data: reading them under
/// LADDER_DEVICE=emulate touches no GPU.
bool describe(cublas_lt::MatmulDesc desc, cublas_lt::MatrixLayout a, cublas_lt::MatrixLayout b,
              cublas_lt::MatrixLayout c, cublas_lt::MatrixLayout d, const void* caller, shim::LtCall& call) {
  if (!shim::read_layout(a, caller, call.a_layout) || !shim::read_layout(b, caller, call.b_layout) ||
      !shim::read_layout(d, caller, call.d_layout))
    return false;
  call.c_layout = call.d_layout;
  if (c != d && !shim::read_layout(c, caller, call.c_layout)) return false;
  return shim::read_operation(desc, caller, call.operation);
}

}  // namespace

LADDER_EXPORT cublas::Status cublasLtMatmul(cublas_lt::Handle handle, cublas_lt::MatmulDesc desc, const void* alpha,
                                            const void* a, cublas_lt::MatrixLayout a_layout, const void* b,
                                            cublas_lt::MatrixLayout b_layout, const void* beta, const void* c,
                                            cublas_lt::MatrixLayout c_layout, void* d, cublas_lt::MatrixLayout d_layout,
                                            const cublas_lt::Algorithm* algorithm, void* workspace,
                                            std::size_t workspace_bytes, cublas::CudaStream stream) {
  const void* caller = LADDER_CALLER;
  // A handle of cuBLAS is one of cuBLASLt too; the real library must never see one of ours.
  const bool own = shim::made_here(reinterpret_cast<cublas::Handle>(handle));
  const auto call_real = [&] {
    const auto real = own ? nullptr : shim::next::cublasLtMatmul(caller);
    return real ? real(handle, desc, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algorithm,
                       workspace, workspace_bytes, stream)
                : cublas::STATUS_NOT_SUPPORTED;
  };
  if (shim::inside_next_library()) return call_real();

  // 1. Complete? The real cuBLASLt answers for itself.
  const bool alone = own || shim::emulating();
  const auto floats = [](const void* address) { return static_cast<const float*>(address); };
  shim::LtCall call{
      {}, {}, {}, {}, {}, floats(alpha), floats(a), floats(b), floats(beta), floats(c), static_cast<float*>(d)};
  const bool described = desc && a_layout && b_layout && c_layout && d_layout;
  const auto pass_on = [&] {
    return shim::hand_on(shim::Door::cublasLtMatmul, stream, call_real, shim::why_descriptors);
  };
  const cublas::Status status = status_of_pointers(handle, call, described);
  if (status != cublas::STATUS_SUCCESS) return alone ? status : pass_on();

  // 2. A problem that a rung can compute?
  const bool ours = describe(desc, a_layout, b_layout, c_layout, d_layout, caller, call);
  const auto problem = ours ? shim::problem_of(call) : std::nullopt;
  if (!alone && (!problem || has_no_elements(*problem))) return pass_on();
  if (!problem) return cublas::STATUS_NOT_SUPPORTED;

  // 3. Serve it.
  const shim::Plan plan = shim::plan_by_wish(*problem, own, shim::tf32_wish(call.operation.compute));
  if (plan.front().target != shim::Target::next && is_noop(*problem))
    return shim::nothing_to_do(shim::Door::cublasLtMatmul, *problem);
  return shim::serve_device_call(shim::Door::cublasLtMatmul, plan, *problem, stream, call_real);
}
