#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs a build into an empty folder and uses it from there the way a program's author does.

The C program is compiled with what pkg-config says, run, and looked at: it must find the library by its SONAME.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, **options):
    print("$", *command, flush=True)
    return subprocess.run([str(word) for word in command], check=True, text=True, stdin=subprocess.DEVNULL, **options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--meson", default="meson")
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--stage", required=True, type=pathlib.Path, help="folder to install into; emptied first")
    options = parser.parse_args()
    stage = options.stage.resolve()
    shutil.rmtree(stage, ignore_errors=True)
    run(options.meson, "install", "-C", options.build, "--no-rebuild", "--destdir", stage)

    (description,) = stage.rglob("ladderblas.pc")
    env = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=str(stage), PKG_CONFIG_LIBDIR=str(description.parent))
    flags = run("pkg-config", "--cflags", "--libs", "ladderblas", env=env, stdout=subprocess.PIPE).stdout.split()
    assert "-lladderblas" in flags and not [flag for flag in flags if "cuda" in flag or "boost" in flag], flags

    program = stage / "program"
    run("gcc", "-std=c99", "-Wall", "-Werror", HERE / "program.c", "-o", program, *flags)
    needed = run("readelf", "-d", program, stdout=subprocess.PIPE).stdout
    assert "[libladderblas.so.0]" in needed, needed
    library = next(stage.rglob("libladderblas.so.0")).parent
    run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(library), LADDER_DEVICE="emulate", LADDER_RUNG="5"))

    ladder = next(path for path in stage.rglob("ladder") if path.is_file())
    shown = run(ladder, "run", "--audit", "--", "env", stdout=subprocess.PIPE).stdout.splitlines()
    assert {f"LD_PRELOAD={library}/libladderblas.so", f"LD_AUDIT={library}/libladderblas-audit.so"} <= set(shown), shown
    return 0


if __name__ == "__main__":
    sys.exit(main())
