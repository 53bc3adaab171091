# SPDX-License-Identifier: MIT
"""Passes where a program fails and its standard error names the reason.

usage: expect_report.py TEXT PROGRAM [ARGUMENT...]
"""
import subprocess
import sys


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    text, command = sys.argv[1], sys.argv[2:]
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if result.returncode == 0:
        print(f"{command[0]} ended without a failure", file=sys.stderr)
        return 1
    if text not in result.stderr:
        print(f"{command[0]} ended with {result.returncode}, without a word of '{text}':\n{result.stderr}",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
