#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shared library exports what the list says, unversioned, and needs only the C and C++ runtimes.

usage: exports.py LIBRARY LIST
"""
import re
import subprocess
import sys

library, expected_list = sys.argv[1:3]
ALLOWED_NEEDED = re.compile(r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|asan|ubsan|tsan)\.so\.\d+|ld-linux-x86-64\.so\.2")
SONAME = "libladderblas.so.0"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


with open(expected_list, encoding="ascii") as lines:
    expected = set(lines.read().split())
exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()}
failures = [f"exported but not listed: {name}" for name in sorted(exported - expected)]
failures += [f"listed but not exported: {name}" for name in sorted(expected - exported)]
failures += [f"versioned: {name}" for name in sorted(exported) if "@" in name]

dynamic = output("readelf", "-d", library)
failures += [f"needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
             if not ALLOWED_NEEDED.fullmatch(name)]
sonames = re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)
if sonames != [SONAME]:
    failures.append(f"SONAME is {sonames}, not {SONAME}")
if "STATIC_TLS" in dynamic:
    failures.append("has thread-local variables that dlopen may find no room for (STATIC_TLS)")

print("\n".join(failures) or f"{len(exported)} symbols, as listed")
sys.exit(1 if failures else 0)
