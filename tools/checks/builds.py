# SPDX-License-Identifier: MIT
"""The builds, and the tests that Meson knows of."""
import json
import os
import shutil

from source import ROOT

NORMAL = "normal"
PASSED, SKIPPED = {"OK", "EXPECTEDFAIL"}, {"SKIP"}
TEST_TIMEOUT_FACTOR = "3"  # the machine may be busy, and sanitizers are slow


def library(options):
    return options.folder / NORMAL / "lib" / "libladderblas.so"


def built(tally, options, name, settings):
    """Configures and compiles a build folder; whether that worked. Counts as one test."""
    folder = options.folder / name
    configured = (folder / "build.ninja").exists()
    command = [options.meson, "configure", folder] if configured else [options.meson, "setup", folder, ROOT]
    why = tally.quietly(f"configure {name}", [*command, *settings])
    if why:
        tally.fail(f"configure {name}", why)
        return False
    return tally.command(f"build {name}", [options.meson, "compile", "-C", folder, "-j", options.jobs])


def meson_tests(tally, options, name, env=None):
    """Runs the tests of a build and counts each of them."""
    folder = options.folder / name
    journal = folder / "meson-logs" / "testlog.json"
    journal.unlink(missing_ok=True)
    why = tally.quietly(f"meson test {name}",
                        [options.meson, "test", "-C", folder, "--no-rebuild", "--print-errorlogs", "-t",
                         TEST_TIMEOUT_FACTOR, "--num-processes", options.jobs], env)
    results = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    failures = len(tally.failed)
    for result in results:
        test = f"{name}: {result['name']}"
        if result["result"] in PASSED:
            tally.ok(test, f"{result['duration']:.1f} s")
        elif result["result"] in SKIPPED:
            tally.skip(test, (result.get("stdout") or "the test itself says skip").strip().splitlines()[-1])
        else:
            tally.fail(test, result["result"])
    if not results or (why and len(tally.failed) == failures):
        tally.fail(f"meson test {name}", why or "there were no tests")


def normal(tally, options):
    if shutil.which("nvcc"):
        settings = ["-Dcuda=enabled", f"-Dgpu_archs={options.archs}"]
    else:
        settings = ["-Dcuda=disabled"]
        tally.skip("build of the GPU kernels", "no CUDA toolkit (nvcc) on this machine")
    if built(tally, options, NORMAL, settings):
        meson_tests(tally, options, NORMAL)


def sanitized(tally, options, name, sanitizer, variables):
    # A shared library leaves the sanitizer's symbols to the program: hence b_lundef.
    # Reports need lines, and no more of the debugger's facts: those took half as long again to compile.
    settings = ["-Dcuda=disabled", "-Dtools=false", f"-Db_sanitize={sanitizer}", "-Db_lundef=false", "-Dcpp_args=-g1"]
    if built(tally, options, name, settings):
        meson_tests(tally, options, name, {**os.environ, **variables})


def address_sanitizer(tally, options):
    # A fiber's stack is not the thread's: the checks that assume so are left out.
    sanitized(tally, options, "asan", "address,undefined",
              {"ASAN_OPTIONS": "detect_stack_use_after_return=0:detect_leaks=1",
               "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"})


def thread_sanitizer(tally, options):
    sanitized(tally, options, "tsan", "thread", {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"})
