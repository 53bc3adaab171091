#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ladder doctor` on toy programs, one for each way in which a call reaches a library or goes past it, and on NumPy.

Prints one line a test, `ok - NAME` or `not ok - NAME: why`; the exit code is 1 if any is not ok.
"""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "test" / "ladder"))
from command import FAILED, OK, USAGE, Command, run_tests

PROGRAM_FAILED = 3
PYTHON = "/usr/bin/python3"
NUMPY = "import numpy as np; a = np.ones((32, 16), np.float32); "


class Doctor:
    """`ladder doctor` in a folder of its own, and where the toys are."""

    def __init__(self, ladder, folder):
        self.command = Command(ladder, "doctor", "--device", "emulate")
        self.build, self.folder = ladder.parents[1], folder

    def toy(self, name):
        return str(self.build / "test" / "doctor" / f"toy_{name}")

    def fake_blas(self):
        return str(self.build / "test" / "shim" / "libfake_blas.so")

    def plugin(self):
        return str(self.build / "test" / "shim" / "libplugin.so")

    def __call__(self, *program, code=OK, options=(), **variables):
        out, _ = self.command("--json", *options, "--", *program, code=code, **variables)
        return json.loads(out)


def fates(report):
    """{(name of the object, symbol): what became of it}"""
    assert report["run"]["recorded"], "the bindings were not recorded"
    return {(pathlib.Path(row["object"]).name, row["symbol"]): row["fate"] for row in report["bindings"]}


def remark(report, key):
    (found,) = [one["sentence"] for one in report["remarks"] if one["key"] == key]
    return found


def calls(report):
    return {(row["door"], row["rung"], row["device"]): row["calls"] for row in report["calls"]}


def a_plain_program_is_served(doctor):
    report = doctor(doctor.toy("plain"))
    assert calls(report) == {("sgemm_", "9", "emulate"): 3}, report["calls"]
    assert fates(report) == {("toy_plain", "sgemm_"): "served"}, report["bindings"]
    (row,) = report["bindings"]
    assert row["bound_to"].endswith("/libladderblas.so") and row["by"] == "linked" and row["calls"] == 3, row
    assert report["verdict"]["key"] == "served" and report["remarks"] == [], report


def the_rung_is_the_one_asked_for(doctor):
    report = doctor(doctor.toy("plain"), options=("--rung", "3"))
    assert calls(report) == {("sgemm_", "3", "emulate"): 3}, report["calls"]
    assert report["surroundings"]["rung"] == "3 shared", report["surroundings"]


def a_function_that_is_not_called(doctor):
    report = doctor(doctor.toy("plain"), "idle", code=FAILED)
    assert fates(report) == {("toy_plain", "sgemm_"): "not_bound"}, report["bindings"]
    assert report["verdict"]["key"] == "never_called", report["verdict"]


def calls_alone(doctor):
    report = doctor(doctor.toy("plain"), options=("--calls-only",))
    assert calls(report) == {("sgemm_", "9", "emulate"): 3}, report["calls"]
    assert report["bindings"] is None and not report["run"]["recorded"], report["run"]
    assert remark(report, "not_recorded") and report["verdict"]["well"], report


def a_program_that_fails(doctor):
    report = doctor(doctor.toy("plain"), "fail", code=PROGRAM_FAILED)
    assert "--calls-only" in remark(report, "program_failed"), report["remarks"]
    assert report["run"]["exit_code"] == 7 and "exit code 7" in report["verdict"]["sentence"], report
    assert calls(report) == {("sgemm_", "9", "emulate"): 3}, report["calls"]


def a_static_program(doctor):
    report = doctor(doctor.toy("static"), code=FAILED)
    assert report["program"]["static"] and report["verdict"]["key"] == "static_program", report
    assert "has a BLAS in it" in report["verdict"]["sentence"] and "sgemm_" in report["verdict"]["sentence"], report
    stripped = shutil.copy(doctor.toy("static"), doctor.folder / "stripped")
    subprocess.run(["strip", stripped], check=True)
    assert "stripped" in doctor(str(stripped), code=FAILED)["verdict"]["sentence"]


def a_blas_inside_the_program(doctor):
    report = doctor(doctor.toy("own_copy"), code=FAILED)
    assert report["verdict"]["key"] == "static_blas", report
    assert "toy_own_copy (sgemm_)" in remark(report, "static_blas"), report


def a_program_that_changes_its_user(doctor):
    """The loader does not listen then. Only root can make such a program of another user's."""
    copy = shutil.copy(doctor.toy("plain"), doctor.folder / "changes")
    os.chmod(copy, 0o4755)
    assert not doctor(str(copy), options=("--look-only",))["program"]["set_user_id"]
    if os.geteuid() != 0:
        return
    nobody = 65534
    os.chown(copy, nobody, nobody)
    os.chmod(copy, 0o4755)
    heeded = not os.statvfs(doctor.folder).f_flag & os.ST_NOSUID
    report = doctor(str(copy), options=("--look-only",))
    assert report["program"]["set_user_id"] == heeded, report["program"]
    assert ("secure_program" in [one["key"] for one in report["remarks"]]) == heeded, report["remarks"]


def dlsym_on_a_handle(doctor):
    report = doctor(doctor.toy("opener"), "dlsym", doctor.fake_blas(), code=FAILED)
    assert fates(report)["toy_opener", "sgemm_"] == "past_by_dlsym", report["bindings"]
    assert report["verdict"]["key"] == "past_by_dlsym" and "--audit" in report["verdict"]["sentence"], report


def deepbind(doctor):
    report = doctor(doctor.toy("opener"), "deepbind", doctor.plugin(), code=FAILED)
    assert fates(report)["libplugin.so", "cblas_sgemm"] == "past_by_deepbind", report["bindings"]
    assert report["verdict"]["key"] == "past_by_deepbind" and "--audit" in report["verdict"]["sentence"], report


