# SPDX-License-Identifier: MIT
"""Markdown tables of errors, each of (root of the tree, results of `ladder accuracy`): the one of rung 9's page, and those
of src/kernels/ACCURACY.md."""
import itertools
import operator
import re
import textwrap

from result_tables import DEFAULT, MISSING, WIDTH, Unusable, geometric_mean, listed_rungs, note, number, table

REFERENCE = "cublas"
UNSCALED, SCALED = "bf16x6", "fp16x3"
LEFT, HANDED_OVER, WRONG = "¹", "²", "wrong"
NOTHING = 0.0


def exponent(value):
    """2.8e-7"""
    return MISSING if value is None else re.sub(r"e([+-])0*(\d)", r"e\1\2", f"{value:.1e}")


def accuracy_table(_root, results):
    """Errors against float64, a line a problem and kind of data."""
    rows = [row for row in results.rows if row["verdict"] == "right"]
    contenders = list(dict.fromkeys((row["name"], row["sums"]) for row in results.rows))
    problem_of = operator.itemgetter("data", "op_a", "op_b", "m", "n", "k", "batch")
    cell = {(problem_of(row), (row["name"], row["sums"])): row for row in rows}

    def text(row):
        l2, worst = number(row, "relative_l2"), number(row, "worst_of_magnitude")
        return MISSING if None in (l2, worst) else f"{exponent(l2)} ({exponent(worst)})"

    lines, ratios = [], []
    for problem in dict.fromkeys(map(problem_of, results.rows)):
        data, op_a, op_b, *extents, batch = problem
        shape = f"{op_a},{op_b} {'x'.join(extents)}" + (f" *{batch}" if batch != "1" else "")
        lines.append([data, shape, *(text(cell.get((problem, contender), {})) for contender in contenders)])
        ours, theirs = (number(cell.get((problem, (name, "any")), {}), "relative_l2") for name in (DEFAULT, "cublas"))
        ratios += [ours / theirs] if ours and theirs else []
    headings = [f"`{name}`" + ("" if sums == "any" else f", {sums} order of k") for name, sums in contenders]
    compared = (f" Rung 9's relative L2 error is {geometric_mean(ratios):.2f} times that of cuBLAS FP32 in the geometric "
                f"mean of these problems, and {max(ratios):.2f} times at most.") if ratios else ""
    legend = ("Relative L2 error of C against float64, and in brackets the largest |error| of an element over the sum of "
              "its |a b|." + compared)
    return [*textwrap.wrap(legend, WIDTH), ""] + table(["data", "problem", *headings], lines) + note(results, rows)


def figure(row, column):
    """A figure that may be 0, or None."""
    if row.get(column) and float(row[column]) == NOTHING:
        return NOTHING
    return number(row, column)


def times(ours, theirs):
    """How many times `theirs` is `ours`; two results without an error are alike."""
    if None in (ours, theirs):
        return None
    return 1.0 if ours == theirs else ours / theirs if theirs else float("inf")


class Page:
    """The rows of the file by kind of data, contender and k."""

    def __init__(self, root, results):
        self.results = results
        self.kinds = list(dict.fromkeys(row["data"] for row in results.rows))
        self.depths = list(dict.fromkeys(int(row["k"]) for row in results.rows))
        self.contenders = list(dict.fromkeys((row["rung"], row["name"] if row["rung"] == "0" else "")
                                             for row in results.rows))
        self.names = {rung.number or rung.name: rung.name for rung in listed_rungs(root)}
        self.precisions = precisions_of(root)
        others = {tuple(row[key] for key in ("op_a", "op_b", "m", "n", "batch", "sums")) for row in results.rows}
        if len(others) != 1:
            raise Unusable(f"{results.shown_as} has problems that differ in more than k")
        self.cells = {(row["data"], (row["rung"], row["name"] if row["rung"] == "0" else ""), int(row["k"])): row
                      for row in results.rows}

    def row(self, data, contender, depth):
        return self.cells.get((data, contender, depth), {})

    def contender_of(self, precision):
        """The rung that works in this precision, as a contender, or None."""
        return next((one for one in self.contenders if self.precisions.get(self.name(one)) == precision), None)

    def name(self, contender):
        rung, peer = contender
        return peer or self.names.get(rung, rung)

    def is_left(self, contender, row):
        return bool(row) and contender[0] in self.names and row["name"] != self.name(contender)

    def is_handed_over(self, data, contender, depth):
        """True where the scaled rung's result has the bits of the one it hands over to."""
        unscaled = self.contender_of(UNSCALED)
        if contender != self.contender_of(SCALED) or unscaled is None:
            return False
        own, other = self.row(data, contender, depth), self.row(data, unscaled, depth)
        return bool(own.get("checksum")) and own["checksum"] == other.get("checksum")

    def bits(self, data, contender):
        return tuple(self.row(data, contender, depth).get("checksum", "") for depth in self.depths)


