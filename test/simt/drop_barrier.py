# SPDX-License-Identifier: MIT
"""Copies a kernel's source without its Nth __syncthreads(): a mutant for ThreadSanitizer to catch.

usage: drop_barrier.py N SOURCE OUTPUT
"""
import sys

BARRIER = "__syncthreads();"


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    number, source, output = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    with open(source, encoding="utf-8") as file:
        parts = file.read().split(BARRIER)
    if not 1 <= number < len(parts):
        print(f"{source} has {len(parts) - 1} barriers, not {number}", file=sys.stderr)
        return 1
    with open(output, "w", encoding="utf-8") as file:
        file.write(BARRIER.join(parts[:number]) + BARRIER.join(parts[number:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
