# SPDX-License-Identifier: MIT
"""Tests that use the built library the way its users do."""
import os
import pathlib
import subprocess
import sys

import builds
from source import ROOT

LIBRARY_MISSING = "there is no library: run the part `build` first"
PYPI_PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "pytest": "pytest",
                 "hypothesis": "hypothesis"}  # by the name that is imported


def needs_library(part):
    """Fails a part in one line where the library was not built."""
    def checked(tally, options):
        if builds.library(options).exists():
            part(tally, options)
        else:
            tally.fail(part.__name__, LIBRARY_MISSING)
    return checked


@needs_library
def install(tally, options):
    stage = options.folder / "stage"
    where = options.folder / builds.NORMAL
    tally.command("install: an installed tree", [sys.executable, ROOT / "test" / "install" / "run.py", "--meson",
                                                 options.meson, "--build", where, "--stage", stage])


@needs_library
def ladder(tally, options):
    tool = options.folder / builds.NORMAL / "tools" / "ladder"
    tally.script("ladder", [sys.executable, ROOT / "test" / "ladder" / "run.py", "--ladder", tool])
    tally.script("ladder bench", [sys.executable, ROOT / "test" / "ladder" / "bench_run.py", "--ladder", tool])
    tally.script("ladder bench doors", [sys.executable, ROOT / "test" / "ladder" / "bench_doors.py", "--ladder", tool])
    tally.script("ladder doctor", [sys.executable, ROOT / "test" / "doctor" / "run.py", "--ladder", tool])
    tally.script("ladder profile", [sys.executable, ROOT / "test" / "ladder" / "profile_run.py", "--ladder", tool])


@needs_library
def conformance(tally, options):
    tally.script("conformance", [sys.executable, ROOT / "test" / "conformance" / "run.py", "--library",
                                 builds.library(options), "--jobs", options.jobs])


def virtual_environment(tally, options):
    """Arguments that name a virtual environment with packages from PyPI; none where PyPI is out of reach."""
    venv = options.folder / "venv"
    python = venv / "bin" / "python"
    imports = "import " + ", ".join(PYPI_PACKAGES)
    if not python.exists() or subprocess.run([python, "-c", imports], stderr=subprocess.DEVNULL).returncode != 0:
        why = (tally.quietly("virtual environment", ["/usr/bin/python3", "-m", "venv", venv]) or
               tally.quietly("packages from PyPI", [python, "-m", "pip", "install", "-q", *PYPI_PACKAGES.values()]))
        if why:
            print("NumPy, SciPy and scikit-learn could not be installed from PyPI: their tests are skipped", flush=True)
            return []
    return ["--venv", venv]


@needs_library
def real_programs(tally, options):
    library, venv = builds.library(options), virtual_environment(tally, options)
    tally.script("programs", [sys.executable, ROOT / "test" / "preload" / "run.py", "--library", library, *venv])
    tally.script("ScaLAPACK", [sys.executable, ROOT / "test" / "scalapack" / "run.py", "--library", library])
    python = ["--python", pathlib.Path(venv[1]) / "bin" / "python"] if venv else []
    tally.script("timed programs", [sys.executable, ROOT / "test" / "host" / "run", "--build", options.folder / builds.NORMAL,
                                    "--size", "small", "--servers", "alone,libladderblas", "--repeats", "1", *python],
                 {**os.environ, "LADDER_DEVICE": "emulate", "LADDER_RUNG": "4"})


@needs_library
def demo(tally, options):
    tally.command("demo: every rung through an unmodified NumPy program",
                  ["/usr/bin/python3", ROOT / "tools" / "demo.d" / "report.py", "--build",
                   options.folder / builds.NORMAL])


def gpu(tally, options):
    runner = ROOT / "test" / "gpu" / "run"
    if not runner.exists():
        tally.fail("gpu", f"{runner} is missing")
        return
    if builds.built(tally, options, "gpu", ["-Dcuda=enabled", f"-Dgpu_archs={options.archs}"]):
        tally.script("gpu", [sys.executable, runner, "--build", options.folder / "gpu"])
