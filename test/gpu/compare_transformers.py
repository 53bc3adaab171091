# SPDX-License-Identifier: MIT
"""Holds what app_transformers.py computed with libladderblas to what it computed without, and writes one table.

usage: compare_transformers.py --table CSV REFERENCE OTHER...

The reference ran without the library and with --as-reference. How far FP32 rounding takes logits from float64 is what the
reference shows, mode by mode. Training amplifies rounding, and one curve is one draw of it, so for losses the furthest of
the reference's curves counts, in every mode and with the sequences in other orders. Another run may be up to 4 times as
far, and not further. A token may differ only where float64's own logits are closer together than that. Exit code 1 where
anything is wrong.
"""
import argparse
import csv
import sys

import torch

import fp32_bounds

AS_FAR = 4
FIELDS = ("model", "million_parameters", "mode", "served_by", "tokens_per_s", "tokens_per_s_least", "tokens_per_s_most",
          "steps_per_s", "steps_per_s_least", "steps_per_s_most", "first_loss", "last_loss", "loss_of_allowed",
          "logits_of_allowed", "tokens_equal", "calls_per_64_tokens", "calls_per_20_steps")


def largest(differences):
    """NaN where one is."""
    return float("nan") if differences.isnan().any() else float(differences.abs().max())


def loss_distance(losses, wide):
    """Distance from float64, never less than the FP32 grid on which losses lie."""
    return largest(losses.double() - wide["losses"]) + fp32_bounds.UNIT_ROUNDOFF * float(wide["losses"].max())


def furthest_losses(reference):
    """Distance from float64 of the furthest of the reference's curves; NaN where one is."""
    modes = reference["modes"]
    curves = [found["losses"] for mode, found in modes.items() if mode != "float64"] + modes["eager"]["reordered_losses"]
    return largest(torch.tensor([loss_distance(losses, modes["float64"]) for losses in curves]))


def same_tokens(found, wide):
    """How many of the first tokens are float64's."""
    return int((found["tokens"] == wide["tokens"]).long().cumprod(0).sum())


def logits_distance(found, wide):
    """Distance from float64 of the logits that follow the same tokens."""
    reached = min(same_tokens(found, wide) + 1, len(wide["tokens"]))
    return largest(found["logits"][:reached].double() - wide["logits"][:reached])


def tokens_agree(found, wide, allowed):
    """The same tokens, or another one where float64 hardly prefers its own."""
    first = same_tokens(found, wide)
    if first == len(wide["tokens"]):
        return True
    logits = wide["logits"][first]
    return float(logits.max() - logits[found["tokens"][first]]) <= 2 * allowed


def calls_are_plausible(results, mode):
    """Every mode's products are counted when they are captured or called, none when a graph is replayed."""
    decode, train = (sum(results[mode][calls].values()) for calls in ("decode_calls", "train_calls"))
    if mode != "graph":
        return decode > 0 and train > 0
    eager = sum(results["eager"]["decode_calls"].values())
    return train == 0 and 0 < decode < eager / 2  # the prompt is not replayed


def compared(run, reference):
    """(mode, complaints, losses' and logits' share of what is allowed) of each mode of a run."""
    wide = reference["modes"]["float64"]
    allowed_loss = AS_FAR * furthest_losses(reference)
    for mode in (mode for mode in run["modes"] if mode != "float64"):
        found, plain = run["modes"][mode], reference["modes"][mode]
        loss = loss_distance(found["losses"], wide) / allowed_loss
        allowed = AS_FAR * logits_distance(plain, wide)
        logits = logits_distance(found, wide) / allowed
        complaints = [] if loss <= 1 else [f"losses are {loss:.2f} of what is allowed"]
        complaints += [] if logits <= 1 else [f"logits are {logits:.2f} of what is allowed"]
        complaints += [] if tokens_agree(found, wide, allowed) else ["other tokens"]
        complaints += [] if found["losses"][-1] < found["losses"][0] else ["nothing was learnt"]
        if run["served"]["by"] != "cuBLAS" and not calls_are_plausible(run["modes"], mode):
            complaints.append(f"calls are {found['decode_calls']} and {found['train_calls']}")
        yield mode, complaints, loss, logits


def row_of(run, mode, loss, logits, reference):
    found = run["modes"][mode]
    row = {"model": run["kind"], "million_parameters": round(run["parameters"] / 1e6), "mode": mode,
           "served_by": run["served"]["by"], "first_loss": f"{found['losses'][0]:.6f}",
           "last_loss": f"{found['losses'][-1]:.6f}", "loss_of_allowed": f"{loss:.3f}",
           "logits_of_allowed": f"{logits:.3f}", "tokens_equal": same_tokens(found, reference["modes"][mode]),
           "calls_per_64_tokens": sum(found["decode_calls"].values()),
           "calls_per_20_steps": sum(found["train_calls"].values())}
    for what in ("tokens", "steps"):
        for name, rate in zip(("", "_least", "_most"), found["speeds"][what]):
            row[f"{what}_per_s{name}"] = f"{rate:.2f}"
    return row


def counts_differ(runs):
    """Modes in which two runs with the library saw other calls.

    Not torch.compile's: it times products in several forms before it takes one, and what it then calls varies from run to
    run, with the same rung too.
    """
    served = [run for run in runs if run["served"]["by"] != "cuBLAS"]
    kinds = ("decode_calls", "train_calls")
    return [f"{mode}: {one['served']['by']} and {other['served']['by']} count other calls"
            for one, other in zip(served, served[1:]) for mode in one["modes"] if mode != "compile"
            if any(one["modes"][mode][kind] != other["modes"][mode][kind] for kind in kinds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", required=True)
    parser.add_argument("reference")
    parser.add_argument("others", nargs="+")
    arguments = parser.parse_args()
    runs = [torch.load(path) for path in (arguments.reference, *arguments.others)]
    reference, rows, wrong = runs[0], [], counts_differ(runs)
    for run in runs:
        served = run["served"]
        if served["by"] != "cuBLAS" and served["calls"] != served["on_rung"]:
            wrong.append(f"{served['on_rung']} of {served['calls']} calls on rung {served['by']}")
        for mode, complaints, loss, logits in compared(run, reference):
            rows.append(row_of(run, mode, loss, logits, reference))
            wrong += [f"{served['by']}, {mode}: {complaint}" for complaint in complaints]
            print(f"{run['kind']} {mode:8} served by {served['by']:8} loss {loss:.3f} and logits {logits:.3f} of allowed, "
                  f"{rows[-1]['tokens_equal']} tokens equal, {rows[-1]['tokens_per_s']} tokens/s, "
                  f"{rows[-1]['steps_per_s']} steps/s")
    with open(arguments.table, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    for complaint in wrong:
        print(complaint)
    print(f"{reference['kind']} of {reference['parameters'] / 1e6:.0f} million parameters: {len(rows)} modes, "
          f"{len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
