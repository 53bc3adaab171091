#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ladder bench --door cblas` and `--door sgemm_` on the CPU: our library and OpenBLAS in one process, a library that
plays NVBLAS preloaded into another, and peers that are wrong, die or say nothing.

Prints one line a test, `ok - NAME`, `not ok - NAME: why` or `skip - NAME: why`; the exit code is 1 if any is not ok.
"""
import csv
import ctypes
import json
import sys

from command import FAILED, OK, USAGE, Command, run_tests

OPENBLAS = "libopenblas.so.0"
DOORS = ("cblas", "sgemm_")


class Bench(Command):
    """The command under test, and a BLAS beside it whose fault WRONG_BLAS chooses."""

    def __init__(self, ladder, folder):
        super().__init__(ladder, "bench", CUDA_VISIBLE_DEVICES="", LADDER_DEVICE="emulate")
        self.folder = folder
        self.ladder_library = ladder.parents[1] / "lib" / "libladderblas.so"
        self.wrong_blas = str(ladder.parents[1] / "test" / "bench" / "libwrong_blas.so")

    def rows(self, *words, code=OK, **variables):
        out, _ = self(*words, "--samples", "3", "--csv", code=code, **variables)
        return list(csv.DictReader(line for line in out.splitlines() if not line.startswith("#")))


def emulated_against_openblas(bench):
    for door in DOORS:
        rows = bench.rows("64", "TN:65x33x17", "32*4", "--door", door, "--rungs", "9,warp_tiled", "--against", "openblas")
        assert [row["name"] for row in rows] == 3 * ["double_buffered:emulated", "warp_tiled:emulated", "openblas"], rows
        assert {row["verdict"] for row in rows} == {"right"} and {row["timing"] for row in rows} == {"host"}, rows
        ours = [row for row in rows if row["rung"] != "0"]
        assert all(float(row["ratio"]) > 0 and row["peer"] == "openblas" for row in ours), rows
        assert all(0 < float(row["ms_q1"]) <= float(row["ms"]) <= float(row["ms_q3"]) for row in rows), rows


def auto_and_a_file_for_each_rung(bench):
    output = str(bench.folder / "%r.csv")
    rows = bench.rows("16", "--door", "cblas", "--rungs", "9,auto", "--against", "openblas", "--output", output)
    assert [row["rung"] for row in rows] == ["9", "auto", "0"] and {row["verdict"] for row in rows} == {"right"}, rows
    assert rows[1]["name"].endswith(":emulated") and rows[1]["name"] != "auto:emulated", rows
    for rung, label in (("double_buffered", "9"), ("auto", "auto")):
        lines = (bench.folder / f"{rung}.csv").read_text().splitlines()
        kept = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        assert [row["rung"] for row in kept] == [label, "0"], kept
    out, _ = bench("--summarize", str(bench.folder / "auto.csv"), "--json")
    assert json.loads(out)["rung"].startswith("auto") and json.loads(out)["problems"] == 1, out


def data_of_the_gpu_only(bench):
    _, err = bench("16", "--door", "cblas", "--data", "graded", code=USAGE)
    assert "graded" in err and len(err.splitlines()) == 1, err


def handed_on_to_the_cpu(bench):
    for door in DOORS:
        rows = bench.rows("100x50x70", "--door", door, LADDER_DEVICE="cpu")
        assert [row["name"] for row in rows] == ["next_blas", "openblas"], rows
        assert rows[0]["verdict"] == "right" and float(rows[0]["ratio"]) > 0, rows


def as_json(bench):
    result = json.loads(bench("48", "--door", "cblas", "--samples", "3", "--json")[0])
    ours, peer = result["rows"]
    assert ours["ratio"] > 0 and peer["name"] == "openblas" and ours["worst_error"] <= 1, result
    assert {"openblas", "first call openblas", "first call rung 9"} <= set(result["conditions"]), result["conditions"]


def wrong_peer(bench):
    for door in DOORS:
        for fault, said in (("garbage", "4242"), ("unwritten", "NaN")):
            ours, peer = bench.rows("64", "--door", door, "--against", "openblas", "--blas", bench.wrong_blas, code=FAILED,
                                    WRONG_BLAS=fault)
            assert ours["verdict"] == "right" and ours["ratio"] == "", ours
            assert said in peer["verdict"] and peer["ms"] == "nan" and peer["samples"] == "0", peer


def peer_in_a_process_of_its_own(bench):
    rows = bench.rows("64", "NT:33x65x17", "--door", "sgemm_", "--against", "nvblas,openblas", "--nvblas", OPENBLAS)
    assert [row["name"] for row in rows] == 2 * ["double_buffered:emulated", "nvblas", "openblas"], rows
    assert {row["verdict"] for row in rows} == {"right"}, rows
    assert all(row["peer"] == "nvblas" and float(row["ratio"]) > 0 for row in rows if row["rung"] != "0"), rows


def failures_are_summarized(bench):
    kept = str(bench.folder / "kept.csv")
    bench("64", "--door", "cblas", "--against", "openblas", "--blas", bench.wrong_blas, "--output", kept, code=FAILED,
          WRONG_BLAS="garbage")
    assert json.loads(bench("--summarize", kept, "--json", code=FAILED)[0])["failed"] == 1
    out, _ = bench("9999999x9999999x1", "8", "--door", "cblas", "--against", "openblas", "--output", kept, code=FAILED)
    assert "memory" in out, out
    assert json.loads(bench("--summarize", kept, "--json", code=FAILED)[0])["failed"] == 1


def process_that_is_lost(bench):
    def race(fault, code, *words):
        return bench("64", "--door", "sgemm_", "--against", "openblas,nvblas", "--nvblas", bench.wrong_blas, "--csv", *words,
                     code=code, WRONG_BLAS=fault)

    assert "signal 6" in race("dies later", FAILED)[0]
    assert "4242" in race("garbage", FAILED)[0]
    for fault, said in (("dies", "signal 6"), ("ends", "exit code 3"), ("babbles", "no end of")):
        assert said in race(fault, USAGE)[1], fault
    assert "no answer in" in race("silent", USAGE, "--peer-timeout", "0.5")[1]


def peers_that_are_not_here(bench):
    out, err = bench("32", "--door", "cblas", "--samples", "3")
    assert "nvblas is left out" in err and len(err.splitlines()) == 1 and "openblas" in out, err
    for words, said in ((["--against", "nvblas"], "no GPU"), (["--against", "cublas"], "none of openblas, nvblas"),
                        (["--blas", "/nonexistent/libblas.so", "--against", "openblas"], "/nonexistent/libblas.so")):
        _, err = bench("32", "--door", "cblas", *words, code=USAGE)
        assert said in err and len(err.splitlines()) == 1, err
    ours = str(bench.ladder_library)
    _, err = bench("32", "--door", "cblas", "--against", "openblas", "--blas", ours, code=USAGE)
    assert "is libladderblas itself" in err, err


def child_is_not_in_the_help(bench):
    out, _ = Command(bench.path)("--help")
    assert "bench" in out and "host-peer" not in out, out


TESTS = [emulated_against_openblas, auto_and_a_file_for_each_rung, data_of_the_gpu_only, handed_on_to_the_cpu, as_json,
         wrong_peer, peer_in_a_process_of_its_own, failures_are_summarized, process_that_is_lost, peers_that_are_not_here,
         child_is_not_in_the_help]


def has_openblas():
    try:
        ctypes.CDLL(OPENBLAS)
    except OSError:
        return False
    return True


def main():
    if not has_openblas():
        print(f"skip - host doors: there is no {OPENBLAS}")
        return OK
    return run_tests("host doors", TESTS, Bench, __doc__)


if __name__ == "__main__":
    sys.exit(main())
