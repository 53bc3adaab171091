#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ladder command as a user types it: tables, exit codes, what `run` hands to the program, what `verify` says.

Prints one line a test, `ok - NAME` or `not ok - NAME: why`; the exit code is 1 if any is not ok.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "test" / "preload"))
import preloaded
from command import FAILED, USAGE, Command, run_tests

NOT_FOUND, CANNOT_EXECUTE = 127, 126


def listed_rungs():
    text = (REPOSITORY / "src" / "kernels" / "rungs.def").read_text()
    return re.findall(r"^\w+_RUNG\(\w+, [^,]+, (\w+),", text, re.MULTILINE)


def help_texts(ladder):
    for words in ([], ["list"], ["run"], ["verify"], ["accuracy"], ["tune"], ["doctor"]):
        out, _ = ladder(*words, "--help")
        assert "Usage:" in out or "usage:" in out, out


def list_shows_every_rung(ladder):
    out, _ = ladder("list")
    names = [name for name in listed_rungs() if not re.search(rf"\b{name}\b", out)]
    assert not names, f"missing: {names}"


def list_as_json(ladder):
    rungs = json.loads(ladder("list", "--json")[0])["rungs"]
    assert [rung["name"] for rung in rungs] == listed_rungs(), rungs
    assert [rung["number"] for rung in rungs if rung["default"]] == [9], rungs
    kernels = [rung for rung in rungs if rung["number"] != 0]
    assert all("emulate" in rung["devices"] for rung in kernels), rungs


def bad_command_lines(ladder):
    for words in (["climb"], [], ["doctor"], ["doctor", "--rung", "99", "--", "true"],
                  ["doctor", "--audit", "--look-only", "--", "true"], ["run"], ["run", "--rung", "99", "--", "true"],
                  ["run", "--device", "x", "--", "true"],
                  ["verify", "--rung", "99"], ["verify", "--op", "XY"], ["verify", "--m", "-1"], ["tune"], ["tune", "4x"], ["tune", "--rungs", "6", "64"],
                  ["tune", "--rungs", "7:128x128x8_8x8", "64"], ["tune", "--candidates", "0", "64"],
                  ["tune", "--host", "64"], ["tune", "--host", "--show"], ["tune", "--blas", "libx.so", "64"],
                  ["tune", "--shapes", "/nonexistent.csv"], ["accuracy", "4x"], ["accuracy", "--data", "normal,odd"],
                  ["accuracy", "--rungs", "99"], ["accuracy", "--against", "openblas"],
                  ["accuracy", "--output", "/nonexistent/accuracy.csv"]):
        _, err = ladder(*words, code=USAGE)
        assert err.strip(), f"{words}: nothing on stderr"


def run_passes_the_exit_code_on(ladder):
    ladder("run", "--", "sh", "-c", "exit 7", code=7)
    ladder("run", "true")


def run_without_such_a_program(ladder):
    _, err = ladder("run", "--", "/nonexistent/program", code=NOT_FOUND)
    assert "/nonexistent/program" in err and len(err.splitlines()) == 1, err
    with tempfile.NamedTemporaryFile() as plain:
        ladder("run", "--", plain.name, code=CANNOT_EXECUTE)


def run_sets_the_environment(ladder):
    out, _ = ladder("run", "--rung", "warp_tiled", "--device", "emulate", "--log", "call", "--log-time", "gpu",
                    "--log-file", "/tmp/x-%p", "--", "env", LD_PRELOAD="libm.so.6")
    env = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    first, rest = env["LD_PRELOAD"].split(":")
    assert first.endswith("/libladderblas.so") and os.path.exists(first) and rest == "libm.so.6", env["LD_PRELOAD"]
    given = {name: value for name, value in env.items() if name.startswith("LADDER_")}
    assert given == {"LADDER_RUNG": "warp_tiled", "LADDER_DEVICE": "emulate", "LADDER_LOG": "call",
                     "LADDER_LOG_TIME": "gpu", "LADDER_LOG_FILE": "/tmp/x-%p"}, given


def run_with_the_auditor(ladder):
    theirs = {"LD_PRELOAD": "libm.so.6", "LD_AUDIT": "", "GLIBC_TUNABLES": "glibc.malloc.check=0"}
    out, _ = ladder("run", "--audit", "--", "env", **theirs)
    env = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    assert env["LD_PRELOAD"].endswith("/libladderblas.so:libm.so.6"), env["LD_PRELOAD"]
    assert os.path.exists(env["LD_AUDIT"]) and env["LD_AUDIT"].endswith("/libladderblas-audit.so"), env["LD_AUDIT"]
    assert env["GLIBC_TUNABLES"] == "glibc.rtld.optional_static_tls=16384:glibc.malloc.check=0", env["GLIBC_TUNABLES"]

    out, _ = ladder("run", "--audit", "--", "env", LD_AUDIT=env["LD_AUDIT"], GLIBC_TUNABLES=env["GLIBC_TUNABLES"])
    assert f"LD_AUDIT={env['LD_AUDIT']}:{env['LD_AUDIT']}" in out.splitlines(), out
    assert f"GLIBC_TUNABLES={env['GLIBC_TUNABLES']}" in out.splitlines(), out
    assert "LD_AUDIT=" not in ladder("run", "--", "env")[0]


