"""What the page's slider reads from: every candidate's numbers, rounded as they are shown, as JSON inside the page."""

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
from thresher.reports.choice_drawn import Drawn
from thresher.reports.choice_selection import (
    SINGLES,
    Judged,
    laxest_first,
    singles_of,
    sweeps_of,
)
from thresher.reports.choice_tables import margin_text, percent_text, relative_size
from thresher.reports.formatting import cutoff_text
from thresher.reports.reading_facts import Facts
from thresher.reports.tables import MEASURE_DECIMALS
from thresher.scorers.cleaners import BASELINE

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
