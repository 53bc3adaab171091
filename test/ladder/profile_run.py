#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ladder profile` as a user types it, with a stand-in for Nsight Compute: the report, what is kept, what is refused.

Prints one line a test, `ok - NAME` or `not ok - NAME: why`; the exit code is 1 if any is not ok.
"""
import csv
import json
import os
import pathlib
import sys

from command import FAILED, OK, USAGE, Command, run_tests

STAND_IN = pathlib.Path(__file__).resolve().parent / "ncu_stand_in.py"


class Bench(Command):
    """The command under test, and a folder in which `ncu` is the stand-in."""

    def __init__(self, ladder, folder):
        self.folder, self.calls = folder, folder / "calls"
        (folder / "bin").mkdir()
        (folder / "bin" / "ncu").symlink_to(STAND_IN)
        super().__init__(ladder, "profile", PATH=f"{folder / 'bin'}:{os.environ['PATH']}", NCU_PLAYS="table",
                         NCU_CALLS=str(self.calls))

    def __call__(self, *words, code=OK, **variables):
        self.calls.write_text("")
        return super().__call__(*words, code=code, **variables)

    def refused(self, *words, code=USAGE, **variables):
        """What cannot be done is said in one line, with nothing on stdout."""
        out, err = self(*words, code=code, **variables)
        assert out == "" and len(err.splitlines()) == 1, out + err
        return err

    def called(self):
        return [json.loads(line) for line in self.calls.read_text().splitlines()]


def report(bench):
    out, err = bench("--rungs", "1,2,3")
    for wanted in ("Nsight Compute: 2025.3.0.0", "NN 4096x4096x4096", "rung 1 naive: sgemm_naive",
                   "rung 3 shared: sgemm_shared", "limiter: scattered global loads: a request touches 8.5 sectors",
                   "idea: sectors per global load request was to fall: 8.5 -> 2.5, and did",
                   "limiter: load instructions: 2 for each FFMA"):
        assert wanted in out, f"{wanted!r} is not in {out}"
    assert err == "", err


def one_process_and_no_locked_clocks(bench):
    bench("--rungs", "1,2,3", "--size", "256", "--k", "64", "--ops", "TN")
    (words,) = bench.called()
    pairs = list(zip(words, words[1:]))
    for pair in (("--clock-control", "none"), ("--cache-control", "all"), ("--replay-mode", "kernel"),
                 ("--profile-from-start", "off"), ("--m", "256"), ("--n", "256"), ("--k", "64"), ("--ops", "TN")):
        assert pair in pairs, f"{pair} is not in {words}"
    assert "launch" in words and words[words.index("launch") - 1] == os.path.realpath(bench.path), words


def as_json(bench):
    out, _ = bench("--rungs", "1,2,3", "--json")
    rungs = json.loads(out)["rungs"]
    assert [rung["name"] for rung in rungs] == ["naive", "coalesced", "shared"], rungs
    assert [rung["below"] for rung in rungs] == [None, "naive", "coalesced"], rungs
    assert rungs[1]["figures"]["sectors_per_request"] == 2.5, rungs[1]
    assert abs(rungs[0]["figures"]["rate"] - 2 * 4096 ** 3 / 140123456 / 1e3) < 1e-9, rungs[0]
    assert rungs[1]["figures"]["l2_traffic"] is None, "a counter that is not available is no number"
    assert rungs[0]["limiter"]["key"] == "scattered_loads", rungs[0]


def as_csv(bench):
    kept = bench.folder / "profile.csv"
    out, _ = bench("--rungs", "1,2", "--csv", "--output", str(kept))
    assert kept.read_text() == out
    lines = out.splitlines()
    conditions = [line for line in lines if line.startswith("# ")]
    assert any(line.startswith("# Nsight Compute: 2025") for line in conditions), conditions
    rows = list(csv.DictReader(lines[len(conditions):]))
    assert list(rows[0]) == ["rung", "name", "kernel", "metric", "unit", "value"], rows[0]
    times = [row["value"] for row in rows if row["metric"] == "gpu__time_duration.sum"]
    assert times == ["140123456", "22345678"], times
    assert [row["value"] for row in rows if row["metric"] == "lts__t_bytes.sum"] == ["", ""]


def kept_counters_are_reported_again(bench):
    kept = bench.folder / "kept.csv"
    first, _ = bench("--rungs", "1,2,3", "--json", "--output", str(kept))
    again, _ = bench("--from", str(kept), "--json", path="/nonexistent")
    assert again == first, again
    assert bench.called() == [], bench.called()
    _, err = bench("--from", str(bench.folder / "none.csv"), code=USAGE)
    assert "none.csv" in err, err


def raw_output_is_kept(bench):
    raw = bench.folder / "raw"
    bench("--rungs", "1", "--raw", str(raw))
    assert "==PROF== Connected" in raw.read_text() and "sgemm_naive" in raw.read_text()


def unknown_metric_is_left_out(bench):
    out, _ = bench("--rungs", "1,2", NCU_PLAYS="strict")
    first, second = (words[words.index("--metrics") + 1].split(",") for words in bench.called())
    assert len(second) == len(first) - 1, (first, second)
    assert "counters unknown to it: l1tex__lsu_writeback_active" in out, out


def no_ncu(bench):
    err = bench.refused("--rungs", "1", "--ncu", "/nonexistent/ncu")
    assert "/nonexistent/ncu" in err, err
    if not any(pathlib.Path("/usr/local/cuda").glob("**/ncu")) and not pathlib.Path("/opt/nvidia").exists():
        err = bench.refused("--rungs", "1", PATH="/nonexistent")
        assert "Nsight Compute (ncu) is neither on PATH" in err, err


def counters_not_allowed(bench):
    err = bench.refused("--rungs", "1", NCU_PLAYS="permission")
    assert "ERR_NVGPUCTRPERM" in err and "NVreg_RestrictProfilingToAdminUsers" in err, err


def no_gpu(bench):
    err = bench.refused("--rungs", "1", NCU_PLAYS="no_gpu")
    assert err == "ladder: there is no GPU that works here\n", err


def nothing_profiled(bench):
    bench.refused("--rungs", "1", NCU_PLAYS="silent")


def unusable_answers(bench):
    bench.refused("--rungs", "1,2", NCU_PLAYS="garbage", code=FAILED)
    bench.refused("--rungs", "1,2", NCU_PLAYS="short", code=FAILED)


def a_rung_that_cannot_run(bench):
    err = bench.refused("--rungs", "1,2,3", NCU_PLAYS="stopped", code=FAILED)
    assert "shared: out of memory" in err, err


def exit_code_alone_is_no_failure(bench):
    bench("--rungs", "1,2,3", NCU_PLAYS="grumble")


def bad_command_lines(bench):
    for words in (["--rungs", "99"], ["--rungs", "0"], ["--rungs", "1,,2"], ["--size", "0"], ["--size", "4000000000000"], ["--ops", "XY"],
                  ["--json", "--csv"], ["--m", "-4"], ["--from", "x.csv", "--rungs", "1"]):
        _, err = bench(*words, code=USAGE)
        assert err.strip(), f"{words}: nothing on stderr"


def unwritable_output(bench):
    _, err = bench("--rungs", "1", "--output", "/nonexistent/profile.csv", code=FAILED)
    assert "/nonexistent/profile.csv" in err, err


def launch_is_hidden(bench):
    out, _ = Command(bench.path)("--help")
    assert "profile" in out and "launch " not in out, out


TESTS = [report, one_process_and_no_locked_clocks, as_json, as_csv, kept_counters_are_reported_again,
         raw_output_is_kept, unknown_metric_is_left_out, no_ncu,
         counters_not_allowed, no_gpu, nothing_profiled, unusable_answers, a_rung_that_cannot_run,
         exit_code_alone_is_no_failure, bad_command_lines, unwritable_output,
         launch_is_hidden]


if __name__ == "__main__":
    sys.exit(run_tests("ladder profile", TESTS, Bench, __doc__))
