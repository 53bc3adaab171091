# SPDX-License-Identifier: MIT
"""Who may serve a program's products: the BLAS that it has, libladderblas in front of it, or NVBLAS."""
import ctypes.util
import dataclasses
import glob
import importlib.util
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "preload"))
sys.dont_write_bytecode = True
import preloaded  # noqa: E402

ALONE, OURS, NVBLAS = "alone", "libladderblas", "nvblas"
NAMES = (ALONE, OURS, NVBLAS)
NVBLAS_PLACES = ("/usr/local/cuda*/lib64/libnvblas.so*", "/usr/lib/*/libnvblas.so*")
NO_GPU_FOR_NVBLAS = "No device selected"  # what its log says when it would only hand calls on


class Absent(Exception):
    """Why there is no such server here."""


@dataclasses.dataclass
class Calls:
    """SGEMM calls that a server says it saw; None where it does not say."""
    all: int = None
    on_gpu: int = None


def nvblas_library(named):
    if named:
        return named
    spec = importlib.util.find_spec("nvidia")
    of_pip = [f"{place}/*/lib/libnvblas.so*" for place in (spec.submodule_search_locations if spec else ())]
    found = sorted(path for pattern in (*NVBLAS_PLACES, *of_pip) for path in glob.glob(pattern))
    if not found:
        raise Absent("no libnvblas.so: name it with --nvblas")
    return found[0]


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def nvblas_variables(options, folder):
    library = nvblas_library(options.nvblas)
    if not has_gpu():
        raise Absent("nvidia-smi finds no GPU")
    cpu_blas = options.cpu_blas or ctypes.util.find_library("openblas") or ctypes.util.find_library("blas")
    if not cpu_blas:
        raise Absent("NVBLAS needs a BLAS for small products: name it with --cpu-blas")
    configuration = folder / "nvblas.conf"
    configuration.write_text(f"NVBLAS_LOGFILE {folder}/nvblas.log\nNVBLAS_CPU_BLAS_LIB {cpu_blas}\n"
                             f"NVBLAS_GPU_LIST {options.nvblas_gpus}\nNVBLAS_AUTOPIN_MEM_ENABLED\n")
    return {"LD_PRELOAD": library, "NVBLAS_CONFIG_FILE": str(configuration)}


def variables(server, options, folder):
    """What the environment of a program must hold for it to be served so. Raises Absent."""
    if server == NVBLAS:
        return nvblas_variables(options, folder)
    if server == ALONE:
        return {}
    if not options.library.exists():
        raise Absent(f"there is no {options.library}: build it")
    chosen = {name: value for name, value in os.environ.items() if name.startswith("LADDER_")}
    return {**chosen, "LD_PRELOAD": str(options.library), "LADDER_LOG": "summary", "LADDER_LOG_FILE": f"{folder}/summary-%p"}


def environment():
    """The caller's, with no server in it."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("LD_PRELOAD", "LADDER_", "NVBLAS_"))}


def calls_seen(server, folder):
    """Raises Absent where NVBLAS only handed them on."""
    if server == OURS:
        rows = preloaded.summary_rows(preloaded.read_log(folder / "summary-%p"))
        return Calls(sum(row["calls"] for row in rows),
                     sum(row["calls"] for row in rows if row["device"].startswith("gpu")))
    log = folder / "nvblas.log"
    if server == NVBLAS and log.exists() and NO_GPU_FOR_NVBLAS in log.read_text(errors="replace"):
        raise Absent("NVBLAS would not use a GPU")
    return Calls()
