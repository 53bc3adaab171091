// SPDX-License-Identifier: MIT
// The command line: each subcommand adds its own options, and says what to do when it was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace ladder::cli {

/// What the command line asked for; gives the exit code.
using Chosen = std::function<int()>;

/// CLI11 checks: empty, or what is wrong with `text`.
std::string known_rung(const std::string& text);
std::string known_rung_or_all(const std::string& text);
std::string known_rung_setting(const std::string& text);  // what LADDER_RUNG takes: "auto", or rungs with commas
std::string known_rungs(const std::string& text);  // a list that bench::parse_rungs takes

struct BenchOptions;

/// The shapes, --shapes, --replay, --ops and --category, which bench_plan() then reads.
void add_problem_options(CLI::App& command, BenchOptions& options, const std::string& group);

void add_bench(CLI::App& app, Chosen& chosen);
void add_accuracy(CLI::App& app, Chosen& chosen);

/// Hidden: the other end of `ladder bench --door`.
void add_host_peer(CLI::App& app, Chosen& chosen);

void add_doctor(CLI::App& app, Chosen& chosen);
void add_tune(CLI::App& app, Chosen& chosen);
void add_profile(CLI::App& app, Chosen& chosen);
void add_launch(CLI::App& app, Chosen& chosen);  ///< hidden: what `ladder profile` runs under Nsight Compute

}  // namespace ladder::cli
