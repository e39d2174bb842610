"""Sentences of the terminal about chosen indexes: whether they are as explored, and their text for another engine."""

from __future__ import annotations

from collections.abc import Iterator

from thresher.experiments.choosing.choices import Choice
from thresher.experiments.results import Results
from thresher.reports.summary import measured


def other_engines(choice: Choice) -> Iterator[str]:
    """Say which text another engine indexes, if all models name the same first index."""
    firsts = {model.first.variant for model in choice.models if model.first}
    if len(firsts) != 1 or not choice.commands.get(variant := firsts.pop()):
        return
    lacking = ""
    if "|" in variant:
        lacking = ", without its weights and pruning"
    yield f"For another engine, such as SQLite or Elasticsearch, `thresher clean` writes its text as JSON lines{lacking}."


def agreement(choice: Choice, results: Results) -> Iterator[str]:
    """Say that all named indexes that were built are as explored, or which of them differ."""
    if any(True for _ in measured(choice, results, is_same=False)):
        yield from measured(choice, results, is_same=False)
    elif any(True for _ in measured(choice, results, is_same=True)):
        yield "Built and searched, every index named here has the postings and the means that exploring gave."
