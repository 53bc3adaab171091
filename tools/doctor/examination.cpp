// SPDX-License-Identifier: MIT
#include "examination.hpp"

#include <set>

namespace ladder::doctor {

std::vector<ElfFacts> objects_with_products(const std::vector<std::string>& files) {
  std::vector<ElfFacts> objects;
  std::set<std::string> seen;
  for (const std::string& file : files) {
    if (is_ours(file) || !seen.insert(file).second) continue;
    ElfFacts facts = elf_facts(file);
    if (!facts.symbols.empty()) objects.push_back(std::move(facts));
  }
  return objects;
}

bool is_ours(const std::string& file) { return base_name(file).starts_with("libladderblas"); }

std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

}  // namespace ladder::doctor
