// SPDX-License-Identifier: MIT
// The report of `ladder doctor` for people.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "bench/text_list.hpp"
#include "doctor/diagnosis.hpp"
#include "doctor_command.hpp"
#include "table.hpp"

namespace ladder::cli {

namespace {

using doctor::base_name;

std::string program_text(const doctor::Before& before) {
  if (before.program.files.empty()) return before.words.front();
  std::vector<std::string> files(before.program.files.rbegin(), before.program.files.rend());
  std::string text = bench::joined(files, ", which runs ");
  if (!before.elf.complaint.empty()) return text;
  return text + (before.elf.interpreter.empty() ? " (linked statically)" : " (linked dynamically)");
}

/// "libx.so imports sgemm_, exports dgemm_"
std::string symbols_text(const doctor::ElfFacts& object) {
  std::vector<std::string> parts;
  for (const doctor::Role role : {doctor::Role::imported, doctor::Role::exported, doctor::Role::internal}) {
    std::vector<std::string> names;
    for (const doctor::GemmSymbol& symbol : object.symbols) {
      if (symbol.role == role && symbol.kind == doctor::NameKind::door) names.push_back(symbol.name);
    }
    if (!names.empty()) parts.push_back(fmt::format("{} {}", doctor::role_name(role), bench::joined(names, " ")));
  }
  return bench::joined(parts, "; ");
}

std::string objects_text(const std::vector<doctor::ElfFacts>& objects) {
  Table table({"object", "SGEMM functions"});
  bool any = false;
  for (const doctor::ElfFacts& object : objects) {
    const std::string symbols = symbols_text(object);
    if (symbols.empty()) continue;
    table.add_row({base_name(object.file), symbols});
    any = true;
  }
  return any ? "\n" + table.text() : std::string();
}

std::string before_text(const doctor::Before& before) {
  const doctor::Surroundings& here = before.surroundings;
  Table table({"program", program_text(before)});
  table.add_row({"library", here.library.empty() ? "not found" : here.library});
  table.add_row({"GPU", here.gpu ? fmt::format("{}, driver {}, CUDA runtime {}", *here.gpu,
                                               here.driver.value_or("unknown"), here.cuda_runtime.value_or("unknown"))
                                 : "none found"});
  table.add_row({"cuBLAS", here.cublas ? *here.cublas : "none where the loader looks; a program may bring its own"});
  table.add_row({"rung", here.rung});
  table.add_row({"device", here.device});
  return table.text();
}

std::string run_text(const doctor::Run& run) {
  const std::string objects = run.recorded ? fmt::format(", {} objects loaded", run.log.objects.size()) : "";
  return fmt::format("\nran with {}: exit code {}, SGEMM calls in {} process{}{}\n",
                     run.audit_mode ? "the audit mode" : "LD_PRELOAD", run.exit_code, run.processes,
                     run.processes == 1 ? "" : "es", objects);
}

std::string calls_text(const doctor::CallCounts& calls) {
  if (calls.answers.empty()) return {};
  Table table({"door", "rung", "name", "device", "why", "calls"});
  for (const auto& [answer, count] : calls.answers) {
    table.add_row({answer.door, answer.rung, answer.name, answer.device, answer.why, fmt::format("{}", count)});
  }
  return "\n" + table.text();
}

const char* outcome(doctor::Fate fate) {
  switch (fate) {
    case doctor::Fate::served:
      return "reaches us";
    case doctor::Fate::unused:
      return "reaches us; no FP32 call came";
    case doctor::Fate::not_bound:
      return "by its address, or never";
    case doctor::Fate::past_by_dlsym:
      return "PAST US: dlsym on a handle";
    case doctor::Fate::past_by_deepbind:
      return "PAST US: RTLD_DEEPBIND";
    case doctor::Fate::past_not_loaded:
      return "PAST US: not loaded there";
    case doctor::Fate::past_in_namespace:
      return "PAST US: dlmopen";
    case doctor::Fate::own_copy:
      return "PAST US: a copy of its own";
    case doctor::Fate::another_name:
      return "PAST US: a name that we do not export";
    case doctor::Fate::another_form:
      return "PAST US: a form that we do not serve";
    case doctor::Fate::inside_blas:
      return "a BLAS among its own parts";
    case doctor::Fate::another_type:
      return "another type";
    case doctor::Fate::not_a_product:
      return "not a GEMM";
  }
  return "";
}

std::string way_text(const doctor::Binding& binding) {
  if (binding.to.empty()) return "-";
  return binding.way == doctor::Way::dlsym ? "dlsym" : "linking";
}

/// Where calls came, the names that have nothing to do with SGEMM are left to the JSON.
bool is_shown(const doctor::Run& run, doctor::Fate fate) {
  return run.calls.total() == 0 || (fate != doctor::Fate::another_type && fate != doctor::Fate::not_a_product);
}

/// What a line of the table says of one object, or of several alike.
struct BindingLine {
  std::vector<std::string> objects;
  std::string to, way, end, names;
};

/// The names that an object has bound to the same library with the same outcome.
std::vector<BindingLine> lines_of_objects(const doctor::Run& run) {
  std::vector<BindingLine> lines;
  for (const doctor::Row& row : doctor::rows_of(run)) {
    if (!is_shown(run, row.fate)) continue;
    const doctor::Binding& binding = row.binding;
    BindingLine line{{base_name(binding.from)},
                     binding.to.empty() ? "-" : base_name(binding.to),
                     way_text(binding),
                     fmt::format("{}{}", binding.redirected ? "redirected; " : "", outcome(row.fate)),
                     binding.symbol};
    const auto same = std::ranges::find_if(lines, [&line](const BindingLine& other) {
      return std::tie(line.objects, line.to, line.way, line.end) ==
             std::tie(other.objects, other.to, other.way, other.end);
    });
    if (same == lines.end()) {
      lines.push_back(std::move(line));
    } else {
      same->names += " " + line.names;
    }
  }
  return lines;
}

/// Objects that differ in nothing else share a line.
std::vector<BindingLine> binding_lines(const doctor::Run& run) {
  std::vector<BindingLine> lines;
  for (BindingLine& line : lines_of_objects(run)) {
    const auto same = std::ranges::find_if(lines, [&line](const BindingLine& other) {
      return std::tie(line.to, line.way, line.end, line.names) == std::tie(other.to, other.way, other.end, other.names);
    });
    if (same == lines.end()) {
      lines.push_back(std::move(line));
    } else {
      same->objects.push_back(std::move(line.objects.front()));
    }
  }
  return lines;
}

std::string bindings_text(const doctor::Run& run) {
  Table table({"object", "bound to", "by", "outcome", "names"});
  const auto lines = binding_lines(run);
  for (const BindingLine& line : lines) {
    const std::size_t more = line.objects.size() - 1;
    table.add_row({line.objects.front() + (more == 0 ? "" : fmt::format(" and {} more", more)), line.to, line.way,
                   line.end, line.names});
  }
  return lines.empty() ? std::string() : "\n" + table.text();
}

/// All but those that the verdict repeats.
std::string remarks_text(const doctor::Before& before, const doctor::Run* run, const doctor::Verdict& verdict) {
  std::string text;
  for (const doctor::Remark& remark : doctor::remarks_of(before, run)) {
    if (verdict.sentence.find(remark.sentence) == std::string::npos) text += fmt::format("- {}\n", remark.sentence);
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string doctor_text(const doctor::Before& before, const doctor::Run* run) {
  std::string text = before_text(before);
  if (run == nullptr || !run->recorded) text += objects_text(before.objects);
  if (run != nullptr) text += run_text(*run) + calls_text(run->calls) + bindings_text(*run);
  const doctor::Verdict verdict = doctor::verdict_of(before, run);
  return text + remarks_text(before, run, verdict) + fmt::format("\n{}\n", verdict.sentence);
}

}  // namespace ladder::cli
