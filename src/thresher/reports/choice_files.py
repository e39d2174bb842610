"""Choices as files: `choice.json`, exactly, and `choice.csv` with a line a candidate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thresher.choosing.records import Choice, Decision
from thresher.files import write_text
from thresher.records import RecordFile
from thresher.reports.csv_files import csv_text, number_text

CHOICE_FILE = "choice.json"
CSV_FILE = "choice.csv"

_CHOICE = RecordFile(Choice, "a choice", "run `thresher choose` again", "thresher-choice", 2)


def write_choice(choice: Choice, folder: Path) -> None:
    """Write `choice.json` and `choice.csv` into a folder, each whole or not at all."""
    _CHOICE.write(folder / CHOICE_FILE, choice)
    header = ["retrieval", "measure", "scorer", "variant", "cutoff", "size", "size_kind", "documents"]
    header += ["mean", "difference", "low", "high", "verdict", "topics_needed", "on_front", "picked_as"]
    lines = (line for decision in choice.decisions for line in _lines(decision))
    write_text(folder / CSV_FILE, csv_text(header, lines))


def read_choice(folder: Path) -> Choice | None:
    """Read what `write_choice` wrote; None if nothing was chosen.

    Raises:
        InputError: if the file is damaged or of another version.
    """
    path = folder / CHOICE_FILE
    return _CHOICE.read(path) if path.exists() else None


def _lines(decision: Decision) -> Iterator[list[str]]:
    rules: dict[int | None, list[str]] = {}
    for pick in decision.picks:
        rules.setdefault(pick.place, []).append(pick.rule.value)
    for place, candidate in enumerate(decision.candidates):
        found = decision.verdicts[place]
        yield [
            decision.retrieval,
            decision.measure,
            candidate.group,
            candidate.name,
            number_text(candidate.cutoff),
            str(round(candidate.size)),
            decision.size_kind.value,
            str(candidate.documents),
            number_text(decision.means[place]),
            *(number_text(value) for value in (found.difference, found.low, found.high)),
            found.verdict.value,
            "" if found.topics_needed is None else str(found.topics_needed),
            "1" if place in decision.front else "0",
            "; ".join(rules.get(place, [])),
        ]
