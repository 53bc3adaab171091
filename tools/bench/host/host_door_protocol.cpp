// SPDX-License-Identifier: MIT
#include "host_door_protocol.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <istream>
#include <memory>
#include <ostream>
#include <sstream>

#include "op_letter.hpp"

namespace ladder::bench {

namespace {

constexpr const char* task_word = "task";
constexpr const char* ready_word = "ready";
constexpr const char* ms_word = "ms";
constexpr const char* error_word = "error";
constexpr const char* nothing = "-";

/// What follows "peer WORD " in the line, if it begins so.
std::optional<std::string> after(const std::string& line, const char* word) {
  const std::string start = fmt::format("{}{} ", answer_prefix, word);
  if (!line.starts_with(start)) return std::nullopt;
  return line.substr(start.size());
}

std::string unexpected(const std::string& line) {
  if (const auto why = after(line, error_word)) return *why;
  return fmt::format("it answered '{}'", line);
}

/// Not by a stream, which does not read "nan".
std::optional<double> number_of(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0') return std::nullopt;
  return value;
}

std::string error_answer(const std::string& why) { return fmt::format("{}{} {}", answer_prefix, error_word, why); }

/// The peer's state between requests.
class Server {
 public:
  explicit Server(HostDoor door) : function_(find_global_function(door, complaint_)) {}

  std::string answer(const std::string& request) {
    if (!function_) return error_answer(complaint_);
    if (request != call_request && request != check_request) return begin(request);
    if (matrices_ == nullptr) return error_answer("no task yet");
    HostAnswer answer;
    if (request == check_request) matrices_->poison();
    answer.ms = function_->timed_call(*matrices_);
    if (request == check_request) answer.judgement = matrices_->judgement();
    return ms_answer(answer);
  }

 private:
  std::string begin(const std::string& request) {
    const auto task = parse_task_request(request);
    if (!task) return error_answer("no such request: " + request);
    matrices_.reset();
    matrices_ = std::make_unique<HostMatrices>(*task);
    Dl_info info{};
    const bool known = dladdr(function_->address, &info) != 0 && info.dli_fname != nullptr;
    return fmt::format("{}{} {}", answer_prefix, ready_word, known ? info.dli_fname : nothing);
  }

  std::string complaint_;
  std::optional<HostFunction> function_;
  std::unique_ptr<HostMatrices> matrices_;
};

}  // namespace

std::string task_request(const HostTask& task) {
  const BenchProblem& p = task.problem;
  return fmt::format("{} {}{} {} {} {} {} {} {} {} {} {}", task_word, op_letter(p.op_a), op_letter(p.op_b), p.m, p.n,
                     p.k, p.lda, p.ldb, p.ldc, p.batch, task.seed, data_name(task.data));
}

std::optional<HostTask> parse_task_request(const std::string& line) {
  std::istringstream words(line);
  std::string word, ops, data, more;
  HostTask task;
  BenchProblem& p = task.problem;
  words >> word >> ops >> p.m >> p.n >> p.k >> p.lda >> p.ldb >> p.ldc >> p.batch >> task.seed >> data;
  if (!words || words >> more || word != task_word || ops.size() != 2 ||
      ops.find_first_not_of("NT") != std::string::npos)
    return std::nullopt;
  p.op_a = op_of_letter(ops[0]);
  p.op_b = op_of_letter(ops[1]);
  const auto known = data_named(data);
  if (!known || !what_is_illegal(p).empty() || !fits_host_door(p)) return std::nullopt;
  task.data = *known;
  return task;
}

std::string ms_answer(const HostAnswer& answer) {
  const std::string time = fmt::format("{}{} {}", answer_prefix, ms_word, answer.ms);
  if (!answer.judgement) return time;
  return fmt::format("{} {} {}", time, answer.judgement->worst_error, answer.judgement->verdict);
}

std::optional<std::string> parse_ready_answer(const std::string& line, std::string& complaint) {
  auto path = after(line, ready_word);
  if (!path) complaint = unexpected(line);
  return path;
}

HostAnswer parse_ms_answer(const std::string& line) {
  const HostAnswer no_answer{unexpected(line), 0.0, std::nullopt};
  std::istringstream words(after(line, ms_word).value_or(""));
  std::string ms, worst_error, verdict;
  words >> ms;
  const auto time = number_of(ms);
  if (!time || !(*time >= 0.0)) return no_answer;
  if (!(words >> worst_error)) return {{}, *time, std::nullopt};
  const auto error = number_of(worst_error);
  if (!error || !std::getline(words >> std::ws, verdict)) return no_answer;
  return {{}, *time, Judgement{verdict, *error}};
}

int serve_host_peer(HostDoor door, std::istream& requests, std::ostream& answers) {
  Server server(door);
  for (std::string request; std::getline(requests, request);) {
    std::string answer;
    try {
      answer = server.answer(request);
    } catch (const std::exception& error) {
      answer = error_answer(error.what());
    }
    answers << answer << std::endl;
  }
  return EXIT_SUCCESS;
}

}  // namespace ladder::bench
