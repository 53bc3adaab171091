#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a reviewer should not have to: who may include whom, who may touch the loader, the environment and
the outside world, how long a file may be, and that rungs.def and the kernel files agree.

Prints one line a violation, `path:line: what is wrong`; the exit code is 1 if there is any.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAYERS = ("src/kernels", "src/shim", "src/audit", "lib", "tools", "test")  # each may include those before it; test is on its own
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".c", ".h", ".def"}
SCRIPTS = {".py", ".sh", ".m"}
DATA = {".csv", ".json"}  # nobody reads these from top to bottom
KERNEL_LINES, OTHER_LINES = 250, 300
SPDX_WITHIN = 2  # lines: a script's first line says what runs it

# (pattern, folder that the rule is for, files that may all the same, what is wrong)
RULES = [
    (r"\b(dlopen|dlsym|dlmopen|dl_iterate_phdr)\s*\(", "src", ("src/shim/next_library", "src/shim/offload/hwloc_locality.cpp"),
     "only the next library's finder talks to the loader, and who opens hwloc where it is wanted and there"),
    (r"\b(secure_)?getenv\s*\(", "src", ("src/shim/config",), "only the configuration reads the environment"),
    (r"\b(printf|puts|fputs|fopen|fprintf|perror)\s*\(|std::(cout|cerr|clog|ofstream|ifstream)\b", "src/kernels", (),
     "kernels do no input or output"),
    (r"\b(std::)?(cout|printf|puts|putchar)\s*\(|std::cout\b", "src/shim", (), "the library never prints to stdout"),
    (r"\b(abort|_exit|exit|quick_exit|assert)\s*\(", "src", (), "the library never ends its caller's process"),
    (r'#\s*include\s+"\.\./(?!shim/doors\.def")', "src/audit", (),
     "the auditor shares the list of doors with the library, and nothing else"),
    (r"#\s*include\s+<(?!cstddef>|cstdint>|elf\.h>|link\.h>|fcntl\.h>|sys/syscall\.h>|linux/limits\.h>)", "src/audit", (),
     "the auditor has no C library"),
    (r"\bRTLD_DEEPBIND\b", "src", (), "RTLD_DEEPBIND breaks sanitizers and interposition"),
]
EVERYWHERE = [(r"\b(TODO|FIXME|XXX)\b", "unfinished business belongs in the tracker")]


def relative(path):
    return path.relative_to(ROOT).as_posix()


def files():
    folders = [ROOT / name for name in ("src", "lib", "include", "tools", "test", ".ci")]
    for folder in folders:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def without_comments(text):
    """The same lines with C++ comments blanked out, so that prose may name what code may not."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])
    return re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.DOTALL)


def layer_of(path):
    name = relative(path)
    return next((i for i, layer in enumerate(LAYERS) if name.startswith(layer + "/")), None)


def included(path, name):
    """The file of ours that `#include "name"` in `path` means, or None."""
    places = [path.parent, *(ROOT / layer for layer in LAYERS), ROOT / "include"]
    return next((place / name for place in places if (place / name).is_file()), None)


def check_includes(path, text):
    mine = layer_of(path)
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
        target = found and included(path, found[1])
        if not target or mine is None:
            continue
        theirs = layer_of(target.resolve())
        if theirs is not None and theirs > mine and not LAYERS[mine] == "tools":
            yield number, f"{LAYERS[mine]} may not include {relative(target.resolve())}"


def check_words(path, text):
    name = relative(path)
    for pattern, folder, allowed, complaint in RULES:
        if not name.startswith(folder + "/") or name.startswith(allowed or ("\0",)):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(pattern, line):
                yield number, complaint


def check_text(path, text):
    lines = text.splitlines()
    limit = KERNEL_LINES if path.suffix == ".cu" else OTHER_LINES
    measured = path.name.startswith("tuning_") and path.suffix == ".def"  # a table that `ladder tune` writes
    if len(lines) > limit and path.suffix not in DATA and not measured:
        yield limit + 1, f"{len(lines)} lines; at most {limit}"
    if path.suffix in CODE - {".def"} | SCRIPTS and "SPDX-License-Identifier: MIT" not in "".join(lines[:SPDX_WITHIN]):
        yield 1, "the licence line is missing"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end of the file"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "space at the end of the line"
        for pattern, complaint in EVERYWHERE:
            if path.name != pathlib.Path(__file__).name and re.search(pattern, line):
                yield number, complaint


def check_rungs():
    kernels = ROOT / "src" / "kernels"
    listed = re.findall(r"^KERNEL_RUNG\((\w+), [^,]+, (\w+),", (kernels / "rungs.def").read_text(), re.MULTILINE)
    wanted = {f"{identifier}_{name}.cu" for identifier, name in listed}
    members = re.search(r"^foreach member : \[(.*?)\]", (kernels / "meson.build").read_text(), re.MULTILINE | re.DOTALL)
    wanted |= {f"r09_{name}.cu" for name in re.findall(r"'(\w+)'", members[1])}
    present = {path.name for path in kernels.glob("r[0-9]*.cu")}
    for name in sorted(wanted - present):
        yield kernels / name, 1, "a list names this kernel, but there is no such file"
    for name in sorted(present - wanted):
        yield kernels / name, 1, "neither rungs.def nor the members of rung 9 name this file"


def main():
    complaints = [(path, number, what) for path, number, what in check_rungs()]
    for path in files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            complaints.append((path, 1, "not text in UTF-8"))
            continue
        found = list(check_text(path, text))
        if path.suffix in CODE:
            code = without_comments(text)
            found += [*check_includes(path, code), *check_words(path, code)]
        complaints += [(path, number, what) for number, what in found]
    for path, number, what in complaints:
        print(f"{relative(path)}:{number}: {what}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
