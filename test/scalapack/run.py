#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ScaLAPACK's psgemm on a grid of MPI processes (psgemm.c), with the library preloaded as the BLAS of each.

The program checks its answers in float64. Whatever the grid and the ops are, ScaLAPACK cuts a product so that each
multiplication is done once, by one process: those of the calls that the processes' logs show must add up to the whole.
Prints one line a test, `ok - NAME`, `not ok - NAME: why` or `skip - NAME: reason`; exit code 1 if any is not ok.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "preload"))
sys.dont_write_bytecode = True
import preloaded  # noqa: E402
import psgemm  # noqa: E402

TIMEOUT_S = 120
CASES = "NN:70x50x90 NT:33x64x100 TN:64x65x66 TT:100x37x41 NN:1x90x40 TN:40x3x130"
GRIDS = "2x2 1x4 4x1"
PRODUCTS_A_CASE = 2  # with beta = 0 and with another
PASSED_ON = ("LADDER_GPUS", "LADDER_OFFLOAD")  # for --device gpu: small products go there only when told to
ONCE = 1
SCALAPACKS_OWN_CHOICE = 0  # of how many columns of k go at a time


class Failure(Exception):
    """A test that did not pass; its text says why."""


def multiplications(case):
    """Of all products that the program makes of a case."""
    m, n, k = map(int, case.split(":")[1].split("x"))
    return PRODUCTS_A_CASE * m * n * k


def without_library():
    """The caller's environment with nothing of the library in it, and what MPI needs to run anywhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LD_PRELOAD", "LADDER_"))}
    return {**kept, **psgemm.SETTINGS, "OPENBLAS_NUM_THREADS": "1"}


def run_on_grid(program, grid, options, variables=()):
    """Runs it on as many processes as the grid has, each with the variables "NAME=value". Raises Failure where an answer
    is wrong or missing."""
    cases = options.cases.split()
    arguments = [options.block, options.inset, ONCE, SCALAPACKS_OWN_CHOICE, *cases]
    done = subprocess.run(psgemm.command(program, grid, arguments, variables, TIMEOUT_S), env=without_library(), text=True,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    right = [line for line in done.stdout.splitlines() if line.startswith("psgemm ") and line.endswith(" right")]
    if done.returncode != 0 or len(right) != len(cases):
        raise Failure(f"exit code {done.returncode}, {len(right)} of {len(cases)} right: {done.stdout.strip()[-400:]}")


def alone(program, grid, options):
    run_on_grid(program, grid, options)
    return f"{len(options.cases.split())} products"


def served(program, grid, options, device, server):
    """All that the processes multiplied went through the library, and `server` did it on `device`; returns a note."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "calls-%p.log"
        ours = preloaded.environment(options.library, options.rung, device, "call", log, base={})
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        run_on_grid(program, grid, options, [f"{name}={value}" for name, value in {**kept, **ours}.items()])
        logs = {path: preloaded.logged_calls(path.read_text()) for path in pathlib.Path(folder).iterdir()}
    if len(logs) != psgemm.processes(grid):
        raise Failure(f"{len(logs)} of {psgemm.processes(grid)} processes called the library")
    calls = [call for of_process in logs.values() for call in of_process]
    elsewhere = [call for call in calls if call["via"] != "sgemm_" or server not in (call["rung"], call["name"]) or
                 call["device"].split(":")[0] != device]
    if elsewhere:
        raise Failure(f"not sgemm_ served by {server} on {device}: {elsewhere[0]}")
    done = sum(int(call["m"]) * int(call["n"]) * int(call["k"]) for call in calls)
    wanted = sum(map(multiplications, options.cases.split()))
    if done != wanted:
        raise Failure(f"{done} multiplications in {len(calls)} calls, the products have {wanted}")
    ops = collections.Counter(call["op"] for call in calls)
    return f"{len(calls)} calls, " + ", ".join(f"{op} {number}" for op, number in sorted(ops.items()))


def all_tests(program, options):
    """(name, function returning a note)"""
    grids = options.grids.split()
    yield f"psgemm on {grids[0]} without us", lambda: alone(program, grids[0], options)
    for grid in grids:
        yield f"psgemm on {grid}, {options.device}", lambda grid=grid: served(program, grid, options, options.device,
                                                                              options.rung)
    yield f"psgemm on {grids[0]}, handed on", lambda: served(program, grids[0], options, "cpu", "next_blas")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default=preloaded.default_library(), help="the library to preload")
    parser.add_argument("--rung", default="4", help="LADDER_RUNG, as a number")
    parser.add_argument("--device", default="emulate", help="LADDER_DEVICE")
    parser.add_argument("--grids", default=GRIDS, help="grids of processes")
    parser.add_argument("--block", default="16", help="rows and columns of a block of the matrices")
    parser.add_argument("--inset", default="3", help="rows and columns around the submatrices")
    parser.add_argument("--cases", default=CASES, help="OPS:MxNxK, one or more")
    options = parser.parse_args()
    options.library = pathlib.Path(options.library).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = psgemm.compiled(folder)
        except psgemm.DoesNotCompile as reason:
            print(f"not ok - psgemm: it does not compile: {reason}", flush=True)
            return 1
        if program is None:
            print(f"skip - psgemm: install {psgemm.PACKAGES}", flush=True)
            return 0
        for name, test in all_tests(program, options):
            try:
                print(f"ok - {name} ({test()})", flush=True)
            except Failure as reason:
                print(f"not ok - {name}: {reason}", flush=True)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
