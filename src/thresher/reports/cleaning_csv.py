"""How well cleaners clean: every number, for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher.cleaneval.comparing import PageQuality
from thresher.cleaneval.measures import Agreement, Summary
from thresher.cleaneval.reliability import Reliability
from thresher.cleaneval.results import CleanerResult
from thresher.cleaneval.sweeps import Sweep, best_cutoff
from thresher.reports.csv_files import csv_text
from thresher.reports.formatting import cutoff_text

_MACRO = ("precision", "recall", "f1", "bag_precision", "bag_recall", "bag_f1", "similarity")
_ROUGE = ("rouge_precision", "rouge_recall", "rouge_f1")
_MICRO = ("micro", "micro_bag")
_SEGMENTS = ("labelled", "unlabelled")
_PARTS = ("precision", "recall", "f1")
_BOUNDED = ("precision", "recall", "f1")
_COMPARED = ("difference", "wins", "ties", "losses", "p", "p_holm", "effect", "ci_low", "ci_high")
_T_TESTS = ("f1", "precision")


def cleaners_csv(results: Sequence[CleanerResult]) -> str:
    """Return one line a cleaner with all numbers: macro mean, sd and median, intervals, micro values, tests.

    Shares are in [0, 1], similarity in per cent; floats have the fewest digits that give the same float back. What is not
    defined is empty: the baseline's tests, segments where the gold text has none.
    """
    header = ["cleaner", "peer", "pages", "emptied", "crashed"]
    header += [f"{name}_{part}" for name in (*_MACRO, *_ROUGE) for part in ("mean", "sd", "median")]
    header += [f"{name}_{bound}" for name in _BOUNDED for bound in ("low", "high")]
    header += [f"{name}_{part}" for name in _MICRO for part in _PARTS]
    header += ["segmented_pages", *(f"{name}_{part}" for name in _SEGMENTS for part in (*_PARTS, "f1_macro"))]
    header += [f"f1_{name}" for name in _COMPARED]
    header += [f"t_{name}_{part}" for name in _T_TESTS for part in ("t", "df", "p", "low", "high")]
    return csv_text(header, map(_line, results))


def pages_csv(
    stems: Sequence[str], results: Sequence[CleanerResult], reliability: Sequence[tuple[str, Reliability]] = ()
) -> str:
    """Return one line a page and cleaner: counts of words, the measures, the precision predicted."""
    header = [
        "page",
        "cleaner",
        "words",
        "gold",
        "aligned",
        "shared",
        "distance",
        "precision",
        "recall",
        "f1",
        "bag_f1",
    ]
    header += ["similarity", "rouge_precision", "rouge_recall", "rouge_f1"]
    header += ["segments", "gold_segments", "right_labelled", "right_unlabelled", "predicted_precision"]
    predictions = {cleaner: iter(found.predictions) for cleaner, found in reliability}
    return csv_text(
        header,
        (
            [*_page(stem, result, place), _predicted(result.pages[place], predictions.get(result.cleaner))]
            for place, stem in enumerate(stems)
            for result in results
        ),
    )


def curves_csv(sweeps: Sequence[Sweep]) -> str:
    """Return one line a scorer and cutoff, from the cutoff that removes least to the one that removes most.

    `best` is 1 at the cutoff of the best mean F1, `plateau` at those within one standard error of it, else 0.
    """
    header = ["scorer", "set", "cutoff", *_PARTS, *(f"micro_{part}" for part in _PARTS), "best", "plateau"]
    return csv_text(header, (line for sweep in sweeps for line in _curve(sweep)))


def _curve(sweep: Sweep) -> Iterator[list[str]]:
    best = best_cutoff(sweep.curve)
    for point in sweep.curve:
        line = [sweep.scorer, sweep.gold, cutoff_text(point.cutoff), *_agreement(point.macro), *_agreement(point.micro)]
        yield [*line, str(int(point.cutoff == best.cutoff)), str(int(best.low <= point.cutoff <= best.high))]


def _line(result: CleanerResult) -> list[str]:
    summary, words = result.summary, result.summary.words
    line = [result.cleaner, str(int(result.is_peer)), str(words.pages), str(words.emptied), str(result.crashes)]
    for owner, names in ((words, _MACRO), (summary, _ROUGE)):
        for name in names:
            values: Summary = getattr(owner, name)
            line += map(repr, (values.mean, values.sd, values.median))
    for interval in result.intervals:
        line += map(repr, (interval.low, interval.high))
    for name in _MICRO:
        line += _agreement(getattr(words, name))
    found = summary.segmentation
    if found is None:
        line += [""] * (1 + len(_SEGMENTS) * (len(_PARTS) + 1))
    else:
        line += [str(found.pages), *_agreement(found.labelled), repr(found.labelled_f1.mean)]
        line += [*_agreement(found.unlabelled), repr(found.unlabelled_f1.mean)]
    line += [repr(getattr(result.comparison, name)) if result.comparison else "" for name in _COMPARED]
    for test in (result.t_test, result.t_precision):
        if test is None:
            line += [""] * 5
        else:
            line += map(repr, (test.t, test.df, test.p, test.difference.low, test.difference.high))
    return line


def _page(stem: str, result: CleanerResult, place: int) -> list[str]:
    page = result.pages[place]
    words, rouge = page.words, page.rouge.agreement
    counts = (words.words, words.gold, words.aligned, words.shared, words.distance)
    line = [stem, result.cleaner, *map(str, counts), *_agreement(words.alignment), repr(words.bag.f1)]
    line += [repr(words.similarity), *_agreement(rouge)]
    found = page.segments
    if found is None:
        return [*line, "", "", "", ""]
    return [*line, *map(str, (found.found, found.wanted, found.right, found.right_unlabelled))]


def _predicted(page: PageQuality, predictions: Iterator[float] | None) -> str:
    """Pages without words have none."""
    return repr(next(predictions)) if predictions and page.statistics else ""


def _agreement(found: Agreement) -> list[str]:
    return [*map(repr, (found.precision, found.recall, found.f1))]
