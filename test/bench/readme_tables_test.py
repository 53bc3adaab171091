#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of measurements: what tools/readme_tables.py makes of result files, and when it complains."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import readme_tables
import result_tables

COLUMNS = ("category,op_a,op_b,m,n,k,batch,rung,name,data,cache,samples,ms,ms_q1,ms_q3,tflops,ratio,share_of_floor,"
           "verdict").split(",")
RUNGS = '''HANDED_ON_RUNG(r00, 0, cublas, fp32, "hand on")
KERNEL_RUNG(r06, 6, vectorized, fp32, "wide")
KERNEL_RUNG(r06p, unnumbered, padded, fp32, "pad")
KERNEL_RUNG(r07, 7, autotuned, fp32, "tuned")
KERNEL_RUNG(r09, 9, double_buffered, fp32, "ahead")
'''


def row(name, rung, n=64, ms=1.0, ratio=0.5, share=0.25, category="square", verdict="right"):
    values = {"category": category, "op_a": "N", "op_b": "N", "m": n, "n": n, "k": n, "batch": 1, "rung": rung,
              "name": name, "data": "normal", "cache": "cold", "samples": 15, "ms": ms, "ms_q1": ms, "ms_q3": ms,
              "tflops": 7.25, "ratio": ratio, "share_of_floor": share, "verdict": verdict}
    return ",".join(str(values[column]) for column in COLUMNS)


def marked(*names):
    return "before\n" + "".join(f"<!-- {name}:begin -->\nstale\n<!-- {name}:end -->\nafter {name}\n" for name in names)


