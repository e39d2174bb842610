"""`choice.csv`."""

from __future__ import annotations

import csv
from pathlib import Path

from decision_samples import CHOICE

from thresher.reports.choice_tables import write_choice_csv


def test_a_line_a_variant(tmp_path: Path) -> None:
    write_choice_csv(CHOICE, tmp_path)
    with (tmp_path / "choice.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 8
    assert rows[1] == {
        "retrieval": "qld",
        "measure": "AP",
        "scorer": "words",
        "variant": "words@9",
        "cutoff": "9.0",
        "cleaner_cutoff": "",
        "size": "1500000",
        "size_kind": "bytes, estimated",
        "documents": "995",
        "mean": "0.394",
        "difference": "-0.006",
        "low": "-0.0185",
        "high": "0.0065",
        "verdict": "non-inferior",
        "topics_needed": "",
        "on_front": "1",
        "stability": "0.9",
        "breaks": "",
        "picked_as": "recommended; smallest non-inferior",
    }
    assert (rows[3]["cutoff"], rows[3]["topics_needed"], rows[7]["picked_as"]) == ("", "140", "")
    assert (rows[2]["breaks"], rows[3]["breaks"]) == ("stability", "emptied; measures; stability")
