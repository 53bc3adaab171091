#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ladder profile` as a user types it, with a stand-in for Nsight Compute: the report, what is kept, what is refused.

Prints one line a test, `ok - NAME` or `not ok - NAME: why`; the exit code is 1 if any is not ok.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

STAND_IN = pathlib.Path(__file__).resolve().parent / "ncu_stand_in.py"
FAILED, USAGE = 1, 2
TIMEOUT_S = 60


class Bench:
    """A folder in which `ncu` is the stand-in, and the command under test."""

    def __init__(self, ladder, folder):
        self.ladder, self.folder = str(ladder), pathlib.Path(folder)
        self.calls = self.folder / "calls"
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "ncu").symlink_to(STAND_IN)

    def __call__(self, *words, plays="table", code=0, path=None):
        self.calls.write_text("")
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}" if path is None else path
        env = {**os.environ, "PATH": path, "NCU_PLAYS": plays, "NCU_CALLS": str(self.calls)}
        done = subprocess.run([self.ladder, "profile", *words], env=env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
        assert done.returncode == code, f"exit code {done.returncode}, not {code}: {(done.stdout + done.stderr)[-400:]}"
        assert code == 0 or (done.stdout == "" and len(done.stderr.splitlines()) == 1), done
        return done.stdout, done.stderr

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
    assert "launch" in words and words[words.index("launch") - 1] == os.path.realpath(bench.ladder), words


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


def raw_output_is_kept(bench):
    raw = bench.folder / "raw"
    bench("--rungs", "1", "--raw", str(raw))
    assert "==PROF== Connected" in raw.read_text() and "sgemm_naive" in raw.read_text()


def unknown_metric_is_left_out(bench):
    out, _ = bench("--rungs", "1,2", plays="strict")
    first, second = (words[words.index("--metrics") + 1].split(",") for words in bench.called())
    assert len(second) == len(first) - 1, (first, second)
    assert "counters unknown to it: l1tex__lsu_writeback_active" in out, out


def no_ncu(bench):
    _, err = bench("--rungs", "1", "--ncu", "/nonexistent/ncu", code=USAGE)
    assert "/nonexistent/ncu" in err, err
    if not any(pathlib.Path("/usr/local/cuda").glob("**/ncu")) and not pathlib.Path("/opt/nvidia").exists():
        _, err = bench("--rungs", "1", code=USAGE, path="/nonexistent")
        assert "Nsight Compute (ncu) is neither on PATH" in err, err


def counters_not_allowed(bench):
    _, err = bench("--rungs", "1", plays="permission", code=USAGE)
    assert "ERR_NVGPUCTRPERM" in err and "NVreg_RestrictProfilingToAdminUsers" in err, err


def no_gpu(bench):
    _, err = bench("--rungs", "1", plays="no_gpu", code=USAGE)
    assert err == "ladder: there is no GPU that works here\n", err


def nothing_profiled(bench):
    bench("--rungs", "1", plays="silent", code=USAGE)


def unusable_answers(bench):
    bench("--rungs", "1,2", plays="garbage", code=FAILED)
    bench("--rungs", "1,2", plays="short", code=FAILED)


def a_rung_that_cannot_run(bench):
    _, err = bench("--rungs", "1,2,3", plays="stopped", code=FAILED)
    assert "shared: out of memory" in err, err


def exit_code_alone_is_no_failure(bench):
    bench("--rungs", "1,2,3", plays="grumble")


def bad_command_lines(bench):
    for words in (["--rungs", "99"], ["--rungs", "0"], ["--rungs", "1,,2"], ["--size", "0"], ["--size", "4000000000000"], ["--ops", "XY"],
                  ["--json", "--csv"], ["--m", "-4"]):
        done = subprocess.run([bench.ladder, "profile", *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT_S)
        assert done.returncode == USAGE and done.stderr.strip(), f"{words}: {done}"


def unwritable_output(bench):
    done = subprocess.run([bench.ladder, "profile", "--rungs", "1", "--output", "/nonexistent/profile.csv"], text=True,
                          env={**os.environ, "PATH": f"{bench.folder / 'bin'}:{os.environ['PATH']}",
                               "NCU_PLAYS": "table", "NCU_CALLS": str(bench.calls)},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    assert done.returncode == FAILED and "/nonexistent/profile.csv" in done.stderr, done


def launch_is_hidden(bench):
    out = subprocess.run([bench.ladder, "--help"], text=True, stdout=subprocess.PIPE, timeout=TIMEOUT_S).stdout
    assert "profile" in out and "launch " not in out, out


TESTS = [report, one_process_and_no_locked_clocks, as_json, as_csv, raw_output_is_kept, unknown_metric_is_left_out, no_ncu,
         counters_not_allowed, no_gpu, nothing_profiled, unusable_answers, a_rung_that_cannot_run,
         exit_code_alone_is_no_failure, bad_command_lines, unwritable_output,
         launch_is_hidden]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ladder", required=True, help="the command to test")
    ladder = pathlib.Path(parser.parse_args().ladder).resolve()
    failed = 0
    for test in TESTS:
        name = "ladder profile: " + test.__name__.replace("_", " ")
        try:
            with tempfile.TemporaryDirectory() as folder:
                test(Bench(ladder, folder))
            print(f"ok - {name}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired, ValueError, KeyError, OSError) as why:
            print(f"not ok - {name}: {why}", flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
