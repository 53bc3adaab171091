#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the README's ladder table, between its markers, from rungs.def and the committed measurement.

usage: tools/ladder_table.py [--check]

--check changes nothing and fails where the README says something else.
"""
import csv
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
RUNGS = ROOT / "src" / "kernels" / "rungs.def"
MEASURED = ROOT / "test" / "gpu" / "results" / "nvidia-h200" / "ladder.csv"
BEGIN, END = "<!-- ladder:begin -->\n", "<!-- ladder:end -->"
WIDTH = 120
RUNG = re.compile(r'^(?:KERNEL|HANDED_ON)_RUNG\((\w+), (\w+), (\w+), \w+, "(.*)"\)$', re.MULTILINE)


def measurement():
    """(conditions, row by name of rung) of the committed file."""
    lines = MEASURED.read_text().splitlines()
    conditions = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return conditions, {row["name"]: row for row in rows}


def table():
    conditions, rows = measurement()
    size = rows["cublas"]["m"]
    lines = [f"| rung | name | the one idea | TFLOP/s at {size}³ | of cuBLAS FP32 |", "|---|---|---|---|---|"]
    for _, number, name, idea in RUNG.findall(RUNGS.read_text()):
        row = rows[name]
        shown = "" if number == "unnumbered" else number
        default = " (default)" if name == "double_buffered" else ""
        lines.append(f"| {shown} | `{name}`{default} | {idea} | {float(row['tflops']):.1f} | "
                     f"{100 * float(row['ratio']):.0f} % |")
    spread = max(float(row["ms_q3"]) / float(row["ms_q1"]) - 1 for row in rows.values())
    note = (f"Measured on one {conditions['GPU']}, by `{conditions['command']}`: N,N, random normal data, every rung "
            f"interleaved with cuBLAS FP32 (pedantic) in one process, median of 15, quartiles within {100 * spread:.1f} % "
            f"of each other. Clocks before: {conditions['clocks before']}; after: {conditions['clocks after']}. "
            f"Driver {conditions['driver']}; commit {conditions['commit']}; {conditions['date'].split()[0]}. "
            f"All of it is in `{MEASURED.relative_to(ROOT)}`.")
    return "\n".join(lines + ["", textwrap.fill(note, WIDTH, break_long_words=False, break_on_hyphens=False)]) + "\n"


def main():
    text = README.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    wanted = text[:start] + table() + text[end:]
    if sys.argv[1:] == ["--check"]:
        if wanted != text:
            print("README.md does not say what the measurement says: run tools/ladder_table.py", file=sys.stderr)
            return 1
    elif not sys.argv[1:]:
        README.write_text(wanted)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
