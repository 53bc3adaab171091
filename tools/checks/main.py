#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of libladderblas that this machine can run. Use tools/check, which installs what they need.

Every skip is printed with its reason. The last line is `N passed, N failed, N skipped`; the exit code is 1 if
anything failed.
"""
import argparse
import os
import pathlib
import sys
import time

import builds
import programs
import source
from tally import Tally

# In the order in which they run: quick ones first, and those that need the library after its build.
PARTS = {
    "source": (source.check, "layers, file lengths, syntax of the scripts"),
    "build": (builds.normal, "the normal build and its tests"),
    "asan": (builds.address_sanitizer, "the tests under AddressSanitizer and UndefinedBehaviorSanitizer"),
    "tsan": (builds.thread_sanitizer, "a smaller set under ThreadSanitizer"),
    "install": (programs.install, "meson install, and a C program built through pkg-config"),
    "ladder": (programs.ladder, "the ladder command: list, run, verify"),
    "conformance": (programs.conformance, "Netlib's testers through every rung, emulated"),
    "programs": (programs.real_programs, "NumPy, SciPy, Octave and ScaLAPACK over MPI, preloaded"),
    "demo": (programs.demo, "the demonstration's program through every rung"),
}


def parse_command_line():
    parser = argparse.ArgumentParser(
        prog="tools/check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="parts: " + "; ".join(f"{name} ({what})" for name, (_, what) in PARTS.items()))
    parser.add_argument("--only", action="append", choices=PARTS, help="run only this part; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the names of the parts")
    parser.add_argument("--gpu", action="store_true", help="run the GPU tests on this machine's GPU instead")
    parser.add_argument("--archs", default=os.environ.get("LADDER_CHECK_ARCHS", "90a"),
                        help="GPU architectures to compile for, with commas (default: LADDER_CHECK_ARCHS, this machine's "
                             "GPU, or 90a)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="things to run at a time")
    parser.add_argument("--no-install", action="store_true", help="go on with the packages that there are")
    parser.add_argument("--meson", default="meson", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, default=source.ROOT / "build-check", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse_command_line()
    if options.list:
        print("\n".join(PARTS))
        return 0
    tally = Tally(options.folder / "logs")
    parts = {"gpu": (programs.gpu, "the GPU tests")} if options.gpu else PARTS
    for name, (part, what) in parts.items():
        if options.only and not options.gpu and name not in options.only:
            continue
        print(f"== {name}: {what}", flush=True)
        start = time.monotonic()
        part(tally, options)
        print(f"== {name}: {time.monotonic() - start:.0f} s", flush=True)
    print(tally.closing_lines())
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
