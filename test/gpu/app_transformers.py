# SPDX-License-Identifier: MIT
"""A transformer of GPT-2's or Llama's size with random weights, in FP32: 64 greedily generated tokens with their logits,
the losses of 20 training steps, and how many of both a second, under eager mode, CUDA graphs and torch.compile.

usage: app_transformers.py {gpt2,llama} --out FILE [--as-reference] [--quiet-lock FILE] [--device D] [--small]

The file is for compare_transformers.py. --as-reference adds the same in float64, and the losses with the sequences in
other orders, which differ by rounding alone. --quiet-lock is locked
shared until the timing begins and alone during it, so that processes can wait for each other. --small is for a look
without a GPU.
"""
import argparse
import contextlib
import copy
import fcntl
import os
import statistics
import sys
import time

import torch

import served_calls
import transformer_work as work
from gpu_alone import alone

OTHER_ORDERS = 7
REPEATS = 3
TIMED_STEPS = 5


def elapsed(function, device):
    """Seconds that the function kept the device busy, by events; by the clock where there are none."""
    if device != "cuda":
        begin = time.perf_counter()
        function()
        return time.perf_counter() - begin
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    function()
    end.record()
    end.synchronize()
    milliseconds_per_second = 1e3
    return begin.elapsed_time(end) / milliseconds_per_second


def calls_during(function):
    """The function's result, and the calls that the library served meanwhile, by door."""
    before = served_calls.calls_by_door()
    result = function()
    after = served_calls.calls_by_door()
    return result, {door: calls - before.get(door, 0) for door, calls in after.items() if calls > before.get(door, 0)}


class Work:
    """One model, its decoder and its trainer, and the steps of each mode. Restored to its first weights if `lasting`."""

    def __init__(self, kind, model, device, lasting=True):
        self.device = device
        self.model = model
        self.initial = copy.deepcopy(model.state_dict()) if lasting else None
        self.decoder = work.Decoder(model, device)
        self.trainer = work.Trainer(model, kind, device)

    def restore(self):
        if self.initial is not None:
            self.model.load_state_dict(self.initial)

    def steps(self, mode):
        """(decode, train) of one mode."""
        if mode == "eager":
            return self.decoder.step, self.trainer.step
        if mode == "compile":
            forward = torch.compile(self.decoder.forward)
            loss = torch.compile(self.trainer.loss)
            return (lambda: self.decoder.advance(forward(self.decoder.token, self.decoder.position)),
                    lambda: self.trainer.step_with(loss))
        return self.captured_steps()

    def captured_steps(self):
        def warm_up_decoding():
            self.decoder.prefill()
            self.decoder.step()

        with torch.no_grad():
            decode = work.captured(self.decoder.step, warm_up_decoding, self.device)
        train = work.captured(self.trainer.step, self.trainer.step, self.device)
        return decode, train

    @torch.no_grad()
    def generate(self, decode):
        """Tokens and the logits that chose them, on the CPU."""
        logits = [self.decoder.prefill().clone()]
        logits += [decode().clone() for _ in range(work.TOKENS - 1)]
        logits = torch.cat(logits)
        return logits.argmax(-1).cpu(), logits.cpu()

    def train(self, step):
        self.restore()
        return torch.stack([step().clone() for _ in range(work.STEPS)]).cpu()

    def train_in_other_orders(self):
        """The losses of training with the sequences in each of some other orders, and then the first order again."""
        sequences = len(self.trainer.tokens)
        orders = min(sequences - 1, OTHER_ORDERS)
        losses = []
        for _ in range(orders):
            self.trainer.reorder(1)
            losses.append(self.train(self.trainer.step))
        self.trainer.reorder(sequences - orders)
        return losses

    def results(self, mode):
        """What the mode computes: tokens, logits, losses, calls; and its steps, for timing."""
        self.restore()
        decode, train = self.steps(mode)
        self.restore()
        (tokens, logits), decode_calls = calls_during(lambda: self.generate(decode))
        losses, train_calls = calls_during(lambda: self.train(train))
        return {"tokens": tokens, "logits": logits, "losses": losses, "decode_calls": decode_calls,
                "train_calls": train_calls}, (decode, train)

    def speeds(self, decode, train):
        """{what: (median, least, most) a second}, warm."""
        @torch.no_grad()
        def decode_all():
            for _ in range(work.TOKENS - 1):
                decode()

        def train_all():
            for _ in range(TIMED_STEPS):
                train()

        def rates(count, prepare, function):
            seconds = []
            for _ in range(1 + REPEATS):
                prepare()
                seconds.append(elapsed(function, self.device))
            found = [count / each for each in seconds[1:]]
            return statistics.median(found), min(found), max(found)

        return {"tokens": rates(work.TOKENS - 1, self.decoder.prefill, decode_all),
                "steps": rates(TIMED_STEPS, self.restore, train_all)}


def run_modes(kind, model, arguments):
    """Results by mode; speeds are taken once every mode has been right, alone."""
    everything = Work(kind, model, arguments.device)
    modes = ["eager", "graph", "compile"] if arguments.device == "cuda" else ["eager", "compile"]
    found, steps = {}, {}
    shared = open(arguments.quiet_lock, "a", encoding="utf-8") if arguments.quiet_lock else None
    with shared or contextlib.nullcontext():
        if shared:
            fcntl.flock(shared, fcntl.LOCK_SH)
        for mode in modes:
            begin = time.perf_counter()
            found[mode], steps[mode] = everything.results(mode)
            print(f"{kind.name} {mode}: loss {found[mode]['losses'][0]:.6f} -> {found[mode]['losses'][-1]:.6f}, "
                  f"{time.perf_counter() - begin:.1f} s with preparations", flush=True)
        if arguments.as_reference:
            found["eager"]["reordered_losses"] = everything.train_in_other_orders()
            found["float64"] = float64_results(kind, everything, arguments.device)
    torch.cuda.empty_cache()  # the next processes need the memory too
    with alone(arguments.quiet_lock):
        for mode in modes:
            found[mode]["speeds"] = everything.speeds(*steps[mode])
            print(f"{kind.name} {mode}: " + ", ".join(f"{rate[0]:.1f} {what}/s"
                                                      for what, rate in found[mode]["speeds"].items()), flush=True)
    return found


def float64_results(kind, everything, device):
    everything.restore()
    wide = Work(kind, copy.deepcopy(everything.model).double(), device, lasting=False)
    return wide.results("eager")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(work.KINDS))
    parser.add_argument("--out", required=True)
    parser.add_argument("--as-reference", action="store_true")
    parser.add_argument("--quiet-lock")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--small", action="store_true")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    kind = work.KINDS[arguments.kind](*((2, 128, 1000, 16) if arguments.small else ()))
    model = work.built(kind, arguments.device)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    found = run_modes(kind, model, arguments)
    count = served_calls.counter()
    served = {"by": os.environ.get("LADDER_RUNG", "default") if count else "cuBLAS",
              "calls": count(None, None) if count else 0,
              "on_rung": count(None, os.environ["LADDER_RUNG"].encode()) if count and "LADDER_RUNG" in os.environ else 0}
    torch.save({"kind": kind.name, "served": served, "parameters": parameters, "batch": kind.batch, "length": kind.length,
                "layers": kind.config.num_hidden_layers, "modes": found}, arguments.out)
    print(f"called a transformer of {parameters / 1e6:.0f} million parameters in {len(found)} modes, "
          f"{served_calls.closing_words()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
