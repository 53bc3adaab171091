// SPDX-License-Identifier: MIT
#include "call_log.hpp"

#include <fmt/format.h>

#include <fstream>

#include "text_list.hpp"

namespace ladder::doctor {

namespace {

constexpr std::string_view mark = "ladderblas: sgemm ", passed_on_mark = "ladderblas: passed_on ";
constexpr std::string_view handed_on = "next_blas", cublas_rung = "cublas", nobody = "none", noop = "noop";

using Fields = std::map<std::string_view, std::string_view>;

Fields fields_of(std::string_view text) {
  Fields fields;
  for (const std::string_view word : bench::split(text, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos) fields.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  return fields;
}

std::string field(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : std::string(found->second);
}

std::string shape_of(const Fields& fields) {
  const std::string batch = field(fields, "batch");
  return fmt::format("{} {}x{}x{}{}", field(fields, "op"), field(fields, "m"), field(fields, "n"), field(fields, "k"),
                     batch.empty() || batch == "1" ? "" : " x " + batch);
}

}  // namespace

std::uint64_t CallCounts::total() const {
  std::uint64_t all = 0;
  for (const auto& [answer, calls] : answers) all += calls;
  return all;
}

std::uint64_t CallCounts::through(std::string_view door) const {
  std::uint64_t all = 0;
  for (const auto& [answer, calls] : answers) all += answer.door == door ? calls : 0;
  return all;
}

void read_call_line(std::string_view line, CallCounts& counts) {
  if (line.starts_with(passed_on_mark)) {
    const std::string door = field(fields_of(line), "via");
    if (!door.empty()) ++counts.passed_on[door];
  }
  if (!line.starts_with(mark)) return;
  const Fields fields = fields_of(line.substr(mark.size()));
  if (!fields.contains("via")) return;
  const Answer answer{field(fields, "via"), field(fields, "rung"), field(fields, "name"), field(fields, "device"),
                      field(fields, "why")};
  ++counts.answers[answer];
  ++counts.shapes[shape_of(fields)];
}

bool read_call_log(const std::string& file, CallCounts& counts) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) read_call_line(line, counts);
  return stream.eof();
}

bool is_handed_on(const Answer& answer) { return answer.name == handed_on || answer.name == cublas_rung; }

bool is_noop(const Answer& answer) { return answer.name == nobody && answer.why == noop; }

bool is_rung(const Answer& answer) { return !is_handed_on(answer) && answer.name != nobody; }

}  // namespace ladder::doctor
