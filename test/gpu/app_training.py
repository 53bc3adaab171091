# SPDX-License-Identifier: MIT
"""Trains a transformer of GPT-2's size, in FP32, and says how the loss fell and how many steps a second it took.

usage: app_training.py --out JSON [--steps N] [--reverse] [--alone FILE] [--device D] [--small]

--reverse takes the sequences of each batch in the other order: the same training, but for the rounding. --alone locks a
file while it trains, so that processes may prepare side by side and train one after the other. --small is for a look
without a GPU. The file is for compare_training.py.
"""
import argparse
import json
import time

import torch

import served_calls
import training_work as work
from gpu_alone import alone

STEPS_PER_LINE = 50


def wait_for(device):
    if device == "cuda":
        torch.cuda.synchronize()


def train(trainer, steps, untimed, device):
    """Each step's loss, and the seconds that the steps after the first `untimed` ones took."""
    losses, begin = [], 0.0
    for number in range(steps):
        if number == untimed:
            wait_for(device)
            begin = time.perf_counter()
        losses.append(trainer.step(number))
        if number % STEPS_PER_LINE == 0:
            print(f"step {number}: loss {float(losses[-1]):.4f}", flush=True)
    wait_for(device)
    return torch.stack(losses).tolist(), time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("--alone")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--small", action="store_true")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    size = work.SMALL if arguments.small else work.GPT2
    model = work.built(size, arguments.device)
    trainer = work.Trainer(model, size, arguments.steps, arguments.device, arguments.reverse)
    wait_for(arguments.device)
    untimed = min(work.WARM_UP_STEPS, arguments.steps // 2)
    with alone(arguments.alone):
        losses, seconds = train(trainer, arguments.steps, untimed, arguments.device)
    speed = (arguments.steps - untimed) / seconds
    parameters = sum(parameter.numel() for parameter in model.parameters())
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump({"parameters": parameters, "tokens_per_step": size.batch * size.length, "losses": losses,
                   "steps_per_s": speed}, file)
    print(f"trained {parameters / 1e6:.0f} million parameters for {arguments.steps} steps, loss {losses[0]:.4f} -> "
          f"{losses[-1]:.4f}, {speed:.2f} steps/s, {served_calls.closing_words()}")


if __name__ == "__main__":
    main()
