#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real, unmodified programs with the library preloaded: NumPy and SciPy (Debian's and PyPI's), scikit-learn and GNU
Octave.

Each is run without us and with us (emulated); the two answers must agree within what FP32 allows, and the
library's log must show exactly the calls that the program makes; with the auditor also where NumPy's modules are
opened with RTLD_DEEPBIND. Then NumPy's own matmul tests run preloaded.
Prints one line a test, `ok - NAME`, `not ok - NAME: why` or `skip - NAME: reason`; exit code 1 if any is not ok.
Runs with a Python that has NumPy and SciPy (Debian's python3).
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import compare
import preloaded

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 300
# Runs a script whose imports, and what they depend on, are bound to each other and not to what is preloaded.
DEEP_BINDING = ("import os, runpy, sys; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND); del sys.argv[0]; "
                "runpy.run_path(sys.argv[0], run_name='__main__')")
NUMPY_TESTS = "TestDot or TestMatmul or TestMatmulOperator"


class Failure(Exception):
    """A test that did not pass; its text says why."""


class Missing(Exception):
    """A program that this machine lacks; its text says what to install."""


def need_module(python, module, remedy):
    found = subprocess.run([python, "-c", f"import {module}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if found.returncode != 0:
        raise Missing(remedy)


def finished(done):
    if done.returncode != 0:
        raise Failure(f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")


def same_products(command, options, audited=False):
    """Runs `command FILE` without and with the library (and the auditor); returns a note. Raises Failure."""
    base = dict(os.environ)
    if audited:
        base.update(LD_AUDIT=str(options.library.parent / "libladderblas-audit.so"))
    with tempfile.TemporaryDirectory() as folder:
        suffix = ".mat" if "octave" in command[0] else ".npz"
        alone, ours = (pathlib.Path(folder) / (name + suffix) for name in ("alone", "ours"))
        finished(subprocess.run([*command, str(alone)], text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        done, calls = preloaded.run_logged([*command, str(ours)], options.library, options.rung, options.device, base,
                                           timeout=TIMEOUT_S)
        finished(done)
        precision = preloaded.precision_of(options.library, int(options.rung))
        left = {int(call["k"]) for call in calls if preloaded.declined(call)}
        wrong, wanted = compare.differences(compare.load(alone), compare.load(ours), precision, left)
    if wrong:
        raise Failure("; ".join(wrong))
    if len(calls) != wanted:
        raise Failure(f"{len(calls)} calls intercepted, the program makes {wanted}")
    return note_of(calls, options.rung, options.device)


def note_of(calls, server, device):
    """How many calls there were. Raises Failure where one was served elsewhere, or every one was declined."""
    declined = [call for call in calls if preloaded.declined(call)]
    hit = [call for call in calls if server in (call["rung"], call["name"]) and served_by(call, device)]
    elsewhere = [call for call in calls if call not in hit and call not in declined]
    if elsewhere or not hit:
        raise Failure(f"not served by {server} on {device}: {(elsewhere or calls)[0]}")
    return f"{len(calls)} calls" + (f", {len(declined)} of them declined" if declined else "")


def served_by(call, device):
    return call["device"].split(":")[0] == device


def same_clusters(python, options, device):
    """k-means of scikit-learn: the clusters that there are, the same with us as without; returns a note."""
    need_module(python, "sklearn", "install scikit-learn in the virtual environment")
    with tempfile.TemporaryDirectory() as folder:
        alone, ours = (pathlib.Path(folder) / name for name in ("alone.npz", "ours.npz"))
        command = [python, str(HERE / "clusters_sklearn.py")]
        finished(subprocess.run([*command, str(alone)], text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        done, calls = preloaded.run_logged([*command, str(ours)], options.library, options.rung, device,
                                           timeout=TIMEOUT_S)
        finished(done)
        alone, ours = compare.load(alone), compare.load(ours)
    pairs = set(zip(ours["true_labels"].tolist(), ours["labels"].tolist()))
    if len(pairs) != len(set(ours["true_labels"].tolist())):
        raise Failure(f"points of a cluster were parted, or clusters joined: {sorted(pairs)}")
    different = [name for name in alone if not (alone[name] == ours[name]).all()]
    if different:
        raise Failure(f"not the same with us as without: {different}")
    server = options.rung if device == options.device else "next_blas"
    if not calls or {call["via"] for call in calls} != {"scipy_sgemm_"}:
        raise Failure(f"no calls of scipy_sgemm_ alone: {calls[:1]}")
    return note_of(calls, server, device)


def own_tests(python, options):
    """NumPy's own tests of dot and matmul, run by its own pytest, with the library preloaded."""
    need_module(python, "pytest", "pytest for this NumPy")
    module = subprocess.run([python, "-c", "import numpy; print('numpy._core' if int(numpy.__version__[0]) > 1 "
                             "else 'numpy.core')"], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", f"{module}.tests.test_multiarray",
               "-k", NUMPY_TESTS]
    with tempfile.TemporaryDirectory() as folder:
        done, calls = preloaded.run_logged(command, options.library, options.rung, options.device, cwd=folder,
                                           timeout=TIMEOUT_S)
    finished(done)
    if not calls:
        raise Failure("NumPy's tests passed, but none of their calls reached the library")
    return f"{done.stdout.strip().splitlines()[-1]}; {len(calls)} calls"


def all_tests(options):
    """(name, function returning a note) of every program."""
    debian, venv = options.python, options.venv and str(pathlib.Path(options.venv) / "bin" / "python")

    def products(python, module, script, remedy):
        need_module(python, module, remedy)
        return same_products([python, str(HERE / script)], options)

    def deeply_bound():
        need_module(debian, "numpy", "install python3-numpy")
        command = [debian, "-c", DEEP_BINDING, str(HERE / "products_numpy.py")]
        with tempfile.TemporaryDirectory() as folder:
            done, calls = preloaded.run_logged([*command, f"{folder}/out.npz"], options.library, options.rung,
                                               options.device, timeout=TIMEOUT_S)
        finished(done)
        if calls:
            raise Failure(f"RTLD_DEEPBIND hid nothing from the preload: {calls[0]}")
        return same_products(command, options, audited=True)

    def octave():
        try:
            subprocess.run(["octave-cli", "--version"], stdout=subprocess.DEVNULL, check=True)
        except (OSError, subprocess.CalledProcessError):
            raise Missing("install octave") from None
        return same_products(["octave-cli", "--norc", str(HERE / "products_octave.m")], options)

    yield "numpy of the distribution", lambda: products(debian, "numpy", "products_numpy.py", "install python3-numpy")
    yield "scipy of the distribution", lambda: products(debian, "scipy", "products_scipy.py", "install python3-scipy")
    yield "numpy bound deeply, with the auditor", deeply_bound
    yield "octave, single precision", octave
    yield "numpy's own tests, distribution", lambda: own_tests(debian, options)

    def from_pypi(test):
        if not venv:
            raise Missing("name a virtual environment with --venv")
        return test()

    yield "numpy from PyPI", lambda: from_pypi(
        lambda: products(venv, "numpy", "products_numpy.py", "install numpy in the virtual environment"))
    yield "scipy from PyPI", lambda: from_pypi(
        lambda: products(venv, "scipy", "products_scipy.py", "install scipy in the virtual environment"))
    for device in (options.device, "cpu"):
        yield (f"scikit-learn from PyPI, {device}",
               lambda device=device: from_pypi(lambda: same_clusters(venv, options, device)))
    yield "numpy's own tests, PyPI", lambda: from_pypi(lambda: own_tests(venv, options))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default=preloaded.default_library(), help="the library to preload")
    parser.add_argument("--rung", default="4", help="LADDER_RUNG, as a number")
    parser.add_argument("--device", default="emulate", help="LADDER_DEVICE")
    parser.add_argument("--python", default="/usr/bin/python3", help="a Python with the distribution's NumPy")
    parser.add_argument("--venv", help="a virtual environment with NumPy, SciPy and pytest from PyPI")
    options = parser.parse_args()
    options.library = pathlib.Path(options.library).resolve()  # programs run in folders of their own
    failed = 0
    for name, test in all_tests(options):
        try:
            print(f"ok - {name} ({test()})", flush=True)
        except Missing as reason:
            print(f"skip - {name}: {reason}", flush=True)
        except (Failure, subprocess.TimeoutExpired) as reason:
            print(f"not ok - {name}: {reason}", flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
