"""Sentences about chosen indexes: whether they are as explored, on held-out topics, and their text for another engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher.base.number_text import counted
from thresher.evaluation.significance import TEST_NAMES
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.held_out import Chosen
from thresher.experiments.results import Facts, Results
from thresher.reports.formatting import being, change_text, correction_text
from thresher.reports.summary import measured
from thresher.reports.table import measure_header


def other_engines(choice: Choice) -> Iterator[str]:
    """Say which text another engine indexes, if all models name the same first index."""
    firsts: set[str] = set()
    for model in choice.models:
        if model.first:
            firsts.add(model.first.variant)
    if len(firsts) != 1:
        return
    variant = firsts.pop()
    if not choice.commands.get(variant):
        return
    lacking = ""
    if "|" in variant:
        lacking = ", without its weights and pruning"
    yield f"For another engine, such as SQLite or Elasticsearch, `thresher clean` writes its text as JSON lines{lacking}."


def agreement(choice: Choice, results: Results) -> Iterator[str]:
    """Say that all named indexes that were built are as explored, or which of them differ."""
    differences = list(measured(choice, results, is_same=False))
    if differences:
        yield from differences
    elif list(measured(choice, results, is_same=True)):
        yield "Built and searched, every index named here has the postings and the means that exploring gave."


def held_out_findings(facts: Facts, chosen: Sequence[Chosen], tests: int) -> Iterator[str]:
    """Say how many of the chosen variants of one retrieval model differ from the baseline on the held-out topics, and which.

    Args:
        facts: the facts of the results.
        chosen: the best variant of each sweep on the topics, and the single variants; see `chosen_on_topics`.
        tests: the number of tests that the correction is for: of all retrieval models.
    """
    if not chosen:
        return
    directions = [variant.comparison.direction for variant in chosen]
    correction = correction_text(facts.correction, counted(tests, "chosen variant"))
    yield (
        f"{counted(len(chosen), 'variant')} chosen on the topics: the best of each sweep, and variants without a sweep. "
        f"On {counted(len(facts.held_out_topics), 'held-out topic')}, {being(directions.count('better'))} significantly "
        f"better than the baseline in {measure_header(chosen[0].measure).name} and {being(directions.count('worse'))} "
        f"significantly worse. {TEST_NAMES[facts.test]}, {correction}, α = {facts.alpha}; chosen.csv has the values."
    )
    changes: list[str] = []
    for variant, direction in zip(chosen, directions, strict=True):
        if direction != "none":
            changes.append(f"{variant.chosen} ({change_text(variant.comparison.difference)})")
    if changes:
        yield f"The held-out topics show a difference from the baseline for {', '.join(changes)}."
