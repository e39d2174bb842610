"""Word precision, recall and F1 of scorers over their cutoffs on a gold standard, and the best cutoffs tested on another.

usage: python scripts/papers/cutoff_curves.py GOLD_FOLDER --sweep SCORER[=CUTOFFS]... [--test OTHER_GOLD] -o OUT

A sweep is `density`, over the scorer's grid, or `density=5,8,11`, `density=p10,p20` or `density=doc50`. `curves.csv` has a
line for each cutoff, from the mildest to the strictest. `SCORER.md` has the lines of a scorer. `transfer.md` tests each
sweep's best cutoff on the pages of OTHER_GOLD, by the two-sided Wilcoxon signed-rank test against all text.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, stdev

import click
import pandas as pd

from cleaned_gold import GOLD
from paper_files import OUTPUT, errors_in_a_line, write_table
from thresher import (
    Agreement,
    Cleaner,
    Comparison,
    ConfigError,
    Cut,
    Cutoff,
    GoldPage,
    PageWords,
    agreement,
    compare,
    compare_words,
    corrected,
    parse_cutoff,
    parse_sweep,
    read_gold,
    resolve_all,
    score_gold,
    shards,
)
from thresher.base.files import safe_name, temporary_folder
from thresher.base.number_text import number_text
from thresher.base.progress import progress
from thresher.cleaners.cleaner import sweep_name
from thresher.cleaners.relative_cutoffs import same_kind, value_of
from thresher.evaluation.cleaneval.comparing import cleaned_pages, page_id
from thresher.evaluation.significance import TOLERANCE

MOST_CUTOFFS = 20
"""The most cutoffs of a grid, taken at even steps. Each cutoff aligns every page again."""
_SWEEP = re.compile(r"(?P<name>[^()=]+(?:\([^()]*\))?)\s*(?:=(?P<cutoffs>.*))?")


@dataclass(frozen=True)
class CutoffSweep:
    """A scorer and one or more cutoffs, all of one kind: numbers, percentiles or quotas."""

    template: Cut
    cutoffs: tuple[Cutoff, ...]

    @property
    def name(self) -> str:
        """The scorer's canonical name, followed by `@p` or `@r` for percentiles and by `@doc` for quotas."""
        return sweep_name(self.template, self.cutoffs[0])

    @property
    def cleaners(self) -> dict[float, Cleaner]:
        """A cleaner for each cutoff, by the cutoff as a number, the mildest first."""
        cleaners = {value_of(cutoff): Cleaner((self.template.at(cutoff, self.name),)) for cutoff in self.cutoffs}
        stricter = cleaners[value_of(self.cutoffs[0])].cuts[0].higher_is_stricter
        return {value: cleaners[value] for value in sorted(cleaners, reverse=not stricter)}


def asked_sweep(text: str) -> CutoffSweep:
    """Parse a sweep: `density` over the scorer's grid, `density=5,8,10.5` or `density=doc25,doc50` over listed cutoffs."""
    fix = "write it like density=5,8,10.5"
    match = _SWEEP.fullmatch(text.strip())
    if not match:
        raise ConfigError(f"the sweep {text!r} does not parse", fix, "--sweep")
    template = parse_sweep(match["name"], "--sweep").checked()
    if match["cutoffs"] is None:
        grid = template.scorer.grid
        steps = dict.fromkeys(round(step * (len(grid) - 1) / (MOST_CUTOFFS - 1)) for step in range(MOST_CUTOFFS))
        cutoffs: tuple[Cutoff, ...] = tuple(float(grid[step]) for step in steps)
    else:
        cutoffs = tuple(parse_cutoff(part, text, "--sweep") for part in match["cutoffs"].split(","))
    if not same_kind(cutoffs):
        problem = f"the sweep {text!r} mixes numbers, percentiles and quotas, or two kinds of percentiles"
        raise ConfigError(problem, "sweep over one kind", "--sweep")
    for cutoff in cutoffs:
        template.at(cutoff, "--sweep").checked()
    return CutoffSweep(template, tuple(dict.fromkeys(cutoffs)))


