#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The auditor on toy programs that reach a BLAS in every way that the loader knows.

Each is run with the library preloaded, and again with the auditor beside it. What is caught is told by the product
(emulated: 6; the stand-in for a BLAS leaves 4242), by the library's own count, and by the auditor's record.
Prints one line a test, `ok - NAME` or `not ok - NAME: why`; the exit code is 1 if any is not ok.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOORS = pathlib.Path(__file__).resolve().parents[2] / "src" / "shim" / "doors.def"
OURS, THEIRS, OWN = 6, 4242, 1.5
TIMEOUT_S = 60
THREADS_CALLS = 8 * 50 + 1  # as in caller.c


class Toys:
    """The programs and libraries that the build made, and how they are run."""

    def __init__(self, paths):
        self.paths = {name: str(pathlib.Path(path).resolve()) for name, path in paths.items() if path}

    def __getattr__(self, name):
        return self.paths[name]

    def run(self, *words, **options):
        """What the program printed: C as a number, and the calls of each door."""
        product, *counts = self.said(*words, **options).split()
        return float(product), {door: int(calls) for door, calls in (word.split("=") for word in counts)}

    def said(self, *words, caller="caller", preload=True, audit=False, record=None, complaint="", **variables):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("LADDER_", "LD_PRELOAD", "LD_AUDIT"))}
        env = {**kept, "LADDER_DEVICE": "emulate", **variables}
        if preload:
            env["LD_PRELOAD"] = self.library
        if audit:
            env["LD_AUDIT"] = self.auditor
        if record:
            env["LADDER_AUDIT_LOG"] = str(record)
        done = subprocess.run([self.paths[caller], *words], env=env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
        assert done.returncode == 0, f"exit code {done.returncode}: {(done.stderr or done.stdout)[-400:]}"
        assert done.stderr == complaint, f"on stderr: {done.stderr[-400:]}"
        return done.stdout


def events(record, kind=None):
    """The lines of a record as dictionaries."""
    lines = [dict(field.split("=", 1) for field in line.split("\t")) for line in record.read_text().splitlines()]
    return [line for line in lines if kind in (None, line["event"])]


def bindings(record, symbol):
    lines = [line for line in events(record, "bind") if line["symbol"] == symbol]
    return {(line["via"], line["redirected"], line["why"]) for line in lines}


def caught(door, result):
    product, counts = result
    assert product == OURS and counts[door] == 1, result


def missed(result):
    product, counts = result
    assert product == THEIRS and not any(counts.values()), result


def a_plugin_needs_no_auditor(toys, folder):
    for function, door in (("call_fortran", "sgemm_"), ("call_cblas", "cblas_sgemm")):
        caught(door, toys.run("plugin", toys.plugin, function))
        caught(door, toys.run("plugin", toys.plugin, function, audit=True, record=folder / function))
        assert bindings(folder / function, door) == {("plt", "no", "ours")}, events(folder / function)


def deepbind(toys, folder):
    for lazy in ("", "1"):
        for function, door in (("call_fortran", "sgemm_"), ("call_cblas", "cblas_sgemm")):
            record = folder / (function + lazy)
            missed(toys.run("deepbind", toys.plugin, function, LD_BIND_NOW=lazy))
            caught(door, toys.run("deepbind", toys.plugin, function, audit=True, record=record, LD_BIND_NOW=lazy))
            assert ("plt", "yes", "door") in bindings(record, door), events(record)


def dlsym_on_a_handle_of_its_own(toys, folder):
    missed(toys.run("dlsym", toys.blas))
    caught("sgemm_", toys.run("dlsym", toys.blas, audit=True, record=folder / "record"))
    (line,) = events(folder / "record", "bind")
    assert line == {"event": "bind", "pid": line["pid"], "symbol": "sgemm_", "from": toys.caller, "to": toys.blas,
                    "via": "dlsym", "redirected": "yes", "why": "door"}, line


def every_door_and_no_other_name(toys, folder):
    doors = re.findall(r"^\w+_DOOR\((\w+)", DOORS.read_text(), re.MULTILINE)
    for audit, holder in ((False, toys.all_doors), (True, toys.library)):
        said = toys.said("where", toys.all_doors, *doors, "dgemm_", audit=audit, record=folder / "record")
        answers = dict(line.split("=") for line in said.splitlines())
        assert answers == {**{door: holder for door in doors}, "dgemm_": toys.all_doors}, answers
    assert bindings(folder / "record", "dgemm_") == {("dlsym", "no", "not_a_door")}


def another_namespace_is_left_alone(toys, folder):
    for words, via in (((toys.plugin, "call_fortran"), "plt"), ((toys.blas,), "dlsym")):
        missed(toys.run("namespace", *words))
        missed(toys.run("namespace", *words, audit=True, record=folder / via))
        assert bindings(folder / via, "sgemm_") == {(via, "no", "namespace")}, events(folder / via)


def a_static_blas_is_out_of_reach(toys, folder):
    for audit in (False, True):
        missed(toys.run("own", caller="static_caller", audit=audit, record=audit and folder / "record"))
    assert not events(folder / "record", "bind")


def a_blas_inside_the_program_serves_its_plugins(toys, folder):
    """A plugin without a BLAS of its own finds the program's, which comes before whatever is preloaded."""
    words = ("plugin", toys.unlinked_plugin, "call_fortran")
    missed(toys.run(*words, caller="static_caller"))
    caught("sgemm_", toys.run(*words, caller="static_caller", audit=True, record=folder / "record"))
    (line,) = [line for line in events(folder / "record", "bind") if line["symbol"] == "sgemm_"]
    assert (line["from"], line["to"], line["why"]) == (toys.unlinked_plugin, toys.static_caller, "door"), line
    product, counts = toys.run(*words, caller="static_caller", audit=True, LADDER_DEVICE="cpu")
    assert product == THEIRS and counts["sgemm_"] == 1, (product, counts)


def a_name_alone_makes_no_blas(toys, folder):
    for audit in (False, True):
        product, counts = toys.run("plugin", toys.plugin, "sgemm", audit=audit, record=audit and folder / "record")
        assert product == OWN and not any(counts.values()), (product, counts)
    assert bindings(folder / "record", "sgemm") == {("dlsym", "no", "not_a_blas")}, events(folder / "record")


def parts_of_a_blas_keep_together(toys, folder):
    """The stand-in's cblas_sgemm calls its sgemm_, which RTLD_DEEPBIND lets it find in itself."""
    toys.run("deepbind", toys.plugin, "call_cblas", audit=True, record=folder / "record", LADDER_DEVICE="cpu")
    inside = [line for line in events(folder / "record", "bind") if line["from"] == toys.blas]
    assert [(line["to"], line["why"]) for line in inside] == [(toys.blas, "inside_blas")], inside


def handing_on_reaches_the_real_one(toys, _):
    for how, words in (("deepbind", (toys.plugin, "call_cblas")), ("dlsym", (toys.blas,))):
        product, counts = toys.run(how, *words, audit=True, LADDER_DEVICE="cpu")
        assert product == THEIRS and sum(counts.values()) == 1, (how, product, counts)


def a_wrapper_is_handed_on_to_and_hands_on(toys, folder):
    """program -> us -> wrapper -> BLAS, without a way back to us."""
    words = {"audit": True, "record": folder / "record", "WRAPPED_BLAS": toys.blas}
    caught("sgemm_", toys.run("dlsym", toys.wrapper, **words))
    product, counts = toys.run("dlsym", toys.wrapper, **words, LADDER_DEVICE="cpu")
    assert product == THEIRS and counts["sgemm_"] == 1, (product, counts)
    (inner,) = [line for line in events(folder / "record", "bind") if line["from"] == toys.wrapper]
    assert (inner["to"], inner["redirected"], inner["why"]) == (toys.blas, "no", "inside_blas"), inner


def a_versioned_cublas(toys, folder):
    """Rung 0 hands on to the stand-in, which answers with success; nothing is counted unless it came through us."""
    rung0 = {"LADDER_RUNG": "0", "LADDER_DEVICE": "auto"}
    for audit, calls in ((False, 0), (True, 1)):
        status, counts = toys.run("deepbind", toys.gpu_plugin, "call_cublas", audit=audit, **rung0,
                                  record=audit and folder / "record")
        assert status == 0 and counts["cublasSgemm_v2"] == calls, (audit, status, counts)
    assert bindings(folder / "record", "cublasSgemm_v2") == {("plt", "yes", "door"), ("dlsym", "no", "own_search")}


def many_threads_bind_at_once(toys, _):
    for words in ((toys.blas,), (toys.plugin, "call_fortran")):
        product, counts = toys.run("threads", *words, audit=True)
        assert product == OURS and counts["sgemm_"] == THREADS_CALLS, (words, product, counts)


def a_child_writes_a_record_of_its_own(toys, folder):
    caught("sgemm_", toys.run("fork", toys.blas, audit=True, record=folder / "record-%p"))
    parent, child = sorted(folder.iterdir(), key=lambda file: "event=start" not in file.read_text())
    assert [line["why"] for line in events(child, "bind")] == ["door"] and not events(parent, "bind"), events(child)


def record_only_changes_nothing(toys, folder):
    missed(toys.run("dlsym", toys.blas, audit=True, record=folder / "record", LADDER_AUDIT="record"))
    assert bindings(folder / "record", "sgemm_") == {("dlsym", "no", "record_only")}, events(folder / "record")


def a_bad_setting_is_reported_and_the_default_used(toys, _):
    complaint = "ladderblas: LADDER_AUDIT=watch is not valid; valid are: redirect, record; the default is used\n"
    caught("sgemm_", toys.run("dlsym", toys.blas, audit=True, complaint=complaint, LADDER_AUDIT="watch"))
    caught("sgemm_", toys.run("dlsym", toys.blas, audit=True, LADDER_AUDIT="", LADDER_AUDIT_LOG=""))


def without_the_library_nothing_happens(toys, folder):
    missed(toys.run("dlsym", toys.blas, preload=False, audit=True, record=folder / "record"))
    missed(toys.run("deepbind", toys.plugin, "call_fortran", preload=False, audit=True))
    assert bindings(folder / "record", "sgemm_") == {("dlsym", "no", "not_loaded")}, events(folder / "record")


def the_record_is_whole(toys, folder):
    toys.run("dlsym", toys.blas, audit=True, record=folder / "a\tname")
    toys.run("dlsym", toys.blas, audit=True, record=folder / "record")
    lines = events(folder / "record")
    assert (lines[0]["event"], lines[0]["program"], lines[0]["mode"]) == ("start", toys.caller, "redirect"), lines[0]
    kinds = [line["event"] for line in lines]
    assert kinds.count("ready") == 1 and kinds.index("ready") < kinds.index("bind"), kinds
    opened = {line["object"]: line["ours"] for line in lines if line["event"] == "open"}
    assert opened[toys.library] == "yes" and list(opened.values()).count("yes") == 1, opened
    assert {toys.caller, toys.blas} <= set(opened) and toys.auditor not in opened, opened
    assert {line["object"] for line in lines if line["event"] == "close"} <= set(opened), lines


def a_record_that_cannot_be_written_stops_nobody(toys, folder):
    caught("sgemm_", toys.run("dlsym", toys.blas, audit=True, record=folder / "no" / "such" / "folder"))


def it_needs_nothing(toys, _):
    needs = subprocess.run(["readelf", "-dW", toys.auditor], text=True, stdout=subprocess.PIPE, check=True).stdout
    exports = subprocess.run(["nm", "-D", toys.auditor], text=True, stdout=subprocess.PIPE, check=True).stdout
    assert "(NEEDED)" not in needs and "(TEXTREL)" not in needs, needs
    assert {line.split()[-1] for line in exports.splitlines()} == {
        "la_version", "la_objopen", "la_objclose", "la_preinit", "la_symbind64"}, exports


TESTS = [a_plugin_needs_no_auditor, deepbind, dlsym_on_a_handle_of_its_own, every_door_and_no_other_name,
         another_namespace_is_left_alone, a_static_blas_is_out_of_reach, a_blas_inside_the_program_serves_its_plugins,
         a_name_alone_makes_no_blas, parts_of_a_blas_keep_together, handing_on_reaches_the_real_one,
         a_wrapper_is_handed_on_to_and_hands_on, a_versioned_cublas, many_threads_bind_at_once,
         a_child_writes_a_record_of_its_own, record_only_changes_nothing,
         a_bad_setting_is_reported_and_the_default_used, without_the_library_nothing_happens, the_record_is_whole,
         a_record_that_cannot_be_written_stops_nobody, it_needs_nothing]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("library", "auditor", "blas", "all-doors", "plugin", "gpu-plugin", "unlinked-plugin", "wrapper",
                 "caller", "static-caller"):
        parser.add_argument("--" + name, required=True, help="as built from this folder")
    toys = Toys(vars(parser.parse_args()))
    failed = 0
    for test in TESTS:
        name = test.__name__.replace("_", " ")
        try:
            with tempfile.TemporaryDirectory() as folder:
                test(toys, pathlib.Path(folder))
            print(f"ok - audit: {name}", flush=True)
        except (AssertionError, subprocess.SubprocessError, ValueError, KeyError, OSError) as why:
            print(f"not ok - audit: {name}: {why!r}", flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
