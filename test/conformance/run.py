#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs Netlib's testers (netlib.py) once through each rung, emulated, two at a time.

A rung of TF32 does not pass, nor is it meant to; one of fp16x3 declines every k of theirs. One of bf16x6 declines most,
so that a single tester, with the largest extents, sees to that and to what it hands down.
Prints one line a run, `ok - NAME` or `not ok - NAME: why`; the exit code is 1 if any is not ok.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "preload"))
import netlib
import preloaded

TIMEOUT_S = 280


def emulated_rungs(ladder):
    """Precisions of the rungs that have a kernel, by name, from the one list that the tools print."""
    listed = json.loads(subprocess.run([ladder, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    return {rung["name"]: rung["precision"] for rung in listed["rungs"] if "emulate" in rung["devices"]}


def testers_of(precision):
    return {"fp32": netlib.ALL_TESTERS, "bf16x6": [netlib.WITH_EDGES]}.get(precision, [])


def miscounted(tester, rung, rows):
    """Why the library's own counts are not those of this tester; empty when they are."""
    wanted = {rung: tester.orders * (tester.calls_an_order() - tester.idle_calls_an_order()),
              "none": tester.orders * tester.idle_calls_an_order()}
    seen = collections.Counter()
    for row in rows:
        seen[rung if preloaded.declined(row) else row["name"]] += row["calls"]
    if seen != wanted or any(row["door"] != tester.door for row in rows):
        return f"the library counted {rows}, the tester makes {wanted} through {tester.door}"
    if any(row["device"] != "emulate" for row in rows if row["name"] != "none"):
        return f"not emulated: {rows}"
    return ""


def run_tester(tester, library, rung):
    """Why this run is not a pass; empty when it is."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "summary.log"
        env = preloaded.environment(library, rung, "emulate", "summary", log)
        # xscblat3 needs a variable of the reference CBLAS that OpenBLAS lacks; the testers' own folder has it.
        env["LD_LIBRARY_PATH"] = str(netlib.TESTERS)
        try:
            done = subprocess.run([str(tester.program)], input=tester.input_text(), env=env, cwd=folder, text=True,
                                  errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return f"still running after {TIMEOUT_S} s"
        written = pathlib.Path(folder) / "sblat3.out"
        report = done.stdout + (written.read_text(errors="replace") if written.exists() else "")
        if done.returncode != 0:
            return f"exit code {done.returncode}: {report.strip()[-300:]}"
        complaint = tester.complaint(report)
        return complaint or miscounted(tester, rung, preloaded.summary_rows(preloaded.read_log(log)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default=preloaded.default_library(), help="the library to preload")
    parser.add_argument("--ladder", help="the ladder command (default: beside the library's build)")
    parser.add_argument("--rung", action="append", help="only this rung, by name; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time")
    options = parser.parse_args()
    library = pathlib.Path(options.library).resolve()
    ladder = options.ladder or str(library.parents[1] / "tools" / "ladder")
    if not netlib.TESTERS.is_dir():
        print("skip - netlib testers: install libblas-test")
        return 0
    precisions = emulated_rungs(ladder)
    runs = [(rung, tester) for rung in options.rung or precisions for tester in testers_of(precisions[rung])]

    def timed(run):
        rung, tester = run
        start = time.monotonic()
        complaint = run_tester(tester, library, rung)
        note = f"{tester.orders * tester.calls_an_order()} calls, {time.monotonic() - start:.1f} s"
        return f"netlib {tester.name} rung={rung}", complaint, note

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, complaint, note in pool.map(timed, runs):
            print(f"not ok - {name}: {complaint}" if complaint else f"ok - {name} ({note})", flush=True)
            failed += bool(complaint)
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
