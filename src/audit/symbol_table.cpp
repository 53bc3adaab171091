// SPDX-License-Identifier: MIT
#include "symbol_table.hpp"

#include "text.hpp"

namespace ladder::audit {

namespace {

// The two hash functions are those of the ELF specification and of its GNU extension.

std::uint32_t gnu_hash_of(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

std::uint32_t sysv_hash_of(const char* name) {
  std::uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + static_cast<unsigned char>(*name);
    hash ^= (hash & 0xf0000000u) >> 24;
    hash &= 0x0fffffffu;
  }
  return hash;
}

/// The loader has turned most of these offsets into addresses, but not those of read-only dynamic sections.
std::uintptr_t address_of(const Elf64_Dyn& entry, std::uintptr_t base) {
  return entry.d_un.d_ptr < base ? entry.d_un.d_ptr + base : entry.d_un.d_ptr;
}

}  // namespace

SymbolTable::SymbolTable(const link_map& object) : base_(object.l_addr) {
  if (object.l_ld == nullptr) return;
  for (const Elf64_Dyn* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t place = address_of(*entry, base_);
    if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const Elf64_Sym*>(place);
    if (entry->d_tag == DT_STRTAB) names_ = reinterpret_cast<const char*>(place);
    if (entry->d_tag == DT_GNU_HASH) gnu_hash_ = reinterpret_cast<const std::uint32_t*>(place);
    if (entry->d_tag == DT_HASH) sysv_hash_ = reinterpret_cast<const std::uint32_t*>(place);
  }
}

std::uintptr_t SymbolTable::find(const char* name) const {
  if (symbols_ == nullptr || names_ == nullptr) return 0;
  if (gnu_hash_ != nullptr) return find_by_gnu_hash(name);
  return sysv_hash_ != nullptr ? find_by_sysv_hash(name) : 0;
}

std::uintptr_t SymbolTable::find_by_gnu_hash(const char* name) const {
  constexpr std::uint32_t word_bits = 64;
  const std::uint32_t bucket_count = gnu_hash_[0], first_hashed = gnu_hash_[1];
  const std::uint32_t filter_words = gnu_hash_[2], shift = gnu_hash_[3];
  const auto* filter = reinterpret_cast<const std::uint64_t*>(gnu_hash_ + 4);
  const auto* buckets = reinterpret_cast<const std::uint32_t*>(filter + filter_words);
  const std::uint32_t* chains = buckets + bucket_count;
  if (bucket_count == 0 || filter_words == 0) return 0;

  const std::uint32_t hash = gnu_hash_of(name);
  const std::uint64_t word = filter[hash / word_bits % filter_words];
  const auto has_bit_of = [word](std::uint32_t number) { return (word >> (number % word_bits) & 1) != 0; };
  if (!has_bit_of(hash) || !has_bit_of(hash >> shift)) return 0;
  std::uint32_t index = buckets[hash % bucket_count];
  if (index < first_hashed) return 0;
  for (;; ++index) {
    const std::uint32_t entry = chains[index - first_hashed];  // its lowest bit ends the chain
    if ((entry | 1) == (hash | 1)) {
      if (const std::uintptr_t found = address_if_named(index, name)) return found;
    }
    if ((entry & 1) != 0) return 0;
  }
}

std::uintptr_t SymbolTable::find_by_sysv_hash(const char* name) const {
  const std::uint32_t bucket_count = sysv_hash_[0];
  const std::uint32_t* buckets = sysv_hash_ + 2;
  const std::uint32_t* chains = buckets + bucket_count;
  if (bucket_count == 0) return 0;
  for (std::uint32_t i = buckets[sysv_hash_of(name) % bucket_count]; i != STN_UNDEF; i = chains[i]) {
    if (const std::uintptr_t found = address_if_named(i, name)) return found;
  }
  return 0;
}

std::uintptr_t SymbolTable::address_if_named(std::uint32_t index, const char* name) const {
  const Elf64_Sym& symbol = symbols_[index];
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  const bool function = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
  if (!function || symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return 0;
  return same(names_ + symbol.st_name, name) ? base_ + symbol.st_value : 0;
}

}  // namespace ladder::audit
