#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs neighbours.py, which knows nothing of us, through every rung, and prints a table of what happened.

Every matrix product of the program is compared with float64; a row is right when each element lies within the
error that the rung's precision allows (of FP32: gamma_k |A||B|), and every call was served by the rung and the device
that were asked for, but for those that the rung declines.
"""
import argparse
import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "test" / "preload"))
import compare
import preloaded

PROGRAM = HERE / "neighbours.py"
TIMEOUT_S = 600
US_PER_S = 1e6
HEADINGS = ("rung", "name", "precision", "device", "calls", "SGEMM time", "worst error", "of bound", "")


def products(saved):
    """(left, right, result) of each matrix product that the program saved."""
    weights = saved["weights"]
    yield weights, weights.T, saved["similarity"]
    yield weights.T, saved["member"], saved["marks"]
    yield weights, saved["axes"], saved["places"]


class Judge:
    """The answers in float64 and what each precision may make of them; the operands are the same in every run."""

    def __init__(self, saved):
        self.pairs = [(left, right) for left, right, _ in products(saved)]
        self.calls = int(saved["chunks"]) + 2  # similarity by chunks, marks, places

    @functools.lru_cache(maxsize=None)
    def wanted(self, which, precision):
        return compare.reference(*self.pairs[which], precision=precision)

    def worst(self, saved, precision, declined):
        """Largest error of any element, and largest share of its bound. FP32 served the k that were declined."""
        error, share = 0.0, 0.0
        for which, (left, _, result) in enumerate(products(saved)):
            exact, bound = self.wanted(which, "fp32" if left.shape[-1] in declined else precision)
            off = np.abs(result.astype(np.float64) - exact)
            shares = np.where(off == 0, 0, off / np.maximum(bound, np.finfo(np.float64).tiny))
            error, share = np.maximum(error, off.max()), np.maximum(share, shares.max())
        return float(error), float(share)


def run_rung(rung, device, library, judge, folder):
    """One row of the table and whether it is right."""
    result = folder / f"{rung['name']}.npz"
    command = [sys.executable, str(PROGRAM), "--save", str(result)]
    try:
        done, calls = preloaded.run_logged(command, library, rung["name"], device, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return ["-", "-", "-", "-", f"WRONG: still running after {TIMEOUT_S} s"], False
    if done.returncode != 0:
        return [len(calls), "-", "-", "-", f"WRONG: exit code {done.returncode}: {done.stderr.strip()[-200:]}"], False
    declined = {int(call["k"]) for call in calls if preloaded.declined(call)}
    error, share = judge.worst(compare.load(result), rung["precision"], declined)
    seconds = sum(float(call["us"]) for call in calls) / US_PER_S
    hit = [call for call in calls if call["name"] == rung["name"] and call["device"].split(":")[0] == device]
    left = sum(preloaded.declined(call) for call in calls)
    right = share <= 1 and bool(hit) and len(hit) + left == len(calls) == judge.calls
    verdict = f"right, {left} left to others" if left else "right"
    if not share <= 1:
        verdict = "WRONG: beyond the bound"
    elif not right:
        verdict = f"WRONG: {len(hit)} of {judge.calls} calls hit this rung"
    return [len(calls), f"{seconds:.3f} s", f"{error:.2e}", f"{share:.3f}", verdict], right


def print_row(cells):
    widths = (4, 18, 9, 8, 6, 11, 12, 9, 0)
    print("  ".join(f"{cell!s:<{width}}" for cell, width in zip(cells, widths)).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    options = parser.parse_args()
    library = (options.build / "lib" / "libladderblas.so").resolve()
    ladder = options.build / "tools" / "ladder"
    listed = json.loads(subprocess.run([ladder, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    device = "gpu" if listed["gpu"] else "emulate"

    right = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        start = time.monotonic()
        alone = subprocess.run([sys.executable, str(PROGRAM), "--save", str(folder / "alone.npz")], check=True,
                               text=True, stdout=subprocess.PIPE).stdout
        judge = Judge(compare.load(folder / "alone.npz"))
        print(f"{PROGRAM.name} with NumPy {np.__version__}'s own BLAS ({time.monotonic() - start:.1f} s):\n\n{alone}")
        print(f"The same program with libladderblas.so preloaded, on {listed['gpu'] or 'the CPU, emulated'}:\n")
        print_row(HEADINGS)
        for rung in listed["rungs"]:
            label = "" if rung["number"] is None else rung["number"]
            if device not in rung["devices"]:
                print_row([label, rung["name"], rung["precision"], "-", "-", "-", "-", "-", "not run: it needs a GPU"])
                continue
            cells, fine = run_rung(rung, device, library, judge, folder)
            print_row([label, rung["name"], rung["precision"], device, *cells])
            right.append(fine)
    print(f"\n{sum(right)} of {len(right)} rungs right" + ("" if all(right) else ": NOT all"))
    return 0 if right and all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
