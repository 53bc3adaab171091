# SPDX-License-Identifier: MIT
"""Markdown tables of committed results: one function a table, each of (root of the tree, results)."""
import collections
import csv
import json
import math
import pathlib
import re
import textwrap

RUNGS = pathlib.Path("src/kernels/rungs.def")
WIDTH = 120
RUNG = re.compile(r'^(?:KERNEL|HANDED_ON)_RUNG\((\w+), (\w+), (\w+), \w+, "(.*)"\)$', re.MULTILINE)
DEFAULT = "double_buffered"
HANDED_ON = "next_blas"
MISSING = "-"
MANY_KINDS = 4  # of data: named up to here, counted beyond
ROUNDED = 1e-5  # by as much, relatively, may a column be off what it was computed from


class Unusable(Exception):
    """What is wrong with a document or a result file, in one line."""


Rung = collections.namedtuple("Rung", "number name idea")


class ProfileResults:
    """What `ladder profile --json` wrote."""

    def __init__(self, path, shown_as):
        self.shown_as = shown_as
        self.content = json.loads(path.read_text())


def listed_rungs(root):
    found = RUNG.findall((root / RUNGS).read_text())
    return [Rung("" if number == "unnumbered" else number, name, idea) for _, number, name, idea in found]


class Results:
    """One result file: its conditions, and its rows as dictionaries of text."""

    def __init__(self, path, shown_as):
        self.shown_as = shown_as
        lines = path.read_text().splitlines()
        start = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
        self.conditions = dict(line[2:].split(": ", 1) for line in lines[:start] if ": " in line)
        self.rows = list(csv.DictReader(lines[start:]))
        if not self.rows:
            raise Unusable(f"{shown_as} has no rows")
        for row in self.rows:
            wrong = contradiction(row)
            if wrong:
                problem = "x".join(row[extent] for extent in "mnk")
                raise Unusable(f"{shown_as}: the {wrong} of {row['name']} at {problem} is not what its times say")

    def right(self):
        return [row for row in self.rows if is_right(row)]

    def by_name(self):
        """The row of each contender, in a file about one problem."""
        problems = {tuple(row[key] for key in ("op_a", "op_b", "m", "n", "k", "batch")) for row in self.rows}
        if len(problems) != 1:
            raise Unusable(f"{self.shown_as} is about {len(problems)} problems, not one")
        return {row["name"]: row for row in self.right()}


def number(row, column):
    """A positive finite number, or None."""
    try:
        value = float(row.get(column) or "nan")
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def contradiction(row):
    """The column that does not follow from the times beside it, or None."""
    ms = number(row, "ms")
    for column, other in (("ratio", "peer_ms"), ("share_of_floor", "floor_ms")):
        said, time = number(row, column), number(row, other)
        if None not in (ms, said, time) and abs(said * ms / time - 1) > ROUNDED:
            return column
    return None


def is_right(row):
    within_bound = not row.get("worst_error") or float(row["worst_error"]) <= 1  # which NaN is not
    return row["verdict"] == "right" and within_bound and number(row, "ms") is not None


def decimal(value):
    return MISSING if value is None else f"{value:.1f}"


def milliseconds(value):
    return MISSING if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def percent(value):
    return MISSING if value is None else f"{100 * value:.0f} %" if value >= 0.01 else f"{100 * value:.1f} %"


def geometric_mean(values):
    """None for no values, or where one is missing."""
    if not values or None in values:
        return None
    return math.exp(sum(math.log(value) for value in values) / len(values))


def table(headings, rows):
    first, *others = ["| " + " | ".join(cells) + " |" for cells in [headings, *rows]]
    return [first, "|" + "---|" * len(headings), *others]


def spread(rows):
    ranges = [number(row, "ms_q3") / number(row, "ms_q1") - 1 for row in rows
              if number(row, "ms_q1") and number(row, "ms_q3")]
    return max(ranges, default=None)


def random_data(kinds):
    many = len(kinds) > MANY_KINDS
    return f"{len(kinds)} kinds of random data" if many else f"random {' or '.join(sorted(kinds))} data" if kinds else ""


