#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables of measurements, between `<!-- NAME:begin -->` and `<!-- NAME:end -->`, from the committed results.

usage: tools/readme_tables.py [--check]

A table without its markers is left out; markers without their results are an error. --check changes nothing and fails
where a document says something else than the results do, and where there are results that no table shows.
"""
import collections
import pathlib
import sys

from accuracy_page import accuracy_summary, accuracy_table, accuracy_tables
from program_tables import (host_programs_2gpu_table, host_programs_table, programs_table, training_curves_table,
                            training_table, transformers_table)
from result_tables import (ProfileResults, Results, Unusable, counters_table, fp32_table, host_table, ladder_numbers,
                           ladder_table, squares_table, sustained_table)
from tensor_tables import against_peer, sustained_table as tensor_sustained_table

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = pathlib.Path("tools/bench/results/nvidia-h200")
GPU_TESTS = pathlib.Path("test/gpu/results/nvidia-h200")

Block = collections.namedtuple("Block", "name document results make folder", defaults=[RESULTS])
BLOCKS = [Block("ladder", "README.md", "ladder.csv", ladder_table),
          Block("fp32", "README.md", "fp32.csv", fp32_table),
          Block("host", "README.md", "host.csv", host_table),
          Block("host-tensor", "README.md", "host_r11.csv", host_table),
          Block("ladder-page", "src/kernels/README.md", "ladder.csv", ladder_numbers),
          Block("squares", "src/kernels/README.md", "squares.csv", squares_table),
          Block("accuracy", "src/kernels/rung9.md", "rung9_accuracy.csv", accuracy_table),
          Block("sustained", "src/kernels/rung9.md", "sustained.csv", sustained_table),
          Block("tf32", "src/kernels/tensor_cores.md", "tf32.csv", against_peer),
          Block("fp32-tensor", "src/kernels/tensor_cores.md", "fp32_tensor.csv", against_peer),
          Block("fp32-tensor-scaled", "src/kernels/tensor_cores.md", "fp32_tensor_scaled.csv", against_peer),
          Block("tensor-sustained", "src/kernels/tensor_cores.md", "tensor_sustained.csv", tensor_sustained_table),
          Block("auto", "README.md", "auto.csv", against_peer),
          Block("accuracy-summary", "src/kernels/ACCURACY.md", "accuracy.csv", accuracy_summary),
          Block("accuracy-tables", "src/kernels/ACCURACY.md", "accuracy.csv", accuracy_tables),
          Block("counters", "src/kernels/README.md", "profile.json", counters_table),
          Block("programs", "test/gpu/README.md", "programs.csv", programs_table, GPU_TESTS),
          Block("host-programs", "README.md", "host_programs.csv", host_programs_table, GPU_TESTS),
          Block("host-programs-2gpu", "README.md", "host_programs_2gpu.csv", host_programs_2gpu_table, GPU_TESTS),
          Block("transformers", "test/gpu/README.md", "transformers.csv", transformers_table, GPU_TESTS),
          Block("training", "test/gpu/README.md", "training.csv", training_table, GPU_TESTS),
          Block("training-curves", "test/gpu/README.md", "training_curves.csv", training_curves_table, GPU_TESTS)]


def between_markers(text, block):
    """(start, end) of what stands between the block's markers, or None where it has none."""
    begin, end = f"<!-- {block.name}:begin -->\n", f"<!-- {block.name}:end -->"
    if begin not in text and end not in text:
        return None
    start = text.find(begin) + len(begin)
    if text.count(begin) != 1 or text.count(end) != 1 or text.find(end) < start:
        raise Unusable(f"{block.document}: the markers of '{block.name}' are no pair")
    return start, text.find(end)


def documents(root):
    """(path, what it says, what it should say) of each document with markers, the results used for them, and a complaint
    about each marker without its results."""
    used, missing = set(), []
    wanted = {}
    for block in BLOCKS:
        document, measured = root / block.document, root / block.folder / block.results
        if not document.exists():
            continue
        said, text = wanted.get(document, (document.read_text(),) * 2)
        place = between_markers(text, block)
        if place and not measured.exists():
            missing.append(f"{block.document}: there is no {block.folder / block.results} for the table '{block.name}'")
        elif place:
            read = ProfileResults if measured.suffix == ".json" else Results
            lines = block.make(root, read(measured, (block.folder / block.results).as_posix()))
            text = text[:place[0]] + "\n".join(lines) + "\n" + text[place[1]:]
            used.add(block.folder / block.results)
        wanted[document] = (said, text)
    return [(path, said, text) for path, (said, text) in wanted.items()], used, missing


def report(complaints):
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


def main(arguments, root=ROOT):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        found, used, complaints = documents(root)
    except Unusable as problem:
        print(f"readme_tables.py: {problem}", file=sys.stderr)
        return 1
    if not arguments:
        for path, said, text in found:
            if said != text:
                path.write_text(text)
        return report(complaints)
    complaints += [f"{path.relative_to(root)} does not say what the results say: run tools/readme_tables.py"
                  for path, said, text in found if said != text]
    shown = {path.with_suffix("") for path in used}  # profile.csv stands behind profile.json
    complaints += [f"{path.relative_to(root)} is shown by no table" for folder in (RESULTS, GPU_TESTS)
                   for path in sorted((root / folder).glob("*.csv"))
                   if path.relative_to(root).with_suffix("") not in shown]
    return report(complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