def run_leaves_what_was_set(ladder):
    out, _ = ladder("run", "--", "env", LADDER_RUNG="3")
    assert "LADDER_RUNG=3" in out.splitlines() and "LADDER_DEVICE" not in out, out


def run_options_of_the_program_are_its_own(ladder):
    out, _ = ladder("run", "--", "echo", "--rung", "7", "--help")
    assert out == "--rung 7 --help\n", out


def run_is_heard_by_the_library(ladder):
    products = REPOSITORY / "test" / "preload" / "products_numpy.py"
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "calls.log"
        ladder("run", "--rung", "3", "--device", "emulate", "--log", "call", "--log-file", str(log), "--",
               "/usr/bin/python3", str(products), f"{folder}/out.npz")
        calls = preloaded.logged_calls(log.read_text())
    assert calls and {(call["rung"], call["device"]) for call in calls} == {("3", "emulate")}, calls


def verify_one_problem(ladder):
    out, _ = ladder("verify", "--rung", "4", "--device", "emulate", "--m", "65", "--n", "33", "--k", "17", "--op", "TN",
                    "--alpha", "0.7", "--beta", "-1.5")
    assert "thread_tile_1d" in out, out


def verify_as_json(ladder):
    out, _ = ladder("verify", "--rung", "coalesced", "--device", "emulate", "--m", "20", "--n", "1", "--k", "300",
                    "--json")
    result = json.loads(out)
    (rung,) = result["rungs"]
    assert result["device"] == "emulate" and rung["name"] == "coalesced" and rung["passed"], result
    assert 0 < rung["worst_share_of_bound"] <= 1 and rung["problems"] >= 1, result


def verify_every_rung(ladder):
    result = json.loads(ladder("verify", "--device", "emulate", "--json")[0])
    assert [rung["name"] for rung in result["rungs"]] == listed_rungs(), result
    assert [rung["name"] for rung in result["rungs"] if rung["passed"] is None] == ["cublas"], result


def tune_shows_a_cache(ladder):
    choice = {"rung": "r07", "op_a": "N", "op_b": "T", "alignment": "both", "m": 64, "n": 65, "k": 66, "batch": 1,
              "config": "32x32x16_4x4", "ms": 0.5, "runner_up": ""}
    table = {"gpu": "Some GPU", "multiprocessors": 7, "driver": "1.2", "build": "0", "choices": [choice]}
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder) / "ladderblas" / "tuning.json"
        _, err = ladder("tune", "--show", code=FAILED, XDG_CACHE_HOME=folder)
        assert str(cache) in err, err
        cache.parent.mkdir()
        cache.write_text(json.dumps({"format": 1, "tables": [table]}))
        for out in (ladder("tune", "--show", XDG_CACHE_HOME=folder)[0],
                    ladder("tune", "--show", LADDER_TUNING=str(cache))[0],
                    ladder("tune", "--show", "--output", str(cache))[0]):
            assert "Some GPU, 7 multiprocessors" in out and "r07 NT 64x65x66 aligned: both: 32x32x16_4x4" in out, out
        cache.write_text("{")
        _, err = ladder("tune", "--show", code=FAILED, XDG_CACHE_HOME=folder)
        assert "not a tuning cache" in err, err


def tune_host_measures_the_cpu_without_a_gpu(ladder):
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder) / "tuning.json"
        out, err = ladder("tune", "--host", "--json", "--output", str(cache), code=USAGE, CUDA_VISIBLE_DEVICES="-1")
        times = json.loads(out)["times"]
        assert {(time["m"], time["n"], time["k"]) for time in times} >= {(256, 256, 256), (8192, 1, 8192)}, times
        assert all(time["on"] == "cpu" and time["seconds"] > 0 for time in times), times
        assert "nothing is kept" in err and not cache.exists(), err
        _, err = ladder("tune", "--host", "--blas", "/nonexistent.so", "--output", str(cache), code=USAGE)
        assert "/nonexistent.so" in err and len(err.splitlines()) == 1, err


TESTS = [help_texts, list_shows_every_rung, list_as_json, bad_command_lines, run_passes_the_exit_code_on,
         run_without_such_a_program, run_sets_the_environment, run_with_the_auditor, run_leaves_what_was_set,
         run_options_of_the_program_are_its_own, run_is_heard_by_the_library, verify_one_problem, verify_as_json,
         verify_every_rung, tune_shows_a_cache, tune_host_measures_the_cpu_without_a_gpu]


if __name__ == "__main__":
    sys.exit(run_tests("ladder", TESTS, lambda ladder, _: Command(ladder), __doc__))
