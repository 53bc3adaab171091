// SPDX-License-Identifier: MIT
#include "replay.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <sstream>
#include <system_error>

#include "csv_problem.hpp"

namespace ladder::bench {

namespace {

/// The words of one line; the first complaint about them is kept.
class Words {
 public:
  explicit Words(std::string_view line) {
    std::istringstream words{std::string(line)};
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) continue;
      const std::string key = word.substr(0, equals);
      if (!values_.emplace(key, word.substr(equals + 1)).second) complain(fmt::format("'{}=' is there twice", key));
    }
  }

  /// Empty where there is no such key.
  std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::string{} : found->second;
  }

  template <typename Number>
  Number number(const std::string& key, Number missing) {
    const std::string value = text(key);
    if (!values_.contains(key)) return missing;
    Number number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc{} && end == value.data() + value.size()) return number;
    complain(fmt::format("'{}={}' is no number", key, value));
    return missing;
  }

  void require(const std::string& key) {
    if (!values_.contains(key)) complain(fmt::format("there is no '{}='", key));
  }

  void complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = what;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  std::map<std::string, std::string> values_;
  std::string complaint_;
};

void read_problem(Words& words, BenchProblem& problem) {
  for (const char* key : {"op", "m", "n", "k"}) words.require(key);
  const std::string ops = words.text("op");
  const bool pair = ops.size() == 2;
  const auto op_a = op_from_letter(pair ? ops.substr(0, 1) : ""), op_b = op_from_letter(pair ? ops.substr(1) : "");
  if (!op_a || !op_b) words.complain(fmt::format("'op={}' is no pair of N and T", ops));
  problem.category = "replay";
  problem.op_a = op_a.value_or(Op::none);
  problem.op_b = op_b.value_or(Op::none);
  problem.m = words.number<std::int64_t>("m", 0);
  problem.n = words.number<std::int64_t>("n", 0);
  problem.k = words.number<std::int64_t>("k", 0);
  problem.lda = words.number<std::int64_t>("lda", 0);
  problem.ldb = words.number<std::int64_t>("ldb", 0);
  problem.ldc = words.number<std::int64_t>("ldc", 0);
  problem.batch = words.number<std::int64_t>("batch", 1);
  problem = with_leading_dimensions(problem);
  if (const std::string wrong = what_is_illegal(problem); !wrong.empty()) words.complain(wrong);
}

float read_scalar(Words& words, const std::string& key, float unknown, Replay& replay) {
  if (words.text(key) != "device") return words.number(key, unknown);
  replay.scalars_on_device = true;
  return unknown;
}

}  // namespace

std::optional<Replay> parse_replay(std::string_view line, std::string& complaint) {
  Words words(line);
  Replay replay;
  read_problem(words, replay.problem);
  replay.alpha = read_scalar(words, "alpha", replay.alpha, replay);
  replay.beta = read_scalar(words, "beta", replay.beta, replay);
  replay.epilogue = words.text("epilogue");
  const std::string rung = words.text("rung");
  replay.rung = rung == "none" ? std::string{} : rung;
  if (words.complaint().empty()) return replay;
  complaint = "not a line of the library's log that can be replayed: " + words.complaint();
  return std::nullopt;
}

}  // namespace ladder::bench
