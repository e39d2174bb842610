"""How well the cleaners of the papers' tables clean may rise, and refuses to fall.

`quality_floors.json` holds what each came to over every eighth page of cleaneval-dev as means. F1 of words and of
ROUGE-LSum, and Levenshtein similarity are floors. Precision and recall are there to read: one may be given up for the other.
Whoever makes a cleaner better writes the new floors with THRESHER_WRITE_FLOORS=1; that lowers none. THRESHER_LOWER_FLOORS=1
lowers them, with the reason in the commit.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from thresher.base.files import write_json
from thresher.evaluation.cleaneval.comparing import compare_cleaned, score_gold
from thresher.evaluation.cleaneval.gold import read_gold
from thresher.evaluation.cleaneval.results import QualitySummary, parse_cleaners, summarize_quality

pytestmark = pytest.mark.slow

FLOORS = Path(__file__).with_name("quality_floors.json")
GATED = ("f1", "rouge_lsum_f1", "levenshtein")
TOLERANCE = 0.00005
WRITE, LOWER = "THRESHER_WRITE_FLOORS", "THRESHER_LOWER_FLOORS"

Rows = Mapping[str, Mapping[str, float]]


def fallen_and_risen(floors: Rows, measured: Rows) -> tuple[list[str], list[str]]:
    """Return what is wrong, and what has risen."""
    wrong = [f"{name}: it is not measured any more" for name in floors if name not in measured]
    risen = []
    for name, row in measured.items():
        if name not in floors:
            wrong.append(f"{name}: it has no floors")
            continue
        for measure in GATED:
            value, floor = row[measure], floors[name].get(measure)
            if floor is None:
                wrong.append(f"{name}: {measure} has no floor")
            elif value < floor - TOLERANCE:
                wrong.append(f"{name}: {measure} fell from {floor:.4f} to {value:.4f}")
            elif value > floor + TOLERANCE:
                risen.append(f"{name}: {measure} rose from {floor:.4f} to {value:.4f}")
    return wrong, risen


def rewritten(floors: Rows, measured: Rows, may_lower: bool) -> dict[str, dict[str, float]]:
    """Return the floors to keep from now on, in the order of what was measured; rows that are gone stay unless lowered."""
    new: dict[str, dict[str, float]] = {}
    for name, row in measured.items():
        old = {} if may_lower else floors.get(name, {})
        new[name] = {
            measure: max(round(value, 4), old[measure]) if measure in GATED and measure in old else round(value, 4)
            for measure, value in row.items()
        }
    gone = {} if may_lower else {name: dict(row) for name, row in floors.items() if name not in measured}
    return new | gone


def figures(summary: QualitySummary) -> dict[str, float]:
    words = summary.words
    return {
        "precision": words.precision.mean,
        "recall": words.recall.mean,
        "f1": words.f1.mean,
        "rouge_lsum_f1": summary.rouge_f1.mean,
        "levenshtein": words.similarity.mean,
    }


def digest_of(folder: Path) -> str:
    """Return the SHA-256 over names and bytes of all pages and gold texts."""
    result = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        result.update(f"{path.relative_to(folder).as_posix()}\n{len(content)}\n".encode() + content)
    return result.hexdigest()


def test_no_cleaner_of_the_papers_tables_cleans_worse(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "cleaning" / "cleaneval-dev"
    floors: dict[str, Any] = json.loads(FLOORS.read_text(encoding="utf-8"))
    assert digest_of(folder) == floors["sha256"], "these are other pages or gold texts than those of the floors"
    cleaners = parse_cleaners(())
    pages = read_gold(folder).pages[::8]
    score_gold(pages, [scorer for cleaner in cleaners for scorer in cleaner.scorers], tmp_path, workers=2)
    compared = list(compare_cleaned(pages, tmp_path, cleaners, workers=2))
    measured = {
        cleaner.name: figures(summarize_quality([page.quality[place] for page in compared]))
        for place, cleaner in enumerate(cleaners)
    }
    may_lower = os.environ.get(LOWER) == "1"
    if may_lower or os.environ.get(WRITE) == "1":
        floors["rows"] = rewritten(floors["rows"], measured, may_lower)
        write_json(FLOORS, floors)
    wrong, risen = fallen_and_risen(floors["rows"], measured)
    assert not wrong, "\n".join([*wrong, f"{WRITE}=1 adds and raises floors, {LOWER}=1 lowers them"])
    if risen:
        with capsys.disabled():
            print("\n".join(["", *risen, f"{WRITE}=1 keeps these"]))


ROW = {"precision": 0.9, "recall": 0.8, "f1": 0.8, "rouge_lsum_f1": 0.79, "levenshtein": 80.0}


def test_what_stays_within_rounding_passes_in_silence() -> None:
    assert fallen_and_risen({"a": ROW}, {"a": ROW}) == ([], [])
    assert fallen_and_risen({"a": ROW}, {"a": ROW | {"f1": 0.79996, "levenshtein": 80.00004}}) == ([], [])


@pytest.mark.parametrize("measure", GATED)
def test_every_floor_refuses_to_fall_and_may_rise(measure: str) -> None:
    lower, higher = ROW | {measure: ROW[measure] - 0.0001}, ROW | {measure: ROW[measure] + 0.0001}
    values = f"{ROW[measure]:.4f} to"
    assert fallen_and_risen({"a": ROW}, {"a": lower}) == ([f"a: {measure} fell from {values} {lower[measure]:.4f}"], [])
    assert fallen_and_risen({"a": ROW}, {"a": higher}) == (
        [],
        [f"a: {measure} rose from {values} {higher[measure]:.4f}"],
    )


def test_precision_may_be_given_up_for_recall() -> None:
    assert fallen_and_risen({"a": ROW}, {"a": ROW | {"precision": 0.1, "recall": 1.0}}) == ([], [])


def test_rows_and_measures_without_a_counterpart_are_wrong() -> None:
    less = {name: value for name, value in ROW.items() if name != "rouge_lsum_f1"}
    wrong = ["b: it is not measured any more", "a: rouge_lsum_f1 has no floor", "c: it has no floors"]
    assert fallen_and_risen({"a": less, "b": ROW}, {"a": ROW, "c": ROW}) == (wrong, [])


def test_writing_raises_and_adds_but_lowers_only_where_told() -> None:
    floors = {"gone": ROW, "a": ROW}
    before = deepcopy(floors)
    measured = {"a": ROW | {"precision": 0.5, "f1": 0.7, "rouge_lsum_f1": 0.87654}, "new": ROW}
    raised = rewritten(floors, measured, may_lower=False)
    assert raised == {"a": ROW | {"precision": 0.5, "rouge_lsum_f1": 0.8765}, "new": ROW, "gone": ROW}
    assert [problem.partition(":")[0] for problem in fallen_and_risen(raised, measured)[0]] == ["gone", "a"]
    lowered = rewritten(floors, measured, may_lower=True)
    assert lowered == {"a": ROW | {"precision": 0.5, "f1": 0.7, "rouge_lsum_f1": 0.8765}, "new": ROW}
    assert fallen_and_risen(lowered, measured) == ([], [])
    assert floors == before


def test_the_file_has_every_row_and_floors_only_of_what_can_be_measured() -> None:
    floors: dict[str, Any] = json.loads(FLOORS.read_text(encoding="utf-8"))
    cleaners = parse_cleaners(())
    assert [*floors["rows"]] == [cleaner.name for cleaner in cleaners]
    assert all([*row] == [*ROW] for row in floors["rows"].values())
