"""What the slider of the report reads: every cutoff's figures, as JSON in the page and as a plain table."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from thresher.choosing.records import Choice, Decision, SizeKind
from thresher.costs import RESOLUTION_SECONDS
from thresher.evaluation.non_inferiority import MINIMUM, Verdict
from thresher.exploring.records import Exploration
from thresher.reports.choice_plots import Drawn
from thresher.reports.choice_selection import SINGLES, Judged, laxest_first, singles_of, sweeps_of
from thresher.reports.choice_tables import margin_text, percent_text, relative_size
from thresher.reports.formatting import cutoff_text, fixed, percent, signed
from thresher.reports.tables import MEASURE_DECIMALS, Cell, Column, Table, measure_column
from thresher.results.records import Results
from thresher.results.selection import spread
from thresher.scorers.cleaners import BASELINE


@dataclass(frozen=True)
class Facts:
    """`words` kept of the collection as a share, None where it has none; means on the held-out topics by measure, empty where
    there are none.
    """

    words: float | None
    held_out: Mapping[str, float]


def facts_by_name(retrieval: str, exploration: Exploration | None, results: Results | None) -> Mapping[str, Facts]:
    """Return what exploring, or else the runs, found of each cleaner searched by one retrieval model, the baseline's too.

    A cleaner that neither has seen is left out.
    """
    if exploration is not None and retrieval in exploration.retrieval:
        return _explored(exploration, exploration.retrieval.index(retrieval))
    return {} if results is None else _measured(results, retrieval)


def _explored(exploration: Exploration, model: int) -> dict[str, Facts]:
    found = {}
    for curve in exploration.curves:
        held_out = {
            measure: means
            for number, measure in enumerate(exploration.measures)
            if (means := curve.held_out_means(model, number)) is not None
        }
        for point, name in enumerate(curve.cleaners):
            found[name] = Facts(
                curve.words[point] / exploration.words if exploration.words else None,
                {measure: float(means[point]) for measure, means in held_out.items()},
            )
    return found


def _measured(results: Results, retrieval: str) -> dict[str, Facts]:
    tested = results.held_out.rows if results.held_out else ()
    held_out = {row.variant: row.measures for row in tested if row.retrieval == retrieval}
    return {
        row.variant: Facts(row.words_kept / row.words_total if row.words_total else None, held_out.get(row.variant, {}))
        for row in results.rows
        if row.retrieval == retrieval
    }


QUERIES = 1_000_000
"""For how many queries savings are told before the reader says another number, where the choice has none."""


@dataclass(frozen=True)
class Readable:
    """What can be read of one retrieval model: its decisions, what is known of its cleaners by name, and its plots.

    `curves` are the plots of the scorers, in the order of `sweeps_of`; `overview` is that of all candidates.
    """

    judged: Judged
    facts: Mapping[str, Facts]
    curves: Sequence[Drawn]
    overview: Drawn


def reading_json(choice: Choice, models: Iterable[Readable]) -> Markup:
    """Return the data as JSON that may stand in a `script` element: nothing in it can end the element, or open a comment."""
    queries = next((saved.queries for saved in choice.savings), QUERIES)
    data = {"queries": queries, "resolution": RESOLUTION_SECONDS, "models": [_model(choice, model) for model in models]}
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _model(choice: Choice, readable: Readable) -> dict[str, Any]:
    main = readable.judged.main
    costs = next((costs for costs in choice.costs if costs.retrieval == main.retrieval), None)
    if main.size_kind is SizeKind.POSTINGS:
        costs = None  # which are by byte
    groups = [
        _group(readable, sweep.name, laxest_first(main, sweep), drawn)
        for sweep, drawn in zip(sweeps_of(main), readable.curves, strict=True)
    ]
    singles = singles_of(main)
    if singles:
        groups.append(_group(readable, SINGLES, singles, readable.overview))
    return {
        "name": main.retrieval,
        "kind": main.size_kind.value,
        "size": round(main.baseline_size),
        "documents": main.documents,
        "measures": [decision.measure for decision in _decisions(readable)],
        "words": _words(main),
        "sure": percent_text(1 - main.alpha),
        "costs": costs and [costs.seconds_fixed, costs.seconds_per_byte, costs.grams_per_second],
        "start": next((main.candidates[pick.place].name for pick in main.picks if pick.place is not None), None),
        "picks": [[pick.rule.value, main.candidates[pick.place].name] for pick in main.picks if pick.place is not None],
        "groups": groups,
    }


def _group(readable: Readable, name: str, places: Sequence[int], drawn: Drawn) -> dict[str, Any]:
    main = readable.judged.main
    chosen = [main.candidates[place] for place in places]
    known = [readable.facts.get(candidate.name) for candidate in chosen]
    frame = drawn.frame
    return {
        "name": name,
        "names": [candidate.name for candidate in chosen],
        "cutoffs": [None if candidate.cutoff is None else cutoff_text(candidate.cutoff) for candidate in chosen],
        "sizes": [round(candidate.size) for candidate in chosen],
        "shares": [_rounded(100 * relative_size(main, place), 1) for place in places],
        "words": [_rounded(fact.words and 100 * fact.words, 1) if fact else None for fact in known],
        "documents": [candidate.documents for candidate in chosen],
        "verdicts": [main.verdicts[place].verdict.value for place in places],
        "lows": [_rounded(main.verdicts[place].low) for place in places],
        "highs": [_rounded(main.verdicts[place].high) for place in places],
        "needed": [main.verdicts[place].topics_needed for place in places],
        "measures": [_values(decision, readable.facts, places) for decision in _decisions(readable)],
        "plot": {
            "id": drawn.id,
            "size": [round(length, 1) for length in drawn.size],
            "frame": [round(edge, 1) for edge in (frame.left, frame.top, frame.right, frame.bottom)],
            "dots": [[[round(x, 1), round(y, 1)] for x, y in drawn.dots[place]] for place in places],
        },
    }


def _values(decision: Decision, facts: Mapping[str, Facts], places: Sequence[int]) -> dict[str, Any]:
    """Return a measure's means, differences from the baseline, and the same on held-out topics, None where there are none."""
    there = {name: mean for name, fact in facts.items() if (mean := fact.held_out.get(decision.measure)) is not None}
    means = [decision.means[place] for place in places]
    held = [there.get(decision.candidates[place].name) for place in places]
    return {
        "means": [_rounded(mean) for mean in means],
        "differences": [_rounded(_less(mean, decision.baseline_mean)) for mean in means],
        "held": [_rounded(mean) for mean in held] if there else None,
        "heldDifferences": [_rounded(_less(mean, there.get(BASELINE))) for mean in held] if there else None,
    }


