// SPDX-License-Identifier: MIT
#include "cublas_lt_descriptors.hpp"

#include <array>
#include <cstddef>

#include "fp32_compute.hpp"
#include "next_library.hpp"

namespace ladder::shim {

namespace {

using namespace cublas_lt;

// -- 1. One kind of descriptor ----------------------------------------------------------------------------

/// Reads attributes, and knows of those that nobody here interprets what a new descriptor has in them.
template <class Descriptor, class Attribute>
class Reader {
 public:
  using Get = cublas::Status(Descriptor, Attribute, void* value, std::size_t bytes, std::size_t* written);

  explicit Reader(Get* get) : get_(get) {}

  /// Looks through a new descriptor; attributes that `interpreted` names are left out.
  void learn(Descriptor fresh, bool (*interpreted)(Attribute)) {
    for (int number = 0; number < numbers_asked_for; ++number) {
      Other other{static_cast<Attribute>(number), 0, 0};
      if (interpreted(other.attribute)) continue;
      if (get_(fresh, other.attribute, nullptr, 0, &other.bytes) != cublas::STATUS_SUCCESS) continue;
      if (other.bytes > sizeof other.value || !read(fresh, other.attribute, &other.value, other.bytes)) return;
      others_[static_cast<std::size_t>(other_count_++)] = other;
    }
    learnt_ = true;
  }

  template <class Value>
  bool read(Descriptor descriptor, Attribute attribute, Value& value) const {
    return read(descriptor, attribute, &value, sizeof value);
  }

  /// True where every attribute that is not interpreted is as in a new descriptor.
  bool is_plain(Descriptor descriptor) const {
    if (!learnt_) return false;
    for (int i = 0; i < other_count_; ++i) {
      const Other& other = others_[static_cast<std::size_t>(i)];
      std::uint64_t value = 0;
      std::size_t written = 0;
      const cublas::Status status = get_(descriptor, other.attribute, &value, other.bytes, &written);
      // A program built for an older cuBLASLt has descriptors that lack the newer attributes.
      if (status == cublas::STATUS_INVALID_VALUE) continue;
      if (status != cublas::STATUS_SUCCESS || value != other.value) return false;
    }
    return true;
  }

 private:
  struct Other {
    Attribute attribute;
    std::size_t bytes;
    std::uint64_t value;
  };
  // cuBLAS 13.0 has numbers up to 38. The others are asked for because a later one may have them.
  static constexpr int numbers_asked_for = 64;

  bool read(Descriptor descriptor, Attribute attribute, void* value, std::size_t bytes) const {
    std::size_t written = 0;
    return get_(descriptor, attribute, value, bytes, &written) == cublas::STATUS_SUCCESS && written == bytes;
  }

