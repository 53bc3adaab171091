#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ladder bench` as a user types it where there is no GPU: what is refused, and what it says of files of results.

Prints one line a test, `ok - NAME` or `not ok - NAME: why`; the exit code is 1 if any is not ok.
"""
import json
import pathlib
import subprocess
import sys

from command import FAILED, USAGE, Command, run_tests

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
COLUMNS ="category,op_a,op_b,m,n,k,batch,rung,name,ms,ms_q1,ms_q3,peer,peer_ms,verdict"
ROWS = ["square,N,N,512,512,512,1,9,double_buffered,{a},{a},{a},cublas,0.02,right",
        "square,N,N,1024,1024,1024,1,9,double_buffered,{b},{b},{b},cublas,0.05,right"]


class Bench(Command):
    """The command under test and a folder of its own. No GPU is to be seen, whatever the machine has."""

    def __init__(self, ladder, folder):
        super().__init__(ladder, "bench", CUDA_VISIBLE_DEVICES="")
        self.folder = folder

    def refused(self, *words, saying):
        """What cannot be begun is refused by one line (and CLI11's pointer to --help), with nothing on stdout."""
        out, err = self(*words, code=USAGE)
        lines = [line for line in err.splitlines() if not line.startswith("Run with --help")]
        assert out == "" and len(lines) == 1 and saying in lines[0], f"{words}: {out}{err}"

    def results(self, name, a, b):
        path = self.folder / name
        path.write_text("\n".join(["# GPU: one of the tests'", COLUMNS, *ROWS]).format(a=a, b=b) + "\n")
        return str(path)


def help_text(bench):
    out, _ = bench("--help")
    for option in ("--shapes", "--rungs", "--against", "--warm-cache", "--ceilings", "--summarize", "--compare"):
        assert option in out, f"{option} is not in {out}"


def nothing_to_time_with(bench):
    for words in (["512"], [], ["--ceilings"], ["512", "--door", "cublas"]):
        _, err = bench(*words, code=USAGE)
        assert len(err.splitlines()) == 1 and "GPU" in err, err


def bad_shapes(bench):
    bench.refused("12x", saying="12x")
    bench.refused("0", saying="'0'")
    bench.refused("NX:512", saying="NX:512")
    bench.refused("1x1x2305843009213693951", saying="more bytes than any memory")
    bench.refused("512", "--ops", "NQ", saying="NQ")
    bench.refused("512", "--ops", "NN,", saying="''")
    bench.refused("--replay", "op=NN m=1 n=1 k=1", "--ops", "TN", saying="--ops")
    bench.refused("--category", "round", saying="round")
    bench.refused("--replay", "nothing of the kind", saying="--replay")


def bad_contenders(bench):
    bench.refused("512", "--rungs", "99", saying="99")
    bench.refused("512", "--rungs", "9:round", saying="round")
    bench.refused("512", "--rungs", "0", saying="--against")
    bench.refused("512", "--door", "front", saying="front")
    bench.refused("512", "--against", "openblas", saying="'openblas' is none of cublas")
    bench.refused("512", "--against", "cublas", "--door", "cblas", saying="'cublas' is none of openblas")
    bench.refused("512", "--rungs", "9:all", "--door", "cblas", saying="no caller can force a configuration")
    bench.refused("512", "--data", "odd", saying="odd")
    bench.refused("512", "--samples", "0", saying="0")
    bench.refused("512", "--calls", "0", saying="0")
    bench.refused("512", "--sustain", "0", saying="0")
    bench.refused("512", "--sustain", "3", "--samples", "20", saying="--samples")
    for words in (["--sustain", "3"], ["--calls", "100"]):
        bench.refused("512", "--door", "cblas", *words, saying="a host door has none")
    for seconds in ("nan", "inf", "-1"):
        bench.refused("512", "--pause", seconds, saying=seconds)
        bench.refused("512", "--peer-timeout", seconds, saying=seconds)


def bad_files(bench):
    missing = str(bench.folder / "missing.csv")
    bench.refused("--shapes", missing, saying=missing)
    bench.refused("--summarize", missing, saying=missing)
    bench.refused("--compare", missing, missing, saying=missing)
    bad = bench.folder / "bad.csv"
    bad.write_text("category,op_a,op_b,m,n,k\nsquare,N,N,512,wide,512\n")
    bench.refused("--shapes", str(bad), saying="bad.csv:2")
    bench.refused("512", "--output", str(bench.folder / "nowhere" / "out.csv"), saying="nowhere")
    bench.refused("512", "--output", str(bench.folder), saying="no file that results could replace")
    bench.refused("512", "--output", "/dev/null", saying="no file that results could replace")
    good = bench.folder / "good.csv"
    good.write_text("category,op_a,op_b,m,n,k\nsquare,N,N,512,512,512\n")
    bench.refused("--shapes", str(good), "--output", str(bench.folder / "." / "good.csv"), saying="list of shapes")
    assert good.exists()


def files_are_only_looked_at(bench):
    path = bench.results("a.csv", a=0.02, b=0.04)
    for words in (["512"], ["--output", str(bench.folder / "b.csv")], ["--ceilings"], ["--csv"], ["--rungs", "9"]):
        bench.refused("--summarize", path, *words, saying="measure nothing")
        bench.refused(*words, "--compare", path, path, saying="measure nothing")


def committed_files(bench):
    files = sorted((REPOSITORY / "tools" / "bench" / "results").glob("*/*.csv"))
    for path in (str(path) for path in files if path.name not in ("profile.csv", "accuracy.csv", "rung9_accuracy.csv")):
        assert json.loads(bench("--summarize", path, "--json")[0])["failed"] == 0, path
        out, _ = bench("--compare", path, path)
        assert "Slower beyond the spread: none" in out, out


def output_that_does_not_arrive(bench):
    path = bench.results("a.csv", a=0.02, b=0.04)
    for how in ("> /dev/full", ">&-"):
        done = subprocess.run(["sh", "-c", f'"$0" bench --summarize "$1" {how}', bench.path, path], text=True,
                              stderr=subprocess.PIPE)
        assert done.returncode == FAILED and "cannot write to stdout" in done.stderr, f"{how}: {done}"


def summary_of_a_file(bench):
    path = bench.results("a.csv", a=0.02, b=0.04)
    out, _ = bench("--summarize", path)
    assert "square" in out and "1.118" in out, out
    summary = json.loads(bench("--summarize", path, "--json")[0])
    assert abs(summary["geomean"] - 1.25 ** 0.5) < 1e-6 and summary["min"] == 1.0, summary
    assert set(summary["categories"]) == {"square"}, summary
    bench.refused("--summarize", path, "--rung", "8", saying="8")


def comparison_of_two_files(bench):
    before, after = bench.results("a.csv", a=0.02, b=0.04), bench.results("b.csv", a=0.02, b=0.05)
    out, _ = bench("--compare", before, after, code=FAILED)
    assert "+25.0 %" in out, out
    bench("--compare", before, before)
    assert json.loads(bench("--compare", after, before, "--json")[0]), "no JSON"


TESTS = [help_text, nothing_to_time_with, bad_shapes, bad_contenders, bad_files, files_are_only_looked_at,
         committed_files, output_that_does_not_arrive, summary_of_a_file, comparison_of_two_files]


if __name__ == "__main__":
    sys.exit(run_tests("ladder bench", TESTS, Bench, __doc__))
