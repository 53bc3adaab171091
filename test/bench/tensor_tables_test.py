#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of the rungs on tensor cores and of their errors, from result files as `ladder` writes them."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from readme_tables_test import Tree, marked
import readme_tables

RUNGS = '''HANDED_ON_RUNG(r00, 0, cublas, fp32, "hand on")
KERNEL_RUNG(r07, 7, autotuned, fp32, "tuned")
KERNEL_RUNG(r08, 8, warp_tiled, fp32, "warps")
KERNEL_RUNG(r09, 9, double_buffered, fp32, "ahead")
KERNEL_RUNG(r11, 11, fp32_tensor, bf16x6, "planes")
KERNEL_RUNG(r12, 12, fp32_tensor_scaled, fp16x3, "halves")
'''
RACE = ("category,op_a,op_b,m,n,k,lda,ldb,ldc,batch,rung,name,precision,data,cache,timing,samples,ms,peer,peer_ms,tflops,ratio,"
        "share_of_floor,sm_mhz,watts,verdict").split(",")
ERRORS = ("op_a,op_b,m,n,k,batch,rung,name,precision,sums,data,relative_l2,worst_of_magnitude,worst_of_largest,"
          "bound_of_largest,checksum,verdict").split(",")
HEAD = "# GPU: a card\n# command: race it\n# date: 2030-01-02 03:04 UTC\n"


def csv_of(columns, rows):
    return HEAD + "\n".join([",".join(columns), *(",".join(str(row.get(column, "")) for column in columns) for row in rows)])


def race(rung, name, n=4096, ops="NN", ratio=2.0, peer="cublas", category="square", ld=None, verdict="right"):
    return {"category": category, "op_a": ops[0], "op_b": ops[1], "m": n, "n": n, "k": n, "lda": ld or n, "ldb": n, "ldc": n,
            "batch": 1, "rung": rung, "name": name, "precision": "bf16x6" if name == "fp32_tensor" else "fp32",
            "data": "normal", "cache": "cold", "samples": 15, "ms": 1.0, "peer": peer,
            "peer_ms": ratio, "tflops": 100 * ratio, "ratio": ratio, "share_of_floor": 0.5, "sm_mhz": 1700, "watts": 699.6,
            "verdict": verdict}


def errors(rung, name, k, l2, worst, bits, data="normal", verdict="right", of_largest="", bound=""):
    return {"op_a": "N", "op_b": "T", "m": 8, "n": 8, "k": k, "batch": 1, "rung": rung, "name": name, "sums": "any",
            "data": data, "relative_l2": l2, "worst_of_magnitude": worst, "worst_of_largest": of_largest,
            "bound_of_largest": bound, "checksum": bits, "verdict": verdict}


class TensorTree(Tree):
    def setUp(self):
        super().setUp()
        (self.root / "src/kernels/rungs.def").write_text(RUNGS)

    def keep(self, name, columns, rows):
        self.write(readme_tables.RESULTS / name, csv_of(columns, rows) + "\n")


class AgainstPeer(TensorTree):
    def page(self, *rows):
        self.write("README.md", marked("auto"))
        self.keep("auto.csv", RACE, rows)
        return self.written()

    def test_means_by_category_and_who_served(self):
        text = self.page(race("auto", "fp32_tensor", ratio=4), race("auto", "double_buffered", n=64, ratio=1),
                         race("auto", "double_buffered", n=96, category="large_k", ratio=1.5), race(0, "cublas", ratio=1),
                         race("auto", "fp32_tensor", n=32, category="large_k", verdict="wrong"))
        self.assertIn("| square | 2 | 11: 1, 9: 1 | 200 % | 100 % | 50 % |", text)
        self.assertIn("| large k | 2 (1 failed) | 9: 1, 11: 1 | 150 % | 150 % | 50 % |", text)
        self.assertIn("| all | 4 (1 failed) | 11: 2, 9: 2 |", text)
        self.assertIn("of cuBLAS FP32, geometric mean", text)
        self.assertIn("FP32 and tensor cores apart", " ".join(text.split()))

    def test_aligned_squares_by_layout(self):
        text = self.page(race("auto", "fp32_tensor"), race("auto", "fp32_tensor", ops="TN", ratio=3),
                         race("auto", "fp32_tensor", ops="NT", ld=5000, ratio=9),
                         race("auto", "fp32_tensor", n=1024, ops="TT", verdict="wrong"))
        self.assertIn("| 4096 | 200.0 (2.00) | - | 300.0 (3.00) | - |", text)
        self.assertNotIn("| 1024 |", text)
        self.assertNotIn("(9.00)", text)

    def test_the_peer_is_named(self):
        self.assertIn("of cuBLAS TF32", self.page(race(10, "tf32", peer="cublas_tf32")))

    def test_two_rungs_in_one_file_are_refused(self):
        self.write("README.md", marked("auto"))
        self.keep("auto.csv", RACE, [race("auto", "fp32_tensor"), race(11, "fp32_tensor")])
        code, complaints = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("about 2 rungs, not one", complaints)


