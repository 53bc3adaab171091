# SPDX-License-Identifier: MIT
"""The GPU to oneself while something is timed, among processes that share a lock file."""
import contextlib
import fcntl


@contextlib.contextmanager
def alone(path):
    """While it lasts, nobody else holds the lock, not even shared. Nothing to wait for where `path` is None."""
    if path is None:
        yield
        return
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
