# SPDX-License-Identifier: MIT
"""Runs a program with the library preloaded and reads back what the library says it did."""
import ctypes
import os
import pathlib
import re
import subprocess
import tempfile

FIELD = re.compile(r"(\w+)=(\S+)")


def repository():
    return pathlib.Path(__file__).resolve().parents[2]


def default_library():
    return repository() / "build" / "lib" / "libladderblas.so"


def environment(library, rung, device, log, log_file, base=None):
    """The caller's environment with the library in front of whatever else is preloaded."""
    env = dict(os.environ if base is None else base)
    for name in [name for name in env if name.startswith("LADDER_")]:
        del env[name]
    preload = [str(library)] + [other for other in env.get("LD_PRELOAD", "").split() if other]
    env.update(LD_PRELOAD=" ".join(preload), LADDER_RUNG=str(rung), LADDER_DEVICE=device,
               LADDER_LOG=log, LADDER_LOG_FILE=str(log_file))
    return env


class LadderRung(ctypes.Structure):
    """struct ladder_rung of ladderblas.h."""
    _fields_ = [("id", ctypes.c_char_p), ("number", ctypes.c_int), ("name", ctypes.c_char_p), ("idea", ctypes.c_char_p),
                ("precision", ctypes.c_char_p)]


def precision_of(library, number):
    """What the library says of the rung of that number; None where it has no such rung."""
    functions = ctypes.CDLL(str(library))
    rung = LadderRung()
    for index in range(functions.ladder_rung_count()):
        functions.ladder_rung_info(index, ctypes.byref(rung))
        if rung.number == number:
            return rung.precision.decode()
    return None


def declined(call):
    """True where the rung that was asked for left the problem to another."""
    return call["why"].startswith("fallback:")


def read_log(path_with_pid):
    """Text of the log; with %p in the name, of every process that wrote one."""
    path = pathlib.Path(path_with_pid)
    files = sorted(path.parent.glob(path.name.replace("%p", "*")))
    return "".join(file.read_text(errors="replace") for file in files)


def logged_calls(text):
    """Every line of LADDER_LOG=call as a dictionary of its fields."""
    return [dict(FIELD.findall(line)) for line in text.splitlines() if line.startswith("ladderblas: sgemm ")]


def summary_rows(text):
    """Every row of LADDER_LOG=summary as a dictionary of its columns, `calls` a number; without totals and notes."""
    rows, columns = [], []
    for line in text.splitlines():
        prefix, *cells = line.split() or [""]
        if prefix != "ladderblas:" or cells[0] in ("total", "note:"):
            continue
        if cells[0] == "door":
            columns = cells
        elif len(cells) == len(columns):
            row = dict(zip(columns, cells))
            rows.append({**row, "calls": int(row["calls"])})
    return rows


def run_logged(command, library, rung, device, base=None, cwd=None, timeout=None):
    """Runs `command` preloaded with a line a call. Returns (completed process, list of calls)."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "calls-%p.log"
        env = environment(library, rung, device, "call", log, base)
        done = subprocess.run(command, env=env, cwd=cwd, timeout=timeout, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done, logged_calls(read_log(log))
