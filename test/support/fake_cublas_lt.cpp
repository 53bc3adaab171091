// SPDX-License-Identifier: MIT
#include "fake_cublas_lt.hpp"

#include <array>
#include <cstring>

#include "fake_cublas.hpp"

namespace cublas = ladder::cublas;
namespace cublas_lt = ladder::cublas_lt;
using cublas::Status;

namespace {

constexpr int most_attributes = 64;

/// What a descriptor of one kind has: bytes of each attribute (0: there is none), and its first value.
struct Kind {
  std::array<std::size_t, most_attributes> bytes{};
  std::array<std::uint64_t, most_attributes> value{};
};

/// As cuBLAS 13.0 has them, and one that it has not.
Kind kind_of_matmul() {
  Kind kind;
  for (const int word : {0, 1, 2, 3, 4, 5, 6, 7, 15, 16, 22, 26, 31, 32, 33, 34, 35, 37, fake_lt_new_matmul_attribute})
    kind.bytes[static_cast<std::size_t>(word)] = 4;
  for (const int wide : {8, 10, 11, 12, 13, 14, 17, 18, 19, 20, 21, 23, 24, 36, 38})
    kind.bytes[static_cast<std::size_t>(wide)] = 8;
  constexpr std::size_t fill_mode = 6, epilogue = 7, aux_type = 22, fast_accumulation = 25, bias_type = 26;
  kind.bytes[fast_accumulation] = 1;
  kind.value[fill_mode] = 2;
  kind.value[epilogue] = cublas_lt::EPILOGUE_DEFAULT;
  kind.value[aux_type] = kind.value[bias_type] = 0xffffffff;
  return kind;
}

Kind kind_of_layout() {
  Kind kind;
  for (const int word : {0, 1, 5, 8, fake_lt_new_layout_attribute}) kind.bytes[static_cast<std::size_t>(word)] = 4;
  for (const int wide : {2, 3, 4, 6, 7}) kind.bytes[static_cast<std::size_t>(wide)] = 8;
  kind.value[cublas_lt::LAYOUT_BATCH_COUNT] = 1;
  return kind;
}

struct Descriptor {
  Kind kind;
  int newest_attribute;

  std::uint64_t& operator[](int attribute) { return kind.value[static_cast<std::size_t>(attribute)]; }

  std::size_t bytes_of(int attribute) const {
    const bool known = attribute >= 0 && attribute < most_attributes && attribute <= newest_attribute;
    return known ? kind.bytes[static_cast<std::size_t>(attribute)] : 0;
  }

  Status get(int attribute, void* value, std::size_t bytes, std::size_t* written) {
    const std::size_t needed = bytes_of(attribute);
    if (needed == 0 || written == nullptr || (bytes != 0 && (bytes != needed || value == nullptr)))
      return cublas::STATUS_INVALID_VALUE;
    *written = needed;
    if (bytes != 0) std::memcpy(value, &(*this)[attribute], needed);
    return cublas::STATUS_SUCCESS;
  }

  Status set(int attribute, const void* value, std::size_t bytes) {
    if (bytes == 0 || bytes != bytes_of(attribute)) return cublas::STATUS_INVALID_VALUE;
    std::memcpy(&(*this)[attribute], value, bytes);
    return cublas::STATUS_SUCCESS;
  }
};

template <class Opaque>
Descriptor& inside(Opaque* opaque) {
  return *reinterpret_cast<Descriptor*>(opaque);
}

}  // namespace

LADDER_EXPORT FakeLtState* fake_cublas_lt_state() {
  static FakeLtState state;
  return &state;
}

LADDER_EXPORT Status cublasLtMatmulDescCreate(cublas_lt::MatmulDesc* desc, cublas::Compute compute,
                                              cublas::DataType scale_type) {
  auto* made = new Descriptor{kind_of_matmul(), fake_cublas_lt_state()->newest_attribute};
  (*made)[cublas_lt::MATMUL_COMPUTE_TYPE] = static_cast<std::uint32_t>(compute);
  (*made)[cublas_lt::MATMUL_SCALE_TYPE] = static_cast<std::uint32_t>(scale_type);
  *desc = reinterpret_cast<cublas_lt::MatmulDesc>(made);
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasLtMatmulDescDestroy(cublas_lt::MatmulDesc desc) {
  delete &inside(desc);
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasLtMatmulDescGetAttribute(cublas_lt::MatmulDesc desc, cublas_lt::MatmulAttribute attribute,
                                                    void* value, std::size_t bytes, std::size_t* written) {
  return inside(desc).get(attribute, value, bytes, written);
}
LADDER_EXPORT Status cublasLtMatmulDescSetAttribute(cublas_lt::MatmulDesc desc, int attribute, const void* value,
                                                    std::size_t bytes) {
  return inside(desc).set(attribute, value, bytes);
}

LADDER_EXPORT Status cublasLtMatrixLayoutCreate(cublas_lt::MatrixLayout* layout, cublas::DataType type,
                                                std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  auto* made = new Descriptor{kind_of_layout(), fake_cublas_lt_state()->newest_attribute};
  (*made)[cublas_lt::LAYOUT_TYPE] = static_cast<std::uint32_t>(type);
  (*made)[cublas_lt::LAYOUT_ROWS] = rows;
  (*made)[cublas_lt::LAYOUT_COLS] = cols;
  (*made)[cublas_lt::LAYOUT_LD] = static_cast<std::uint64_t>(ld);
  *layout = reinterpret_cast<cublas_lt::MatrixLayout>(made);
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasLtMatrixLayoutDestroy(cublas_lt::MatrixLayout layout) {
  delete &inside(layout);
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasLtMatrixLayoutGetAttribute(cublas_lt::MatrixLayout layout,
                                                      cublas_lt::LayoutAttribute attribute, void* value,
                                                      std::size_t bytes, std::size_t* written) {
  return inside(layout).get(attribute, value, bytes, written);
}
LADDER_EXPORT Status cublasLtMatrixLayoutSetAttribute(cublas_lt::MatrixLayout layout, int attribute, const void* value,
                                                      std::size_t bytes) {
  return inside(layout).set(attribute, value, bytes);
}

LADDER_EXPORT Status cublasLtMatmul(cublas_lt::Handle handle, cublas_lt::MatmulDesc desc, const void* alpha,
                                    const void* a, cublas_lt::MatrixLayout a_layout, const void* b,
                                    cublas_lt::MatrixLayout b_layout, const void* beta, const void* c,
                                    cublas_lt::MatrixLayout c_layout, void* d, cublas_lt::MatrixLayout d_layout,
                                    const cublas_lt::Algorithm* algorithm, void* workspace, std::size_t workspace_bytes,
                                    cublas::CudaStream stream) {
  FakeLtState& state = *fake_cublas_lt_state();
  ++state.calls;
  state.arguments = bits_of_each(handle, desc, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout,
                                 algorithm, workspace, workspace_bytes, stream);
  if (!state.calls_itself) return state.answer;
  state.calls_itself = false;
  cublas_lt::Matmul* volatile by_name = cublasLtMatmul;  // else the compiler makes a loop of it
  return by_name(handle, desc, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algorithm, workspace,
                 workspace_bytes, stream);
}
