// SPDX-License-Identifier: MIT
// What the name of a function says about it: one of our doors, a matrix product that is none of ours, or a neighbour
// that is often taken for one.
#pragma once

#include <cstdint>
#include <string_view>

namespace ladder::doctor {

enum class NameKind : std::uint8_t {
  other,          ///< nothing to do with matrix products
  door,           ///< we export it, and serve it where all types are FP32
  another_name,   ///< an SGEMM under a name that we do not export
  another_form,   ///< an FP32 product of another form: grouped, in batches of MKL's own kind, cublasXt
  another_type,   ///< a product in double, half or complex precision
  not_a_product,  ///< ssyrk, sgemv and the like, to which programs send what looks like a product
};

/// By the name alone, as it stands in a symbol table (no version).
NameKind kind_of(std::string_view symbol);

/// The words of the JSON report: "door", "another_name", ...
const char* kind_name(NameKind kind);

}  // namespace ladder::doctor
