// SPDX-License-Identifier: MIT
// A call of cublasLtMatmul with descriptors of the fake cuBLASLt. The fake's functions are found in the library that
// the test names; cublasLtMatmul itself is whatever the program is bound to.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <initializer_list>

#include "fake_cublas_lt.hpp"

namespace ladder::test {

struct FakeLt {
  cublas_lt::MatmulDescCreate* create_matmul;
  cublas_lt::MatmulDescDestroy* destroy_matmul;
  decltype(&cublasLtMatmulDescSetAttribute) set_matmul;
  cublas_lt::MatrixLayoutCreate* create_layout;
  cublas_lt::MatrixLayoutDestroy* destroy_layout;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout;
  FakeLtState* state;

  /// From a handle of the loader.
  explicit FakeLt(void* library)
      : create_matmul(symbol<cublas_lt::MatmulDescCreate>(library, "cublasLtMatmulDescCreate")),
        destroy_matmul(symbol<cublas_lt::MatmulDescDestroy>(library, "cublasLtMatmulDescDestroy")),
        set_matmul(symbol<decltype(cublasLtMatmulDescSetAttribute)>(library, "cublasLtMatmulDescSetAttribute")),
        create_layout(symbol<cublas_lt::MatrixLayoutCreate>(library, "cublasLtMatrixLayoutCreate")),
        destroy_layout(symbol<cublas_lt::MatrixLayoutDestroy>(library, "cublasLtMatrixLayoutDestroy")),
        set_layout(symbol<decltype(cublasLtMatrixLayoutSetAttribute)>(library, "cublasLtMatrixLayoutSetAttribute")),
        state(symbol<decltype(fake_cublas_lt_state)>(library, "fake_cublas_lt_state")()) {}

 private:
  template <class Function>
  static Function* symbol(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
};

/// Its descriptors live as long as it does; pointers are the test's own.
class FakeLtCall {
 public:
  enum Matrix { A, B, C, D, matrices };

  struct Extents {
    std::uint64_t rows, cols;
    std::int64_t ld;
  };

  cublas_lt::Handle handle = nullptr;
  cublas_lt::MatmulDesc desc = nullptr;
  std::array<cublas_lt::MatrixLayout, matrices> layout{};
  const void *alpha = nullptr, *a = nullptr, *b = nullptr, *beta = nullptr, *c = nullptr;
  void* d = nullptr;
  const cublas_lt::Algorithm* algorithm = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  cublas::CudaStream stream = nullptr;

  FakeLtCall(const FakeLt& lt, const std::array<Extents, matrices>& extents,
             cublas::Compute compute = cublas::COMPUTE_32F)
      : lt_(lt) {
    lt_.create_matmul(&made_desc_, compute, cublas::R_32F);
    desc = made_desc_;
    for (std::size_t i = 0; i < matrices; ++i)
      lt_.create_layout(&made_layout_[i], cublas::R_32F, extents[i].rows, extents[i].cols, extents[i].ld);
    layout = made_layout_;
  }
  FakeLtCall(const FakeLtCall&) = delete;
  FakeLtCall& operator=(const FakeLtCall&) = delete;
  ~FakeLtCall() {
    lt_.destroy_matmul(made_desc_);
    for (const cublas_lt::MatrixLayout made : made_layout_) lt_.destroy_layout(made);
  }

  template <class Value>
  bool set(int attribute, Value value) {
    return lt_.set_matmul(made_desc_, attribute, &value, sizeof value) == cublas::STATUS_SUCCESS;
  }
  template <class Value>
  bool set(Matrix matrix, int attribute, Value value) {
    return lt_.set_layout(made_layout_[matrix], attribute, &value, sizeof value) == cublas::STATUS_SUCCESS;
  }

  cublas::Status make() const {
    return cublasLtMatmul(handle, desc, alpha, a, layout[A], b, layout[B], beta, c, layout[C], d, layout[D], algorithm,
                          workspace, workspace_bytes, stream);
  }

 private:
  const FakeLt& lt_;
  cublas_lt::MatmulDesc made_desc_ = nullptr;
  std::array<cublas_lt::MatrixLayout, matrices> made_layout_{};
};

}  // namespace ladder::test
