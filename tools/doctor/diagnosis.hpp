// SPDX-License-Identifier: MIT
// What follows from an examination: which names reached us, which went past us and why, and a verdict in one sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examination.hpp"

namespace ladder::doctor {

/// What became of a name that an object uses.
enum class Fate : std::uint8_t {
  served,             ///< bound to us, and calls came
  unused,             ///< bound to us, and no FP32 call came
  not_bound,          ///< imported, and not called by that name while the program ran
  past_by_dlsym,      ///< fetched from a library's own handle
  past_by_deepbind,   ///< the object prefers its own dependencies
  past_not_loaded,    ///< we were not loaded into that process
  past_in_namespace,  ///< dlmopen
  own_copy,           ///< the object has the function itself
  inside_blas,        ///< a BLAS or cuBLAS among its own parts
  another_name,
  another_form,
  another_type,
  not_a_product,
};

const char* fate_name(Fate fate);

/// Does SGEMM work go past us that way?
bool is_missed(Fate fate);

struct Row {
  Binding binding;  ///< with nothing in `to` where it is an import that was not bound
  Fate fate;
  std::uint64_t calls = 0;  ///< through that door, by whichever object; 0 where it is not bound to us
};

/// Bindings, and imports that were not bound; what is missed comes first.
std::vector<Row> rows_of(const Run& run);

struct Remark {
  std::string key;
  std::string sentence;  ///< what is the matter, and what helps
};

/// What was missed, or may have been, and hints; one remark for each thing, not for each object.
std::vector<Remark> remarks_of(const Before& before, const Run* run);

struct Verdict {
  std::string key;
  std::string sentence;
  bool well = false;  ///< calls came, and none is known to have gone past us
  bool program_failed = false;
};

/// `run` is null where there was none.
Verdict verdict_of(const Before& before, const Run* run);

}  // namespace ladder::doctor
