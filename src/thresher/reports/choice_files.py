"""Choices as files: `choice.json`, exactly, and `choice.csv` with a line a candidate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from thresher.choosing.records import Choice, Decision
from thresher.errors import InputError
from thresher.files import read_text, write_text
from thresher.json_records import decode, encode
from thresher.reports.csv_files import csv_text, number_text

CHOICE_FILE = "choice.json"
CSV_FILE = "choice.csv"

_FORMAT, _VERSION = "thresher-choice", 1
_FIX = "run `thresher choose` again"


def write_choice(choice: Choice, folder: Path) -> None:
    """Write `choice.json` and `choice.csv` into a folder, each whole or not at all."""
    fields = {"format": _FORMAT, "version": _VERSION, **encode(choice)}
    write_text(folder / CHOICE_FILE, json.dumps(fields, ensure_ascii=False) + "\n")
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
    if not path.exists():
        return None
    try:
        fields = json.loads(read_text(path))
    except ValueError as error:
        raise InputError(f"the file is damaged ({error})", _FIX, str(path)) from error
    if not isinstance(fields, dict) or (fields.get("format"), fields.get("version")) != (_FORMAT, _VERSION):
        raise InputError("the choice is of another version", _FIX, str(path))
    choice: Choice = decode(Choice, fields, str(path), _FIX)
    return choice


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
