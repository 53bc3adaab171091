// SPDX-License-Identifier: MIT
// Which file runs when a program is called by its name, through the #! lines of scripts.
#pragma once

#include <string>
#include <vector>

namespace ladder::doctor {

struct ProgramFile {
  std::string complaint;           ///< why it cannot be run; empty otherwise
  bool missing = false;            ///< there is no such program
  std::vector<std::string> files;  ///< scripts and their interpreters, in turn; the last is the ELF file that runs
  bool set_user_id = false;        ///< it, or a set-group-id, that changes who the program runs as
  bool capabilities = false;       ///< it has capabilities of its own, which we have not

  const std::string& elf() const { return files.back(); }
  /// The loader hears neither LD_PRELOAD nor LD_AUDIT then.
  bool secure() const { return set_user_id || capabilities; }
};

/// `name` is a path, or is looked for in the folders of `search_path` (as $PATH). Nothing is run.
ProgramFile find_program(const std::string& name, const std::string& search_path);

/// The words of a script's first line that say what runs it, `/usr/bin/env` taken out of the way; none where that line
/// is no #! line.
std::vector<std::string> interpreter_words(const std::string& first_line);

}  // namespace ladder::doctor
