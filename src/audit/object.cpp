// SPDX-License-Identifier: MIT
#include "object.hpp"

#include "symbol_table.hpp"

namespace ladder::audit {

Object::Object(const link_map& map, Lmid_t name_space) : word_(reinterpret_cast<std::uintptr_t>(&map)) {
  if (name_space != LM_ID_BASE) word_ |= elsewhere;
  const SymbolTable table(map);
  for (const DoorName& door : doors) {
    if (companion_of(door.text) == nullptr && table.defines(door.text)) word_ |= mark_of(door.kind);
  }
}

}  // namespace ladder::audit
