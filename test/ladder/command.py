# SPDX-License-Identifier: MIT
"""What the tests of the ladder command share: how it is run, and how their outcome is told."""
import argparse
import os
import pathlib
import subprocess
import tempfile

OK, FAILED, USAGE = 0, 1, 2
TIMEOUT_S = 600


class Command:
    """The ladder command, or one of its subcommands, in an environment without settings for it but `variables`."""

    def __init__(self, path, *first_words, **variables):
        self.path, self.first_words, self.variables = str(path), first_words, variables

    def __call__(self, *words, code=OK, **variables):
        """Runs it with `words`, holds its exit code to `code`, and returns what it printed (stdout, stderr)."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("LADDER_")}
        done = subprocess.run([self.path, *self.first_words, *words], env={**env, **self.variables, **variables},
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT_S)
        said = (done.stdout + done.stderr)[-400:]
        assert done.returncode == code, f"{words}: exit code {done.returncode}, not {code}: {said}"
        return done.stdout, done.stderr


def run_tests(title, tests, arrange, description):
    """Calls each test with arrange(path of the command, a folder of its own), prints `ok - NAME` or `not ok - NAME: why`
    and returns the exit code: 1 if any is not ok."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--ladder", required=True, help="the command to test")
    ladder = pathlib.Path(parser.parse_args().ladder).resolve()
    failed = 0
    for test in tests:
        name = f"{title}: {test.__name__.replace('_', ' ')}"
        try:
            with tempfile.TemporaryDirectory() as folder:
                test(arrange(ladder, pathlib.Path(folder)))
            print(f"ok - {name}", flush=True)
        except (AssertionError, subprocess.SubprocessError, ValueError, KeyError, OSError) as why:
            print(f"not ok - {name}: {why}", flush=True)
            failed += 1
    return 1 if failed else 0
