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
  return answer.why == "noop" ? "with nothing to compute" : fmt::format("computed by nobody ({})", answer.why);
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

/// The first of the remarks that gives a reason why no call came, or null.
const Remark* first_of(const std::vector<Remark>& remarks, std::initializer_list<const char*> keys) {
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
  if (const Remark* reason =
          first_of(remarks, {"library", "secure_program", "static_program", "other_machine", "other_c_library",
                             "past_not_loaded", "past_by_dlsym", "past_by_deepbind", "past_in_namespace", "own_copy",
                             "another_name", "another_form", "static_blas", "passed_on"})) {
    return {reason->key, fmt::format("{} {}", nothing, reason->sentence)};
  }
  if (!preloaded(run)) {
    return {"not_preloaded", nothing + " The program ran, but the loader did not put the library in front of it."};
  }
  const Remark* instead = first_of(remarks, {"another_type", "not_a_product"});
  if (const std::string idle = idle_doors(run); !idle.empty()) {
    return {"never_called",
            fmt::format("{} The program would reach it, but called none of: {}. It may compute its products itself{}.",
                        nothing, idle, instead == nullptr ? "" : ", or with what is listed above")};
  }
  if (instead != nullptr) return {instead->key, fmt::format("{} {}", nothing, instead->sentence)};
  return {"no_gemm", nothing + (run.recorded ? " Nothing that was loaded uses a function of that kind."
                                             : " What the program uses instead is not known.")};
}

Verdict verdict_with_calls(const Run& run) {
  const std::string came = calls_sentence(run.calls);
  const bool missed = std::ranges::any_of(rows_of(run), [](const Row& row) { return is_missed(row.fate); });
  if (missed) return {"partly", came + " Some of the program's functions are bound past us: see above."};
  if (!run.recorded) return {"served", came + " Whether there were others is not known.", true};
  return {"served", came + " No other SGEMM function was bound.", true};
}

}  // namespace

Verdict verdict_of(const Before& before, const Run* run) {
  const std::string& complaint = run != nullptr ? run->complaint : before.program.complaint;
  if (run == nullptr || !complaint.empty()) {
    return {"not_run", fmt::format("The program was not run{}{}.", complaint.empty() ? "" : ": ", complaint)};
  }
  Verdict verdict =
      run->calls.total() > 0 ? verdict_with_calls(*run) : verdict_without_calls(remarks_of(before, run), *run);
  if (run->exit_code != 0) {
    verdict.program_failed = true;
    verdict.sentence = fmt::format("The program failed (exit code {}). {}", run->exit_code, verdict.sentence);
  }
  return verdict;
}

}  // namespace ladder::doctor
