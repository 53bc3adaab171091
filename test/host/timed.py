# SPDX-License-Identifier: MIT
"""What the programs of test/host/run share: the clock, and the line that they end with."""
import json
import sys
import time

UNIT_ROUNDOFF = 2.0 ** -24  # of FP32


def gamma(roundings):
    """Relative error of a sum whose terms go through so many roundings, at most."""
    return roundings * UNIT_ROUNDOFF / (1 - roundings * UNIT_ROUNDOFF)


def share_of_bound(error, bound):
    """The largest element of error / bound; infinite where one is NaN or has no bound to be within."""
    worst = 0.0
    for one, allowed in zip(error.ravel(), bound.ravel()):
        if not one <= allowed:
            return float("inf")
        worst = max(worst, one / allowed if allowed > 0 else 0.0)
    return worst


def run(work, judge, repeats):
    """Does the work so many times and judges the last outcome: the largest error as a share of what is allowed. Prints
    one line of JSON and ends the program, with exit code 1 where that is above 1 or no number."""
    seconds = []
    for _ in range(repeats):
        outcome = None  # before the next is made: there may not be room for both
        begin = time.perf_counter()
        outcome = work()
        seconds.append(time.perf_counter() - begin)
    error = float(judge(outcome))
    print(json.dumps({"first_s": seconds[0], "best_s": min(seconds), "error_of_allowed": error}), flush=True)
    sys.exit(0 if error <= 1 else 1)
