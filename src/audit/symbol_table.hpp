// SPDX-License-Identifier: MIT
// The functions that a loaded object exports, read from its memory: dlsym of the auditor's namespace would not see it.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstdint>

namespace ladder::audit {

/// A look into the object, valid as long as it is loaded. Any thread.
class SymbolTable {
 public:
  explicit SymbolTable(const link_map& object);

  /// Address of the function that the object itself defines and exports under this name, whatever its version; or 0.
  std::uintptr_t find(const char* name) const;

  bool defines(const char* name) const { return find(name) != 0; }

 private:
  std::uintptr_t find_by_gnu_hash(const char* name) const;
  std::uintptr_t find_by_sysv_hash(const char* name) const;
  std::uintptr_t address_if_named(std::uint32_t index, const char* name) const;

  std::uintptr_t base_;
  const Elf64_Sym* symbols_ = nullptr;
  const char* names_ = nullptr;
  const std::uint32_t* gnu_hash_ = nullptr;
  const std::uint32_t* sysv_hash_ = nullptr;
};

}  // namespace ladder::audit
