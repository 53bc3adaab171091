#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plays Nsight Compute for the test of `ladder profile`: notes how it was called, and answers as NCU_PLAYS says.

table: counters of the rungs it was asked for, in the form of --csv --page raw. strict: refuses metrics of which it does
not know one, as long as it is asked for it. grumble: counts, and ends with 1 all the same.
permission, no_gpu, garbage, short, stopped, silent: the ways it can go wrong.
"""
import json
import os
import pathlib
import sys

VERSION = "NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.0.0 (build 1) (public-release)"
FIXED = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
         "Device", "CC"]
UNKNOWN = "l1tex__lsu_writeback_active.avg.pct_of_peak_sustained_elapsed"
NAMES = {"1": ("r01", "sgemm_naive"), "2": ("r02", "sgemm_coalesced"), "3": ("r03", "sgemm_shared")}
M_N_K_OVER_32 = 4096 ** 3 // 32

# What three rungs could look like; a metric that is not here is not available.
COUNTERS = {
    "gpu__time_duration.sum": ("ns", ("140,123,456", "22,345,678", "15,234,567")),
    "sm__cycles_elapsed.avg.per_second": ("hz", ("1,979,000,000.5", "1,965,000,000", "1,755,000,000")),
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("%", ("12.5", "93.1", "90.2")),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("%", ("0.8", "3.1", "4.9")),
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": ("%", ("1.1", "9.8", "14.5")),
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active": ("%", ("5.5", "95.2", "93.3")),
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": ("inst", (f"{32 * M_N_K_OVER_32:,}",) * 3),
    "smsp__inst_executed_op_global_ld.sum": ("inst", (f"{2 * M_N_K_OVER_32:,}", f"{2 * M_N_K_OVER_32:,}",
                                                      f"{M_N_K_OVER_32 // 16:,}")),
    "smsp__inst_executed_op_shared_ld.sum": ("inst", ("0", "0", f"{2 * M_N_K_OVER_32:,}")),
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ("sector", (f"{17 * M_N_K_OVER_32:,}", f"{5 * M_N_K_OVER_32:,}",
                                                                 f"{M_N_K_OVER_32 // 4:,}")),
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": ("", (f"{2 * M_N_K_OVER_32:,}", f"{2 * M_N_K_OVER_32:,}",
                                                            f"{M_N_K_OVER_32 // 16:,}")),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": ("", ("0", "0", f"{2 * M_N_K_OVER_32:,}")),
    "launch__registers_per_thread": ("register/thread", ("32", "38", "40")),
}


def option(words, name):
    return words[words.index(name) + 1]


def line(cells):
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)


def table(metrics, rungs):
    rows = [line(FIXED + metrics), line([""] * len(FIXED) + [COUNTERS.get(name, ("",))[0] for name in metrics])]
    for number, rung in enumerate(rungs):
        values = [COUNTERS[name][1][int(rung) - 1] if name in COUNTERS else "n/a" for name in metrics]
        fixed = [str(number), "7", "ladder", "127.0.0.1", NAMES[rung][1], "1", "7", "(256, 1, 1)", "(65536, 1, 1)", "0", "9.0"]
        rows.append(line(fixed + values))
    return "\n".join(rows)


def main():
    words = sys.argv[1:]
    if "--version" in words:
        print(VERSION)
        return 0
    with open(os.environ["NCU_CALLS"], "a") as calls:
        print(json.dumps(words), file=calls)
    plays, log = os.environ["NCU_PLAYS"], pathlib.Path(option(words, "--log-file"))
    metrics, rungs = option(words, "--metrics").split(","), option(words, "--rungs").split(",")
    log.write_text("==PROF== Connected to process 7 (ladder)\n")
    said = {"permission": "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access the counters\n",
            "garbage": '"ID","Kernel Name"\n"0","f"\n"1"\n', "silent": "==WARNING== No kernels were profiled.\n"}
    if plays == "strict" and UNKNOWN in metrics:
        said[plays] = f"==ERROR== Failed to find metric {UNKNOWN}\n==WARNING== No kernels were profiled.\n"
    if plays in said:
        log.write_text(log.read_text() + said[plays])
        return 1
    if plays == "no_gpu":
        print("ladder: there is no GPU that works here", file=sys.stderr)
        return 2
    announced = rungs[:-1] if plays == "stopped" else rungs
    for rung in announced:
        print(f"rung={NAMES[rung][0]} kernels=1", flush=True)
    if plays == "stopped":
        print("ladder: shared: out of memory", file=sys.stderr)
    profiled = announced[:-1] if plays == "short" else announced
    log.write_text(log.read_text() + "".join(f"==PROF== Profiling {i}: 0%....100% - 9 passes\n" for i in rungs)
                   + table(metrics, profiled) + "\n==PROF== Disconnected from process 7\n")
    return 1 if plays in ("grumble", "stopped") else 0


if __name__ == "__main__":
    sys.exit(main())
