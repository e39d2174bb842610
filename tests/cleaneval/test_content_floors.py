"""Word F1 of `content@0.5` on some pages of each development set: no change may lower it by more than a hair."""

from __future__ import annotations

from pathlib import Path

import pytest

from thresher.cleaners.cleaner import parse_cleaner
from thresher.evaluation.cleaneval.comparing import compare_cleaned, score_gold
from thresher.evaluation.cleaneval.gold import read_gold
from thresher.evaluation.cleaneval.results import summarize_quality

pytestmark = pytest.mark.slow

# The set, one of how many pages is measured, and the mean word F1 of 28 November 2026.
FLOORS = (
    ("wcxb-dev", 40, 0.8797),
    ("aeb", 8, 0.9782),
    ("cleaneval-dev", 2, 0.9091),
    ("cleanportaleval", 1, 0.9519),
    ("dragnet-300", 8, 0.8884),
)
TOLERANCE = 0.002


@pytest.mark.parametrize(("name", "step", "floor"), FLOORS, ids=[row[0] for row in FLOORS])
def test_content_cleans_no_worse(shared_data: Path, tmp_path: Path, name: str, step: int, floor: float) -> None:
    cleaner = parse_cleaner("content@0.5")
    pages = read_gold(shared_data / "cleaning" / name).pages[::step]
    score_gold(pages, cleaner.scorers, tmp_path, workers=1)
    (quality,) = zip(*(page.quality for page in compare_cleaned(pages, tmp_path, (cleaner,), workers=1)), strict=True)
    assert summarize_quality(quality).words.f1.mean >= floor - TOLERANCE