def compare_words_alone(
    pages: Sequence[GoldPage], store: Path, cleaners: Sequence[Cleaner], workers: int = 1
) -> Iterator[list[PageWords]]:
    """Yield for each page of a score store, in order, the comparison of its words with the gold's for each cleaner."""
    gold = {page_id(page): page.text for page in pages}
    work = partial(_words, gold=gold, cleaners=resolve_all(store, cleaners))
    with ProcessPoolExecutor(workers, get_context("spawn")) if workers > 1 else nullcontext() as pool:
        for compared in (pool.map if pool else map)(work, shards(store)):
            yield from compared


def _words(path: Path, gold: Mapping[str, str], cleaners: Sequence[Cleaner]) -> list[list[PageWords]]:
    by_page = []
    for page in cleaned_pages(path, cleaners):
        # Each distinct text is compared once, since comparing is slow and cleaners often leave equal texts.
        compared = {text: compare_words(text, gold[page.id]) for text in dict.fromkeys(page.texts)}
        by_page.append([compared[text] for text in page.texts])
    return by_page


@dataclass(frozen=True)
class Point:
    """Agreement of aligned words at a cutoff: means over pages, all pages pooled (`micro`), and each page's F1 in order."""

    cutoff: float
    macro: Agreement
    micro: Agreement
    f1s: tuple[float, ...]


def point_of(cutoff: float, pages: Sequence[PageWords]) -> Point:
    """Return the point of one or more pages. Its macro F1 is the mean of the pages' F1, not the F1 of the mean values."""
    aligned = [page.alignment for page in pages]
    macro = Agreement(*(fmean(getattr(page, name) for page in aligned) for name in ("precision", "recall", "f1")))
    micro = agreement(*(sum(getattr(page, name) for page in pages) for name in ("aligned", "words", "gold")))
    return Point(cutoff, macro, micro, tuple(page.f1 for page in aligned))


@dataclass(frozen=True)
class Best:
    """The cutoff with the best mean F1, and its plateau: the cutoffs from `low` to `high` with nearly that F1."""

    point: Point
    low: float
    high: float


def best_cutoff(points: Sequence[Point]) -> Best:
    """Return the cutoff with the best mean F1 (the mildest among equals) and its plateau, from points in ascending strictness.

    The plateau is the unbroken range of cutoffs around the best whose mean F1 is at most one standard error lower. The
    standard error is s/√n of the difference to the best, paired by page.
    """
    highest = max(point.macro.f1 for point in points)
    index, best = next((index, point) for index, point in enumerate(points) if point.macro.f1 >= highest - TOLERANCE)
    before = takewhile(lambda point: _as_good(point, best), reversed(points[:index]))
    after = takewhile(lambda point: _as_good(point, best), points[index + 1 :])
    plateau = [best.cutoff, *(point.cutoff for point in (*before, *after))]
    return Best(best, min(plateau), max(plateau))


def _as_good(point: Point, best: Point) -> bool:
    lost = [highest - f1 for highest, f1 in zip(best.f1s, point.f1s, strict=True)]
    error = stdev(lost) / math.sqrt(len(lost)) if len(lost) > 1 else 0.0
    return fmean(lost) <= error + TOLERANCE


Curves = Mapping[str, Sequence[Point]]


def curves(folder: Path, comments: bool, sweeps: Sequence[CutoffSweep], workers: int) -> tuple[Curves, list[float]]:
    """Return the points of each sweep on a gold standard, by name, and each page's F1 of all text."""
    pages = read_gold(folder, None, comments).pages
    scorers = [scorer for sweep in sweeps for scorer in (*sweep.cleaners.values(),)[0].scorers]
    with temporary_folder() as scratch:
        score_gold(pages, scorers, scratch / "scores", workers)
        points = {}
        for sweep in sweeps:
            words = compare_words_alone(pages, scratch / "scores", [*sweep.cleaners.values()], workers)
            by_cutoff = zip(*progress(words, f"sweeping {sweep.name}", len(pages), "pages"), strict=True)
            points[sweep.name] = [point_of(at, page) for at, page in zip(sweep.cleaners, by_cutoff, strict=True)]
        all_text = compare_words_alone(pages, scratch / "scores", [Cleaner()], workers)
        return points, [words.alignment.f1 for (words,) in all_text]


