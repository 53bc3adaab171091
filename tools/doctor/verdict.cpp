// SPDX-License-Identifier: MIT
// The answer to "is it even using this library?", in a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "diagnosis.hpp"
#include "text_list.hpp"

namespace ladder::doctor {

namespace {

std::string who(const Answer& answer) {
  if (is_rung(answer)) return fmt::format("by rung {} ({}) on {}", answer.rung, answer.name, answer.device);
  if (is_handed_on(answer)) return fmt::format("handed on to the next library ({})", answer.why);
  return is_noop(answer) ? "with nothing to compute" : fmt::format("computed by nobody ({})", answer.why);
}

/// "8 by rung 9 (double_buffered) on gpu:0, 4 handed on to the next library (small)": the most frequent first.
std::string counted(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [text, calls] : counts) sorted.emplace_back(calls, text);
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& entry) { return entry.first; });
  std::vector<std::string> parts;
  for (const auto& [calls, text] : sorted) parts.push_back(fmt::format("{} {}", calls, text));
  return bench::joined(parts, ", ");
}

std::string calls_sentence(const CallCounts& calls) {
  std::map<std::string, std::uint64_t> servers, doors;
  for (const auto& [answer, count] : calls.answers) {
    servers[who(answer)] += count;
    doors["through " + answer.door] += count;
  }
  return fmt::format("{} SGEMM call{} came to the library: {}; {}.", calls.total(), calls.total() == 1 ? "" : "s",
                     counted(servers), counted(doors));
}

bool preloaded(const Run& run) { return !run.recorded || std::ranges::any_of(run.log.objects, is_ours); }

// Keys of remarks that give a reason, the weightiest first.
using Keys = std::initializer_list<const char*>;
constexpr Keys unreachable = {"secure_program", "static_program", "other_machine", "other_c_library"};
constexpr Keys ways_past_us = {"past_not_loaded", "past_by_dlsym", "past_by_deepbind", "past_in_namespace",
                               "own_copy",        "another_name",  "another_form"};
constexpr Keys hidden = {"static_blas", "passed_on"};
constexpr Keys no_sgemm = {"another_type", "not_a_product"};

/// The first of the remarks with one of these keys, or null.
const Remark* first_of(const std::vector<Remark>& remarks, Keys keys) {
  for (const char* key : keys) {
    const auto found = std::ranges::find(remarks, key, &Remark::key);
    if (found != remarks.end()) return &*found;
  }
  return nullptr;
}

/// "cblas_sgemm, sgemm_": at hand, and not called.
std::string idle_doors(const Run& run) {
  std::set<std::string> doors;
  for (const Row& row : rows_of(run)) {
    if (row.fate == Fate::unused || row.fate == Fate::not_bound) doors.insert(row.binding.symbol);
  }
  return bench::joined(doors, ", ");
}

Verdict verdict_without_calls(const std::vector<Remark>& remarks, const Run& run) {
  const std::string nothing = "No SGEMM call came to the library.";
  for (const Keys& keys : {unreachable, ways_past_us, hidden}) {
    const Remark* reason = first_of(remarks, keys);
    if (reason != nullptr) return {reason->key, fmt::format("{} {}", nothing, reason->sentence)};
  }
  if (!preloaded(run)) {
    return {"not_preloaded", nothing + " The program ran, but the loader did not put the library in front of it."};
  }
  const Remark* instead = first_of(remarks, no_sgemm);
  if (const std::string idle = idle_doors(run); !idle.empty()) {
    return {"never_called",
            fmt::format("{} The program would reach it, but called none of: {}. It may compute its products itself{}.",
                        nothing, idle, instead == nullptr ? "" : ", or in a way of which the remarks speak")};
  }
  if (instead != nullptr) return {instead->key, fmt::format("{} {}", nothing, instead->sentence)};
  return {"no_gemm", nothing + (run.recorded ? " Nothing that was loaded uses a function of that kind."
                                             : " What the program uses instead is not known.")};
}

Verdict verdict_with_calls(const std::vector<Remark>& remarks, const Run& run) {
  const std::string came = calls_sentence(run.calls);
  const bool failed = std::ranges::any_of(run.calls.answers, [](const auto& counted_answer) {
    const Answer& answer = counted_answer.first;
    return !is_rung(answer) && !is_handed_on(answer) && !is_noop(answer);
  });
  if (failed) return {"not_computed", came + " The library said why on stderr."};
  if (const Remark* reason = first_of(remarks, ways_past_us)) {
    return {"partly", fmt::format("{} Others may go past it. {}", came, reason->sentence)};
  }
  if (!run.recorded) return {"served", came + " Whether there were others is not known.", true};
  return {"served", came + " No other SGEMM function was bound.", true};
}

}  // namespace

Verdict verdict_of(const Before& before, const Run* run) {
  const std::string& before_it =
      before.program.complaint.empty() ? before.surroundings.library_complaint : before.program.complaint;
  const std::string& complaint = run != nullptr ? run->complaint : before_it;
  if (run == nullptr || !complaint.empty()) {
    return {"not_run", fmt::format("The program was not run{}{}.", complaint.empty() ? "" : ": ", complaint)};
  }
  const std::vector<Remark> remarks = remarks_of(before, run);
  Verdict verdict = run->calls.total() > 0 ? verdict_with_calls(remarks, *run) : verdict_without_calls(remarks, *run);
  if (run->exit_code != 0) {
    verdict.program_failed = true;
    verdict.sentence = fmt::format("The program failed (exit code {}). {}", run->exit_code, verdict.sentence);
  }
  return verdict;
}

}  // namespace ladder::doctor
