// SPDX-License-Identifier: MIT
#include "doctor_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ladder::doctor {

namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json program_json(const Before& before) {
  const ElfFacts& elf = before.elf;
  Json program;
  program["words"] = before.words;
  program["files"] = before.program.files;
  program["complaint"] = text_or_null(before.program.complaint);
  program["interpreter"] = text_or_null(elf.interpreter);
  program["static"] = elf.complaint.empty() && elf.interpreter.empty();
  program["stripped"] = elf.stripped;
  program["set_user_id"] = before.program.set_user_id;
  program["capabilities"] = before.program.capabilities;
  program["needed"] = elf.needed;
  program["loaded"] = before.loaded.files;
  program["missing"] = before.loaded.missing;
  return program;
}

Json surroundings_json(const Surroundings& here) {
  return {{"library", text_or_null(here.library)},
          {"library_complaint", text_or_null(here.library_complaint)},
          {"audit_library", text_or_null(here.audit_library)},
          {"gpu", text_or_null(here.gpu)},
          {"driver", text_or_null(here.driver)},
          {"cuda_runtime", text_or_null(here.cuda_runtime)},
          {"cublas", text_or_null(here.cublas)},
          {"rung", here.rung},
          {"device", here.device}};
}

Json objects_json(const std::vector<ElfFacts>& objects) {
  Json all = Json::array();
  for (const ElfFacts& object : objects) {
    Json one = {{"file", object.file}, {"symbolic", object.symbolic}, {"symbols", Json::array()}};
    for (const GemmSymbol& symbol : object.symbols) {
      one["symbols"].push_back(
          {{"name", symbol.name}, {"kind", kind_name(symbol.kind)}, {"role", role_name(symbol.role)}});
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json calls_json(const CallCounts& calls) {
  Json all = Json::array();
  for (const auto& [answer, count] : calls.answers) {
    all.push_back({{"door", answer.door},
                   {"rung", answer.rung},
                   {"name", answer.name},
                   {"device", answer.device},
                   {"why", answer.why},
                   {"calls", count}});
  }
  return all;
}

Json passed_on_json(const CallCounts& calls) {
  Json all = Json::array();
  for (const auto& [door, count] : calls.passed_on) all.push_back({{"door", door}, {"calls", count}});
  return all;
}

Json shapes_json(const CallCounts& calls) {
  Json all = Json::array();
  for (const auto& [shape, count] : calls.shapes) all.push_back({{"shape", shape}, {"calls", count}});
  return all;
}

Json way_json(const Row& row) {
  if (row.binding.to.empty()) return nullptr;
  return row.binding.way == Way::dlsym ? "dlsym" : "linked";
}

Json bindings_json(const Run& run) {
  Json all = Json::array();
  for (const Row& row : rows_of(run)) {
    all.push_back({{"object", row.binding.from},
                   {"symbol", row.binding.symbol},
                   {"kind", kind_name(kind_of(row.binding.symbol))},
                   {"bound_to", text_or_null(row.binding.to)},
                   {"by", way_json(row)},
                   {"redirected", row.binding.redirected},
                   {"fate", fate_name(row.fate)},
                   {"missed", is_missed(row.fate)},
                   {"calls", row.calls}});
  }
  return all;
}

Json run_json(const Run& run) {
  return {{"exit_code", run.exit_code},
          {"mode", run.audit_mode ? "audit" : "preload"},
          {"recorded", run.recorded},
          {"processes", run.recorded ? Json(run.log.processes.size()) : Json(nullptr)},
          {"processes_with_calls", run.processes},
          {"objects_loaded", run.log.objects.size()}};
}

}  // namespace

std::string to_json(const Before& before, const Run* run) {
  Json all;
  all["program"] = program_json(before);
  all["surroundings"] = surroundings_json(before.surroundings);
  all["objects"] = objects_json(run != nullptr && run->recorded ? run->objects : before.objects);
  all["run"] = run == nullptr ? Json(nullptr) : run_json(*run);
  all["calls"] = run == nullptr ? Json::array() : calls_json(run->calls);
  all["passed_on"] = run == nullptr ? Json::array() : passed_on_json(run->calls);
  all["shapes"] = run == nullptr ? Json::array() : shapes_json(run->calls);
  all["bindings"] = run == nullptr || !run->recorded ? Json(nullptr) : bindings_json(*run);
  all["remarks"] = Json::array();
  for (const Remark& remark : remarks_of(before, run)) {
    all["remarks"].push_back({{"key", remark.key}, {"sentence", remark.sentence}});
  }
  const Verdict verdict = verdict_of(before, run);
  all["verdict"] = {{"key", verdict.key}, {"well", verdict.well}, {"sentence", verdict.sentence}};
  constexpr int indent = 2;
  return all.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ladder::doctor
