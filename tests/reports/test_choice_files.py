"""Choices as files and back; measured variants as evidence."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from decision_samples import CHOICE, DECISION, HELD_OUT, INCONCLUSIVE
from report_samples import small

from thresher.choosing.evidence import measured_evidence
from thresher.choosing.records import Candidate, SizeKind
from thresher.errors import InputError
from thresher.reports.choice_files import read_choice, write_choice


@pytest.mark.parametrize(
    "choice",
    [
        CHOICE,
        replace(CHOICE, decisions=(HELD_OUT, INCONCLUSIVE), savings=(), costs=()),
        replace(CHOICE, decisions=(replace(DECISION, critical=float("inf")),)),
    ],
)
def test_what_is_written_is_read(tmp_path: Path, choice: object) -> None:
    assert read_choice(tmp_path) is None
    write_choice(choice, tmp_path)  # type: ignore[arg-type]
    assert read_choice(tmp_path) == choice


def test_a_line_a_candidate(tmp_path: Path) -> None:
    write_choice(CHOICE, tmp_path)
    with (tmp_path / "choice.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 8
    assert rows[1] == {
        "retrieval": "qld",
        "measure": "AP",
        "scorer": "words",
        "variant": "words@9",
        "cutoff": "9.0",
        "size": "1500000",
        "size_kind": "bytes, estimated",
        "documents": "950",
        "mean": "0.394",
        "difference": "-0.006",
        "low": "-0.0185",
        "high": "0.0065",
        "verdict": "non-inferior",
        "topics_needed": "",
        "on_front": "1",
        "picked_as": "smallest non-inferior",
    }
    assert (rows[3]["cutoff"], rows[3]["topics_needed"], rows[7]["picked_as"]) == ("", "140", "")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"version": 0}, "version 0 is not known"),
        ({"format": "x"}, "this is not a choice"),
        ({"measure": 3}, "it should be text"),
        ({"decisions": None}, "it should be a list"),
    ],
)
def test_damaged_files_are_told(tmp_path: Path, change: dict[str, object], what: str) -> None:
    write_choice(CHOICE, tmp_path)
    path = tmp_path / "choice.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=what) as caught:
        read_choice(tmp_path)
    assert str(caught.value).startswith(str(path))
    assert ("Fix: run `thresher choose` again." in str(caught.value)) == ("format" not in change)


def test_broken_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "choice.json").write_text("{")
    with pytest.raises(InputError, match="the file is damaged"):
        read_choice(tmp_path)
    write_choice(CHOICE, tmp_path)
    fields = json.loads((tmp_path / "choice.json").read_text())
    fields["decisions"][0]["verdicts"][0]["verdict"] = "fine"
    (tmp_path / "choice.json").write_text(json.dumps(fields))
    with pytest.raises(InputError) as caught:
        read_choice(tmp_path)
    assert "decisions[0].verdicts[0].verdict: it should be one of non-inferior, inferior, inconclusive" in str(
        caught.value
    )


def test_measured_variants_are_candidates() -> None:
    results = small()
    base = next(row for row in results.rows if row.is_baseline)
    measure = results.measures[0]
    found = measured_evidence(results, base.retrieval, measure)
    rows = [row for row in results.rows if row.retrieval == base.retrieval and not row.is_baseline]
    assert found.candidates == tuple(
        Candidate(row.variant, row.sweep or row.variant, row.cutoff, row.index_bytes, row.indexed) for row in rows
    )
    assert (found.explored, found.size_kind, found.baseline_size) == (False, SizeKind.BYTES, base.index_bytes)
    assert found.documents == base.indexed
    values = {
        (value.variant, value.topic): value.value
        for value in results.per_topic
        if value.measure == measure and value.retrieval == base.retrieval
    }
    topics = list(dict.fromkeys(topic for _, topic in values))
    assert found.baseline.tolist() == [values[base.variant, topic] for topic in topics]
    assert found.values.tolist() == [[values[row.variant, topic] for topic in topics] for row in rows]
    assert found.held_out is None


def test_measured_variants_on_held_out_topics() -> None:
    results = small()
    there = replace(results, per_topic=tuple(value._replace(value=value.value / 2) for value in results.per_topic))
    found = measured_evidence(replace(results, held_out=there), results.rows[0].retrieval, results.measures[0])
    assert found.held_out is not None
    assert found.held_out[0].tolist() == (found.values / 2).tolist()
    assert found.held_out[1].tolist() == (found.baseline / 2).tolist()


def test_a_missing_value_is_told() -> None:
    results = small()
    with pytest.raises(InputError, match=r"values of .* by topic are missing"):
        measured_evidence(
            replace(results, per_topic=results.per_topic[1:]), results.rows[0].retrieval, results.measures[0]
        )
    with pytest.raises(InputError, match=r"values of .* by topic are missing"):
        measured_evidence(replace(results, per_topic=()), results.rows[0].retrieval, results.measures[0])
