"""The report's first screen: what is recommended in a sentence, three figures, and the warnings that matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from thresher.choosing.choices import Choice, Recommendation
from thresher.choosing.decisions import Basis, SizeKind
from thresher.defaults import MOST_TITLED
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.exploring.exploration import Exploration, SizeErrors
from thresher.reports.formatting import (
    MINUS,
    change_text,
    fixed,
    measure_text,
    megabytes,
    percent,
    percent_text,
    significant_digits,
)
from thresher.reports.table import measure_header
from thresher.results.experiment_results import Results
from thresher.results.selection import (
    baseline_row,
    can_be_significant,
    direction,
    main_measure,
    variant_rows,
)


@dataclass(frozen=True)
class KeyFigure:
    """A figure, what it is of, and its interval or where it comes from."""

    label: str
    value: str
    detail: str


@dataclass(frozen=True)
class FirstScreen:
    """What a retrieval model's first screen says, beside its chart.

    `variant` is the recommended one, None for none; `sentence` goes on behind its name.
    """

    retrieval: str
    measure: str
    variant: str | None
    sentence: str
    figures: tuple[KeyFigure, ...]
    warnings: tuple[str, ...]


def first_screens(
    results: Results | None, choice: Choice | None, exploration: Exploration | None
) -> tuple[FirstScreen, ...]:
    """Return one for each retrieval model, of the choice if there is one, else of the results."""
    if choice is not None:
        errors = exploration.size_errors if exploration else None
        return tuple(_recommended(found, choice.measure, results, errors) for found in choice.recommendations)
    assert results is not None
    models = dict.fromkeys(row.retrieval for row in results.rows)
    return tuple(_not_chosen(results, model) for model in models)


def _recommended(
    found: Recommendation, measure: str, results: Results | None, errors: SizeErrors | None
) -> FirstScreen:
    short = measure_header(measure)[0]
    main = found.effects[0]
    margin = measure_text(main.margin) if found.relative_margin is None else percent_text(found.relative_margin)
    loss = f"{margin} of {short}"
    if found.variant is not None:
        sentence = f"is the smallest index shown to lose less than {loss}."
    elif found.topics < MINIMUM:
        sentence = f"Stay with the baseline: {found.topics} topics are too few, at least {MINIMUM} are needed."
    elif found.smaller:
        sentence = f"Stay with the baseline: no smaller index loses less than {loss} and passes every guard."
    else:
        sentence = f"Stay with the baseline: no smaller index is shown to lose less than {loss}."
    figures = (
        tuple(_figures(found, short, errors)) if found.variant else tuple(_baseline_figures(results, found.retrieval))
    )
    warnings = (*_warnings(found), *_of_results(results, found.retrieval))
    return FirstScreen(found.retrieval, measure, found.variant, sentence, figures, warnings)


def _figures(found: Recommendation, short: str, errors: SizeErrors | None) -> Iterator[KeyFigure]:
    known = {SizeKind.BYTES: "exact bytes", SizeKind.ESTIMATED: "estimated bytes", SizeKind.POSTINGS: "postings"}
    detail = known[found.size_kind]
    if errors is not None and found.size_kind is SizeKind.ESTIMATED:
        detail = f"estimated, at most {percent(errors.largest)} % off"
    yield KeyFigure("Index size", _change(found.share), detail)
    effect, where = found.effects[0], f"{found.topics} topics"
    if found.held_out is not None:
        effect, where = found.held_out, "held-out topics"
    bounds = f"{change_text(effect.low)} to {change_text(effect.high)}"
    yield KeyFigure(f"{short}, {where}", change_text(effect.difference), bounds)
    if found.work is not None:
        share = found.work.share
        yield KeyFigure("Postings per query", _change(share.value), f"{_change(share.low)} to {_change(share.high)}")


def _baseline_figures(results: Results | None, retrieval: str) -> Iterator[KeyFigure]:
    if results is None:
        return
    base, measure = baseline_row(results, retrieval), main_measure(results)
    yield KeyFigure("Index size", f"{significant_digits(megabytes(base.index_bytes))} MB", "baseline")
    yield KeyFigure(measure_header(measure)[0], measure_text(base.measures.get(measure)), "baseline")
    yield KeyFigure("Postings per query", fixed(base.work.postings, 0), "baseline")


def _warnings(found: Recommendation) -> Iterator[str]:
    if found.nearest:
        yield f"To show the same of a smaller index, {found.nearest.topics:,} topics would be needed."
    if found.emptied:
        yield f"{found.emptied:,} of {found.documents:,} pages are left without text."
    if found.variant and found.savings and found.savings.basis is Basis.NOT_MEASURABLE:
        yield "Time saved: not measurable here."
    if found.variant and found.held_out is None:
        yield "Not checked on held-out topics."


def _of_results(results: Results | None, retrieval: str) -> Iterator[str]:
    if results is None:
        return
    if not can_be_significant(results, variant_rows(results, retrieval)):
        yield f"{results.topics} topics are too few for any difference to be significant."
    bias = results.title_bias
    if bias and bias.share > MOST_TITLED:
        yield f"{percent_text(round(bias.share, 2))} of the relevant pages repeat their topic in title or headings."


def _not_chosen(results: Results, retrieval: str) -> FirstScreen:
    measure = main_measure(results)
    rows = [row for row in variant_rows(results, retrieval) if measure in row.comparisons]
    sentence = "Only the baseline was run."
    if rows:
        worse = sum(direction(row.comparisons[measure]) == "worse" for row in rows)
        sentence = (
            f"Nothing is recommended yet: run thresher choose. {worse} of {len(rows)} variants are significantly worse "
            "than the baseline."
        )
    return FirstScreen(
        retrieval,
        measure,
        None,
        sentence,
        tuple(_baseline_figures(results, retrieval)),
        tuple(_of_results(results, retrieval)),
    )


def _change(share: float) -> str:
    """Return a share of the baseline's as what it changes."""
    change = share - 1
    sign = "" if round(1000 * change) == 0 else "+" if change > 0 else MINUS
    return f"{sign}{percent(abs(change))} %"
