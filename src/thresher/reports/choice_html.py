"""What the report says of a choice: the answer, its tables, and how it was made."""

from __future__ import annotations

from dataclasses import dataclass, replace

from thresher.choosing.choices import Choice, Recommendation
from thresher.choosing.decisions import Decision
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.exploring.exploration import Exploration
from thresher.reports.choice_sentences import choice_sentences
from thresher.reports.choice_tables import decision_table, margin_text, picks_table, savings_table
from thresher.reports.formatting import percent_text
from thresher.reports.page_data import facts_by_name
from thresher.reports.reading_table import reading_table
from thresher.reports.recommendation import answer
from thresher.reports.same_size_tables import decision_of, same_size_table
from thresher.reports.table import Table
from thresher.results.experiment_results import Results


@dataclass(frozen=True)
class ModelChoice:
    """What the page says of one retrieval model's choice."""

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
        same_size_table(found, decision_of(choice, found)) for found in choice.same_size if found.retrieval == retrieval
    )


def _band(decision: Decision) -> str:
    sure = percent_text(1 - decision.alpha)
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


def _guards(found: Recommendation) -> str:
    guards = found.guards
    return (
        f"What is recommended leaves at most {percent_text(guards.emptied)} of the pages without text. It is non-inferior in "
        f"{' and '.join(found.deciding)}, each at α = {percent_text(found.alpha)}, since it must pass all (Berger 1982). More "
        f"than {percent_text(guards.stability)} of the trainings of the cross-validation pick its size or one that differs by "
        f"at most {percent_text(guards.neighbour)} of the baseline's size. Trainings pick by the first two."
    )


def _sizes(decision: Decision) -> str:
    values = "Values are those of exploring all cutoffs at once" if decision.explored else "Values are those of runs"
    return f"{values}; sizes of indexes are {decision.size_kind}."
