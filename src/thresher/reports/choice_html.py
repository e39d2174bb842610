"""A choice in the report: the answer, what stands beside it, its tables, and how it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from thresher.choosing.choices import Choice, Recommendation
from thresher.choosing.decisions import Decision, HeldOutCheck, JudgedVariant, ModelDecisions, Pick, RuleName
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.exploring.exploration import Exploration
from thresher.reports.chart_rows import SINGLES, Facts, facts_by_name
from thresher.reports.choice_tables import (
    VariantRow,
    decision_table,
    margin_text,
    picks_table,
    savings_table,
    variant_columns,
)
from thresher.reports.formatting import change_text, measure_text, percent, percent_text
from thresher.reports.recommendation import answer
from thresher.reports.same_size_tables import same_size_table
from thresher.reports.table import Table, pick
from thresher.results.experiment_results import Results
from thresher.results.selection import spread

A_SCORER = 9
"""Cutoffs of each scorer, besides those that are picked."""


@dataclass(frozen=True)
class ModelChoice:
    """One retrieval model's choice, as the page shows it."""

    sentences: tuple[str, ...]
    savings: Table | None
    picks: Table | None
    decision: Table
    others: tuple[Table, ...]
    band: str
    selected: Table


def model_choice(
    choice: Choice, retrieval: str, exploration: Exploration | None, results: Results | None
) -> ModelChoice:
    """Return what the page says, with the exploration or the runs that the choice was made from."""
    one = next(one for one in choice.models if one.main.retrieval == retrieval)
    alone = of_model(choice, retrieval)
    main = one.main
    facts = facts_by_name(retrieval, exploration if main.explored else None, results)
    return ModelChoice(
        (*answer(alone), *choice_sentences(alone)),
        savings_table(alone),
        picks_table(main) if main.checked else None,
        decision_table(main),
        tuple(map(decision_table, one.others)),
        _band(main),
        reading_table(one, facts),
    )


def of_model(choice: Choice, retrieval: str) -> Choice:
    """Return the part of a choice that is about one retrieval model, without notices."""
    return replace(
        choice,
        recommendations=tuple(one for one in choice.recommendations if one.retrieval == retrieval),
        decisions=tuple(one for one in choice.decisions if one.retrieval == retrieval),
        costs=tuple(one for one in choice.costs if one.retrieval == retrieval),
        same_size=tuple(one for one in choice.same_size if one.retrieval == retrieval),
        notices=(),
    )


def same_size_tables(choice: Choice, retrieval: str) -> tuple[Table, ...]:
    """Return what is best at the same size by each deciding measure; none if all variants are of one family."""
    return tuple(
        same_size_table(found, choice.decision_of(found)) for found in choice.same_size if found.retrieval == retrieval
    )


def _band(decision: Decision) -> str:
    sure = percent_text(decision.confidence)
    return (
        f"Differences from the baseline in {decision.measure} by cutoff, and what the index has left. The band is of all "
        f"{len(decision.variants)} variants at once: with {sure} confidence the true differences of all are above its "
        "lower edge, and as surely those of all are below its upper one. A cutoff is non-inferior where the lower edge is "
        "above the margin. Curves that leave the panel below lose more than it shows."
    )


def choice_methods(choice: Choice) -> list[tuple[str, str]]:
    """Return how the choice was made, as headings and texts."""
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


def _guards(advice: Recommendation) -> str:
    guards = advice.guards
    return (
        f"What is recommended leaves at most {percent_text(guards.emptied)} of the pages without text. It is non-inferior in "
        f"{' and '.join(advice.deciding)}, each at α = {percent_text(advice.alpha)}, since it must pass all (Berger 1982). "
        f"More than {percent_text(guards.stability)} of the trainings of the cross-validation pick its size or one that "
        f"differs by at most {percent_text(guards.neighbour)} of the baseline's size. Trainings pick by the first two."
    )


def _sizes(decision: Decision) -> str:
    values = "Values are those of exploring all cutoffs at once" if decision.explored else "Values are those of runs"
    return f"{values}; sizes of indexes are {decision.size_kind}."


