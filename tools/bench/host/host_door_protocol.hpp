// SPDX-License-Identifier: MIT
// What the benchmark and a peer in a process of its own say to each other: a line each, on the peer's stdin and stdout.
//
//   task NT M N K LDA LDB LDC BATCH SEED DATA     ->  peer ready PATH          (of the library that was found)
//   call                                          ->  peer ms 1.25
//   check                                         ->  peer ms 1.25 0.003 VERDICT   (worst error / bound, "right")
//   any of them                                   ->  peer error WHY
//
// Lines of the peer that begin otherwise are its library's own chatter.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "host_door_contender.hpp"
#include "host_door_function.hpp"

namespace ladder::bench {

inline constexpr const char* call_request = "call";
inline constexpr const char* check_request = "check";
inline constexpr const char* answer_prefix = "peer ";

std::string task_request(const HostTask& task);
std::optional<HostTask> parse_task_request(const std::string& line);

std::string ms_answer(const HostAnswer& answer);

/// The path of "peer ready PATH"; otherwise `complaint` says why the peer is not ready.
std::optional<std::string> parse_ready_answer(const std::string& line, std::string& complaint);

/// Of call and check; `complaint` of the answer is set where the line is not such an answer.
HostAnswer parse_ms_answer(const std::string& line);

/// The peer's side: answers requests until the end of `requests`, calling the door's function of the process's global
/// scope. Returns the exit code of the process.
int serve_host_peer(HostDoor door, std::istream& requests, std::ostream& answers);

}  // namespace ladder::bench
