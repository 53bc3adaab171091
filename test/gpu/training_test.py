#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How training runs are judged, without a GPU: on curves that were made up, and on the library's summary."""
import csv
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
import compare_training  # noqa: E402
import training_check  # noqa: E402

SUMMARY = """\
ladderblas: door            rung name            device class  why         calls GFLOP  host_ms
ladderblas: cublasSgemm_v2  12   tensor          gpu:0  square auto           30 700.0   2.407
ladderblas: cublasLtMatmul  12   tensor          gpu:0  wide   auto           12 100.0   2.407
ladderblas: cublasSgemm_v2  9    double_buffered gpu:0  square auto            8 200.0   0.381
ladderblas: total           -    -               -      -      -              50 1000.0  2.788
ladderblas: note: 3 calls became part of graphs
"""


def run_of(losses, speed=2.0):
    return {"parameters": 124e6, "tokens_per_step": 8192, "losses": losses, "steps_per_s": speed}


def falling(off=0.0, steps=40):
    """A loss that falls, and by that much relatively is off in its last half."""
    return [(10 - step / 8) * (1 + (off if step >= steps // 2 else 0)) for step in range(steps)]


class Judging(unittest.TestCase):
    def complaints(self, other, reordered=None):
        runs = {"cuBLAS": run_of(falling()), "reversed": run_of(reordered or falling()), "auto": run_of(other, 5.0)}
        return compare_training.judged(runs)

    def test_the_same_curve(self):
        rows, wrong = self.complaints(falling())
        self.assertEqual(wrong, [])
        self.assertEqual([row["of_cublas"] for row in rows], ["1.0000", "1.0000", "2.5000"])

    def test_what_rounding_may_do(self):
        self.assertEqual(self.complaints(falling(9e-4))[1], [])
        self.assertEqual(len(self.complaints(falling(2e-3))[1]), 1)
        self.assertEqual(self.complaints(falling(2e-3), falling(1e-3))[1], [])

    def test_never_too_far(self):
        self.assertEqual(len(self.complaints(falling(2e-2), falling(8e-3))[1]), 1)
        self.assertEqual(len(self.complaints(falling(), falling(2e-2))[1]), 1)

    def test_no_number(self):
        self.assertEqual(len(self.complaints(falling()[:-1] + [float("nan")])[1]), 2)
        self.assertEqual(len(self.complaints(falling()[:-1])[1]), 1)

    def test_nothing_learnt(self):
        flat = [10.0] * 40
        runs = {name: run_of(flat) for name in ("cuBLAS", "reversed", "auto")}
        self.assertEqual(len(compare_training.judged(runs)[1]), 3)

    def test_curves_side_by_side(self):
        rows = compare_training.curves({"one": run_of([3.0, 2.0]), "other": run_of([3.5])})
        self.assertEqual(rows, [{"step": 0, "one": "3.000000", "other": "3.500000"},
                                {"step": 1, "one": "2.000000", "other": ""}])

    def test_by_hand(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in ("one", "other")]
            for path, losses in zip(paths, (falling(), falling(0.5))):
                path.write_text(compare_training.json.dumps(run_of(losses)))
            table = pathlib.Path(folder) / "curves.csv"
            for first, code in ((paths[0], 0), (paths[1], 1)):
                words = ["compare_training.py", "--curves", str(table), f"a={first}", f"b={paths[0]}"]
                with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(compare_training.main(), code)
            with open(table, encoding="utf-8", newline="") as file:
                self.assertEqual(len(list(csv.DictReader(file))), 40)


class Serving(unittest.TestCase):
    def served(self, text):
        with tempfile.TemporaryDirectory() as folder:
            runs = training_check.TrainingRuns(pathlib.Path(folder), pathlib.Path(folder))
            runs.path("auto", ".summary").write_text(text)
            return runs.served("auto")

    def test_shares_of_the_work(self):
        row, wrong = self.served(SUMMARY)
        self.assertEqual(row, {"calls_by_rung": "9:8 12:42", "flops_by_rung": "9:0.200 12:0.800"})
        self.assertEqual(wrong, [])

    def test_tensor_cores_that_did_little(self):
        self.assertEqual(len(self.served(SUMMARY.replace(" 12  ", " 9   "))[1]), 1)
        self.assertEqual(len(self.served("")[1]), 1)


if __name__ == "__main__":
    unittest.main()