def precisions_of(root):
    lines = (line.split("(", 1)[1].split(",") for line in (root / "src/kernels/rungs.def").read_text().splitlines()
             if line.startswith(("KERNEL_RUNG(", "HANDED_ON_RUNG(")))
    return {fields[2].strip(): fields[3].strip() for fields in lines}


def cell_text(page, data, contender, depth):
    row = page.row(data, contender, depth)
    if row and row["verdict"] != "right":
        return WRONG
    l2, worst = figure(row, "relative_l2"), figure(row, "worst_of_magnitude")
    if None in (l2, worst):
        return MISSING
    mark = LEFT if page.is_left(contender, row) else HANDED_OVER if page.is_handed_over(data, contender, depth) else ""
    return ("0" if l2 == NOTHING else f"{exponent(l2)} ({exponent(worst)})") + mark


def joined_names(page, contenders):
    """`cublas`, rungs 1 to 8, 9 `double_buffered`: rungs in a row by their numbers only."""
    words = [f"`{page.name(one)}`" for one in contenders if one[0] == "0"]
    numbers = [int(one[0]) for one in contenders if one[0] != "0" and one[0].isdigit()]
    for _, group in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        alone = len(run) == 1
        words.append(f"{run[0]} `{page.names[str(run[0])]}`" if alone else f"rungs {run[0]} to {run[-1]}")
    words += [f"`{page.name(one)}`" for one in contenders if not one[0].isdigit()]
    return ", ".join(words)


def accuracy_tables(root, results):
    """A table for each kind of data: error by k, one line for all who have the same bits."""
    page = Page(root, results)
    lines = []
    for data in page.kinds:
        groups = {}
        for contender in page.contenders:
            groups.setdefault(page.bits(data, contender), []).append(contender)
        rows = [[joined_names(page, members), *(cell_text(page, data, members[0], depth) for depth in page.depths)]
                for members in groups.values()]
        lines += [f"**{data.replace('_', ' ')}**", "", *table(["k", *map(str, page.depths)], rows), ""]
    legend = ("Relative L2 error of C against float64, and in brackets the largest |error| of an element over the sum of "
              f"its |a b|. Contenders with the same bits at every k share a line. {LEFT} left to another rung (k too "
              f"short); {HANDED_OVER} handed over on the device: the bits are those of rung 11.")
    return [*textwrap.wrap(legend, WIDTH), ""] + lines[:-1] + note(results, results.rows)


def worst_ratio(page, data, contender, column, depths):
    """(largest ratio to cuBLAS FP32, its k), or (None, None)."""
    ratios = [(times(figure(page.row(data, contender, depth), column),
                     figure(page.row(data, ("0", REFERENCE), depth), column)), depth) for depth in depths]
    ratios = [pair for pair in ratios if pair[0] is not None]
    return max(ratios, default=(None, None))


def ratio_text(pair):
    ratio, depth = pair
    return MISSING if ratio is None else f"{ratio:.2f} (k = {depth})"


def accuracy_summary(root, results):
    """Rungs 11 and 12 against cuBLAS FP32 for each kind of data, and rung 12 against its stated bound."""
    page = Page(root, results)
    unscaled, scaled = page.contender_of(UNSCALED), page.contender_of(SCALED)
    if unscaled is None or scaled is None:
        raise Unusable(f"{results.shown_as} lacks a rung of {UNSCALED} or of {SCALED}")
    lines = []
    for data in page.kinds:
        own = [depth for depth in page.depths if not page.is_left(unscaled, page.row(data, unscaled, depth))]
        kept = [depth for depth in page.depths if not page.is_left(scaled, page.row(data, scaled, depth))]
        handed = [depth for depth in kept if page.is_handed_over(data, scaled, depth)]
        kept = [depth for depth in kept if depth not in handed]
        shares = [figure(page.row(data, scaled, depth), "worst_of_largest")
                  / number(page.row(data, scaled, depth), "bound_of_largest") for depth in kept + handed
                  if figure(page.row(data, scaled, depth), "worst_of_largest") is not None
                  and number(page.row(data, scaled, depth), "bound_of_largest")]
        share = max(shares, default=None)
        lines.append([data.replace("_", " "),
                      *(ratio_text(worst_ratio(page, data, unscaled, column, own))
                        for column in ("relative_l2", "worst_of_magnitude")),
                      *(ratio_text(worst_ratio(page, data, scaled, column, kept))
                        for column in ("relative_l2", "worst_of_magnitude")),
                      ", ".join(map(str, handed)) or "never", MISSING if share is None else f"{share:.4f}"])
    legend = ("The error of rungs 11 and 12 over that of cuBLAS FP32 (pedantic) on the same data, the largest of all k that "
              "the rung serves itself: up to 1 it is at least as accurate.")
    headings = ["data", "rung 11, relative L2", "worst element", "rung 12, relative L2", "worst element",
                "rung 12 hands over at k", "rung 12's largest error, of its bound"]
    return [*textwrap.wrap(legend, WIDTH), ""] + table(headings, lines) + note(results, results.rows)
