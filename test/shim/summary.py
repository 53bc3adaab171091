#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What LADDER_LOG says of calls that the real cuBLAS gets because their types are not FP32.

usage: summary.py PROGRAM FAKE_CUBLAS

PROGRAM (typed_pass_through_test) calls doors with FP32 and with other types.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "preload"))
import preloaded

program, fake_cublas = sys.argv[1:3]


def log_of(log, **settings):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "log"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LADDER_")}
        environment.update(LADDER_CUBLAS=fake_cublas, LADDER_RUNG="0", LADDER_LOG=log, LADDER_LOG_FILE=str(file),
                           **settings)
        subprocess.run([program, fake_cublas], env=environment, check=True, timeout=120)
        return file.read_text(encoding="ascii")


text = log_of("call")
passed_on = [line for line in text.splitlines() if line.startswith("ladderblas: passed_on ")]
served = preloaded.logged_calls(text)
assert passed_on and served and len(passed_on) + len(served) == len(text.splitlines()), text
assert all(" rung=0 name=cublas " in line and " why=types us=" in line for line in passed_on), passed_on

text = log_of("summary")
rows = preloaded.summary_rows(text)
types = sum(row["calls"] for row in rows if row["why"] == "types")
forced = sum(row["calls"] for row in rows if row["why"] == "LADDER_RUNG")
assert (types, forced) == (len(passed_on), len(served)), text
assert all((row["class"] == "-") == (row["why"] == "types") and row["name"] == "cublas" for row in rows), text
note = f"{types + forced} of {types + forced} calls went on to the real cuBLAS: "
assert text.splitlines()[-1] == f"ladderblas: note: {note}{forced} LADDER_RUNG, {types} types", text

# Times on a GPU, wanted where there may be none.
timed = preloaded.summary_rows(log_of("summary", LADDER_LOG_TIME="gpu"))
assert sum(row["calls"] for row in timed) == types + forced, timed
assert all(0 <= int(row["timed"]) <= row["calls"] and row["in_graphs"] == "0" for row in timed), timed
