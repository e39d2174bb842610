"""One feature as a cleaner, on small gold standards."""

from __future__ import annotations

from pathlib import Path

import pytest

from shallow_cutoffs import FEATURES, f1_by_cutoff, transferred
from shallow_scorers import WordLength
from thresher.cleaners.scorers.shallow_features import Words


def test_f1_by_cutoff(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "GoldStandard").mkdir()
    (tmp_path / "input" / "1.html").write_text("<p>Home<p>It rains in the north<p>Go on")
    (tmp_path / "GoldStandard" / "1.txt").write_text("It rains in the north")
    found = f1_by_cutoff(tmp_path, [(Words(), (2, 5)), (WordLength(), (2, 3.4, 4))])
    assert found["none"] == pytest.approx({"": 2 * 5 / 13})
    # Without "Home" seven words are left, with 3.4 letters a word or less "It rains in the north" and "Go on".
    assert found["words"] == pytest.approx({"2": 10 / 12, "5": 1})
    assert found["wordlength"] == pytest.approx({"2": 0, "3.4": 10 / 12, "4": 10 / 13})
    everything = f1_by_cutoff(tmp_path, FEATURES)
    assert [*everything] == ["none", *(scorer.canonical_name for scorer, _ in FEATURES)]


def test_the_cutoff_is_the_best_on_the_other_sets() -> None:
    found = {
        "a": {"words": {"2": 0.1, "5": 0.9}},
        "b": {"words": {"2": 0.6, "5": 0.5}},
        "c": {"words": {"2": 0.5, "5": 0.4}},
    }
    row = {"feature": "words", "a": 0.1, "a_cutoff": "2", "b": 0.5, "b_cutoff": "5", "c": 0.4, "c_cutoff": "5"}
    assert transferred(found).to_dict("records") == [row]
