// SPDX-License-Identifier: MIT
#include "gemm_names.hpp"

#include <doctest/doctest.h>

using namespace ladder::doctor;

TEST_CASE("every exported door is one, and only under its own name") {
  for (const char* name : {"cublasSgemm_v2", "cublasSgemm_v2_64", "cublasGemmEx", "sgemm_", "sgemm", "cblas_sgemm",
                           "scipy_sgemm_", "scipy_cblas_sgemm64_"}) {
    CHECK_MESSAGE(kind_of(name) == NameKind::door, name);
  }
}

TEST_CASE("an SGEMM under other affixes is another name") {
  for (const char* name : {"SGEMM", "SGEMM_", "sgemm__", "openblas_sgemm_", "my_cblas_sgemm", "mkl_blas_sgemm",
                           "cblas_sgemm_64_", "bli_sgemm"}) {
    CHECK_MESSAGE(kind_of(name) == NameKind::another_name, name);
  }
}

TEST_CASE("other forms of an FP32 product") {
  for (const char* name : {"cublasSgemmGroupedBatched", "cublasGemmGroupedBatchedEx", "cublasXtSgemm",
                           "cblas_sgemm_batch", "sgemm_batch_strided_", "cblas_sgemm_compute", "sgemmt_"}) {
    CHECK_MESSAGE(kind_of(name) == NameKind::another_form, name);
  }
}

TEST_CASE("other types") {
  for (const char* name : {"dgemm_", "cblas_zgemm", "scipy_cblas_dgemm64_", "hgemm", "sbgemm_", "cgemm3m_",
                           "cublasDgemm_v2", "cublasHgemmStridedBatched", "cublasCgemm3mEx", "cblas_dgemm_batch"}) {
    CHECK_MESSAGE(kind_of(name) == NameKind::another_type, name);
  }
}

TEST_CASE("neighbours that are no product") {
  for (const char* name : {"ssyrk_", "cblas_ssyrk", "scipy_cblas_sgemv64_", "cublasSgemv_v2", "cublasSsyrk_v2"}) {
    CHECK_MESSAGE(kind_of(name) == NameKind::not_a_product, name);
  }
}

TEST_CASE("everything else is left alone, inner parts of a BLAS too") {
  for (const char* name :
       {"", "_", "64", "saxpy_", "sgemm_kernel", "sgemm_itcopy_HASWELL", "cublasCreate_v2", "cublasLtMatmulDescCreate",
        "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmulPreferenceInit", "_ZN5Eigen8internal5sgemmEv", "dsgemmx"}) {
    CHECK_MESSAGE(kind_of(name) == NameKind::other, name);
  }
}
