# SPDX-License-Identifier: MIT
"""What a Python program can see of libladderblas, if that is preloaded: how many calls came through which door."""
import ctypes
import pathlib
import re

DOORS = pathlib.Path(__file__).resolve().parents[2] / "src/shim/doors.def"


def device_doors():
    """Names of the cuBLAS functions that the library serves."""
    return re.findall(r"^DEVICE_DOOR\((\w+)\)", DOORS.read_text(), re.MULTILINE)


def counter():
    """The library's ladder_call_count(door, rung), or None where it is not loaded."""
    try:
        count = ctypes.CDLL(None).ladder_call_count
    except AttributeError:
        return None
    count.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    count.restype = ctypes.c_uint64
    return count


def calls_by_door():
    """{door: calls so far} of the doors that were called."""
    count = counter()
    if count is None:
        return {}
    calls = {door: count(door.encode(), None) for door in device_doors()}
    return {door: number for door, number in calls.items() if number}


def closing_words():
    """What a program says at its end of who served its products."""
    if counter() is None:
        return "without libladderblas"
    calls = calls_by_door()
    return "served " + (", ".join(f"{door} {number}" for door, number in calls.items()) or "nothing")
