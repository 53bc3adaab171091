// SPDX-License-Identifier: MIT
// What keeps SGEMM calls away from us, or may, and what helps.
#include <fmt/format.h>

#include <map>
#include <set>

#include "diagnosis.hpp"
#include "text_list.hpp"

namespace ladder::doctor {

namespace {

void add(std::vector<Remark>& remarks, const char* key, std::string sentence) {
  remarks.push_back({key, std::move(sentence)});
}

/// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& texts) {
  constexpr std::size_t most = 3;
  if (texts.size() <= most) return bench::joined(texts, ", ");
  const std::vector<std::string> first(texts.begin(), texts.begin() + most);
  return fmt::format("{} and {} more", bench::joined(first, ", "), texts.size() - most);
}

/// "libx.so (sgemm_, cblas_sgemm), liby.so (sgemm_)": the objects that met that fate, and their names for it.
std::string users_of(const std::vector<Row>& rows, Fate fate) {
  std::map<std::string, std::set<std::string>> names;
  for (const Row& row : rows) {
    if (row.fate == fate) names[row.binding.from].insert(row.binding.symbol);
  }
  std::vector<std::string> users;
  for (const auto& [object, symbols] : names) {
    users.push_back(fmt::format("{} ({})", base_name(object), bench::joined(symbols, ", ")));
  }
  return some_of(users);
}

std::string doors_inside(const ElfFacts& object) {
  std::vector<std::string> names;
  for (const GemmSymbol& symbol : object.symbols) {
    if (symbol.role != Role::imported && symbol.kind == NameKind::door) names.push_back(symbol.name);
  }
  return bench::joined(names, ", ");
}

void remark_on_static_program(const ElfFacts& elf, std::vector<Remark>& remarks) {
  const std::string inside = doors_inside(elf);
  const std::string blas = !inside.empty() ? fmt::format("it has a BLAS in it ({})", inside)
                           : elf.stripped  ? "it is stripped, so that a BLAS in it would not be seen"
                                           : "no SGEMM is in it";
  add(remarks, "static_program",
      fmt::format("{} is linked statically, and no loader preloads into it; {}. What it starts is covered. Link it "
                  "dynamically, with a shared BLAS or with -lladderblas.",
                  base_name(elf.file), blas));
}

void remark_on_program(const Before& before, std::vector<Remark>& remarks) {
  const ElfFacts& elf = before.elf;
  if (before.program.secure()) {
    add(remarks, "secure_program",
        fmt::format("{} {}: the loader ignores LD_PRELOAD and LD_AUDIT for it. Run a copy without that, or run it as "
                    "the user that it becomes.",
                    elf.file, before.program.set_user_id ? "is set-user-id or set-group-id" : "has file capabilities"));
  }
  if (!elf.complaint.empty()) {
    add(remarks, "unreadable", fmt::format("{} cannot be examined: {}.", elf.file, elf.complaint));
    return;
  }
  if (!elf.for_this_machine) {
    add(remarks, "other_machine", fmt::format("{} is no 64-bit x86 program: our library does not fit it.", elf.file));
  } else if (elf.interpreter.empty()) {
    remark_on_static_program(elf, remarks);
  } else if (!base_name(elf.interpreter).starts_with("ld-linux")) {
    add(remarks, "other_c_library",
        fmt::format("{} is loaded by {}, not by the loader of the GNU C library, for which our library is made.",
                    elf.file, elf.interpreter));
  }
  for (const std::string& name : before.loaded.missing) {
    add(remarks, "missing_library", fmt::format("The loader does not find {}, which the program needs.", name));
  }
}

void remark_on_surroundings(const Surroundings& here, std::vector<Remark>& remarks) {
  if (!here.library_complaint.empty()) {
    add(remarks, "library", fmt::format("Our library cannot be used: {}.", here.library_complaint));
  }
  for (const std::string& complaint : here.complaints) add(remarks, "environment", complaint);
}

void remark_on_rows(const Run& run, std::vector<Remark>& remarks) {
  const char* cure = run.audit_mode ? "The audit mode did not reach it either." : "Use `ladder run --audit`.";
  const std::vector<Row> rows = rows_of(run);
  const auto remark = [&](Fate fate, const std::string& sentence) {
    const std::string users = users_of(rows, fate);
    if (!users.empty()) add(remarks, fate_name(fate), fmt::format(fmt::runtime(sentence), users, cure));
  };
  remark(Fate::past_by_dlsym, "Fetched with dlsym from a library's own handle, which LD_PRELOAD does not see: {}. {}");
  remark(Fate::past_by_deepbind,
         "Opened with RTLD_DEEPBIND, so that its own libraries come before what is preloaded: {}. {}");
  remark(Fate::past_not_loaded, "In a process into which the loader did not preload the library: {}.");
  remark(Fate::past_in_namespace,
         "Loaded with dlmopen into a namespace of its own, where the library is not, nor can be sent to: {}.");
  remark(Fate::own_copy,
         "Has the function itself and keeps to it: {}. Link it with a shared BLAS instead; nothing can be put in front "
         "of this one.");
  remark(Fate::another_name, "An SGEMM under a name that we do not export: {}.");
  remark(Fate::another_form, "FP32 products of a form that we do not serve: {}.");
  remark(Fate::not_a_product,
         "No SGEMM, though it may look like one: {}. NumPy sends A @ A.T to ssyrk, and products with a vector or a "
         "single row to sgemv.");
  if (run.calls.total() > 0) return;
  remark(Fate::another_type,
         "Products of other types, of which we serve none: {}. NumPy and others compute in double unless told "
         "otherwise.");
}

void remark_on_passed_on(const CallCounts& calls, std::vector<Remark>& remarks) {
  if (calls.passed_on.empty()) return;
  std::vector<std::string> doors;
  for (const auto& [door, count] : calls.passed_on) doors.push_back(fmt::format("{} {}", door, count));
  add(remarks, "passed_on",
      fmt::format("Calls that are no FP32 SGEMM, or of a form that no rung serves, and were passed on untouched: {}.",
                  bench::joined(doors, ", ")));
}

/// What is statically inside an object leaves no trace in the loader. Where the object also imports doors, a function
/// of that name is a wrapper: SciPy's sgemm_ around scipy_sgemm_.
void remark_on_static_blas(const Before& before, const Run& run, std::vector<Remark>& remarks) {
  std::vector<std::string> objects;
  for (const ElfFacts& object : run.objects) {
    const bool program = object.file == before.elf.file;
    if (program && before.elf.interpreter.empty()) continue;  // remarked on already
    if (has_symbol(object, Role::internal, NameKind::door) ||
        (program && has_symbol(object, Role::exported, NameKind::door))) {
      objects.push_back(fmt::format("{} ({})", base_name(object.file), doors_inside(object)));
    }
  }
  if (objects.empty()) return;
  add(remarks, "static_blas",
      fmt::format("Linked in statically, so that calls inside the same file go past us: {}. Link it with a shared BLAS "
                  "instead.",
                  some_of(objects)));
}

}  // namespace

std::vector<Remark> remarks_of(const Before& before, const Run* run) {
  std::vector<Remark> remarks;
  remark_on_surroundings(before.surroundings, remarks);
  remark_on_program(before, remarks);
  if (run == nullptr) return remarks;
  remark_on_rows(*run, remarks);
  remark_on_static_blas(before, *run, remarks);
  if (run->exit_code != 0 && run->recorded) {
    add(remarks, "program_failed",
        "If the program does not fail by itself, try --calls-only: what the loader binds is not recorded then.");
  }
  const bool heeds_the_loader = !before.elf.interpreter.empty() && !before.program.secure();
  if (!run->recorded && heeds_the_loader) {
    add(remarks, "not_recorded",
        "What the names were bound to is not known: libladderblas-audit.so did not record it.");
  }
  remark_on_passed_on(run->calls, remarks);
  return remarks;
}

}  // namespace ladder::doctor