def a_private_plugin_is_served(doctor):
    report = doctor(doctor.toy("opener"), "local", doctor.plugin())
    assert fates(report)["libplugin.so", "cblas_sgemm"] == "served", report["bindings"]


def another_namespace(doctor):
    report = doctor(doctor.toy("opener"), "namespace", doctor.plugin(), code=FAILED)
    assert fates(report)["libplugin.so", "cblas_sgemm"] == "past_in_namespace", report["bindings"]


def the_audit_mode_serves_dlsym_and_deepbind(doctor):
    for how, library, user in (("dlsym", doctor.fake_blas(), ("toy_opener", "sgemm_")),
                               ("deepbind", doctor.plugin(), ("libplugin.so", "cblas_sgemm"))):
        report = doctor(doctor.toy("opener"), how, library, options=("--audit",))
        assert fates(report)[user] == "served" and report["run"]["mode"] == "audit", report["bindings"]
        assert [row["redirected"] for row in report["bindings"] if row["symbol"] == user[1]][0], report["bindings"]


def names_that_are_none_of_ours(doctor):
    for kind, symbol in (("another_name", "toy_sgemm_"), ("another_type", "dgemm_"), ("not_a_product", "ssyrk_")):
        report = doctor(doctor.toy(kind), code=FAILED)
        assert fates(report) == {(f"toy_{kind}", symbol): kind}, report["bindings"]
        assert report["verdict"]["key"] == kind and symbol in report["verdict"]["sentence"], report["verdict"]


def nothing_to_serve(doctor):
    report = doctor("/bin/true", code=FAILED)
    assert report["verdict"]["key"] == "no_gemm" and report["bindings"] == [], report


def scripts_and_their_children(doctor):
    script = doctor.folder / "script"
    script.write_text(f"#!/usr/bin/env sh\n{doctor.toy('plain')}\n{doctor.toy('plain')}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    report = doctor(str(script))
    assert report["program"]["files"] == [str(script), os.path.realpath("/bin/sh")], report["program"]
    assert calls(report) == {("sgemm_", "9", "emulate"): 6}, report["calls"]
    assert report["run"]["processes"] == 3 and report["run"]["processes_with_calls"] == 2, report["run"]


def looking_runs_nothing(doctor):
    mark = doctor.folder / "mark"
    report = doctor("touch", str(mark), options=("--look-only",))
    assert report["run"] is None and not mark.exists(), report
    report = doctor(doctor.toy("plain"), options=("--look-only",))
    symbols = {(pathlib.Path(one["file"]).name, symbol["name"]): symbol["role"]
               for one in report["objects"] for symbol in one["symbols"]}
    assert symbols["toy_plain", "sgemm_"] == "imported" and symbols["libfake_blas.so", "sgemm_"] == "exported", symbols


def what_cannot_be_run(doctor):
    assert "no program" in doctor("/nonexistent/program", code=USAGE)["verdict"]["sentence"]
    doctor.command(code=USAGE)


def a_bad_environment_is_told(doctor):
    report = doctor(doctor.toy("plain"), LADDER_RUNG="99", LADDER_BLAS="/nonexistent/libblas.so")
    told = [one["sentence"] for one in report["remarks"] if one["key"] == "environment"]
    assert len(told) == 2 and "LADDER_RUNG=99" in told[0] and "/nonexistent/libblas.so" in told[1], told


def the_report_for_people(doctor):
    out, _ = doctor.command("--", doctor.toy("opener"), "dlsym", doctor.fake_blas(), code=FAILED)
    for words in ("linked dynamically", "libladderblas.so", "emulate", "PAST US", "`ladder run --audit`", "exit code 0"):
        assert words in out, f"'{words}' is not in: {out}"
    out, _ = doctor.command("--", doctor.toy("plain"))
    assert out.splitlines()[-1].startswith("3 SGEMM calls came"), out


def numpy_is_served(doctor):
    report = doctor(PYTHON, "-c", NUMPY + "a.T @ (a + 1)")
    assert "A @ A.T" in remark(report, "not_a_product"), report["remarks"]
    assert calls(report) == {("cblas_sgemm", "9", "emulate"): 1}, report["calls"]
    assert report["verdict"]["well"], report["verdict"]


def numpy_without_a_product(doctor):
    """Bound at once, so that the loader cannot tell which of its functions were called: all of them are named."""
    report = doctor(PYTHON, "-c", NUMPY + "a @ a.T; a @ a[0]; a.astype(float).T @ (a.astype(float) + 1)", code=FAILED)
    assert report["verdict"]["key"] == "never_called" and "cblas_sgemm" in report["verdict"]["sentence"], report
    assert "A @ A.T" in remark(report, "not_a_product") and "cblas_ssyrk" in remark(report, "not_a_product"), report
    assert "cblas_dgemm" in remark(report, "another_type"), report


TESTS = [a_plain_program_is_served, the_rung_is_the_one_asked_for, a_function_that_is_not_called, calls_alone,
         a_program_that_fails, a_static_program, a_blas_inside_the_program, a_program_that_changes_its_user,
         dlsym_on_a_handle, deepbind, a_private_plugin_is_served, another_namespace,
         the_audit_mode_serves_dlsym_and_deepbind, names_that_are_none_of_ours, nothing_to_serve,
         scripts_and_their_children, looking_runs_nothing, what_cannot_be_run, a_bad_environment_is_told,
         the_report_for_people, numpy_is_served, numpy_without_a_product]


if __name__ == "__main__":
    sys.exit(run_tests("ladder doctor", TESTS, Doctor, __doc__))