def curve_frame(scorer: str, gold: str, points: Sequence[Point]) -> pd.DataFrame:
    """Return a line for each cutoff of a sweep."""
    best = best_cutoff(points)
    return pd.DataFrame(
        {
            "scorer": scorer,
            "set": gold,
            "cutoff": number_text(point.cutoff),
            **{name: getattr(point.macro, name) for name in ("precision", "recall", "f1")},
            **{f"micro_{name}": getattr(point.micro, name) for name in ("precision", "recall", "f1")},
            "best": int(point is best.point),
            "plateau": int(best.low <= point.cutoff <= best.high),
        }
        for point in points
    )


def transfers(here: Curves, there: Curves, baseline: Sequence[float]) -> pd.DataFrame:
    """Return F1 and test of each sweep's best cutoff `here` on the pages `there`, whose F1 of all text is `baseline`."""
    rows, comparisons = [], list[Comparison]()
    for name, points in here.items():
        chosen, best = best_cutoff(points).point, best_cutoff(there[name]).point
        tested = next(point for point in there[name] if point.cutoff == chosen.cutoff)
        comparisons.append(compare(tested.f1s, baseline, "word F1"))
        rows.append(
            {
                "scorer": name,
                "cutoff": number_text(chosen.cutoff),
                "F1 where chosen": chosen.macro.f1,
                "F1 tested": tested.macro.f1,
                "F1 all text": fmean(baseline),
                "difference": comparisons[-1].difference,
                "p": comparisons[-1].p,
                "F1 best possible": best.macro.f1,
                "cutoff of that": number_text(best.cutoff),
            }
        )
    holm = [comparison.p_corrected for comparison in corrected(comparisons, "holm")]
    frame = pd.DataFrame(rows)
    frame.insert(7, "p (Holm)", holm)
    return frame


@click.command()
@GOLD
@click.option("--sweep", "sweeps", multiple=True, required=True, help="Scorer or SCORER=CUTOFFS, may be repeated.")
@click.option("--test", "other", type=click.Path(path_type=Path), help="Gold standard to test the best cutoffs on.")
@click.option("--comments", is_flag=True, help="Count readers' comments as content.")
@click.option("--workers", type=int, default=os.cpu_count() or 1, help="Processes [default: one per core].")
@OUTPUT
def main(
    gold_folder: Path, sweeps: tuple[str, ...], other: Path | None, comments: bool, workers: int, output: Path
) -> None:
    """Sweep scorers over their cutoffs on GOLD_FOLDER."""
    if other is not None and other.resolve() == gold_folder.resolve():
        raise ConfigError("cutoffs cannot be tested on the pages that chose them", "give another folder", str(other))
    asked = [*map(asked_sweep, sweeps)]
    here, _ = curves(gold_folder, comments, asked, workers)
    frames = []
    for name, points in here.items():
        frame, best = curve_frame(name, gold_folder.name, points), best_cutoff(points)
        about = (
            f"{name} on {gold_folder.name}: best mean F1 {best.point.macro.f1:.3f} at {number_text(best.point.cutoff)}."
        )
        write_table(output, safe_name(name), about, frame.drop(columns=["scorer", "set"]))
        frames.append(frame)
    if other is not None:
        there, baseline = curves(other, comments, asked, workers)
        frames += [curve_frame(name, other.name, points) for name, points in there.items()]
        about = f"The cutoff of the best mean F1 on {gold_folder.name}, tested on {other.name}."
        write_table(output, "transfer", about, transfers(here, there, baseline))
    pd.concat(frames).to_csv(output / "curves.csv", index=False)


if __name__ == "__main__":
    with errors_in_a_line():
        main()
