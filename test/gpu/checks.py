# SPDX-License-Identifier: MIT
"""What the parts of test/gpu/run share: results, commands, and who called cuBLAS how often."""
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM_TIMEOUT_S = 180


class Results:
    """What passed, failed and was skipped, with a clause on each."""

    def __init__(self):
        self.rows = []
        self.lock = threading.Lock()

    def add(self, verdict, name, detail=""):
        with self.lock:
            self.rows.append((verdict, name, detail))
            print(f"{verdict:8} {name}  {detail}", flush=True)

    def count(self, verdict):
        return sum(row[0] == verdict for row in self.rows)

    def summary(self):
        return f"{self.count('passed')} passed, {self.count('failed')} failed, {self.count('skipped')} skipped"


def run(command, timeout=PROGRAM_TIMEOUT_S, env=None):
    """(exit code, stdout and stderr together); a timeout is exit code 124, and what cannot be run 127."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
            env={**os.environ, **(env or {})}, check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
        return 124, output if isinstance(output, str) else output.decode(errors="replace")
    except OSError as problem:
        return 127, str(problem)


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def conditions(build, command):
    """The first lines of the result file: what `ladder bench` says of this machine and this build."""
    code, output = run([build / "tools/ladder", "bench", "64", "--rungs", "1", "--json"])
    if code != 0:
        return [f"conditions unknown: {last_line(output)}"]
    known = json.loads(output)["conditions"]
    wanted = ("GPU", "driver", "CUDA runtime", "cuBLAS", "toolkit", "host", "commit", "date")
    return [f"{key}: {known[key]}" for key in wanted if key in known] + [f"command: {command}"]


def preload_environment(build, rung, log):
    """None as the rung leaves LADDER_RUNG unset."""
    chosen = {} if rung is None else {"LADDER_RUNG": rung}
    return {"LD_PRELOAD": str(build / "lib/libladderblas.so.0"), "LADDER_LOG": "call", "LADDER_LOG_FILE": str(log), **chosen}


@dataclasses.dataclass
class Outcome:
    """How a program ended, and its FP32 products: by function, and as (function, rung, why)."""
    code: int
    output: str
    seconds: float
    doors: collections.Counter
    calls: collections.Counter

    def calls_where(self, rung, reason):
        return sum(calls for (_, name, why), calls in self.calls.items() if (name, why) == (rung, reason))

    def by_rung(self):
        names = collections.Counter()
        for (_, name, _), calls in self.calls.items():
            names[name] += calls
        return names


LOGGED = re.compile(r"^ladderblas: sgemm via=(\S+) rung=\S+ name=(\S+) device=\S+ .* why=(\S+) ", re.MULTILINE)


def with_library(command, environment, log, timeout=PROGRAM_TIMEOUT_S):
    """Runs a program of which the library writes a log."""
    begin = time.monotonic()
    code, output = run(command, timeout, environment)
    seconds = time.monotonic() - begin
    calls = collections.Counter(LOGGED.findall(log.read_text(errors="replace")) if log.exists() else [])
    doors = collections.Counter()
    for (door, _, _), number in calls.items():
        doors[door] += number
    return Outcome(code, output, seconds, doors, calls)


def preloaded(command, build, rung, extra=None, timeout=PROGRAM_TIMEOUT_S):
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "calls"
        return with_library(command, {**preload_environment(build, rung, log), **(extra or {})}, log, timeout)


SERVED = re.compile(r"cublas(Sgemm|SgemmStridedBatched|SgemmBatched|SgemmEx|Gemm(StridedBatched|Batched)?Ex)(_v2)?(_64)?$")
CALL = re.compile(r"^I! cuBLAS \(\S+ function \w+ (\w+)\(", re.MULTILINE)


def calls_cublas_logged(text):
    """FP32 products in cuBLAS's own log. A call's arguments follow it, its types among them where it has any."""
    doors = collections.Counter()
    for entry in re.split(r"(?m)^(?=I! )", text):
        name = CALL.match(entry)
        types = re.findall(r"^i!  [ABC]type: .*val=CUDA_(\w+)", entry, re.MULTILINE)
        if name and SERVED.match(name[1]) and all(kind == "R_32F" for kind in types):
            doors[name[1]] += 1
    return doors


def calls_cublas_lt_logged(text):
    """FP32 products in cuBLASLt's own log: a call follows the making of its layouts, which have a type."""
    doors, kind = collections.Counter(), None
    for function, rest in re.findall(r"\[Api\]\[(\w+)\](.*)$", text, re.MULTILINE):
        if function in ("cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutInit"):
            kind = (re.search(r"type=(\w+)", rest) or [None, None])[1]
        elif function == "cublasLtMatmul" and kind == "R_32F":
            doors["cublasLtMatmul"] += 1
    return doors


def without_library(command, extra=None, timeout=PROGRAM_TIMEOUT_S):
    """Runs a program alone; its calls are those in cuBLAS's own logs."""
    with tempfile.TemporaryDirectory() as folder:
        log, lt_log = (pathlib.Path(folder) / name for name in ("cublas", "cublasLt"))
        api_calls = "5"
        begin = time.monotonic()
        code, output = run(command, timeout, {
            "CUBLAS_LOGINFO_DBG": "1", "CUBLAS_LOGDEST_DBG": str(log), "CUBLASLT_LOG_LEVEL": api_calls,
            "CUBLASLT_LOG_FILE": str(lt_log), **(extra or {})})
        seconds = time.monotonic() - begin
        texts = [path.read_text(errors="replace") if path.exists() else "" for path in (log, lt_log)]
    doors = calls_cublas_logged(texts[0]) + calls_cublas_lt_logged(texts[1])
    return Outcome(code, output, seconds, doors, collections.Counter())


def words(doors):
    return ", ".join(f"{door} {calls}" for door, calls in sorted(doors.items())) or "no calls"