def turns(rows):
    """Who was timed by turns with whom."""
    apart = any(row.get("precision") not in (None, "", "fp32") for row in rows)
    if any(row.get("timing") == "sustained" for row in rows):
        return "each contender by itself"
    return "contenders in turn, FP32 and tensor cores apart" if apart else "all contenders in turn"


def how(rows):
    """How the rows were measured: ops, data, L2 cache, number of samples and their spread."""
    def values(column):
        return " or ".join(sorted({row[column] for row in rows if row.get(column)}))

    ops = {f"{row['op_a']},{row['op_b']}" for row in rows}
    samples = sorted({int(row["samples"]) for row in rows if row.get("samples")})
    on_host = any(row.get("timing") == "host" for row in rows)
    parts = [ops.pop() if len(ops) == 1 else "",
             random_data({row["data"] for row in rows if row.get("data")}),
             f"{values('cache')} L2 cache" if values("cache") and not on_host else "",
             turns(rows) + ("" if on_host else " in one process")]
    if samples:
        fewest_and_most = dict.fromkeys([samples[0], samples[-1]])
        parts.append(f"median of {' to '.join(map(str, fewest_and_most))} samples")
    widest = spread(rows)
    if widest is not None:
        parts.append(f"quartiles within {100 * widest:.1f} % of each other")
    return ", ".join(part for part in parts if part)


def note(results, rows):
    """The conditions, as a paragraph."""
    known = results.conditions
    text = f"Measured on one {known.get('GPU', 'GPU')}, by `{known.get('command', '?')}`: {how(rows)}."
    clocks = [f"{when}: {known['clocks ' + when]}" for when in ("before", "after") if "clocks " + when in known]
    if clocks:
        text += f" Clocks {'; '.join(clocks)}."
    if "power after" in known:
        text += f" Power after: {known['power after']}."
    facts = [f"{key} {known[key]}" for key in ("driver", "CUDA runtime", "toolkit", "host", "commit") if key in known]
    facts += [known["date"].split()[0]] if "date" in known else []
    if facts:
        text += " " + facts[0][0].upper() + "; ".join(facts)[1:] + "."
    text += f" All of it is in `{results.shown_as}`."
    return ["", *textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)]


def ladder_table(root, results):
    """Every rung with its idea, against cuBLAS."""
    rows = results.by_name()
    size = results.rows[0]["m"]
    lines = []
    for rung in listed_rungs(root):
        row = rows.get(rung.name, {})
        default = " (default)" if rung.name == DEFAULT else ""
        ratio = 1.0 if rung.number == "0" and row else number(row, "ratio")
        lines.append([rung.number, f"`{rung.name}`{default}", rung.idea, decimal(number(row, "tflops")), percent(ratio)])
    shown = [rows[rung.name] for rung in listed_rungs(root) if rung.name in rows]
    return table(["rung", "name", "the one idea", f"TFLOP/s at {size}³", "of cuBLAS FP32"], lines) + note(results, shown)


def ladder_numbers(root, results):
    """Every rung in numbers only, for the page that explains the ideas."""
    rows = results.by_name()
    rungs = [rung for rung in listed_rungs(root) if rung.name in rows]
    lines = [[rung.number, f"`{rung.name}`", decimal(number(row, "tflops")),
              percent(1.0 if rung.number == "0" else number(row, "ratio")), percent(number(row, "share_of_floor"))]
             for rung in rungs for row in [rows[rung.name]]]
    size = results.rows[0]["m"]
    return (table(["rung", "name", f"TFLOP/s at {size}³", "of cuBLAS FP32", "of the floor"], lines)
            + note(results, [rows[rung.name] for rung in rungs]))


