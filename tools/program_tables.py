# SPDX-License-Identifier: MIT
"""Markdown tables of what test/gpu/run saw of whole programs: one function a table, each of (root of the tree, results)."""
import textwrap

from result_tables import MISSING, WIDTH, number, percent, table

PLAIN = "cuBLAS"  # served_by, where the library was not there
MOST_NAMED = 5
KNOWN_RUNGS = ("0", "9")
STEPS_SHOWN = 25  # every so many of a training's


def grouped(rows, *columns):
    """{values of the columns: {served_by: row}}, in the order of the file."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), {})[row["served_by"]] = row
    return groups


def note(results, text, gpus="one"):
    known = results.conditions
    conditions = (f"{text} Seen on {gpus} {known['GPU']} by `{known['command']}`. Driver {known['driver']}; CUDA runtime "
                  f"{known['CUDA runtime']}; commit {known['commit']}; {known['date'].split()[0]}. All of it is in "
                  f"`{results.shown_as}`.")
    return ["", *textwrap.wrap(conditions, WIDTH, break_long_words=False, break_on_hyphens=False)]


def calls_in_words(calls):
    """`cublasSgemm_v2:3 cublasGemmEx:1` for a cell of a table."""
    doors = [call.rsplit(":", 1) for call in calls.split()]
    return ", ".join(f"`{door}` {times}" for door, times in doors) or MISSING


def served_in_words(served):
    """Who served the program rightly; who did not, in capitals."""
    wrong = [name for name, row in served.items() if row["verdict"] != "passed"]
    right = [f"`{name}`" for name, row in served.items() if row["verdict"] == "passed"]
    words = ", ".join(right) if len(right) <= MOST_NAMED else f"{len(right)} rungs"
    return words + (f"; WRONG: {', '.join(wrong)}" if wrong else "")


def programs_table(_root, results):
    """What each program called, on which rungs it was served call by call, and what it said."""
    lines = []
    for (program,), runs in grouped(results.rows, "program").items():
        served = {name: row for name, row in runs.items() if name != PLAIN}
        last = next((served[name] for name in ("default", "double_buffered") if name in served), None)
        if last is None:
            continue
        lines.append([program, calls_in_words(last["calls"]), served_in_words(served), last["said"]])
    headings = ["program", "FP32 products, by function", "each of them served by", "what it said, on rung 9 or by default"]
    return table(headings, lines) + note(results, "Where a program calls cuBLAS, the numbers without libladderblas, by "
                                                  "the program or by cuBLAS's own log, are the same.")


def speed(row, column):
    """The median, and how far least and most are apart."""
    median = number(row, column)
    return MISSING if median is None else f"{median:.1f}"


def transformers_table(_root, results):
    """Speeds and distances of both models in every mode, without the library and with it."""
    lines = []
    for (model, size, mode), runs in grouped(results.rows, "model", "million_parameters", "mode").items():
        plain, own = runs.get(PLAIN, {}), runs.get("9", {})
        cells = [f"{model}, {size} million", mode]
        for column in ("tokens_per_s", "steps_per_s"):
            cells += [speed(runs.get(name, {}), column) for name in (PLAIN, *KNOWN_RUNGS)]
            both = number(own, column), number(plain, column)
            cells.append(percent(both[0] / both[1]) if None not in both else MISSING)
        tokens = ", ".join(runs[name]["tokens_equal"] for name in KNOWN_RUNGS if name in runs)
        share = max((float(row[column]) for name, row in runs.items() if name != PLAIN
                     for column in ("loss_of_allowed", "logits_of_allowed")), default=None)
        lines.append([*cells, tokens, MISSING if share is None else f"{share:.2f}"])
    headings = ["model", "mode", "tokens/s, cuBLAS", "rung 0", "rung 9", "of cuBLAS", "training steps/s, cuBLAS", "rung 0",
                "rung 9", "of cuBLAS", "tokens equal of 64", "distance from float64, of what is allowed"]
    return table(headings, lines) + note(results, "Medians of 3, one process at a time on a quiet machine.")


def shares_in_words(shares):
    """`9:0.121 11:0.879` for a cell of a table."""
    parts = [share.split(":") for share in shares.split()]
    return ", ".join(f"{rung}: {percent(float(share))}" for rung, share in parts) or MISSING


def training_table(_root, results):
    """How quickly each run trained, how far its loss was from cuBLAS's, and on which rungs the work was done."""
    lines = []
    for row in results.rows:
        lines.append([row["run"], speed(row, "steps_per_s"), percent(number(row, "of_cublas")), row["last_loss"],
                      f"{float(row['largest_distance']):.1e}", shares_in_words(row["flops_by_rung"])])
    first = results.rows[0]
    headings = ["run", "steps/s", "of cuBLAS", "loss at the end", "loss, largest relative distance from cuBLAS",
                "FLOP of its products, by rung"]
    return table(headings, lines) + note(results, (
        f"{first['million_parameters']} million parameters, {first['steps']} steps of {first['tokens_per_step']} tokens. "
        f"Losses are means of 10 steps; {float(first['allowed_distance']):.1e} is the distance that is allowed."))


