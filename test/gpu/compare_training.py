#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lays the loss curves of app_training.py over each other: those with libladderblas over the one without.

Training amplifies rounding, so how far apart two curves may be is taken from cuBLAS itself: from the run that takes each
batch in the other order. Curves are smoothed over 10 steps; another run may be 4 times as far from the first as that
one, or 0.1 % where that is more, and never 1 %.

usage: compare_training.py --curves CSV NAME=JSON...     the first is cuBLAS, the second cuBLAS in the other order
"""
import argparse
import csv
import json
import math
import pathlib
import sys

SMOOTHED_STEPS = 10
AS_FAR = 4
NEGLIGIBLE = 1e-3
TOO_FAR = 1e-2
LEARNT = 0.8  # of the first loss, or less


def smoothed(losses):
    """The mean of each step's loss and those before it, ten where there are as many."""
    windows = (losses[max(0, end - SMOOTHED_STEPS):end] for end in range(1, len(losses) + 1))
    return [sum(window) / len(window) for window in windows]


def distance(losses, reference):
    """The largest relative difference of two smoothed curves; infinite where one is not finite, or another length."""
    if len(losses) != len(reference) or not all(map(math.isfinite, (*losses, *reference))):
        return math.inf
    return max(abs(one - other) / other for one, other in zip(smoothed(losses), smoothed(reference)))


def allowed_distance(runs):
    """From {name: run}, the reference first and its other order second."""
    reference, reordered = list(runs.values())[:2]
    return min(TOO_FAR, max(NEGLIGIBLE, AS_FAR * distance(reordered["losses"], reference["losses"])))


def judged(runs):
    """A row for each run, and what is wrong."""
    reference = next(iter(runs.values()))
    allowed = allowed_distance(runs)
    rows, wrong = [], []
    for name, run in runs.items():
        curve, apart = smoothed(run["losses"]), distance(run["losses"], reference["losses"])
        if not apart <= allowed:
            wrong.append(f"{name}: the loss is up to {apart:.2%} from cuBLAS's, {allowed:.2%} are allowed")
        if not curve[-1] <= LEARNT * curve[0]:
            wrong.append(f"{name}: nothing was learnt, loss {curve[0]:.3f} -> {curve[-1]:.3f}")
        rows.append({"run": name, "million_parameters": round(run["parameters"] / 1e6),
                     "tokens_per_step": run["tokens_per_step"], "steps": len(run["losses"]),
                     "steps_per_s": f"{run['steps_per_s']:.3f}",
                     "of_cublas": f"{run['steps_per_s'] / reference['steps_per_s']:.4f}",
                     "first_loss": f"{run['losses'][0]:.6f}", "last_loss": f"{curve[-1]:.6f}",
                     "largest_distance": f"{apart:.3e}", "allowed_distance": f"{allowed:.3e}"})
    return rows, wrong


def curves(runs):
    """A row a step: what each run lost there."""
    longest = max(len(run["losses"]) for run in runs.values())
    return [{"step": step, **{name: f"{run['losses'][step]:.6f}" if step < len(run["losses"]) else ""
                              for name, run in runs.items()}} for step in range(longest)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curves", required=True)
    parser.add_argument("runs", nargs="+")
    arguments = parser.parse_args()
    named = dict(run.split("=", 1) for run in arguments.runs)
    if len(named) < 2:
        parser.error("there is nothing to compare")
    runs = {name: json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for name, path in named.items()}
    rows, wrong = judged(runs)
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    with open(arguments.curves, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["step", *runs], lineterminator="\n")
        table.writeheader()
        table.writerows(curves(runs))
    print("\n".join(wrong) or f"{len(runs)} curves lie on top of each other")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
