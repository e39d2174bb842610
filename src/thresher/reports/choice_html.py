"""The sections of a page on a choice: what was chosen and why, and the figures of any cutoff."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from thresher.choosing.choices import Choice, Recommendation
from thresher.choosing.decisions import Decision, ModelDecisions
from thresher.choosing.same_size import SameSize
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.exploring.exploration import Exploration
from thresher.reports.choice_plots import drawn_overview, drawn_sweep
from thresher.reports.choice_reading import Readable, facts_by_name, reading_json, reading_table
from thresher.reports.choice_sentences import choice_sentences
from thresher.reports.choice_tables import decision_table, margin_text, picks_table, savings_table
from thresher.reports.formatting import percent_text
from thresher.reports.html_parts import Picture, picture
from thresher.reports.recommendation import answer
from thresher.reports.same_size_plots import drawn_combination, frontier_figure
from thresher.reports.same_size_tables import FRONTIERS_FILE, decision_of, same_size_table
from thresher.reports.table import Table
from thresher.results.experiment_results import Results

PARTS = ("choice.css", "reading.js")
"""What a page with these sections needs beside the styles and the script of all."""


@dataclass(frozen=True)
class ModelChoice:
    """What the page shows of one retrieval model."""

    name: str
    measure: str
    picks: Table | None
    decision: Table
    overview: Picture
    sweeps: tuple[Picture, ...]
    combinations: tuple[Picture, ...]
    band: str
    others: tuple[Table, ...]
    selected: Table


@dataclass(frozen=True)
class FamilyBlock:
    """What is best at the same size by one measure and retrieval model."""

    picture: Picture
    table: Table


@dataclass(frozen=True)
class ChoiceSections:
    """What the sections show: the `answer`, `sentences` on what stands beside it; `same_size` is empty where all variants are
    of one family. `data` is the JSON that the slider reads.
    """

    answer: tuple[str, ...]
    sentences: tuple[str, ...]
    savings: Table | None
    models: tuple[ModelChoice, ...]
    same_size: tuple[FamilyBlock, ...]
    methods: tuple[tuple[str, str], ...]
    data: Markup


def choice_sections(choice: Choice, exploration: Exploration | None, results: Results | None) -> ChoiceSections:
    """Return what the page shows of a choice, with the exploration or the runs that it was made from."""
    readable = [_readable(one, number, exploration, results) for number, one in enumerate(choice.models)]
    return ChoiceSections(
        tuple(answer(choice)),
        tuple(choice_sentences(choice)),
        savings_table(choice),
        tuple(map(_model, readable)),
        tuple(_same_size(choice, found, number) for number, found in enumerate(choice.same_size)),
        tuple(_methods(choice)),
        reading_json(choice, readable),
    )


def _readable(one: ModelDecisions, number: int, exploration: Exploration | None, results: Results | None) -> Readable:
    return Readable(
        one,
        facts_by_name(one.main.retrieval, exploration if one.main.explored else None, results),
        [
            drawn_sweep(one.main, sweep, one.others, f"sweep-{number}-{index}")
            for index, sweep in enumerate(one.main.ordered_sweeps)
        ],
        [
            drawn_combination(_pictured(one), combination, f"combination-{number}-{index}")
            for index, combination in enumerate(one.main.combinations)
        ],
        drawn_overview(one.main, f"overview-{number}"),
    )


def _pictured(one: ModelDecisions) -> Decision:
    """Return the decision by AP, which looks at whole rankings, where there is one; else the main one."""
    return next((decision for decision in one.others if decision.measure == "AP"), one.main)


def _same_size(choice: Choice, found: SameSize, number: int) -> FamilyBlock:
    decision = decision_of(choice, found)
    where = f"{found.retrieval}, {found.measure}"
    shown = picture(
        frontier_figure(decision),
        f"same-size-{number}",
        f"Frontiers of the families: index size against {found.measure}",
        f"{where}: the best mean of each family at no more than a size; data in {FRONTIERS_FILE}.",
    )
    return FamilyBlock(shown, same_size_table(found, decision))


def _model(readable: Readable) -> ModelChoice:
    main, others = readable.decisions.main, readable.decisions.others
    return ModelChoice(
        main.retrieval,
        main.measure,
        picks_table(main) if main.checked else None,
        decision_table(main),
        readable.overview.picture,
        tuple(drawn.picture for drawn in readable.sweeps),
        tuple(drawn.picture for drawn in readable.combinations),
        _band(main),
        tuple(map(decision_table, others)),
        reading_table(readable.decisions, readable.facts),
    )


def _band(decision: Decision) -> str:
    sure = percent_text(1 - decision.alpha)
    return (
        f"Differences from the baseline in {decision.measure} by cutoff, and what the index has left. The band is of all "
        f"{len(decision.variants)} variants at once: with {sure} confidence the true differences of all are above its "
        f"lower edge, and with {sure} those of all are below its upper one. A cutoff is non-inferior where the lower edge is "
        "above the margin. Curves that leave the panel below lose more than it shows."
    )


def _methods(choice: Choice) -> list[tuple[str, str]]:
    main = choice.models[0].main
    methods = [
        (
            "Non-inferiority",
            f"A cutoff is non-inferior if its loss is shown to be less than the margin, {margin_text(main)}: a bootstrap over "
            f"topics of the largest studentised deviation among all variants (Romano & Wolf 2005), α = "
            f"{percent_text(main.alpha)} over all of them, so that any may be taken after looking. Fewer than {MINIMUM} "
            "topics give no verdict.",
        ),
        ("Guards", _guards(choice.recommendations[0])),
        ("Sizes", _sizes(main)),
        (
            "Knee",
            "The point of the Pareto front farthest above the line between its ends, both scales brought to [0, 1] (Satopää "
            "et al. 2011).",
        ),
    ]
    if choice.costs:
        methods.append(
            (
                "Savings of any cutoff",
                "Wall seconds of searching. Of variants that were run they are as measured; of others they are read off the "
                "line of seconds by index bytes through all that were run, with an interval of twice the spread around it. "
                "What cannot be told from the noise of the baseline's twin is not measurable here. What cleaning and building "
                "take is not in them.",
            )
        )
    return methods


def _guards(found: Recommendation) -> str:
    guards = found.guards
    return (
        f"What is recommended leaves at most {percent_text(guards.emptied)} of the pages without text; is non-inferior in "
        f"{' and '.join(found.deciding)}, each at α = {percent_text(found.alpha)}, since it must pass all (Berger 1982); and "
        f"more than {percent_text(guards.stability)} of the trainings of the cross-validation pick its size or one that "
        f"differs by at most {percent_text(guards.neighbour)} of the baseline's size. Trainings pick by the first two."
    )


def _sizes(decision: Decision) -> str:
    values = "Values are those of exploring all cutoffs at once" if decision.explored else "Values are those of runs"
    return f"{values}; sizes of indexes are {decision.size_kind}."
