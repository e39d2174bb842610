"""`choice.json`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from decision_samples import CHOICE, DECISION, GUARDED, HELD_OUT, INCONCLUSIVE, OTHER, chosen

from thresher.choosing.choices import Choice, read_choice, write_choice
from thresher.errors import StateError


@pytest.mark.parametrize(
    "choice",
    [
        CHOICE,
        replace(CHOICE, decisions=(HELD_OUT, INCONCLUSIVE), recommendations=(), costs=()),
        chosen(GUARDED),
        chosen(INCONCLUSIVE, OTHER),
        replace(CHOICE, decisions=(replace(DECISION, critical=float("inf")),)),
    ],
)
def test_what_is_written_is_read(tmp_path: Path, choice: Choice) -> None:
    assert read_choice(tmp_path) is None
    assert choice.decisions[0].by_name  # what is looked up has no part in the file
    write_choice(choice, tmp_path)
    assert read_choice(tmp_path) == choice
    assert "by_name" not in (tmp_path / "choice.json").read_text()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"measure": 3}, "it should be text"),
        ({"decisions": None}, "it should be a list"),
    ],
)
def test_damaged_files_are_told(tmp_path: Path, change: dict[str, object], what: str) -> None:
    write_choice(CHOICE, tmp_path)
    path = tmp_path / "choice.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(StateError, match=what) as caught:
        read_choice(tmp_path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith("Fix: run `thresher choose` again.")


def test_broken_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "choice.json").write_text("{")
    with pytest.raises(StateError, match="the file is damaged"):
        read_choice(tmp_path)
    write_choice(CHOICE, tmp_path)
    fields = json.loads((tmp_path / "choice.json").read_text())
    fields["decisions"][0]["variants"][0]["test"]["verdict"] = "fine"
    (tmp_path / "choice.json").write_text(json.dumps(fields))
    with pytest.raises(StateError) as caught:
        read_choice(tmp_path)
    problem = "decisions[0].variants[0].test.verdict: it should be one of non-inferior, inferior, inconclusive"
    assert problem in str(caught.value)


def test_choices_of_another_version_are_made_again(tmp_path: Path) -> None:
    write_choice(CHOICE, tmp_path)
    path = tmp_path / "choice.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 1}))
    with pytest.raises(StateError) as caught:
        read_choice(tmp_path)
    assert str(caught.value) == f"{path}: version 1 is not known, only 4. Fix: run `thresher choose` again."
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": "x"}))
    with pytest.raises(StateError, match="this is not a choice"):
        read_choice(tmp_path)