class Sustained(TensorTree):
    def test_both_modes_of_cublas_stand_beside(self):
        self.write("src/kernels/tensor_cores.md", marked("tensor-sustained"))
        rows = [race(11, "fp32_tensor"), {**race(0, "cublas", ratio=1), "ms": 2.5, "peer_ms": 2.5},
                {**race(0, "cublas_tf32"), "ms": 0.5, "peer_ms": "", "ratio": ""}]
        self.keep("tensor_sustained.csv", RACE, [{**row, "timing": "sustained"} for row in rows])
        text = self.written("src/kernels/tensor_cores.md")
        self.assertIn("| N,N 4096x4096x4096 | 11 `fp32_tensor` | 200.0 | 2.50 | 0.50 | 700 | 1700 |", text)
        self.assertIn("| `cublas_tf32` | 200.0 | 5.00 | 1.00 |", text)
        self.assertIn("each contender by itself", " ".join(text.split()))


class Accuracy(TensorTree):
    ROWS = [errors(0, "cublas", 16, 4e-7, 2e-7, "aa"), errors(0, "cublas", 64, 4e-7, 2e-7, "ab"),
            errors(7, "autotuned", 16, 3e-7, 1e-7, "ac"), errors(7, "autotuned", 64, 3e-7, 1e-7, "ad"),
            errors(8, "warp_tiled", 16, 3e-7, 1e-7, "ac"), errors(8, "warp_tiled", 64, 3e-7, 1e-7, "ad"),
            errors(11, "double_buffered", 16, 9e-7, 1e-7, "ae"), errors(11, "fp32_tensor", 64, 2e-7, 3e-7, "af"),
            errors(12, "double_buffered", 16, 9e-7, 1e-7, "ae"),
            errors(12, "fp32_tensor_scaled", 64, 1e-7, 1e-7, "b0", of_largest=1e-8, bound=4e-6)]

    def page(self, *rows):
        self.write("src/kernels/ACCURACY.md", marked("accuracy-summary", "accuracy-tables"))
        self.keep("accuracy.csv", ERRORS, rows)
        return self.written("src/kernels/ACCURACY.md")

    def test_contenders_with_the_same_bits_share_a_line(self):
        text = self.page(*self.ROWS)
        self.assertIn("**normal**\n\n| k | 16 | 64 |", text)
        self.assertIn("| rungs 7 to 8 | 3.0e-7 (1.0e-7) | 3.0e-7 (1.0e-7) |", text)
        self.assertIn("| `cublas` | 4.0e-7 (2.0e-7) |", text)

    def test_problems_that_are_left_to_others_are_marked_and_in_no_ratio(self):
        text = self.page(*self.ROWS)
        self.assertIn("| 11 `fp32_tensor` | 9.0e-7 (1.0e-7)¹ | 2.0e-7 (3.0e-7) |", text)
        self.assertIn("| normal | 0.50 (k = 64) | 1.50 (k = 64) | 0.25 (k = 64) | 0.50 (k = 64) | never | 0.0025 |", text)

    def test_handing_over_shows_in_the_bits(self):
        handed_over = {**self.ROWS[-1], "checksum": "af", "relative_l2": 2e-7}
        self.assertIn("| rungs 11 to 12 | 9.0e-7 (1.0e-7)¹ | 2.0e-7 (3.0e-7) |", self.page(*self.ROWS[:-1], handed_over))
        text = self.page(*self.ROWS[:-2], {**self.ROWS[-2], "checksum": "ff"}, handed_over)
        self.assertIn("| 12 `fp32_tensor_scaled` | 9.0e-7 (1.0e-7)¹ | 2.0e-7 (1.0e-7)² |", text)
        self.assertIn("| - | - | 64 | 0.0025 |", text)

    def test_wrong_results_and_results_without_error(self):
        text = self.page(*self.ROWS[:2], {**self.ROWS[7], "relative_l2": 0, "worst_of_magnitude": 0},
                         {**self.ROWS[9], "verdict": "beyond"})
        self.assertIn("| 11 `fp32_tensor` | - | 0 |", text)
        self.assertIn("| 12 `fp32_tensor_scaled` | - | wrong |", text)

    def test_kinds_of_data_have_tables_of_their_own(self):
        text = self.page(*self.ROWS, *({**row, "data": "log_normal"} for row in self.ROWS))
        self.assertIn("**log normal**", text)
        self.assertIn("| log normal | 0.50 (k = 64) |", text)

    def test_problems_that_differ_in_more_than_k_are_refused(self):
        self.write("src/kernels/ACCURACY.md", marked("accuracy-tables"))
        self.keep("accuracy.csv", ERRORS, [self.ROWS[0], {**self.ROWS[1], "m": 9}])
        code, complaints = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("differ in more than k", complaints)


del Tree  # its tests are none of this file's

if __name__ == "__main__":
    unittest.main()
