// SPDX-License-Identifier: MIT
// All that the doctor knows of a program: from looking at it, and from a run of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "binding_log.hpp"
#include "call_log.hpp"
#include "elf_facts.hpp"
#include "loader_list.hpp"
#include "program_file.hpp"

namespace ladder::doctor {

/// Our library and what it would find here.
struct Surroundings {
  std::string library;            ///< path; empty where it was not found
  std::string library_complaint;  ///< why it cannot be loaded; empty where it can
  std::string audit_library;      ///< path; empty where it was not found, and bindings are not recorded then
  std::optional<std::string> gpu, driver, cuda_runtime;
  std::optional<std::string> cublas;    ///< the file that the loader finds for itself; a program may bring its own
  std::string rung, device;             ///< what the settings ask for, in words
  std::vector<std::string> complaints;  ///< environment values that cannot be used
};

/// Before the run.
struct Before {
  std::vector<std::string> words;  ///< the program and its arguments
  ProgramFile program;
  ElfFacts elf;                   ///< of the file that runs
  LoaderList loaded;              ///< what the loader loads with it
  std::vector<ElfFacts> objects;  ///< of those, the ones with names around matrix products
  Surroundings surroundings;
};

/// The run, and what it left behind.
struct Run {
  int exit_code = 0;      ///< 128 + the signal's number where one ended it
  std::string complaint;  ///< why it could not be run; empty otherwise
  bool audit_mode = false;
  bool recorded = false;      ///< the bindings are known
  std::size_t processes = 0;  ///< those that made calls
  CallCounts calls;
  BindingLog log;
  std::vector<ElfFacts> objects;  ///< of all that was loaded, the ones with names around matrix products
};

/// What ELF says of those of the files that have to do with products; each file once.
std::vector<ElfFacts> objects_with_products(const std::vector<std::string>& files);

/// Is that path our library, or its companion?
bool is_ours(const std::string& file);

/// The last part of a path, for people.
std::string base_name(const std::string& file);

}  // namespace ladder::doctor
