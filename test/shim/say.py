#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the library writes, and where: the log, bad settings, illegal arguments.

usage: say.py PROGRAM LIBRARY
"""
import os
import re
import subprocess
import sys
import tempfile

program, library, fake_blas = sys.argv[1:4]
XERBLA = [" ** On entry to SGEMM  parameter number 4 had an illegal value",
          " ** On entry to cblas_sgemm parameter number 9 had an illegal value"]
CALL = re.compile(
    r"ladderblas: sgemm via=sgemm_ rung=(\S+) name=(\S+) device=(\S+) op=NT m=1 n=1 k=1 lda=1 ldb=1 ldc=1 "
    r"alpha=1 beta=0 batch=1 why=(\S+) us=\d+\.\d")


def run(**settings):
    """stderr of the program, by lines; it must end well and print nothing on stdout."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LADDER_")}
    environment.update(LADDER_DEVICE="emulate")
    environment.update(settings)
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (settings, done)
    assert done.stdout == "", done.stdout
    return done.stderr.splitlines()


def only_call(lines):
    assert len(lines) == 1, lines
    match = CALL.fullmatch(lines[0])
    assert match, lines[0]
    return match.groups()


def without_xerbla(lines):
    assert lines[-2:] == XERBLA or [line for line in lines if line in XERBLA] == XERBLA, lines
    return [line for line in lines if line not in XERBLA]


# Silent by default; illegal arguments excepted.
assert run() == XERBLA

# A line a call.
assert only_call(without_xerbla(run(LADDER_LOG="call"))) == ("9", "double_buffered", "emulate", "default")
assert only_call(without_xerbla(run(LADDER_LOG="call", LADDER_RUNG="4"))) == (
    "4", "thread_tile_1d", "emulate", "LADDER_RUNG")
assert only_call(without_xerbla(run(LADDER_LOG="call", LADDER_RUNG="auto")))[3] == "auto"
assert only_call(without_xerbla(run(LADDER_LOG="call", LADDER_RUNG="2,3"))) == ("2", "coalesced", "emulate", "turn")

# Who serves a call from host memory, and why.
def host_call(**settings):
    return only_call(without_xerbla(run(LADDER_LOG="call", LADDER_BLAS=fake_blas, CUDA_VISIBLE_DEVICES="-1", **settings)))


for device, offload, why in (("auto", "auto", "small"), ("auto", "never", "LADDER_OFFLOAD"), ("auto", "always", "no-gpu"),
                             ("gpu", "never", "LADDER_OFFLOAD"), ("gpu", "auto", "fallback:no-gpu"),
                             ("cpu", "always", "LADDER_DEVICE")):
    assert host_call(LADDER_DEVICE=device, LADDER_OFFLOAD=offload) == ("none", "next_blas", "cpu", why), (device, offload)
assert host_call(LADDER_DEVICE="emulate", LADDER_OFFLOAD="never") == ("9", "double_buffered", "emulate", "default")

# The table at exit.
table = without_xerbla(run(LADDER_LOG="summary"))
assert [line.split()[:2] for line in table] == [["ladderblas:", word] for word in ("door", "sgemm_", "total")], table
assert table[0].split()[1:] == ["door", "rung", "name", "device", "class", "why", "calls", "GFLOP", "host_ms"], table
assert table[1].split()[1:9] == ["sgemm_", "9", "double_buffered", "emulate", "decode", "default", "1", "0.000"], table
assert table[2].split()[1:9] == ["total", "-", "-", "-", "-", "-", "1", "0.000"], table
assert float(table[1].split()[9]) > 0 and table[1].split()[9] == table[2].split()[9], table
table = without_xerbla(run(LADDER_LOG="summary", LADDER_LOG_TIME="gpu"))  # emulated: the GPU took no time
assert table[0].split()[10:] == ["gpu_ms", "TFLOP/s", "timed", "in_graphs"], table
assert table[1].split()[10:] == ["-", "-", "0", "0"] and len(table) == 3, table

# Into a file, named after the process; one that cannot be opened is reported and stderr is used.
with tempfile.TemporaryDirectory() as folder:
    assert run(LADDER_LOG="call", LADDER_LOG_FILE=folder + "/log.%p") == XERBLA
    (name,) = os.listdir(folder)
    assert re.fullmatch(r"log\.\d+", name), name
    with open(os.path.join(folder, name), encoding="ascii") as log:
        only_call(log.read().splitlines())
    lines = without_xerbla(run(LADDER_LOG="call", LADDER_LOG_FILE=folder + "/no/such/folder"))
    assert "LADDER_LOG_FILE=" in lines[0] and "cannot be opened" in lines[0], lines
    only_call(lines[1:])

# A bad value: one line that names the valid ones, and the default.
for variable in ("LADDER_RUNG", "LADDER_LOG", "LADDER_LOG_TIME", "LADDER_DEVICE", "LADDER_REPRODUCIBLE", "LADDER_OFFLOAD",
                 "LADDER_OFFLOAD_MEMORY", "LADDER_OFFLOAD_KEEP", "LADDER_OFFLOAD_PINNED", "LADDER_OFFLOAD_THREADS"):
    (line,) = without_xerbla(run(**{variable: "nonsense", "LADDER_BLAS": ""}))
    assert line.startswith(f"ladderblas: {variable}=nonsense is not valid; valid are: "), line

# A library to hand on to that is this one, or none at all: one line, and the product is right all the same.
for bad, said in ((library, "is this library itself"), ("/no/such/library.so", "cannot be opened")):
    lines = without_xerbla(run(LADDER_DEVICE="cpu", LADDER_BLAS=bad))
    assert len(lines) == 1 and lines[0].startswith(f"ladderblas: LADDER_BLAS={bad} ") and said in lines[0], lines
