# SPDX-License-Identifier: MIT
"""Markdown tables of the rungs on tensor cores: one function a table, each of (root of the tree, results)."""
import collections

from result_tables import (MISSING, Unusable, decimal, geometric_mean, is_right, listed_rungs, note, number, percent,
                           table)

PEERS = {"cublas": "cuBLAS FP32", "cublas_tf32": "cuBLAS TF32"}
PEER = "0"
SQUARES = (1024, 2048, 4096, 8192)
LAYOUTS = ("N,N", "N,T", "T,N", "T,T")


def wished_rows(results):
    """The rows of the one rung that the file is about."""
    rows = [row for row in results.rows if row["rung"] != PEER]
    wished = {row["rung"] for row in rows}
    if len(wished) != 1:
        raise Unusable(f"{results.shown_as} is about {len(wished)} rungs, not one")
    return rows


def ratios_of(rows):
    return [number(row, "ratio") for row in rows if is_right(row) and number(row, "ratio")]


def servers(root, rows):
    """`11: 3, 9: 1`: how many problems each rung served, most first."""
    numbers = {rung.name: rung.number or rung.name for rung in listed_rungs(root)}
    counts = collections.Counter(numbers.get(row["name"], row["name"]) for row in rows)
    return ", ".join(f"{rung}: {count}" for rung, count in counts.most_common())


def category_line(root, heading, rows):
    ratios = ratios_of(rows)
    failed = f" ({len(rows) - len(ratios)} failed)" if len(ratios) < len(rows) else ""
    shares = [number(row, "share_of_floor") for row in rows if is_right(row) and number(row, "ratio")]
    return [heading, f"{len(rows)}{failed}", servers(root, rows), percent(geometric_mean(ratios)),
            percent(min(ratios, default=None)), percent(geometric_mean(shares))]


def layout_of(row):
    return f"{row['op_a']},{row['op_b']}"


def plain_square(row):
    """Its size, or None for what is no square without gaps between the columns."""
    extents = {row[extent] for extent in ("m", "n", "k", *(ld for ld in ("lda", "ldb", "ldc") if row.get(ld)))}
    return int(row["n"]) if len(extents) == 1 and row["batch"] == "1" else None


def squares_lines(rows):
    cells = {(plain_square(row), layout_of(row)): row for row in rows if is_right(row)}

    def cell(size, layout):
        row = cells.get((size, layout), {})
        rate, ratio = number(row, "tflops"), number(row, "ratio")
        return MISSING if None in (rate, ratio) else f"{decimal(rate)} ({ratio:.2f})"

    sizes = [size for size in SQUARES if any((size, layout) in cells for layout in LAYOUTS)]
    return [[f"{size}", *(cell(size, layout) for layout in LAYOUTS)] for size in sizes]


def against_peer(root, results):
    """By category of shape, and the aligned squares one by one in each layout."""
    rows = wished_rows(results)
    peer = PEERS.get(rows[0]["peer"], rows[0]["peer"])
    categories = list(dict.fromkeys(row["category"] for row in rows))
    lines = [category_line(root, category.replace("_", " "), [row for row in rows if row["category"] == category])
             for category in categories]
    headings = ["shapes", "problems", "served by rung", f"of {peer}, geometric mean", "least",
                "of the floor, geometric mean"]
    by_category = table(headings, [*lines, category_line(root, "all", rows)])
    squares = squares_lines(rows)
    if squares:
        by_category += ["", f"TFLOP/s of n x n x n, and in brackets how many times that of {peer}:", "",
                        *table(["n", *LAYOUTS], squares)]
    return by_category + note(results, [row for row in rows if is_right(row)])


def sustained_table(_root, results):
    """What each contender keeps up without a pause, beside both modes of cuBLAS."""
    rows = results.right()
    problem_of = lambda row: tuple(row[key] for key in ("op_a", "op_b", "m", "n", "k", "batch"))
    times = {(problem_of(row), row["name"]): number(row, "ms") for row in rows if row["rung"] == PEER}

    def of(row, peer):
        theirs = times.get((problem_of(row), peer))
        return MISSING if theirs is None else f"{theirs / number(row, 'ms'):.2f}"

    lines = [[f"{layout_of(row)} {row['m']}x{row['n']}x{row['k']}",
              f"`{row['name']}`" if row["rung"] == PEER else f"{row['rung']} `{row['name']}`",
              decimal(number(row, "tflops")), of(row, "cublas"), of(row, "cublas_tf32"),
              f"{number(row, 'watts') or 0:.0f}", row["sm_mhz"]] for row in rows]
    headings = ["problem", "contender", "TFLOP/s", *(f"times {PEERS[peer]}" for peer in ("cublas", "cublas_tf32")), "W",
                "SM clock, MHz"]
    return table(headings, lines) + note(results, rows)
