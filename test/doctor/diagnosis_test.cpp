// SPDX-License-Identifier: MIT
#include "diagnosis.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "doctor_json.hpp"

using namespace ladder::doctor;

namespace {

const std::string app = "/opt/app", plugin = "/opt/plugin.so", blas = "/opt/libblas.so.3";
const std::string ours = "/opt/lib/libladderblas.so";

ElfFacts elf(const std::string& file, const std::string& interpreter, std::vector<GemmSymbol> symbols) {
  ElfFacts facts;
  facts.file = file;
  facts.for_this_machine = facts.dynamic = true;
  facts.interpreter = interpreter;
  facts.symbols = std::move(symbols);
  return facts;
}

Before dynamic_program() {
  Before before;
  before.words = {"app"};
  before.program.files = {app};
  before.elf = elf(app, "/lib64/ld-linux-x86-64.so.2", {});
  before.surroundings.library = ours;
  return before;
}

/// A run in which `bindings` were recorded, with a BLAS and our library loaded.
Run run_with(std::set<Binding> bindings) {
  Run run;
  run.recorded = true;
  run.log.bindings = std::move(bindings);
  run.log.objects = {app, plugin, blas, ours};
  run.objects = {elf(blas, "", {{"sgemm_", NameKind::door, Role::exported}})};
  return run;
}

void add_calls(Run& run, const std::string& door, std::uint64_t calls) {
  run.calls.answers[{door, "9", "double_buffered", "gpu:0", "default"}] += calls;
}

Binding linked(const std::string& symbol, const std::string& from, const std::string& to) {
  return {symbol, from, to, Way::linked, false, "record_only"};
}

Fate only_fate(const Run& run) {
  const auto rows = rows_of(run);
  REQUIRE(rows.size() == 1);
  return rows.front().fate;
}

std::vector<std::string> keys_of(const std::vector<Remark>& remarks) {
  std::vector<std::string> keys;
  for (const Remark& remark : remarks) keys.push_back(remark.key);
  return keys;
}

}  // namespace

TEST_CASE("bound to us: served where calls came, else unused") {
  Run run = run_with({linked("sgemm_", plugin, ours)});
  CHECK(only_fate(run) == Fate::unused);
  add_calls(run, "cblas_sgemm", 1);
  CHECK(only_fate(run) == Fate::unused);
  add_calls(run, "sgemm_", 2);
  CHECK(only_fate(run) == Fate::served);
  CHECK(rows_of(run).front().calls == 2);
}

TEST_CASE("what was redirected counts as ours") {
  Run run = run_with({{"sgemm_", plugin, blas, Way::dlsym, true, "door"}});
  add_calls(run, "sgemm_", 1);
  CHECK(only_fate(run) == Fate::served);
}

TEST_CASE("the ways past us") {
  CHECK(only_fate(run_with({{"sgemm_", plugin, blas, Way::dlsym, false, "record_only"}})) == Fate::past_by_dlsym);
  CHECK(only_fate(run_with({linked("sgemm_", plugin, blas)})) == Fate::past_by_deepbind);
  CHECK(only_fate(run_with({{"sgemm_", plugin, blas, Way::linked, false, "namespace"}})) == Fate::past_in_namespace);
  CHECK(only_fate(run_with({{"sgemm_", plugin, blas, Way::linked, false, "not_loaded"}})) == Fate::past_not_loaded);
  CHECK(only_fate(run_with({linked("sgemm_", plugin, plugin)})) == Fate::own_copy);
  CHECK(only_fate(run_with({linked("my_sgemm_", plugin, blas)})) == Fate::another_name);
  CHECK(only_fate(run_with({linked("cblas_sgemm_batch", plugin, blas)})) == Fate::another_form);
}

TEST_CASE("what is nobody's loss") {
  CHECK(only_fate(run_with({linked("sgemm_", blas, blas)})) == Fate::inside_blas);
  CHECK(only_fate(run_with({{"cublasSgemm_v2", "/opt/libwrapper.so", "/opt/libcublas.so.13", Way::linked, false,
                             "inside_blas"}})) == Fate::inside_blas);
  CHECK(only_fate(run_with({linked("dgemm_", plugin, blas)})) == Fate::another_type);
  CHECK(only_fate(run_with({linked("cblas_ssyrk", plugin, blas)})) == Fate::not_a_product);
  CHECK(rows_of(run_with({linked("dgemm_", blas, blas)})).empty());
  CHECK(rows_of(run_with({{"sgemm_", ours, blas, Way::dlsym, false, "own_search"}})).empty());
  CHECK(rows_of(run_with({{"sgemm", app, app, Way::linked, false, "not_a_blas"}})).empty());
  CHECK(rows_of(run_with({linked("cublasLtCreate", plugin, blas)})).empty());
}

TEST_CASE("imports that the loader was not asked for; what is missed comes first") {
  Run run = run_with({linked("sgemm_", plugin, ours), {"sgemm_", app, blas, Way::dlsym, false, "record_only"}});
  run.objects.push_back(elf("/opt/idle.so", "", {{"cblas_sgemm", NameKind::door, Role::imported}}));
  const auto rows = rows_of(run);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].fate == Fate::past_by_dlsym);
  CHECK(std::ranges::count(rows, Fate::not_bound, &Row::fate) == 1);
}

