// SPDX-License-Identifier: MIT
// What an executable or a shared library says of itself: who loads it, what it needs, and which functions around matrix
// products it imports, exports, or keeps to itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm_names.hpp"

namespace ladder::doctor {

/// Where a function stands, seen from one object.
enum class Role : std::uint8_t {
  imported,  ///< another object has it
  exported,  ///< it is here, and others may use it
  internal,  ///< it is here, and no one else sees it: what a statically linked BLAS looks like. Wrappers are left out
};

const char* role_name(Role role);

struct GemmSymbol {
  std::string name;
  NameKind kind;
  Role role;
};

struct ElfFacts {
  std::string file;
  std::string complaint;          ///< why nothing more is known; empty otherwise
  bool for_this_machine = false;  ///< 64-bit x86
  bool dynamic = false;           ///< takes part in dynamic linking
  std::string interpreter;  ///< the loader that it asks for; empty for a library and for what is linked statically
  std::string soname;
  std::vector<std::string> needed;  ///< DT_NEEDED, as it stands there
  bool symbolic = false;            ///< prefers its own functions to those of others (-Bsymbolic)
  bool stripped = false;            ///< without the table in which internal functions would be
  std::vector<GemmSymbol> symbols;  ///< those that have to do with products, by name
};

/// Reads the file; never runs it.
ElfFacts elf_facts(const std::string& file);

/// Does it have a function of that role and kind?
bool has_symbol(const ElfFacts& facts, Role role, NameKind kind);

}  // namespace ladder::doctor