def _less(value: float | None, base: float | None) -> float | None:
    return None if value is None or base is None else value - base


def _decisions(readable: Readable) -> tuple[Decision, ...]:
    return readable.judged.main, *readable.judged.others


def _words(decision: Decision) -> dict[str, str]:
    """Return each verdict in words."""
    open_words = "Inconclusive: neither a loss below nor one above the margin is shown."
    if decision.topics < MINIMUM:
        open_words = f"Inconclusive: {decision.topics} topics are too few for a verdict, at least {MINIMUM} are needed."
    margin = margin_text(decision)
    return {
        Verdict.NON_INFERIOR.value: f"Non-inferior: the loss is shown to be less than {margin}.",
        Verdict.INFERIOR.value: f"Inferior: the loss is shown to be more than {margin}.",
        Verdict.INCONCLUSIVE.value: open_words,
    }


def _rounded(value: float | None, decimals: int = MEASURE_DECIMALS) -> float | None:
    """Return what is shown of a number; None for None and what is not finite, which JSON cannot hold."""
    return None if value is None or not math.isfinite(value) else round(value, decimals)


A_SCORER = 9
"""Cutoffs of each scorer, beside those that are picked."""


def reading_table(judged: Judged, facts: Mapping[str, Facts]) -> Table:
    """Return a row a cutoff: a few of each scorer from the laxest to the strictest, those picked, and all without a sweep.

    Args:
        judged: the decisions of one retrieval model.
        facts: what else is known of its cleaners, by name.
    """
    main = judged.main
    rows: list[tuple[Cell, ...]] = []
    rules: list[int] = []
    for places in (*_some(main), singles_of(main)):
        if places and rows:
            rules.append(len(rows))
        rows += [_row(judged, facts, place) for place in places]
    columns = (
        Column("cleaner", align="left"),
        measure_column(main.measure),
        Column("difference"),
        Column("lower bound"),
        Column("upper bound"),
        Column("verdict", align="left"),
        *(measure_column(other.measure) for other in judged.others),
        Column("words kept", "%"),
        Column("documents"),
        Column("index size", "% of baseline"),
    )
    sure = percent_text(1 - main.alpha)
    caption = (
        f"{main.retrieval}: {len(rows)} of {len(main.candidates)} candidates. Differences from the baseline in "
        f"{main.measure}; all lower bounds hold together with {sure} confidence, as do all upper ones. Index sizes are "
        f"{main.size_kind}."
    )
    return Table(columns, tuple(rows), caption, rules=tuple(rules))


def _some(decision: Decision) -> list[tuple[int, ...]]:
    found = []
    for sweep in sweeps_of(decision):
        ordered = laxest_first(decision, sweep)
        picked = (sweep.pick.highest, sweep.pick.smallest, sweep.pick.knee, *(pick.place for pick in decision.picks))
        shown = {*(ordered[index] for index in spread(len(ordered), A_SCORER)), *picked}
        found.append(tuple(place for place in ordered if place in shown))
    return found


def _row(judged: Judged, facts: Mapping[str, Facts], place: int) -> tuple[Cell, ...]:
    main = judged.main
    candidate, verdict, known = main.candidates[place], main.verdicts[place], facts.get(main.candidates[place].name)
    words = known.words if known else None
    share = relative_size(main, place)
    return (
        Cell(candidate.name),
        _number(main.means[place]),
        Cell(signed(verdict.difference, MEASURE_DECIMALS), value=verdict.difference),
        Cell(signed(verdict.low, MEASURE_DECIMALS), value=verdict.low),
        Cell(signed(verdict.high, MEASURE_DECIMALS), value=verdict.high),
        Cell(verdict.verdict.value),
        *(_number(other.means[place]) for other in judged.others),
        Cell(percent(words), value=words),
        Cell(fixed(candidate.documents, 0), value=candidate.documents),
        Cell(percent(share), value=share),
    )


def _number(value: float | None) -> Cell:
    return Cell(fixed(value, MEASURE_DECIMALS), value=value)
