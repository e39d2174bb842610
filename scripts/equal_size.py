#!/usr/bin/env python3
"""Compare `content` with other cleaners at equal index size, and test its cutoff chosen on other collections.

usage: scripts/equal_size.py RESULTS_FOLDER...     (such as results/pydoc-full results/cacm results/postgresql)

Writes the tables of scripts/pages/content-search.md. Each folder has the results of `thresher explore`. Sizes are postings.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from arguments import parser_of
from fill import put, table
from thresher import VariantTable, compare, read_results

PAGE = Path(__file__).parents[1] / "scripts" / "pages" / "content-search.md"
OURS = "content(headings=score)"
RIVALS = ("words", "density", "perplexity(lm=books)", "justext")
SHARES = (0.9, 0.8, 0.7, 0.6)
MEASURES = ("AP", "nDCG")
KEPT = 0.95
GRID = tuple(round(0.05 * step, 2) for step in range(1, 20))


def measures(of: VariantTable) -> list[str]:
    """Return the names of AP and of nDCG@10."""
    return [next(name for name in of.measures if name.startswith(prefix)) for prefix in MEASURES]


def members(of: VariantTable, name: str) -> Sequence[int]:
    """Return the variants of a sweep, or the single variant of that name."""
    return of.sweeps[name] if name in of.sweeps else (of.position[name],)


def largest_within(of: VariantTable, sweep: Sequence[int], most: float) -> int | None:
    """Return the variant with the largest index up to a share of the postings; None if all are larger."""
    inside = [index for index in sweep if of.shares[index] <= most]
    return max(inside, key=lambda index: of.shares[index]) if inside else None


def gains(of: VariantTable, variant: int, reference: int) -> Iterator[str]:
    """Yield the mean difference of two variants with its interval, by AP and nDCG@10."""
    for measure in measures(of):
        result = compare(of.of(measure)[variant], of.of(measure)[reference], measure)
        yield f"{result.difference:+.4f} ({result.ci_low:+.4f} to {result.ci_high:+.4f})"


def at_equal_size(name: str, of: VariantTable) -> Iterator[tuple[str, ...]]:
    """Yield a line for each rival and size: the gain of `content` with at most as many postings."""
    for rival in RIVALS:
        sweep = members(of, rival)
        for most in SHARES if len(sweep) > 1 else [float(of.shares[sweep[0]])]:
            theirs, own = largest_within(of, sweep, most), largest_within(of, of.sweeps[OURS], most)
            if theirs is not None and own is not None:
                names = (of.rows[index].name for index in (theirs, own))
                yield name, f"{100 * most:.0f}", *names, *gains(of, own, theirs)


def at_cutoff(of: VariantTable, cutoff: float) -> int:
    """Return the explored variant that keeps the same blocks as a cutoff."""
    cutoffs = {index: of.rows[index].variant.cutoff or 0.0 for index in of.sweeps[OURS]}
    stricter = [index for index, value in cutoffs.items() if value >= cutoff]
    return min(stricter, key=cutoffs.__getitem__) if stricter else max(cutoffs, key=cutoffs.__getitem__)


def chosen_elsewhere(tables: dict[str, VariantTable]) -> Iterator[tuple[str, ...]]:
    """Yield a line for each collection: the test of the largest cutoff that keeps `KEPT` of nDCG@10 on all others."""

    def kept_share(of: VariantTable, cutoff: float) -> float:
        means = of.mean(measures(of)[1])
        return float(means[at_cutoff(of, cutoff)] / means[0])

    for name, of in tables.items():
        others = {other: table for other, table in tables.items() if other != name}
        good = (cutoff for cutoff in GRID if all(kept_share(other, cutoff) >= KEPT for other in others.values()))
        best = max(good, default=GRID[0])
        variant = at_cutoff(of, best)
        yield name, ", ".join(others), f"{best:g}", f"{100 * of.shares[variant]:.1f}", *gains(of, variant, 0)


def main(folders: Sequence[Path]) -> None:
    tables = {folder.name: read_results(folder).tables[0] for folder in folders}
    rows = [row for name, of in tables.items() for row in at_equal_size(name, of)]
    heads = ("collection", "size, %", "rival", "`content`", "AP, gain", "nDCG@10, gain")
    put(PAGE, "equal size", table(heads, rows, "lrllll"))
    heads = ("tested on", "chosen on", "cutoff", "size, %", "AP less baseline's", "nDCG@10 less baseline's")
    put(PAGE, "chosen elsewhere", table(heads, chosen_elsewhere(tables), "llrrll"))


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    main(parser.parse_args().results)
