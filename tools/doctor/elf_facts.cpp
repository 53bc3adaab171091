// SPDX-License-Identifier: MIT
#include "elf_facts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

namespace ladder::doctor {

namespace {

// A function of fewer bytes computes no product: it fetches the real one, or jumps to it. (XLA's stubs for cuBLAS have
// none to some dozens, SciPy's sgemm_ 5; the smallest real entry that was seen, the reference BLAS's cblas_sgemm, 774.)
constexpr std::uint64_t smallest_product = 256;

class File {
 public:
  explicit File(const std::string& name) : descriptor_(open(name.c_str(), O_RDONLY | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using OpenElf = std::unique_ptr<Elf, EndElf>;

std::string text_at(Elf* elf, std::size_t table, std::size_t offset) {
  const char* text = elf_strptr(elf, table, offset);
  return text == nullptr ? "" : text;
}

void read_segments(Elf* elf, ElfFacts& facts) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    if (segment.p_type == PT_DYNAMIC) facts.dynamic = true;
    if (segment.p_type != PT_INTERP) continue;
    const Elf_Data* data =
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
    if (data == nullptr || data->d_buf == nullptr) continue;
    const auto* text = static_cast<const char*>(data->d_buf);
    facts.interpreter.assign(text, strnlen(text, data->d_size));
  }
}

void read_dynamic(Elf* elf, const GElf_Shdr& header, Elf_Data* data, ElfFacts& facts) {
  const std::size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) return;
    if (entry.d_tag == DT_NEEDED) facts.needed.push_back(text_at(elf, header.sh_link, entry.d_un.d_val));
    if (entry.d_tag == DT_SONAME) facts.soname = text_at(elf, header.sh_link, entry.d_un.d_val);
    if (entry.d_tag == DT_SYMBOLIC) facts.symbolic = true;
    if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_SYMBOLIC) != 0) facts.symbolic = true;
  }
}

/// The kinds and roles of one table, added to what is known: .dynsym says more than .symtab.
void read_symbols(Elf* elf, const GElf_Shdr& header, Elf_Data* data, std::map<std::string, GemmSymbol>& found) {
  const bool visible = header.sh_type == SHT_DYNSYM;
  const std::size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC) continue;
    const bool defined = symbol.st_shndx != SHN_UNDEF;
    if (!visible && !defined) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    const NameKind kind = kind_of(name);
    if (kind == NameKind::other) continue;
    if (!visible && symbol.st_size < smallest_product) continue;
    const Role role = !defined ? Role::imported : visible ? Role::exported : Role::internal;
    if (visible) {
      found[name] = {name, kind, role};
    } else {
      found.try_emplace(name, GemmSymbol{name, kind, role});
    }
  }
}

/// Calls visit(header, data) for every section of that type.
template <class Visit>
void for_each_section(Elf* elf, std::uint32_t type, Visit&& visit) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != type) continue;
    if (Elf_Data* data = elf_getdata(section, nullptr)) visit(header, data);
  }
}

void read_elf(Elf* elf, ElfFacts& facts) {
  GElf_Ehdr header;
  if (gelf_getehdr(elf, &header) == nullptr) {
    facts.complaint = elf_errmsg(-1);
    return;
  }
  facts.for_this_machine = header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] == ELFCLASS64;
  read_segments(elf, facts);
  for_each_section(elf, SHT_DYNAMIC,
                   [&](const GElf_Shdr& section, Elf_Data* data) { read_dynamic(elf, section, data, facts); });
  std::map<std::string, GemmSymbol> found;
  facts.stripped = true;
  for_each_section(elf, SHT_DYNSYM,
                   [&](const GElf_Shdr& section, Elf_Data* data) { read_symbols(elf, section, data, found); });
  for_each_section(elf, SHT_SYMTAB, [&](const GElf_Shdr& section, Elf_Data* data) {
    facts.stripped = false;
    read_symbols(elf, section, data, found);
  });
  for (const auto& [name, symbol] : found) facts.symbols.push_back(symbol);
}

}  // namespace

const char* role_name(Role role) {
  constexpr std::array names = {"imported", "exported", "internal"};
  return names[static_cast<std::size_t>(role)];
}

ElfFacts elf_facts(const std::string& file) {
  ElfFacts facts;
  facts.file = file;
  const File opened(file);
  if (opened.descriptor() < 0) {
    facts.complaint = std::strerror(errno);
    return facts;
  }
  elf_version(EV_CURRENT);
  const OpenElf elf(elf_begin(opened.descriptor(), ELF_C_READ_MMAP, nullptr));
  if (elf == nullptr) {
    facts.complaint = elf_errmsg(-1);
  } else if (elf_kind(elf.get()) != ELF_K_ELF) {
    facts.complaint = "not an ELF file";
  } else {
    read_elf(elf.get(), facts);
  }
  return facts;
}

bool has_symbol(const ElfFacts& facts, Role role, NameKind kind) {
  return std::ranges::any_of(facts.symbols,
                             [&](const GemmSymbol& symbol) { return symbol.role == role && symbol.kind == kind; });
}

}  // namespace ladder::doctor
