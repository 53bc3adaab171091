#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Netlib's own BLAS testers, unmodified, through every rung.

Debian's libblas-test ships the programs xblat3s (Fortran sgemm_) and xscblat3 (cblas_sgemm, both orders) with
their input files. Only the input is changed: the lines of the routines that are not SGEMM say F, and for the
second run of xblat3s the extents straddle the tiles. The library is preloaded and told to emulate; its own log
must count exactly the calls that the tester made, so a pass proves that our SGEMM was the one tested.
"""
import pathlib
import re

TESTERS = next(iter(sorted(pathlib.Path("/usr/lib").glob("*/blas/xblat3s"))), pathlib.Path("/nonexistent/x")).parent
EDGE_EXTENTS = "0 1 2 3 7 31 33 63 65"
DEFAULT_EXTENTS = "0 1 2 3 5 9"
ALPHAS, BETAS = 3, 3  # values in the input files; 0 and 1 are among both
SCALAR_PAIRS = ALPHAS * BETAS
OP_PAIRS = 3 * 3  # N, T, C for each of A and B


class Tester:
    """One tester: its program, its input and what must come out."""

    def __init__(self, name, program, source, routine, door, orders, extents):
        self.name, self.program, self.source, self.routine = name, TESTERS / program, TESTERS / source, routine
        self.door, self.orders, self.extents = door, orders, extents.split()

    def calls_an_order(self):
        """Legal calls an order: every (m, n, k), op pair and scalar pair."""
        return len(self.extents) ** 3 * OP_PAIRS * SCALAR_PAIRS

    def idle_calls_an_order(self):
        """Those of them that leave C alone: m = 0, n = 0, or beta = 1 together with k = 0 or alpha = 0."""
        extents = len(self.extents)
        areas = (extents - 1) ** 2  # pairs (m, n) without a zero
        empty = (extents ** 2 - areas) * extents * SCALAR_PAIRS
        kept = areas * (extents + ALPHAS - 1)  # alpha = 0 for every k, the other alphas for k = 0
        return OP_PAIRS * (empty + kept)

    def input_text(self):
        lines = self.source.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if re.search(r"\d\s+VALUES OF N\b", line))
        lines[at - 1] = f"{len(self.extents)}  NUMBER OF VALUES OF N"
        lines[at] = f"{' '.join(self.extents)}  VALUES OF N"
        switch = re.compile(r"^(\w+)(\s+)T( PUT F FOR NO TEST.*)$")
        for i, line in enumerate(lines):
            found = switch.match(line)
            if found and found[1] != self.routine:
                lines[i] = f"{found[1]}{found[2]}F{found[3]}"
        return "\n".join(lines) + "\n"

    def complaint(self, report):
        """Why the tester's own report is not a pass; empty when it is."""
        bad = next((line for line in report.splitlines() if re.search(r"FAIL|FATAL|\*\*\*", line)), "")
        if bad:
            return f"the tester says: {bad.strip()}"
        if not re.search(rf"{self.routine}\s+PASSED THE TESTS OF ERROR-EXITS", report):
            return "the tests of error exits did not pass"
        passed = re.findall(rf"{self.routine}\s+PASSED THE (?:\S+\s+)?COMPUTATIONAL TESTS \(\s*(\d+) CALLS\)", report)
        if [int(calls) for calls in passed] != [self.calls_an_order()] * self.orders:
            return f"computational tests passed with calls {passed}, wanted {self.calls_an_order()} x {self.orders}"
        return ""


WITH_EDGES = Tester("xblat3s-edges", "xblat3s", "sblat3.in", "SGEMM", "sgemm_", 1, EDGE_EXTENTS)
ALL_TESTERS = [
    Tester("xblat3s", "xblat3s", "sblat3.in", "SGEMM", "sgemm_", 1, DEFAULT_EXTENTS),
    WITH_EDGES,
    Tester("xscblat3", "xscblat3", "sin3", "cblas_sgemm", "cblas_sgemm", 2, DEFAULT_EXTENTS),
]
