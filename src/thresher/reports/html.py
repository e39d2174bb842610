"""`report.html`: the whole experiment on one page that needs nothing else. Its first screen says what is recommended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from thresher.choosing.choices import Choice, Recommendation
from thresher.choosing.decisions import Basis, SizeKind
from thresher.defaults import MOST_TITLED
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.explaining.explanations import ExplainedTopics
from thresher.exploring.exploration import Exploration, SizeErrors
from thresher.reports.choice_html import ModelChoice, choice_methods, model_choice, same_size_tables
from thresher.reports.drawing import chart_library
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
from thresher.reports.further_tables import chosen_table, systems_table, twins_table
from thresher.reports.html_parts import packed, render_template
from thresher.reports.page_data import page_data
from thresher.reports.results_tables import (
    HELD_OUT_FILE,
    STAGES,
    break_even_table,
    bytes_table,
    effectiveness_table,
    footprint_tables,
    main_table,
    stage_table,
    times_tables,
    work_table,
)
from thresher.reports.summary import model_summary
from thresher.reports.table import Table, measure_header
from thresher.results.experiment_results import Results
from thresher.results.selection import (
    baseline_row,
    can_be_significant,
    main_measure,
    significantly_worse,
    variant_rows,
)

MOST_FAILED = 200
"""Failed pages that are listed one by one."""


@dataclass(frozen=True)
class KeyFigure:
    """A figure, what it measures, and its interval or source."""

    label: str
    value: str
    detail: str


@dataclass(frozen=True)
class FirstScreen:
    """What a retrieval model's first screen says, beside its chart.

    `variant` is the recommended one, None for none; `sentence` continues after its name.
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
    advice: Recommendation, measure: str, results: Results | None, errors: SizeErrors | None
) -> FirstScreen:
    short = measure_header(measure)[0]
    main = advice.effects[0]
    margin = measure_text(main.margin) if advice.relative_margin is None else percent_text(advice.relative_margin)
    loss = f"{margin} of {short}"
    if advice.variant is not None:
        sentence = f"is the smallest index shown to lose less than {loss}."
    elif advice.topics < MINIMUM:
        sentence = f"Stay with the baseline: {advice.topics} topics are too few, at least {MINIMUM} are needed."
    elif advice.smaller:
        sentence = f"Stay with the baseline: no smaller index loses less than {loss} and passes every guard."
    else:
        sentence = f"Stay with the baseline: no smaller index is shown to lose less than {loss}."
    figures = (
        tuple(_figures(advice, short, errors))
        if advice.variant
        else tuple(_baseline_figures(results, advice.retrieval))
    )
    warnings = (*_warnings(advice), *_of_results(results, advice.retrieval))
    return FirstScreen(advice.retrieval, measure, advice.variant, sentence, figures, warnings)


def _figures(advice: Recommendation, short: str, errors: SizeErrors | None) -> Iterator[KeyFigure]:
    known = {SizeKind.BYTES: "exact bytes", SizeKind.ESTIMATED: "estimated bytes", SizeKind.POSTINGS: "postings"}
    detail = known[advice.size_kind]
    if errors is not None and advice.size_kind is SizeKind.ESTIMATED:
        detail = f"estimated, at most {percent(errors.largest)} % off"
    yield KeyFigure("Index size", _change(advice.share), detail)
    effect, where = advice.effects[0], f"{advice.topics} topics"
    if advice.held_out is not None:
        effect, where = advice.held_out, "held-out topics"
    bounds = f"{change_text(effect.low)} to {change_text(effect.high)}"
    yield KeyFigure(f"{short}, {where}", change_text(effect.difference), bounds)
    if advice.work is not None:
        share = advice.work.share
        yield KeyFigure("Postings per query", _change(share.value), f"{_change(share.low)} to {_change(share.high)}")


def _baseline_figures(results: Results | None, retrieval: str) -> Iterator[KeyFigure]:
    if results is None:
        return
    base, measure = baseline_row(results, retrieval), main_measure(results)
    yield KeyFigure("Index size", f"{significant_digits(megabytes(base.index_bytes))} MB", "baseline")
    yield KeyFigure(measure_header(measure)[0], measure_text(base.measures.get(measure)), "baseline")
    yield KeyFigure("Postings per query", fixed(base.work.postings, 0), "baseline")


def _warnings(advice: Recommendation) -> Iterator[str]:
    if advice.nearest:
        yield f"To show the same of a smaller index, {advice.nearest.topics:,} topics would be needed."
    if advice.emptied:
        yield f"{advice.emptied:,} of {advice.documents:,} pages are left without text."
    if advice.variant and advice.savings and advice.savings.basis is Basis.NOT_MEASURABLE:
        yield "Time saved: not measurable here."
    if advice.variant and advice.held_out is None:
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
        worse = significantly_worse(rows, measure)
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
    change = share - 1
    sign = "" if round(1000 * change) == 0 else "+" if change > 0 else MINUS
    return f"{sign}{percent(abs(change))} %"


