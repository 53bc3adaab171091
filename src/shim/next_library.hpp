// SPDX-License-Identifier: MIT
// The next library: what a symbol would have meant without us. Nothing else asks the loader about it.
#pragma once

#include <cstdint>

#include "cublas_doors.hpp"
#include "cublas_lt_doors.hpp"

namespace ladder::shim {

enum class NextSymbol : std::uint8_t {
#define NEXT_CUBLAS(name) name,
#define NEXT_CUBLAS_LT(name) name,
#include "next_symbols.def"
#undef NEXT_CUBLAS
#undef NEXT_CUBLAS_LT
#define DEVICE_DOOR(name)
#define HOST_DOOR(name, form) name,
#include "doors.def"
#undef DEVICE_DOOR
#undef HOST_DOOR
};

/// Address of the real function, or null where no library has it. Looked for, in this order: the file
/// that LADDER_CUBLAS or LADDER_BLAS names and what that depends on (and then nowhere else, unless it brought no
/// cuBLASLt along); after us in the loader's global order; the object that holds `caller` and what that
/// depends on; every loaded object; the program itself; the usual SONAMEs. Never one of our own functions.
///
/// Found once and kept. A symbol that was not found is looked for again only after the process has
/// loaded something. Any thread; no locks of ours.
void* next_symbol(NextSymbol symbol, const void* caller);

/// The real functions of cuBLAS and cuBLASLt, typed: next::cublasCreate_v2(caller) is null where there is none.
namespace next {
#define NEXT_CUBLAS(name)                                                              \
  inline decltype(&::name) name(const void* caller) {                                  \
    return reinterpret_cast<decltype(&::name)>(next_symbol(NextSymbol::name, caller)); \
  }
#define NEXT_CUBLAS_LT(name) NEXT_CUBLAS(name)
#include "next_symbols.def"
#undef NEXT_CUBLAS_LT
#undef NEXT_CUBLAS
}  // namespace next

/// Alive while this thread is inside the next library. Calls that come back to our doors meanwhile
/// (reference CBLAS calls sgemm_ through the PLT) are the next library's own business: they go
/// straight on, uncounted.
class InsideNextLibrary {
 public:
  InsideNextLibrary();
  ~InsideNextLibrary();
  InsideNextLibrary(const InsideNextLibrary&) = delete;
  InsideNextLibrary& operator=(const InsideNextLibrary&) = delete;
};

bool inside_next_library();

}  // namespace ladder::shim
