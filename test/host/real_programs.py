# SPDX-License-Identifier: MIT
"""The programs that test/host/run times, at two sizes: to be tried out, and with a gigabyte and more of data."""
import dataclasses
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess

import psgemm

HERE = pathlib.Path(__file__).resolve().parent
SMALL, FULL = 0, 1
CHAIN = 192, 6144
FACTORED = 160, 8192
PCA = "2000 64 8 3", "262144 1024 128 4"  # samples, features, components, power iterations
KMEANS = "2000 64 8 3", "262144 1024 256 5"  # samples, features, clusters, rounds
NMF = "2000 64 8 30", "262144 1024 64 5"  # samples, features, factors, rounds
GRID_CHAIN = (160, 16, 0), (12288, 512, 2048)  # N, rows and columns of a block, columns of k that ScaLAPACK takes at a time
NETLIB_PLACES = ("/usr/lib/*/lapack/liblapack.so.3",)
GRID_TIMEOUT_S = 590
SAID_BY_PSGEMM = re.compile(r"^psgemm .*: first_s (\S+) best_s (\S+) error_of_bound (\S+) ", re.MULTILINE)


class Missing(Exception):
    """What a program needs and this machine lacks."""


@dataclasses.dataclass
class Program:
    """`module`: of Python, that it needs; `through_doors`: its products are known to go through functions that a preload
    can serve."""
    title: str
    size: str
    command: list
    module: str = ""
    through_doors: bool = True

    def prepare(self):
        """Raises Missing."""
        if self.module and subprocess.run([self.command[0], "-c", f"import {self.module}"], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL).returncode != 0:
            raise Missing(f"{self.command[0]} has no {self.module}")
        if not shutil.which(self.command[0]):
            raise Missing(f"there is no {self.command[0]}")

    def started_with(self, environment, variables):
        """(environment, command) with these variables of a server."""
        return {**environment, **variables}, self.command

    def answer(self, output):
        """What it said at its end; None where it said nothing."""
        lines = [line for line in output.splitlines() if line.startswith('{"first_s"')]
        return json.loads(lines[-1]) if lines else None


@dataclasses.dataclass
class OnGrid(Program):
    """ScaLAPACK's psgemm, compiled into `folder`, the cores shared out among its processes."""
    grid: str = ""
    folder: str = ""
    arguments: list = dataclasses.field(default_factory=list)

    def prepare(self):
        program = psgemm.compiled(self.folder)
        if program is None:
            raise Missing(f"install {psgemm.PACKAGES}")
        self.command = [program]

    def started_with(self, environment, variables):
        threads = max(1, len(os.sched_getaffinity(0)) // psgemm.processes(self.grid))
        words = [f"{name}={value}" for name, value in {**variables, "OPENBLAS_NUM_THREADS": threads}.items()]
        return {**environment, **psgemm.SETTINGS}, psgemm.command(self.command[0], self.grid, self.arguments, words,
                                                                  GRID_TIMEOUT_S)

    def answer(self, output):
        found = SAID_BY_PSGEMM.search(output)
        return found and dict(zip(("first_s", "best_s", "error_of_allowed"), map(float, found.groups())))


class Netlib(Program):
    """A LAPACK that calls the BLAS for its products."""

    def prepare(self):
        if self.command[-1] is None:
            raise Missing("no LAPACK of Netlib's: name it with --lapack")
        super().prepare()


def netlib_lapack(named):
    return named or next((path for pattern in NETLIB_PLACES for path in sorted(glob.glob(pattern))), None)


def all_programs(options, folder):
    at = FULL if options.size == "full" else SMALL
    repeats, lapack = str(options.repeats), netlib_lapack(options.lapack)

    def script(name, *arguments):
        return [options.python, str(HERE / name), *map(str, arguments), repeats]

    def learning(kind, sizes):
        samples, features, *groups_rounds = sizes[at].split()
        return f"{samples} x {features}, {groups_rounds[0]}", script("learn_sklearn.py", kind, *sizes[at].split())

    n = FACTORED[at]
    yield Program("NumPy, chain of 3 products", f"n = {CHAIN[at]}", script("chain_numpy.py", CHAIN[at]), "numpy")
    for kind, title, sizes in (("pca", "PCA", PCA), ("kmeans", "KMeans", KMEANS), ("nmf", "NMF", NMF)):
        yield Program(f"scikit-learn {title}", *learning(kind, sizes), "sklearn")
    # The LAPACK within OpenBLAS multiplies without calling anything that a preload could serve.
    yield Program("SciPy lu_factor", f"n = {n}", script("factor_scipy.py", "lu", n), "scipy", False)
    yield Program("SciPy cholesky", f"n = {n}", script("factor_scipy.py", "cholesky", n), "scipy", False)
    yield Netlib("Netlib's LAPACK, sgetrf", f"n = {n}", [*script("factor_scipy.py", "lu", n), lapack], "scipy")
    yield Netlib("Netlib's LAPACK, spotrf", f"n = {n}", [*script("factor_scipy.py", "cholesky", n), lapack], "scipy")
    yield Program("Octave, chain of 3 products and lu", f"n = {CHAIN[at]}",
                  ["octave-cli", "--norc", str(HERE / "chain_octave.m"), str(CHAIN[at]), repeats])
    grid_n, block, logical_block = GRID_CHAIN[at]
    yield OnGrid(f"ScaLAPACK psgemm, {options.grid}", f"n = {grid_n}", [], grid=options.grid, folder=folder,
                 arguments=[block, 0, repeats, logical_block, f"NN:{grid_n}x{grid_n}x{grid_n}"])