def training_curves_table(_root, results):
    """The losses of every run at some steps, as they are."""
    runs = [column for column in results.rows[0] if column != "step"]
    shown = [row for row in results.rows if int(row["step"]) % STEPS_SHOWN == 0 or row is results.rows[-1]]
    return table(["step", *runs], [[row["step"], *(row[name] for name in runs)] for row in shown]) + note(
        results, "The loss of the step's own batch, before the step.")


def seconds_in_words(row):
    """The best time, and the first one in brackets."""
    best, first = number(row, "best_s"), number(row, "first_s")
    return MISSING if None in (best, first) or row["verdict"] != "passed" else f"{best:.3g} ({first:.3g})"


def times_as_fast(row, reference):
    both = number(row, "best_s"), number(reference, "best_s")
    passed = {row.get("verdict"), reference.get("verdict")} == {"passed"}
    return f"{both[1] / both[0]:.2f}" if passed and None not in both else MISSING


def host_programs_lines(rows):
    """Programs that multiply in host memory, with each server of their products."""
    lines = []
    for (program, size), runs in grouped(rows, "program", "size").items():
        alone, ours, peer = (runs.get(name, {"verdict": ""}) for name in ("alone", "libladderblas", "nvblas"))
        calls = f"{ours['calls']}, {ours['calls_on_gpu']}" if ours["verdict"] else MISSING
        errors = [number(row, "error_of_allowed") or 0.0 for row in runs.values() if row["verdict"] == "passed"]
        wrong = [name for name, row in runs.items() if row["verdict"] != "passed"]
        error = f"{max(errors, default=0.0):.2g}" + (f"; WRONG: {', '.join(wrong)}" if wrong else "")
        lines.append([program, size, seconds_in_words(alone), seconds_in_words(ours), times_as_fast(ours, alone),
                      seconds_in_words(peer), times_as_fast(peer, alone), calls, error])
    headings = ["program", "size", "alone, s (first)", "with libladderblas, s (first)", "times as fast",
                "with NVBLAS, s (first)", "times as fast", "SGEMM calls, on the GPU", "worst error, of what is allowed"]
    return table(headings, lines)


HOST_PROGRAMS = ("Each run is a process of its own that does its work several times: the best time, and in brackets the first, "
                 "which has the start of CUDA in it. Where no calls are counted, the program's LAPACK multiplies within itself.")


def host_programs_table(_root, results):
    """host_programs_lines() of committed results."""
    return host_programs_lines(results.rows) + note(results, HOST_PROGRAMS)


def host_programs_2gpu_table(_root, results):
    """The same of a machine with two GPUs."""
    return host_programs_lines(results.rows) + note(results, HOST_PROGRAMS, "two")
