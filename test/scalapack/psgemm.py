# SPDX-License-Identifier: MIT
"""Compiles psgemm.c and starts it on a grid of processes."""
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = "libscalapack-openmpi-dev and openmpi-bin"
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_plm": "isolated",  # all on this machine: no remote shell is looked for
            # Processes of a container may not read each other's memory: they share some instead.
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


class DoesNotCompile(Exception):
    """What the compiler says."""


def compiled(folder):
    """The program, or None where there is no ScaLAPACK or no MPI."""
    link = ["cc", "-std=c99", "-O2", "-Wall", "-Werror"], ["-lscalapack-openmpi", "-lm"]
    empty = [*link[0], "-shared", "-x", "c", "/dev/null", "-o", "/dev/null", *link[1]]
    if not shutil.which("mpirun") or subprocess.run(empty, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        return None
    program = pathlib.Path(folder) / "psgemm"
    done = subprocess.run([*link[0], str(HERE / "psgemm.c"), "-o", str(program), *link[1]], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise DoesNotCompile(done.stdout.strip()[-400:])
    return program


def processes(grid):
    """Of a grid of ROWSxCOLUMNS."""
    rows, columns = map(int, grid.split("x"))
    return rows * columns


def command(program, grid, arguments, variables, timeout_s):
    """The command that runs it, each process with the variables ("NAME=value"): mpirun goes without. SETTINGS must be in
    the environment."""
    return ["mpirun", "--timeout", str(timeout_s), "--bind-to", "none", "-n", str(processes(grid)), "env", *variables,
            str(program), grid, *map(str, arguments)]