def choice_sentences(choice: Choice) -> Iterator[str]:
    """Give, for each retrieval model, what other rules pick and are worth elsewhere, and the verdicts by other measures."""
    models = choice.models
    for model in models:
        main = model.main
        opening = f"{main.retrieval}: " if len(models) > 1 else ""
        sentences = [
            _elsewhere(main, pick, pick.check) for pick in main.picks if pick.check and _stands_beside(main, pick)
        ]
        sentences += _other_measures(main, model.others)
        yield from (opening + sentence for sentence in sentences)


def _stands_beside(decision: Decision, pick: Pick) -> bool:
    """Return whether a rule is another than the one recommended by, and picks something else if it differs by guards alone."""
    same = pick.rule is RuleName.SMALLEST and pick.variant == decision.recommended
    return pick.rule is not RuleName.GUARDED and not same


def _elsewhere(decision: Decision, pick: Pick, check: HeldOutCheck) -> str:
    name = "the baseline" if pick.variant is None else pick.variant.name
    result = check.comparison
    worth = (
        f"scores {measure_text(check.mean)} where the baseline has {measure_text(check.baseline_mean)}. The "
        f"difference is between {change_text(result.ci_low)} and {change_text(result.ci_high)}."
    )
    if decision.held_out_topics:
        return (
            f"The {pick.rule}, {name}, {worth} It was picked on {decision.topics} topics and measured on "
            f"{decision.held_out_topics} held-out ones. A pick made on those topics themselves promises "
            f"{change_text(check.optimism)} beyond that."
        )
    again = ""
    if check.share is not None:
        same, size = percent(check.share), percent(decision.size_share(check.size))
        again = f" {same} % of the training splits pick the same variant. The mean size of their picks is {size} %."
    than = "less than" if check.optimism >= 0 else "more than"
    return (
        f"On held-out topics the {pick.rule}, {name} on all topics, {worth} That is {measure_text(abs(check.optimism))} "
        f"{than} the {measure_text(check.apparent)} on the topics that it was picked on.{again}"
    )


def _other_measures(main: Decision, others: tuple[Decision, ...]) -> Iterator[str]:
    if main.recommended is None or not others:
        return
    name = main.recommended.name
    tests = [(decision.measure, decision.by_name[name].test) for decision in others]
    verdicts = [f"{test.verdict} in {measure}" for measure, test in tests]
    yield f"By its own margin {name} is {', '.join(verdicts)}."


def reading_table(decisions: ModelDecisions, facts: Mapping[str, Facts]) -> Table:
    """Return one row per cutoff: a few of each scorer from laxest to strictest, those picked, and all without a sweep."""
    main = decisions.main
    sections = [*((variants[0].sweep, variants) for variants in _selected(main)), (SINGLES, main.singles)]
    rows = [_reading_row(decisions, facts, variant, section) for section, variants in sections for variant in variants]
    columns = variant_columns(main.measure, [other.measure for other in decisions.others])
    names = ("variant", "mean", "difference", "low", "high", "verdict", *(other.measure for other in decisions.others))
    sure = percent_text(main.confidence)
    caption = (
        f"{main.retrieval}: {len(rows)} of {len(main.variants)} variants. Differences from the baseline in "
        f"{main.measure}; all lower bounds hold simultaneously with {sure} confidence, as do all upper ones. Index sizes are "
        f"{main.size_kind}."
    )
    shown = pick(columns, *names, "words", "documents", "share")
    return Table.of(shown, rows, caption, group=lambda row: row.section)


def _selected(decision: Decision) -> list[list[JudgedVariant]]:
    selected = []
    groups = [
        *((sweep.laxest_first, sweep.picks) for sweep in decision.ordered_sweeps),
        *((one.variants, one.picks) for one in decision.combinations),
    ]
    for ordered, picks in groups:
        picked = (picks.highest, picks.smallest, picks.knee, *(pick.variant for pick in decision.picks))
        shown = {ordered[index].name for index in spread(len(ordered), A_SCORER)}
        shown |= {variant.name for variant in picked if variant}
        selected.append([variant for variant in ordered if variant.name in shown])
    return selected


def _reading_row(
    decisions: ModelDecisions, facts: Mapping[str, Facts], variant: JudgedVariant, section: str
) -> VariantRow:
    known = facts.get(variant.name)
    others = tuple(other.by_name[variant.name].mean for other in decisions.others)
    return VariantRow(decisions.main, variant, words=known.words if known else None, others=others, section=section)
