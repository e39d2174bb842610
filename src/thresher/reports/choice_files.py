"""`choice.csv`: a line for each retrieval model, measure and variant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thresher.choosing.records import Choice, Decision
from thresher.files import write_text
from thresher.reports.table import csv_text, number_text

CSV_FILE = "choice.csv"


def write_choice_csv(choice: Choice, folder: Path) -> None:
    """Write `choice.csv` into a folder, whole or not at all."""
    header = ["retrieval", "measure", "scorer", "variant", "cutoff", "size", "size_kind", "documents"]
    header += ["mean", "difference", "low", "high", "verdict", "topics_needed", "on_front", "picked_as"]
    lines = (line for one in choice.decisions for line in _lines(one, one.measure == choice.measure))
    write_text(folder / CSV_FILE, csv_text(header, lines))


def _lines(decision: Decision, main: bool) -> Iterator[list[str]]:
    rules = decision.rules_by_variant() if main else {}
    for variant in decision.variants:
        test = variant.test
        yield [
            decision.retrieval,
            decision.measure,
            variant.sweep,
            variant.name,
            number_text(variant.cutoff),
            str(round(variant.size)),
            decision.size_kind.value,
            str(variant.documents),
            *(number_text(value) for value in (variant.mean, test.difference, test.low, test.high)),
            test.verdict.value,
            "" if test.topics_needed is None else str(test.topics_needed),
            "1" if variant.on_front else "0",
            "; ".join(rules.get(variant.name, [])),
        ]
