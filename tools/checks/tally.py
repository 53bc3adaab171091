# SPDX-License-Identifier: MIT
"""Counts what passed, failed and was skipped, and says so as it happens."""
import pathlib
import re
import subprocess
import time

TAIL_LINES = 40
RESULT = re.compile(r"^(?:(ok|not ok|skip) - |(passed|failed|skipped)\s+)(\S.*)$")


class Tally:
    def __init__(self, logs):
        self.logs = pathlib.Path(logs)
        self.logs.mkdir(parents=True, exist_ok=True)
        self.passed, self.failed, self.skipped = [], [], []

    def ok(self, name, note=""):
        self.passed.append(name)
        print(f"ok - {name}" + (f" ({note})" if note else ""), flush=True)

    def fail(self, name, why):
        self.failed.append(name)
        print(f"not ok - {name}: {why}", flush=True)

    def skip(self, name, why):
        self.skipped.append(name)
        print(f"skip - {name}: {why}", flush=True)

    def command(self, name, command, env=None, cwd=None, timeout=None):
        """One command that is one test. Its output goes to a log; the end of it is shown where it fails."""
        start = time.monotonic()
        why = self.quietly(name, command, env, cwd, timeout)
        if why:
            self.fail(name, why)
        else:
            self.ok(name, f"{time.monotonic() - start:.1f} s")
        return not why

    def quietly(self, name, command, env=None, cwd=None, timeout=None):
        """Runs a command with its output in a log and counts nothing. Why it failed; empty when it did not."""
        log = self.logs / (re.sub(r"\W+", "-", name).strip("-") + ".log")
        with log.open("w") as file:
            try:
                code = subprocess.run([str(word) for word in command], env=env, cwd=cwd, timeout=timeout, stdout=file,
                                      stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
            except subprocess.TimeoutExpired:
                code = f"none after {timeout} s"
            except OSError as error:
                code = str(error)
        if code == 0:
            return ""
        tail = log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
        print("\n".join("    " + line for line in tail), flush=True)
        return f"exit code {code}; all of it is in {log}"

    def script(self, name, command, env=None):
        """A script that prints a line a test, `ok - NAME`, `not ok - NAME: why`, `skip - NAME: why` (or begins it
        with passed, failed, skipped): each is counted."""
        lists = {"ok": self.passed, "not ok": self.failed, "skip": self.skipped,
                 "passed": self.passed, "failed": self.failed, "skipped": self.skipped}
        counted, failures = 0, len(self.failed)
        with subprocess.Popen([str(word) for word in command], env=env, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            for line in process.stdout:
                print(line.rstrip(), flush=True)
                found = RESULT.match(line)
                if found:
                    lists[found[1] or found[2]].append(found[3].strip())
                    counted += 1
        wrong = len(self.failed) - failures
        if (process.returncode != 0) != (wrong > 0) or not counted:
            self.fail(name, f"exit code {process.returncode} after {counted} results")

    def closing_lines(self):
        again = "".join(f"not ok - {name}\n" for name in self.failed)
        return f"{again}{len(self.passed)} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"
