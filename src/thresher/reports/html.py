"""`report.html`: the whole experiment on one page that needs nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from thresher.arms.pruned_names import combined_cutoff
from thresher.choosing.choices import Choice
from thresher.exploring.exploration import Exploration
from thresher.reports.choice_html import PARTS, ChoiceSections, choice_sections
from thresher.reports.chosen_tables import chosen_table
from thresher.reports.html_parts import Picture, picture, render_template
from thresher.reports.plots import (
    RowTopics,
    common_scale,
    shown_topics,
    sweep_figure,
    topics_figure,
    trade_off_figure,
)
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
from thresher.reports.summary import summary
from thresher.reports.table import DIFFERENCE, Column, Table
from thresher.reports.without_headings import twins_table
from thresher.results.experiment_results import Results
from thresher.results.selection import (
    TopicDifference,
    main_measure,
    retrievals,
    sweep_rows,
    sweeps,
)

SHORT = 24
"""Rows of a table, for each retrieval model, before the rest is folded away."""
MOST_FAILED = 200
"""Failed pages that are listed one by one."""
EXTREMES = 5
"""Topics shown at either end."""


@dataclass(frozen=True)
class TopicBlock:
    """One variant's topics: the plot, and those most hurt and most helped."""

    variant: str
    picture: Picture
    hurt: Table
    helped: Table


@dataclass(frozen=True)
class Model:
    """What the page shows of one retrieval model."""

    name: str
    trade_off: Picture
    sweeps: tuple[Picture, ...]
    topics: tuple[TopicBlock, ...]


def render_report(results: Results | None, choice: Choice | None = None, exploration: Exploration | None = None) -> str:
    """Return the page: one HTML document with its styles, plots and script inside, the same bytes every time.

    Without results the page is about the choice alone; without an exploration the choice was made from the runs.

    Raises:
        InputError: if the results hold no measure, or a retrieval model without a baseline.
        ValueError: if there are neither results nor a choice.
    """
    sections = choice_sections(choice, exploration, results) if choice else None
    if results is not None:
        return _results_page(results, choice, sections)
    if choice is None:
        raise ValueError("there is nothing to report")
    return render_template(
        "choice_page.html.j2",
        parts=PARTS,
        choice=sections,
        title=choice.title,
        measure=choice.measure,
        topics=choice.decisions[0].topics,
    )


def _results_page(results: Results, choice: Choice | None, sections: ChoiceSections | None) -> str:
    models = retrievals(results)
    limit = SHORT * len(models)
    return render_template(
        "report.html.j2",
        parts=PARTS if sections else (),
        choice=sections,
        methods=(*results.methods, *(sections.methods if sections else ())),
        results=results,
        sentences=summary(results, choice),
        measure=main_measure(results),
        table=main_table(results, limit),
        whole=main_table(results) if len(results.rows) > limit else None,
        models=[_model(results, name, number, _combined(choice)) for number, name in enumerate(models)],
        work=work_table(results, limit),
        bytes=bytes_table(results, limit),
        times=times_tables(results, limit),
        footprints=footprint_tables(results, limit),
        stages=[stage_table(results, stage, limit) for stage in STAGES],
        break_even=break_even_table(results, limit),
        chosen=chosen_table(results),
        twins=twins_table(results),
        held_out=effectiveness_table(results.held_out, HELD_OUT_FILE) if results.held_out else None,
        reasons=Counter(reason for _, reason in results.failed_pages).most_common(),
        failed=results.failed_pages[:MOST_FAILED],
        failed_count=max(len(results.failed_pages), *(row.failed for row in results.rows)),
    )


def _combined(choice: Choice | None) -> frozenset[str]:
    """Return the combinations that the choice has a picture of."""
    models = choice.models if choice else ()
    return frozenset(combination.name for model in models for combination in model.main.combinations)


def _model(results: Results, retrieval: str, number: int, pictured: frozenset[str]) -> Model:
    """Return what the page shows of a model; sweeps that are parts of pictured combinations have no plot of their own."""
    measure = main_measure(results)
    trade_off = picture(
        trade_off_figure(results, retrieval),
        f"trade-off-{number}",
        f"Index size against {measure}",
        f"Index size against {measure}, one point per variant. On the line: those that none beats in both.",
    )
    panels = tuple(
        picture(
            sweep_figure(results, name, retrieval),
            f"sweep-{number}-{index}",
            f"Cutoffs of {name}",
            f"{name}: measures and index size by cutoff, in % of the baseline (its values in brackets).",
        )
        for index, name in enumerate(sweeps(results))
        if sweep_rows(results, name, retrieval)
        and not ((part := combined_cutoff(name)) and part.combination in pictured)
    )
    shown = shown_topics(results, retrieval)
    scale = common_scale(shown)
    blocks = tuple(
        _topic_block(measure, topics, scale, f"topics-{number}-{index}") for index, topics in enumerate(shown)
    )
    return Model(retrieval, trade_off, panels, blocks)


def _topic_block(measure: str, shown: RowTopics, scale: tuple[float, float], name: str) -> TopicBlock:
    pairs, variant = shown.differences, shown.row.variant
    plot = picture(topics_figure(measure, shown, scale), name, f"Differences per topic of {variant}")
    hurt = [pair for pair in reversed(pairs) if pair.difference < 0][:EXTREMES]
    helped = [pair for pair in pairs if pair.difference > 0][:EXTREMES]
    return TopicBlock(variant, plot, Table.of(_TOPICS, hurt, "Most hurt"), Table.of(_TOPICS, helped, "Most helped"))


_TOPICS: tuple[Column[TopicDifference], ...] = (
    Column("topic", lambda pair: pair.topic, "The topic's id.", align="left"),
    Column("query", lambda pair: pair.query, "The topic's query.", align="left"),
    Column("baseline", lambda pair: pair.baseline, "The baseline's value for the topic."),
    Column("variant", lambda pair: pair.value, "The variant's value for the topic."),
    Column("difference", lambda pair: pair.difference, "The variant's value less the baseline's.", format=DIFFERENCE),
)
