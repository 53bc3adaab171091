#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How test/gpu/run counts and judges, without a GPU: on logs as cuBLAS writes them, and on a program that writes both logs."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
import checks  # noqa: E402
import programs  # noqa: E402

CUBLAS_LOG = """\
I! cuBLAS (v13.1.0) function cublasStatus_t cublasCreate_v2(cublasContext**) called:
i!  handle: type=cublasHandle_t; val=POINTER (IN HEX:0x0x1)
I! cuBLAS (v13.1.0) function cublasStatus_t cublasSgemm_v2(cublasHandle_t, cublasOperation_t, int) called:
i!  m: type=int; val=4
I! cuBLAS (v13.1.0) function cublasStatus_t cublasDgemm_v2(cublasHandle_t, cublasOperation_t, int) called:
I! cuBLAS (v13.1.0) function cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t) called:
i!  Atype: type=cudaDataType_t; val=CUDA_R_32F(0)
i!  Btype: type=cudaDataType_t; val=CUDA_R_32F(0)
i!  Ctype: type=cudaDataType_t; val=CUDA_R_32F(0)
I! cuBLAS (v13.1.0) function cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t) called:
i!  Atype: type=cudaDataType_t; val=CUDA_R_16F(2)
i!  Btype: type=cudaDataType_t; val=CUDA_R_16F(2)
i!  Ctype: type=cudaDataType_t; val=CUDA_R_32F(0)
"""
CUBLAS_LT_LOG = """\
[2030-01-02 03:04:05][cublasLt][1][Api][cublasLtMatrixLayoutCreate] matLayout=0X1 type=R_32F rows=4 cols=4 ld=4
[2030-01-02 03:04:05][cublasLt][1][Api][cublasLtMatmul] A=0X0 Adesc=0X1
[2030-01-02 03:04:05][cublasLt][1][Api][cublasLtMatrixLayoutCreate] matLayout=0X1 type=R_64F rows=4 cols=4 ld=4
[2030-01-02 03:04:05][cublasLt][1][Api][cublasLtMatmul] A=0X0 Adesc=0X1
"""
PRECISIONS = {"cublas": "fp32", "tf32": "tf32", "fp32_tensor": "bf16x6"}
CALLS = {"cublasSgemm_v2": 1, "cublasGemmEx": 1, "cublasLtMatmul": 1}
# Writes cuBLAS's logs where it is asked to, else the library's, and its verdict.
PROGRAM = f"""
import os, pathlib, sys
if "--out" in sys.argv:
    pathlib.Path(sys.argv[-1]).write_text("mm 0 " + VERDICT + "\\n")
if "CUBLAS_LOGDEST_DBG" in os.environ:
    pathlib.Path(os.environ["CUBLAS_LOGDEST_DBG"]).write_text({CUBLAS_LOG!r})
    pathlib.Path(os.environ["CUBLASLT_LOG_FILE"]).write_text({CUBLAS_LT_LOG!r})
else:
    with open(os.environ["LADDER_LOG_FILE"], "w") as log:
        for door in DOORS:
            log.write(f"ladderblas: sgemm via={{door}} rung=1 name={{NAME}} device=gpu:0 op=NN m=1 why=LADDER_RUNG us=1.0\\n")
print("called cuBLAS 3 times")
"""


class Counting(unittest.TestCase):

    def test_cublas_log(self):
        self.assertEqual(checks.calls_cublas_logged(CUBLAS_LOG), {"cublasSgemm_v2": 1, "cublasGemmEx": 1})

    def test_cublas_lt_log(self):
        self.assertEqual(checks.calls_cublas_lt_logged(CUBLAS_LT_LOG), {"cublasLtMatmul": 1})

    def test_a_program_that_does_not_exist(self):
        self.assertEqual(checks.run(["/nonexistent"])[0], 127)


