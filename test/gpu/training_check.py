# SPDX-License-Identifier: MIT
"""Runs app_training.py with and without libladderblas and has compare_training.py judge the loss curves. The processes
prepare side by side and train one after the other, alone on the GPU."""
import collections
import concurrent.futures
import json
import sys

from checks import HERE, last_line, run
from compare_training import curves, judged

sys.path.insert(0, str(HERE.parent / "preload"))
from preloaded import summary_rows  # noqa: E402

TIMEOUT_S = 420
TENSOR_RUNGS = {"11", "12"}
# What each run is called: LADDER_RUNG, where the library is there, and whether batches are taken in the other order.
RUNS = {"cuBLAS": (None, False), "cuBLAS, batches reversed": (None, True), "auto": ("auto", False), "11": ("11", False)}


def by_rung(rows):
    """{rung: calls} and {rung: GFLOP} of a summary."""
    calls, work = collections.Counter(), collections.Counter()
    for row in rows:
        calls[row["rung"]] += row["calls"]
        work[row["rung"]] += float(row["GFLOP"])
    return calls, work


def in_order(numbers):
    """(rung, number) by the rungs' numbers, without what is nothing."""
    return sorted(((rung, number) for rung, number in numbers.items() if number), key=lambda pair: (len(pair[0]), pair))


class TrainingRuns:
    """Each run of RUNS in a process of its own."""

    def __init__(self, build, logs):
        self.build, self.logs = build, logs

    def path(self, name, ending):
        return self.logs / ("training-" + name.replace(", ", "-").replace(" ", "-") + ending)

    def run_one(self, name):
        """(exit code, output)"""
        rung, reverse = RUNS[name]
        result, summary = self.path(name, ".json"), self.path(name, ".summary")
        for path in (result, summary):
            path.unlink(missing_ok=True)
        library = {} if rung is None else {
            "LD_PRELOAD": str(self.build / "lib/libladderblas.so.0"), "LADDER_RUNG": rung, "LADDER_LOG": "summary",
            "LADDER_LOG_FILE": str(summary)}
        command = [sys.executable, HERE / "app_training.py", "--out", result, "--alone", self.logs / "training.lock",
                   *(["--reverse"] if reverse else [])]
        code, output = run(command, TIMEOUT_S, library)
        self.path(name, ".log").write_text(output)
        return code, output

    def served(self, name):
        """What a row says of who served the products, and what is wrong with that."""
        rung, _ = RUNS[name]
        if rung is None:
            return {"calls_by_rung": "", "flops_by_rung": ""}, []
        summary = self.path(name, ".summary")
        calls, work = by_rung(summary_rows(summary.read_text() if summary.exists() else ""))
        on_tensor_cores = sum(work[tensor] for tensor in TENSOR_RUNGS)
        wrong = [] if 2 * on_tensor_cores > sum(work.values()) else [
            f"{name}: less than half of the work was on rungs {' and '.join(sorted(TENSOR_RUNGS))}"]
        total = sum(work.values())
        return {"calls_by_rung": " ".join(f"{key}:{number}" for key, number in in_order(calls)),
                "flops_by_rung": " ".join(f"{key}:{number / total:.3f}" for key, number in in_order(work))}, wrong

    def check(self, results):
        """Files what came of them. Returns the rows of both tables."""
        with concurrent.futures.ThreadPoolExecutor(len(RUNS)) as pool:
            ended = dict(zip(RUNS, pool.map(self.run_one, RUNS)))
        failed = [f"{name}: exit {code}, {last_line(output)}" for name, (code, output) in ended.items() if code != 0]
        if failed:
            results.add("failed", "training", "; ".join(failed))
            return [], []
        runs = {name: json.loads(self.path(name, ".json").read_text()) for name in RUNS}
        rows, wrong = judged(runs)
        for row in rows:
            served, complaints = self.served(row["run"])
            row.update(served)
            wrong += complaints
            said = (f"{row['steps_per_s']} steps/s, {float(row['of_cublas']):.2f} of cuBLAS's, loss {row['first_loss']} -> "
                    f"{row['last_loss']}, at most {float(row['largest_distance']):.2e} from cuBLAS's; "
                    f"{row['flops_by_rung'] or 'without us'}")
            mine = [complaint for complaint in wrong if complaint.startswith(f"{row['run']}: ")]
            results.add("failed" if mine else "passed", f"training, {row['run']}", "; ".join(mine + [said]))
        return rows, curves(runs)
