# SPDX-License-Identifier: MIT
"""Checks that need no build: the layers, and that every script parses."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def scripts():
    """(path, interpreter) of every script among the files that git tracks, by ending or first line."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "ls-files"], check=True,
                                text=True, stdout=subprocess.PIPE).stdout.split("\n")
        files = [ROOT / name for name in listed if name]
    else:
        files = [path for path in ROOT.rglob("*") if "build" not in path.relative_to(ROOT).parts[0]]
    for path in files:
        if not path.is_file():
            continue
        with path.open("rb") as file:
            first = file.readline()
        if path.suffix == ".py" or (first.startswith(b"#!") and b"python" in first):
            yield path, "python"
        elif path.suffix == ".sh" or (first.startswith(b"#!") and b"sh" in first):
            yield path, "bash"


def check(tally, _options):
    tally.command("layers and file lengths", [sys.executable, ROOT / "tools" / "check_layers.py"])
    tally.command("the tables of measurements", [sys.executable, ROOT / "tools" / "readme_tables.py", "--check"])
    found = {"python": [], "bash": []}
    for path, interpreter in scripts():
        found[interpreter].append(path)
    parse = "import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)"
    tally.command("syntax of the Python scripts", [sys.executable, "-c", parse, *found["python"]])
    tally.command("syntax of the shell scripts",
                  ["bash", "-c", 'status=0; for name; do bash -n "$name" || status=1; done; exit $status', "bash",
                   *found["bash"]])
    if shutil.which("shellcheck"):
        tally.command("shellcheck", ["shellcheck", "-x", "-P", ROOT, *found["bash"]])
    else:
        tally.skip("shellcheck", "not installed")
