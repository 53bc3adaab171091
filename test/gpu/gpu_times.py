#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The summary's times on the GPU, against those that a program (app_gpu_times) takes with events of its own.

usage: test/gpu/gpu_times.py --build DIR

Shows what a call of a small product costs the host under each setting. The exit code is 1 when anything is wrong.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "preload"))
sys.dont_write_bytecode = True
import preloaded  # noqa: E402

TIMEOUT_S = 120
TOLERANCE = 0.1  # of the time of a large product: the clock of the GPU moves
SETTINGS = {"off": {}, "summary": {"LADDER_LOG": "summary"},
            "summary, gpu": {"LADDER_LOG": "summary", "LADDER_LOG_TIME": "gpu"}}


def run(program, build, environment):
    """What the program says, as numbers by name, and the log."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        env = {name: value for name, value in os.environ.items() if not name.startswith("LADDER_")}
        env.update(LD_PRELOAD=str(build / "lib/libladderblas.so.0"), LADDER_LOG_FILE=str(log), **environment)
        done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode != 0 or done.stderr:
            sys.exit(f"not ok - {environment}: exit code {done.returncode}: {done.stderr.strip()[-400:]}")
        words = done.stdout.split()
        said = {name: float(value) for name, value in zip(words[::2], words[1::2])}
        return said, log.read_text(encoding="ascii") if log.exists() else ""


def figures(rows, **wanted):
    """Calls, timed calls, captured calls and GPU milliseconds of the rows that are as wanted."""
    chosen = [row for row in rows if all(row[column] == value for column, value in wanted.items())]
    return tuple(sum(number(row[column]) for row in chosen)
                 for column, number in (("calls", int), ("timed", int), ("in_graphs", int), ("gpu_ms", milliseconds)))


def milliseconds(cell):
    return 0.0 if cell == "-" else float(cell)


def complaints(said, rows, rung):
    """What is wrong with the summary of a run."""
    why = "default" if rung is None else "LADDER_RUNG"
    large = figures(rows, door="cublasSgemm_v2", why=why, device="gpu:0", **{"class": "rectangular"})
    square = figures(rows, door="cublasSgemm_v2", why=why, **{"class": "square"})
    decode = figures(rows, door="cublasSgemm_v2", why=why, **{"class": "decode"})
    half = figures(rows, door="cublasGemmEx", why="types", name="cublas", **{"class": "-"})
    tf32_why = "tf32" if rung is None else why  # a rung that is asked for forgoes TF32
    tf32 = figures(rows, door="cublasSgemm_v2", why=tf32_why, **{"class": "skinny"})
    captured, small = said["captured"], said["small"]
    wanted = [(large, (said["large"], said["large"], 0), "large"),
              (square, (small + captured, small, captured), "square"),
              (decode, (said["decode"], said["decode"], 0), "decode"),
              (half, (said["half"], said["half"], 0), "half"),
              (tf32, (said["tf32"], said["tf32"], 0), "TF32")]
    for seen, numbers, name in wanted:
        if seen[:3] != numbers:
            yield f"{name}: calls, timed, in graphs are {seen[:3]}, not {numbers}"
        if not seen[3] > 0:
            yield f"{name}: no GPU time"
    mean = large[3] / max(1, large[1])
    if not abs(mean - said["large_ms"]) <= TOLERANCE * said["large_ms"]:
        yield f"large: {mean:.4f} ms in the summary"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    build = parser.parse_args().build.resolve()
    program = build / "test/gpu/app_gpu_times"
    failed = 0
    for rung in (None, "0", "9"):
        environment = {} if rung is None else {"LADDER_RUNG": rung}
        for name, setting in SETTINGS.items():
            said, log = run(program, build, {**environment, **setting})
            problems = []
            if "LADDER_LOG_TIME" in setting:
                print(log, end="")
                problems = list(complaints(said, preloaded.summary_rows(log), rung))
            print(f"{'not ok' if problems else 'ok'} - rung {rung or 'unset'}, log {name}: large {said['large_ms']:.4f} ms by "
                  f"the program's events, {said['host_us']:.2f} us of the host a small call {'; '.join(problems)}", flush=True)
            failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