@dataclass(frozen=True)
class ModelTables:
    """What the page shows of one retrieval model's runs."""

    sentences: tuple[str, ...]
    main: Table
    systems: Table | None
    work: Table
    bytes: Table
    times: tuple[Table, ...]
    footprints: tuple[Table, ...]
    stages: tuple[Table, ...]
    break_even: Table
    twins: Table | None
    chosen: Table | None
    held_out: Table | None


@dataclass(frozen=True)
class ModelPage:
    """What the page shows of one retrieval model; without a choice or results there is nothing of these."""

    name: str
    screen: FirstScreen
    choice: ModelChoice | None
    same_size: tuple[Table, ...]
    tables: ModelTables | None


def render_report(
    results: Results | None,
    choice: Choice | None = None,
    exploration: Exploration | None = None,
    explained: ExplainedTopics | None = None,
) -> str:
    """Return the page: one HTML document with its styles, figures and scripts inside, the same bytes every time.

    Without results the page is about the choice alone; without an exploration the choice was made from the runs. Topics link
    to the pages that explain them, where there are any.

    Raises:
        InputError: if the results hold no measure, or a retrieval model without a baseline.
        MissingDependencyError: without the library of the charts.
        ValueError: if there are neither results nor a choice.
    """
    if results is None and choice is None:
        raise ValueError("there is nothing to report")
    screens = first_screens(results, choice, exploration)
    models = [_model(screen, results, choice, exploration) for screen in screens]
    failed = results.failed_pages if results else ()
    notices = (*(results.notices if results else ()), *(choice.notices if choice else ()))
    methods = (*(results.methods if results else ()), *(choice_methods(choice) if choice else ()))
    data = page_data(choice, exploration, results, explained)
    library = chart_library()
    return render_template(
        "report.html.j2",
        parts=("choice.css", "charts.js", "reading.js", "page.js"),
        library=library,
        data=packed(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))),
        title=results.title if results else choice.title if choice else "",
        sub=_sub(results, choice),
        models=models,
        figures=data["models"],
        chosen=choice is not None,
        results=results,
        why=explained,
        notices=tuple(dict.fromkeys(notices)),
        reasons=Counter(reason for _, reason in failed).most_common(),
        failed=failed[:MOST_FAILED],
        known=len(failed),
        failed_count=max(len(failed), *(row.failed for row in results.rows)) if results else 0,
        methods=methods,
    )


def _sub(results: Results | None, choice: Choice | None) -> str:
    """Return the line below the title: how many topics and variants there are."""
    if choice is not None:
        decision = choice.decisions[0]
        topics, variants = decision.topics, len(decision.variants)
    else:
        assert results is not None
        topics, variants = results.topics, len({row.variant for row in results.rows}) - 1
    return f"{topics} topics · {variants:,} variants"


def _model(
    screen: FirstScreen, results: Results | None, choice: Choice | None, exploration: Exploration | None
) -> ModelPage:
    name = screen.retrieval
    return ModelPage(
        name,
        screen,
        model_choice(choice, name, exploration, results) if choice else None,
        same_size_tables(choice, name) if choice else (),
        _tables(alone) if (alone := results and results_of(results, name)) and alone.rows else None,
    )


def results_of(results: Results, retrieval: str) -> Results:
    """Return the results with the rows of one retrieval model alone."""

    def inner(part: Results | None) -> Results | None:
        return part and results_of(part, retrieval)

    return replace(
        results,
        rows=tuple(row for row in results.rows if row.retrieval == retrieval),
        per_topic=tuple(value for value in results.per_topic if value.retrieval == retrieval),
        held_out=inner(results.held_out),
        chosen=tuple(one for one in results.chosen if one.retrieval == retrieval),
        noise=tuple(floor for floor in results.noise if floor.retrieval in ("", retrieval)),
        without_headings=inner(results.without_headings),
    )


def _tables(results: Results) -> ModelTables:
    return ModelTables(
        tuple(model_summary(results, results.rows[0].retrieval)),
        _costs_first(main_table(results), main_measure(results)),
        systems_table(results),
        work_table(results),
        bytes_table(results),
        tuple(times_tables(results)),
        tuple(footprint_tables(results)),
        tuple(stage_table(results, stage) for stage in STAGES),
        break_even_table(results),
        twins_table(results),
        chosen_table(results),
        effectiveness_table(results.held_out, HELD_OUT_FILE) if results.held_out else None,
    )


def _costs_first(table: Table, measure: str) -> Table:
    """Return the main table with what pages show at first in front: the main measure, then sizes and work."""
    first = ("variant", measure_header(measure)[0], "W/T/L", "index", "words kept", "emptied", "postings")
    order = sorted(
        range(len(table.columns)),
        key=lambda index: first.index(header) if (header := table.columns[index].header) in first else len(first),
    )
    return table.ordered(order)