class Judging(unittest.TestCase):

    def judged(self, check, doors=tuple(CALLS), name='os.environ.get("LADDER_RUNG")', verdict='"right"'):
        """{served by: verdict} of a stand-in for a program."""
        text = f"import os\nDOORS = {doors!r}\nNAME = {name}\nVERDICT = {verdict}\n" + PROGRAM
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(checks, "preload_environment",
                                  lambda _build, rung, log: {"LADDER_RUNG": rung, "LADDER_LOG_FILE": str(log)}):
            checker = programs.Checker(checks.Results(), pathlib.Path(folder), pathlib.Path(folder), PRECISIONS)
            program = programs.Program("stand-in", [sys.executable, "-c", text], verdicts=True)
            with programs.concurrent.futures.ThreadPoolExecutor(2) as pool:
                getattr(checker, check)(program, pool)
            return {row["served_by"]: row["verdict"] for row in checker.rows}

    def test_every_call_on_the_rung(self):
        for check in ("check_logged", "check_counting"):
            self.assertEqual(self.judged(check), {"cuBLAS": "passed", **dict.fromkeys(programs.RUNGS.values(), "passed")})

    def test_a_call_missed(self):
        for check in ("check_logged", "check_counting"):
            found = self.judged(check, doors=("cublasSgemm_v2", "cublasGemmEx"))
            self.assertEqual(found, {"cuBLAS": "passed", **dict.fromkeys(programs.RUNGS.values(), "failed")})

    def test_another_door(self):
        found = self.judged("check_logged", doors=("cublasSgemm_v2", "cublasGemmEx", "cublasSgemmEx"))
        self.assertEqual(set(found.values()), {"passed", "failed"})

    def test_another_rung(self):
        for check in ("check_logged", "check_counting"):
            found = self.judged(check, name='"shared"')
            self.assertEqual(found, {"cuBLAS": "passed", **dict.fromkeys(programs.RUNGS.values(), "failed")})

    def test_another_verdict(self):
        found = self.judged("check_logged", verdict='"right" if "CUBLAS_LOGDEST_DBG" in os.environ else "WRONG"')
        self.assertEqual(found, {"cuBLAS": "passed", **dict.fromkeys(programs.RUNGS.values(), "failed")})

    def wrong_on_tensor_cores(self, wish, *calls):
        """Of calls that are (rung, why)."""
        with tempfile.TemporaryDirectory() as folder:
            checker = programs.Checker(checks.Results(), pathlib.Path(folder), pathlib.Path(folder), PRECISIONS)
        counted = checks.collections.Counter(("cublasSgemm_v2", *call) for call in calls)
        return checker.wrong_on_tensor_cores(checks.Outcome(0, "", 1.0, counted, counted), wish)

    def test_calls_that_a_rung_declined(self):
        served, below = ("fp32_tensor", "LADDER_RUNG"), ("double_buffered", "fallback:short-k")
        self.assertEqual(self.wrong_on_tensor_cores("fp32_tensor", served, below), [])
        self.assertEqual(len(self.wrong_on_tensor_cores("fp32_tensor", below)), 1)
        self.assertEqual(len(self.wrong_on_tensor_cores("fp32_tensor", served, ("double_buffered", "default"))), 1)
        self.assertEqual(len(self.wrong_on_tensor_cores("fp32_tensor", served, ("tf32", "tf32"))), 2)
        self.assertEqual(self.wrong_on_tensor_cores("auto", served, ("double_buffered", "auto")), [])

    def test_tf32_by_default(self):
        def wrong(*calls):
            counted = checks.collections.Counter(("cublasSgemm_v2", *call) for call in calls)
            return programs.Checker.wrong_by_default(checks.Outcome(0, "", 1.0, counted, counted), 1)

        self.assertEqual(wrong(("tf32", "tf32"), ("double_buffered", "default")), [])
        self.assertEqual(len(wrong(("cublas", "tf32"), ("double_buffered", "default"))), 2)
        self.assertEqual(len(wrong(("tf32", "tf32"), ("tf32", "default"))), 1)


if __name__ == "__main__":
    unittest.main()
