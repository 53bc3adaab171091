# SPDX-License-Identifier: MIT
"""Runs app_transformers.py with and without libladderblas, all at once, and has compare_transformers.py judge them. The
processes prepare side by side and are timed one by one, once nobody else holds the lock."""
import csv
import concurrent.futures
import contextlib
import fcntl
import sys

from checks import HERE, last_line, run

KINDS = ("gpt2", "llama")
RUNGS = ("0", "9")
TIMEOUT_S = 480
COMPILE_THREADS = "4"


class TransformerRuns:
    """Started early, so that weights, graphs and compilers are ready when the machine falls quiet."""

    def __init__(self, build, logs):
        self.build, self.logs = build, logs
        self.lock = logs / "quiet.lock"
        self.jobs = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(len(KINDS) * (1 + len(RUNGS)))

    @contextlib.contextmanager
    def noise(self):
        """While it lasts, no transformer is timed."""
        with open(self.lock, "a", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield

    def result_of(self, kind, rung):
        return self.logs / f"transformer-{kind}-{rung or 'cublas'}.pt"

    def start(self):
        for kind in KINDS:
            for rung in (None, *RUNGS):
                self.jobs[kind, rung] = self.pool.submit(self.run_one, kind, rung)

    def run_one(self, kind, rung):
        """(exit code, output)"""
        result = self.result_of(kind, rung)
        result.unlink(missing_ok=True)
        library = {} if rung is None else {"LD_PRELOAD": str(self.build / "lib/libladderblas.so.0"), "LADDER_RUNG": rung}
        command = [sys.executable, HERE / "app_transformers.py", kind, "--out", result, "--quiet-lock", self.lock,
                   *(["--as-reference"] if rung is None else [])]
        # Compiled kernels are for this process alone: which were found ready must not depend on who was first.
        cache = self.logs / f"inductor-{kind}-{rung or 'cublas'}"
        code, output = run(command, TIMEOUT_S, {**library, "TORCHINDUCTOR_CACHE_DIR": str(cache),
                                                "TORCHINDUCTOR_COMPILE_THREADS": COMPILE_THREADS})
        result.with_suffix(".log").write_text(output)
        return code, output

    def check(self, results):
        """Waits for all of them. Returns the rows of the table."""
        rows = []
        for kind in KINDS:
            ended = {rung: self.jobs[kind, rung].result() for rung in (None, *RUNGS)}
            failed = [f"{rung or 'without us'}: exit {code}, {last_line(output)}"
                      for rung, (code, output) in ended.items() if code != 0]
            if failed:
                results.add("failed", f"transformer {kind}", "; ".join(failed))
                continue
            table = self.logs / f"transformer-{kind}.csv"
            code, output = run([sys.executable, HERE / "compare_transformers.py", "--table", table,
                                *(self.result_of(kind, rung) for rung in (None, *RUNGS))])
            (self.logs / f"transformer-{kind}.log").write_text(output)
            complaints = "; ".join(line for line in output.splitlines() if ": " in line and " of allowed" not in line)
            results.add("passed" if code == 0 else "failed", f"transformer {kind}, rungs {' and '.join(RUNGS)}, "
                        "eager, graph, compile", complaints if code else last_line(output))
            if table.exists():
                with open(table, encoding="utf-8", newline="") as file:
                    rows += list(csv.DictReader(file))
        self.pool.shutdown()
        return rows
