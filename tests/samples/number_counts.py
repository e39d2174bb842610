"""How many numbers the sentences of a text have, without the names of variants and measures in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from thresher.choosing.choices import Choice
from thresher.results.experiment_results import Results

MOST = 2


def crowded(texts: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the sentences of the texts that have more than `MOST` numbers beside those in names."""
    longest_first = sorted(set(names), key=len, reverse=True)
    any_name = re.compile("|".join(rf"(?<![\w@.]){re.escape(name)}(?![\w@])" for name in longest_first) or r"(?!)")
    sentences = (sentence for text in texts for sentence in re.split(r"(?<=\.)\s+", any_name.sub("NAME", text)))
    return [sentence for sentence in sentences if len(re.findall(r"\d+(?:[.,]\d+)*", sentence)) > MOST]


def names_of(choice: Choice | None, results: Results | None = None) -> set[str]:
    """Return the names of all variants, measures and retrieval models."""
    found: set[str] = set()
    for decision in choice.decisions if choice else ():
        found |= {decision.retrieval, decision.measure, *decision.by_name}
    if results:
        found |= {*results.measures, *(row.retrieval for row in results.rows), *(row.variant for row in results.rows)}
    return found