def fp32_table(_root, results):
    """The default rung against cuBLAS FP32, by category of shape."""
    rows = [row for row in results.rows if row["name"] == DEFAULT]
    if not rows:
        raise Unusable(f"{results.shown_as} has no rows of {DEFAULT}")

    def good_ones(members):
        return [row for row in members if is_right(row) and number(row, "ratio")]

    def line(heading, members):
        good = good_ones(members)
        ratios = [number(row, "ratio") for row in good]
        failed = f" ({len(members) - len(good)} failed)" if len(good) < len(members) else ""
        return [heading, f"{len(members)}{failed}", percent(geometric_mean(ratios)), percent(min(ratios, default=None)),
                percent(geometric_mean([number(row, "share_of_floor") for row in good]))]

    categories = list(dict.fromkeys(row["category"] for row in rows))
    lines = [line(category.replace("_", " "), [row for row in rows if row["category"] == category])
             for category in categories]
    headings = ["shapes", "problems", "of cuBLAS FP32, geometric mean", "least", "of the floor, geometric mean"]
    return table(headings, [*lines, line("all", rows)]) + note(results, good_ones(rows))


def squares_table(root, results):
    """Some rungs side by side at square sizes, and what rung 7 gains over rung 6."""
    cell = {(row["name"], int(row["n"])): row for row in results.right() if row["m"] == row["n"] == row["k"]}
    sizes = sorted({size for _, size in cell})
    rungs = [rung for rung in listed_rungs(root) if any((rung.name, size) in cell for size in sizes)]
    name_of = {rung.number: rung.name for rung in rungs}
    lines = []
    for size in sizes:
        times = [number(cell.get((name_of.get(rung), size), {}), "ms") for rung in ("6", "7")]
        gain = None if None in times else times[0] / times[1]
        lines.append([f"{size}", *(decimal(number(cell.get((rung.name, size), {}), "tflops")) for rung in rungs),
                      MISSING if gain is None else f"{gain:.2f}"])
    headings = ["n", *(f"{rung.number} `{rung.name}`".strip() for rung in rungs), "7 over 6"]
    return ["TFLOP/s of n x n x n:", ""] + table(headings, lines) + note(results, list(cell.values()))


def host_table(_root, results):
    """Calls with host pointers, square: the library, and who else could have served them."""
    rows = [row for row in results.right() if row["m"] == row["n"] == row["k"]]
    ours = {int(row["n"]): row for row in rows if row["rung"] != "0"}
    peers = list(dict.fromkeys(row["name"] for row in rows if row["rung"] == "0"))
    theirs = {(row["name"], int(row["n"])): row for row in rows if row["rung"] == "0"}
    lines = [[f"{size}", milliseconds(number(row, "ms")), "the CPU's BLAS" if row["name"] == HANDED_ON else f"`{row['name']}`",
              *(milliseconds(number(theirs.get((peer, size), {}), "ms")) for peer in peers)]
             for size, row in sorted(ours.items())]
    return (["Milliseconds a call of n x n x n, everything in pageable memory:", ""]
            + table(["n", "libladderblas", "served by", *peers], lines) + note(results, rows))


def sustained_table(_root, results):
    """What each contender keeps up without a pause."""
    rows = results.right()
    lines = [[f"{row['op_a']},{row['op_b']} {row['m']}x{row['n']}x{row['k']}", f"`{row['name']}`",
              decimal(number(row, "tflops")), MISSING if row["rung"] == "0" else percent(number(row, "ratio")),
              f"{number(row, 'watts') or 0:.0f}", row["sm_mhz"]] for row in rows]
    headings = ["problem", "contender", "TFLOP/s", "of cuBLAS FP32", "W", "SM clock, MHz"]
    return table(headings, lines) + note(results, rows)


def counters_table(_root, profile):
    """What each rung was meant to move and did, and what holds it up."""
    lines = [["" if rung["rung"] is None else str(rung["rung"]), f"`{rung['name']}`",
              "; ".join(moved["sentence"] for moved in rung["moved"]), rung["limiter"]["sentence"]]
             for rung in profile.content["rungs"]]
    return table(["rung", "name", "what was meant to move", "what limits it"], lines) + profile_note(profile)


def profile_note(profile):
    known, problem = profile.content["conditions"], profile.content["problem"]
    text = (f"Counted on one {known['GPU']} by `{known['command']}` ({known['Nsight Compute']}): "
            f"{problem['op_a']},{problem['op_b']}, {known['passes']}. Driver {known['driver']}; {known['toolkit']}; "
            f"commit {known['commit']}; {known['date'].split()[0]}. All of it is in `{profile.shown_as}`.")
    return ["", *textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)]