  Get* get_;
  std::array<Other, numbers_asked_for> others_{};
  int other_count_ = 0;
  bool learnt_ = false;
};

// -- 2. The two kinds -------------------------------------------------------------------------------------

using OperationReader = Reader<MatmulDesc, MatmulAttribute>;
using LayoutReader = Reader<MatrixLayout, LayoutAttribute>;

/// Read below, or without bearing on the products that a rung serves: only the epilogues with AUX use what is theirs,
/// only FP8 has a quicker way to sum, and alpha is no vector.
bool is_interpreted(MatmulAttribute attribute) {
  switch (attribute) {
    case MATMUL_COMPUTE_TYPE:
    case MATMUL_SCALE_TYPE:
    case MATMUL_POINTER_MODE:
    case MATMUL_TRANSA:
    case MATMUL_TRANSB:
    case MATMUL_EPILOGUE:
    case MATMUL_BIAS_POINTER:
    case MATMUL_BIAS_BATCH_STRIDE:
    case MATMUL_BIAS_DATA_TYPE:
    case MATMUL_EPILOGUE_AUX_POINTER:
    case MATMUL_EPILOGUE_AUX_LD:
    case MATMUL_EPILOGUE_AUX_BATCH_STRIDE:
    case MATMUL_EPILOGUE_AUX_DATA_TYPE:
    case MATMUL_EPILOGUE_AUX_SCALE_POINTER:
    case MATMUL_EPILOGUE_AUX_AMAX_POINTER:
    case MATMUL_EPILOGUE_AUX_SCALE_MODE:
    case MATMUL_ALPHA_VECTOR_BATCH_STRIDE:
    case MATMUL_FAST_ACCUM:
      return true;
  }
  return false;
}

bool is_interpreted(LayoutAttribute attribute) {
  switch (attribute) {
    case LAYOUT_TYPE:
    case LAYOUT_ORDER:
    case LAYOUT_ROWS:
    case LAYOUT_COLS:
    case LAYOUT_LD:
    case LAYOUT_BATCH_COUNT:
    case LAYOUT_STRIDED_BATCH_OFFSET:
      return true;
  }
  return false;
}

/// `create` and `destroy` make and end a new descriptor. The first call of the process asks for what is in one.
template <class Descriptor, class Attribute, class Get, class Create, class Destroy>
const Reader<Descriptor, Attribute>* reader_of(Get* get, const Create& create, Destroy* destroy) {
  if (get == nullptr || destroy == nullptr) return nullptr;
  static const Reader<Descriptor, Attribute> reader = [&] {
    Reader<Descriptor, Attribute> made(get);
    Descriptor fresh = nullptr;
    if (create(&fresh) != cublas::STATUS_SUCCESS) return made;
    made.learn(fresh, [](Attribute attribute) { return is_interpreted(attribute); });
    destroy(fresh);
    return made;
  }();
  return &reader;
}

const OperationReader* operation_reader(const void* caller) {
  const auto create = [caller](MatmulDesc* fresh) {
    const auto real = next::cublasLtMatmulDescCreate(caller);
    return real ? real(fresh, cublas::COMPUTE_32F, cublas::R_32F) : cublas::STATUS_NOT_SUPPORTED;
  };
  return reader_of<MatmulDesc, MatmulAttribute>(next::cublasLtMatmulDescGetAttribute(caller), create,
                                                next::cublasLtMatmulDescDestroy(caller));
}

const LayoutReader* layout_reader(const void* caller) {
  const auto create = [caller](MatrixLayout* fresh) {
    const auto real = next::cublasLtMatrixLayoutCreate(caller);
    return real ? real(fresh, cublas::R_32F, 1, 1, 1) : cublas::STATUS_NOT_SUPPORTED;
  };
  return reader_of<MatrixLayout, LayoutAttribute>(next::cublasLtMatrixLayoutGetAttribute(caller), create,
                                                  next::cublasLtMatrixLayoutDestroy(caller));
}

// -- 3. What they say -------------------------------------------------------------------------------------

bool is_ours(Epilogue epilogue) {
  switch (epilogue) {
    case EPILOGUE_DEFAULT:
    case EPILOGUE_RELU:
    case EPILOGUE_BIAS:
    case EPILOGUE_RELU_BIAS:
    case EPILOGUE_GELU:
    case EPILOGUE_GELU_BIAS:
      return true;
  }
  return false;
}

bool is_operation(cublas::Operation op) { return op == cublas::OP_N || op == cublas::OP_T || op == cublas::OP_C; }

bool read_bias(const OperationReader& reader, MatmulDesc descriptor, LtOperation& operation) {
  constexpr std::int32_t as_in_d = -1;
  std::int32_t type = as_in_d;
  if (reader.read(descriptor, MATMUL_BIAS_DATA_TYPE, type) && type != as_in_d && type != cublas::R_32F) return false;
  return reader.read(descriptor, MATMUL_BIAS_POINTER, operation.bias) && operation.bias != nullptr &&
         reader.read(descriptor, MATMUL_BIAS_BATCH_STRIDE, operation.bias_stride);
}

}  // namespace

bool read_operation(MatmulDesc descriptor, const void* caller, LtOperation& operation) {
  const OperationReader* reader = operation_reader(caller);
  cublas::DataType scale_type{};
  if (reader == nullptr || !reader->read(descriptor, MATMUL_COMPUTE_TYPE, operation.compute) ||
      !reader->read(descriptor, MATMUL_SCALE_TYPE, scale_type))
    return false;
  if (!sums_in_fp32(operation.compute) || scale_type != cublas::R_32F) return false;
  if (!reader->read(descriptor, MATMUL_POINTER_MODE, operation.pointer_mode) ||
      !reader->read(descriptor, MATMUL_TRANSA, operation.op_a) ||
      !reader->read(descriptor, MATMUL_TRANSB, operation.op_b) ||
      !reader->read(descriptor, MATMUL_EPILOGUE, operation.epilogue))
    return false;
  if (operation.pointer_mode != cublas::POINTER_MODE_HOST && operation.pointer_mode != cublas::POINTER_MODE_DEVICE)
    return false;
  if (!is_operation(operation.op_a) || !is_operation(operation.op_b) || !is_ours(operation.epilogue)) return false;
  if ((operation.epilogue & EPILOGUE_BIAS) != 0 && !read_bias(*reader, descriptor, operation)) return false;
  return reader->is_plain(descriptor);
}

bool read_layout(MatrixLayout descriptor, const void* caller, LtLayout& layout) {
  const LayoutReader* reader = layout_reader(caller);
  cublas::DataType type{};
  if (reader == nullptr || !reader->read(descriptor, LAYOUT_TYPE, type) || type != cublas::R_32F) return false;
  if (!reader->read(descriptor, LAYOUT_ORDER, layout.order) || !reader->read(descriptor, LAYOUT_ROWS, layout.rows) ||
      !reader->read(descriptor, LAYOUT_COLS, layout.cols) || !reader->read(descriptor, LAYOUT_LD, layout.ld) ||
      !reader->read(descriptor, LAYOUT_BATCH_COUNT, layout.batch) ||
      !reader->read(descriptor, LAYOUT_STRIDED_BATCH_OFFSET, layout.stride))
    return false;
  return (layout.order == ORDER_COL || layout.order == ORDER_ROW) && reader->is_plain(descriptor);
}

}  // namespace ladder::shim