TEST_CASE("verdicts on runs with calls") {
  Run run = run_with({linked("sgemm_", plugin, ours)});
  add_calls(run, "sgemm_", 12);
  run.calls.answers[{"sgemm_", "0", "next_blas", "cpu", "small"}] += 2;
  Verdict verdict = verdict_of(dynamic_program(), &run);
  CHECK(verdict.key == "served");
  CHECK(verdict.well);
  CHECK(verdict.sentence ==
        "14 SGEMM calls came to the library: 12 by rung 9 (double_buffered) on gpu:0, 2 handed on to the next library "
        "(small); 14 through sgemm_. No other SGEMM function was bound.");
  run.log.bindings.insert({"sgemm_", app, blas, Way::dlsym, false, "record_only"});
  verdict = verdict_of(dynamic_program(), &run);
  CHECK(verdict.key == "partly");
  CHECK_FALSE(verdict.well);
  run.exit_code = 139;
  verdict = verdict_of(dynamic_program(), &run);
  CHECK(verdict.program_failed);
  CHECK(verdict.sentence.starts_with("The program failed (exit code 139). 14 SGEMM calls"));
}

TEST_CASE("a call that nobody could compute is not well") {
  Run run = run_with({linked("sgemm_", plugin, ours)});
  run.calls.answers[{"sgemm_", "none", "none", "cpu", "noop"}] = 1;
  CHECK(verdict_of(dynamic_program(), &run).well);
  run.calls.answers[{"sgemm_", "none", "none", "cpu", "fallback:no-blas-found"}] = 1;
  CHECK(verdict_of(dynamic_program(), &run).key == "not_computed");
  CHECK_FALSE(verdict_of(dynamic_program(), &run).well);
}

TEST_CASE("verdicts on runs without calls") {
  const Before before = dynamic_program();
  const auto key = [&before](const Run& run) { return verdict_of(before, &run).key; };
  CHECK(key(run_with({})) == "no_gemm");
  CHECK(key(run_with({linked("sgemm_", plugin, ours)})) == "never_called");
  CHECK(key(run_with({linked("sgemm_", plugin, ours), linked("dgemm_", plugin, blas)})) == "never_called");
  CHECK(key(run_with({linked("dgemm_", plugin, blas)})) == "another_type");
  Run typed = run_with({linked("cublasGemmEx", plugin, ours)});
  CHECK(key(typed) == "never_called");
  typed.calls.passed_on["cublasGemmEx"] = 3;
  CHECK(key(typed) == "passed_on");
  CHECK(key(run_with({linked("sgemm_", plugin, blas), linked("dgemm_", plugin, blas)})) == "past_by_deepbind");
  Run elsewhere = run_with({});
  elsewhere.log.objects.erase(ours);
  CHECK(key(elsewhere) == "not_preloaded");
  Run blind = run_with({});
  blind.recorded = false;
  CHECK(key(blind) == "no_gemm");
  CHECK(keys_of(remarks_of(before, &blind)) == std::vector<std::string>{"not_recorded"});
}

TEST_CASE("the cure depends on what was tried") {
  Run run = run_with({{"sgemm_", plugin, blas, Way::dlsym, false, "record_only"}});
  CHECK(verdict_of(dynamic_program(), &run).sentence.find("ladder run --audit") != std::string::npos);
  run.audit_mode = true;
  CHECK(verdict_of(dynamic_program(), &run).sentence.find("ladder run --audit") == std::string::npos);
}

TEST_CASE("programs that nothing is preloaded into") {
  const Run run = run_with({});
  Before before = dynamic_program();
  before.program.set_user_id = true;
  CHECK(verdict_of(before, &run).key == "secure_program");
  before = dynamic_program();
  before.elf = elf(app, "", {{"sgemm_", NameKind::door, Role::internal}});
  CHECK(verdict_of(before, &run).key == "static_program");
  CHECK(verdict_of(before, &run).sentence.find("has a BLAS in it (sgemm_)") != std::string::npos);
  before = dynamic_program();
  before.elf.interpreter = "/lib/ld-musl-x86_64.so.1";
  CHECK(verdict_of(before, &run).key == "other_c_library");
  before = dynamic_program();
  before.elf.for_this_machine = false;
  CHECK(verdict_of(before, &run).key == "other_machine");
}

TEST_CASE("a BLAS inside an object") {
  Run run = run_with({});
  run.objects.push_back(elf(plugin, "", {{"cblas_sgemm", NameKind::door, Role::internal}}));
  const Verdict verdict = verdict_of(dynamic_program(), &run);
  CHECK(verdict.key == "static_blas");
  CHECK(verdict.sentence.find("plugin.so (cblas_sgemm)") != std::string::npos);
}

TEST_CASE("JSON, with and without a run") {
  Before before = dynamic_program();
  before.program.complaint = "there is no program app";
  auto json = nlohmann::json::parse(to_json(before, nullptr));
  CHECK(json["verdict"]["key"] == "not_run");
  CHECK(json["run"].is_null());
  CHECK(json["verdict"]["sentence"] == "The program was not run: there is no program app.");
  CHECK(json["surroundings"]["gpu"].is_null());
  Run run = run_with({linked("sgemm_", plugin, ours)});
  add_calls(run, "sgemm_", 3);
  json = nlohmann::json::parse(to_json(dynamic_program(), &run));
  CHECK(json["bindings"][0]["fate"] == "served");
  CHECK(json["bindings"][0]["calls"] == 3);
  CHECK(json["calls"][0]["rung"] == "9");
  CHECK(json["verdict"]["well"] == true);
}