class Tree(unittest.TestCase):
    """A tree of its own for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "src" / "kernels").mkdir(parents=True)
        (self.root / result_tables.RUNGS).write_text(RUNGS)
        for results in (readme_tables.RESULTS, readme_tables.GPU_TESTS):
            (self.root / results).mkdir(parents=True)

    def write(self, name, text):
        (self.root / name).write_text(text)

    def results(self, name, *rows):
        head = "# GPU: a card, 700 W\n# command: bench it\n# date: 2030-01-02 03:04 UTC\n# driver: 1.2\n"
        self.write(readme_tables.RESULTS / name, head + "\n".join([",".join(COLUMNS), *rows]) + "\n")

    def run_script(self, *arguments):
        """(exit code, stderr)."""
        with contextlib.redirect_stderr(io.StringIO()) as complaints:
            code = readme_tables.main(list(arguments), self.root)
        return code, complaints.getvalue()

    def written(self, document="README.md"):
        code, complaints = self.run_script()
        self.assertEqual((code, complaints), (0, ""))
        self.assertEqual(self.run_script("--check"), (0, ""))
        return (self.root / document).read_text()


class Ladder(Tree):
    def test_every_rung_has_a_line_and_the_conditions_stand_below(self):
        self.write("README.md", marked("ladder"))
        self.results("ladder.csv", row("cublas", 0, ratio=""), row("autotuned", 7), row("autotuned:64x64", 7, ratio=9),
                     row("double_buffered", 9, ratio=1.034))
        text = self.written()
        self.assertIn("before\n<!-- ladder:begin -->\n| rung |", text)
        self.assertIn("| 0 | `cublas` | hand on | 7.2 | 100 % |", text)
        self.assertIn("| 7 | `autotuned` | tuned | 7.2 | 50 % |", text)
        self.assertIn("|  | `padded` | pad | - | - |", text)
        self.assertIn("| 9 | `double_buffered` (default) | ahead | 7.2 | 103 % |", text)
        self.assertIn("a card, 700 W, by `bench it`: N,N, random normal data, cold L2 cache", text)
        self.assertIn("2030-01-02", text)
        self.assertTrue(text.endswith("<!-- ladder:end -->\nafter ladder\n"))
        self.assertNotIn("stale", text)

    def test_a_row_that_is_not_right_shows_no_number(self):
        self.write("README.md", marked("ladder"))
        self.results("ladder.csv", row("double_buffered", 9, verdict="wrong"), row("autotuned", 7, ms="nan"))
        text = self.written()
        self.assertIn("| 9 | `double_buffered` (default) | ahead | - | - |", text)
        self.assertIn("| 7 | `autotuned` | tuned | - | - |", text)

    def test_two_problems_in_one_ladder_are_refused(self):
        self.write("README.md", marked("ladder"))
        self.results("ladder.csv", row("autotuned", 7), row("double_buffered", 9, n=128))
        code, complaints = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("about 2 problems", complaints)

    def test_the_page_of_the_kernels_has_the_numbers(self):
        self.write("src/kernels/README.md", marked("ladder-page"))
        self.results("ladder.csv", row("vectorized", 6, share=""), row("padded", "padded"))
        text = self.written("src/kernels/README.md")
        self.assertIn("| 6 | `vectorized` | 7.2 | 50 % | - |", text)
        self.assertIn("|  | `padded` | 7.2 | 50 % | 25 % |", text)


class Categories(Tree):
    def test_means_and_least_by_category(self):
        self.write("README.md", marked("fp32"))
        self.results("fp32.csv", row("cublas", 0), row("double_buffered", 9, ratio=0.5, share=0.2),
                     row("double_buffered", 9, n=128, ratio=2, share=0.8),
                     row("double_buffered", 9, n=32, category="large_k", ratio=1, share=""),
                     row("double_buffered", 9, n=16, category="large_k", verdict="wrong"))
        text = self.written()
        self.assertIn("| square | 2 | 100 % | 50 % | 40 % |", text)
        self.assertIn("| large k | 2 (1 failed) | 100 % | 100 % | - |", text)
        self.assertIn("| all | 4 (1 failed) | 100 % | 50 % | - |", text)

    def test_squares_stand_side_by_side(self):
        self.write("src/kernels/README.md", marked("squares"))
        self.results("squares.csv", row("autotuned", 7, n=512, ms=2.0), row("vectorized", 6, n=512, ms=3.0),
                     row("vectorized", 6, n=64))
        text = self.written("src/kernels/README.md")
        self.assertIn("| n | 6 `vectorized` | 7 `autotuned` | 7 over 6 |", text)
        self.assertIn("| 64 | 7.2 | - | - |\n| 512 | 7.2 | 7.2 | 1.50 |", text)


class Checking(Tree):
    def test_a_document_that_differs_fails_and_is_left_alone(self):
        self.write("README.md", marked("ladder"))
        self.results("ladder.csv", row("double_buffered", 9))
        code, complaints = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertIn("README.md does not say what the results say", complaints)
        self.assertEqual((self.root / "README.md").read_text(), marked("ladder"))

    def test_results_that_no_table_shows_fail(self):
        self.write("README.md", "nothing marked\n")
        for name in ("fp32.csv", "surprise.csv"):
            self.results(name, row("double_buffered", 9))
        code, complaints = self.run_script("--check")
        self.assertEqual(code, 1)
        self.assertEqual(len(complaints.splitlines()), 2)
        self.assertIn("fp32.csv is shown by no table", complaints)

    def test_markers_without_results_fail(self):
        self.write("README.md", marked("ladder", "fp32"))
        self.results("ladder.csv", row("double_buffered", 9))
        for arguments in ([], ["--check"]):
            code, complaints = self.run_script(*arguments)
            self.assertEqual(code, 1)
            self.assertIn(f"README.md: there is no {readme_tables.RESULTS / 'fp32.csv'} for the table 'fp32'", complaints)
        text = (self.root / "README.md").read_text()
        self.assertIn("(default)", text)  # the other table is there
        self.assertTrue(text.endswith(marked("fp32").removeprefix("before\n")))

    def test_half_a_pair_of_markers_fails(self):
        for text in ("<!-- ladder:begin -->\n", "<!-- ladder:end -->\n", marked("ladder") + marked("ladder")):
            self.write("README.md", text)
            code, complaints = self.run_script("--check")
            self.assertEqual(code, 1)
            self.assertIn("the markers of 'ladder' are no pair", complaints)

    def test_unknown_arguments(self):
        self.assertEqual(self.run_script("--chekc")[0], 2)


class Host(Tree):
    def test_ours_and_the_peers_side_by_side(self):
        self.write("README.md", marked("host"))
        self.results("host.csv", row("next_blas", 9, n=256, ms=0.08), row("openblas", 0, n=256, ms=0.09, ratio=""),
                     row("double_buffered", 9, n=4096, ms=30.0), row("openblas", 0, n=4096, ms=140.0, ratio=""),
                     row("nvblas", 0, n=4096, ms=31.0, ratio=""))
        text = self.written()
        self.assertIn("| n | libladderblas | served by | openblas | nvblas |", text)
        self.assertIn("| 256 | 0.08 | the CPU's BLAS | 0.09 | - |", text)
        self.assertIn("| 4096 | 30 | `double_buffered` | 140 | 31 |", text)


class Accuracy(Tree):
    def test_contenders_side_by_side_and_the_default_against_cublas(self):
        self.write("src/kernels/rung9.md", marked("accuracy"))
        head = "# GPU: a card\n# command: compare it\n"
        columns = "op_a,op_b,m,n,k,batch,rung,name,sums,data,relative_l2,worst_of_magnitude,verdict\n"
        rows = ["N,T,8,8,64,1,0,cublas,any,normal,2.84e-07,1.5e-07,right",
                "N,T,8,8,64,1,9,double_buffered,any,normal,1.42e-07,1e-07,right",
                "N,T,8,8,64,1,9,double_buffered,plain,normal,5.7e-07,2e-06,right",
                "N,N,8,8,64,2,0,cublas,any,graded,1e-12,2e-12,right",
                "N,N,8,8,64,2,9,double_buffered,any,graded,,,failed"]
        self.write(readme_tables.RESULTS / "rung9_accuracy.csv", head + columns + "\n".join(rows) + "\n")
        text = self.written("src/kernels/rung9.md")
        self.assertIn("| data | problem | `cublas` | `double_buffered` | `double_buffered`, plain order of k |", text)
        self.assertIn("| normal | N,T 8x8x64 | 2.8e-7 (1.5e-7) | 1.4e-7 (1.0e-7) | 5.7e-7 (2.0e-6) |", text)
        self.assertIn("| graded | N,N 8x8x64 *2 | 1.0e-12 (2.0e-12) | - | - |", text)
        self.assertIn("is 0.50 times that of cuBLAS FP32", " ".join(text.split()))


class Sustained(Tree):
    def test_rate_power_and_clock(self):
        self.write("src/kernels/rung9.md", marked("sustained"))
        columns = [*COLUMNS, "sm_mhz", "watts"]
        rows = [row("double_buffered", 9, n=8192, ratio=1.034) + ",1980,660.4",
                row("cublas", 0, n=8192, ratio="1") + ",1965,670"]
        self.write(readme_tables.RESULTS / "sustained.csv", "\n".join([",".join(columns), *rows]) + "\n")
        text = self.written("src/kernels/rung9.md")
        self.assertIn("| N,N 8192x8192x8192 | `double_buffered` | 7.2 | 103 % | 660 | 1980 |", text)
        self.assertIn("| N,N 8192x8192x8192 | `cublas` | 7.2 | - | 670 | 1965 |", text)


class Training(Tree):
    def test_curves_and_who_did_the_work(self):
        head = "# GPU: a card\n# command: train it\n# driver: 1.2\n# CUDA runtime: 3.4\n# commit: abc\n# date: 2030-01-02\n"
        columns = ("run,million_parameters,tokens_per_step,steps,steps_per_s,of_cublas,last_loss,largest_distance,"
                   "allowed_distance,flops_by_rung\n")
        rows = ["cuBLAS,124,8192,200,6.123,1.0,4.2,0,1e-3,",
                "auto,124,8192,200,15.3,2.4987,4.2001,2.34e-5,1e-3,9:0.121 12:0.879"]
        self.write("test/gpu/README.md", marked("training") + marked("training-curves"))
        self.write(readme_tables.GPU_TESTS / "training.csv", head + columns + "\n".join(rows) + "\n")
        steps = [f"{step},{11 - step / 100},{11.5 - step / 100}" for step in range(27)]
        self.write(readme_tables.GPU_TESTS / "training_curves.csv", head + "step,cuBLAS,auto\n" + "\n".join(steps) + "\n")
        text = self.written("test/gpu/README.md")
        self.assertIn("\n124 million parameters, 200 steps of 8192 tokens.", text)
        self.assertIn("| cuBLAS | 6.1 | 100 % | 4.2 | 0.0e+00 | - |", text)
        self.assertIn("| auto | 15.3 | 250 % | 4.2001 | 2.3e-05 | 9: 12 %, 12: 88 % |", text)
        self.assertIn("| step | cuBLAS | auto |\n|---|---|---|\n| 0 | 11.0 | 11.5 |\n| 25 | 10.75 | 11.25 |\n| 26 |", text)


class HostPrograms(Tree):
    def test_times_side_by_side_and_who_was_wrong(self):
        head = "# GPU: a card\n# command: time it\n# driver: 1.2\n# CUDA runtime: 3.4\n# commit: abc\n# date: 2030-01-02\n"
        columns = "program,size,served_by,verdict,first_s,best_s,error_of_allowed,calls,calls_on_gpu\n"
        rows = ["chain,n = 8,alone,passed,2,1.5,0.25,,", "chain,n = 8,libladderblas,passed,1,0.5,0.125,6,5",
                "chain,n = 8,nvblas,failed,0.1,0.1,inf,,", "lu,n = 9,alone,passed,2,2,0,,"]
        self.write("README.md", marked("host-programs"))
        self.write(readme_tables.GPU_TESTS / "host_programs.csv", head + columns + "\n".join(rows) + "\n")
        text = self.written("README.md")
        self.assertIn("| chain | n = 8 | 1.5 (2) | 0.5 (1) | 3.00 | - | - | 6, 5 | 0.25; WRONG: nvblas |", text)
        self.assertIn("| lu | n = 9 | 2 (2) | - | - | - | - | - | 0 |", text)
        self.assertIn("Seen on one a card\nby `time it`.", text)


class Profile(Tree):
    def test_the_page_says_what_moved_and_what_limits(self):
        self.write("src/kernels/README.md", marked("counters"))
        rung = {"rung": 6, "name": "vectorized", "moved": [{"sentence": "loads fell"}, {"sentence": "so did stores"}],
                "limiter": {"sentence": "latency"}}
        conditions = {"GPU": "a card", "command": "profile it", "Nsight Compute": "3.1", "passes": "cold", "driver": "1.2",
                      "toolkit": "nvcc 9", "commit": "abc", "date": "2030-01-02 03:04 UTC"}
        profile = {"conditions": conditions, "problem": {"op_a": "N", "op_b": "T"},
                   "rungs": [rung, {**rung, "rung": None, "name": "padded", "moved": []}]}
        self.write(readme_tables.RESULTS / "profile.json", json.dumps(profile))
        self.write(readme_tables.RESULTS / "profile.csv", "rung,name,kernel,metric,unit,value\n")
        text = self.written("src/kernels/README.md")
        self.assertIn("| 6 | `vectorized` | loads fell; so did stores | latency |", text)
        self.assertIn("|  | `padded` |  | latency |", text)
        self.assertIn("by `profile it` (3.1): N,T, cold.", text)

    def test_ratio_that_the_times_do_not_say(self):
        times = {"ms": "2", "peer_ms": "1", "floor_ms": "0.5"}
        for column, other, honest in (("ratio", "peer_ms", "0.5"), ("share_of_floor", "floor_ms", "0.25")):
            self.assertIsNone(result_tables.contradiction({**times, column: honest}))
            self.assertEqual(result_tables.contradiction({**times, column: "0.6"}), column)
            self.assertIsNone(result_tables.contradiction({"ms": "2", column: "0.6", other: ""}))

    def test_error_beyond_its_bound_is_no_result(self):
        for error, right in (("0.5", True), ("", True), ("1.5", False), ("nan", False)):
            self.assertEqual(result_tables.is_right({"verdict": "right", "ms": "1", "worst_error": error}), right, error)


if __name__ == "__main__":
    unittest.main()
