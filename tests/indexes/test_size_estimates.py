"""Estimated bytes of indexes against those of built ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from thresher.indexes.analysis import text_analyzer, tokens_of_each
from thresher.indexes.indexing import IndexOptions, build_index
from thresher.indexes.size_estimates import CountedIndex, IndexContents, estimated_bytes, own_letters, scaled_bytes
from thresher.indexes.work import IndexStatistics

ROOT = Path(__file__).parents[2]


def sections() -> Iterator[tuple[str, str]]:
    """The sections of the documentation: some two hundred documents, most of them prose."""
    for path in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))):
        for number, section in enumerate(re.split(r"\n(?=#)", path.read_text(encoding="utf-8"))):
            yield f"{path.relative_to(ROOT).as_posix()}-{number}", section


@pytest.mark.parametrize(
    "options",
    [IndexOptions(), IndexOptions(positions=True), IndexOptions(stored=True), IndexOptions(vectors=True)],
    ids=lambda options: (
        "+".join(name for name in ("positions", "stored", "vectors") if getattr(options, name)) or "plain"
    ),
)
def test_the_estimate_is_within_a_tenth(options: IndexOptions, tmp_path: Path) -> None:
    documents = dict(sections())
    report = build_index(documents.items(), tmp_path / "index", options)
    terms = {
        term for tokens in tokens_of_each(text_analyzer(options.analysis), list(documents.values())) for term in tokens
    }
    contents = IndexContents(
        id_bytes=sum(map(len, documents)) / len(documents),
        id_letters=own_letters(documents),
        term_letters=own_letters(terms),
        sample_terms=len(terms),
        options=options,
    )
    words = sum(len(text.split()) for text in documents.values())
    estimate = estimated_bytes(CountedIndex(report.statistics, words, pruned=False), contents)
    assert sum(estimate.values()) == pytest.approx(report.bytes, rel=0.1)
    assert set(estimate) <= set(report.bytes_by_type)


def test_an_index_of_nothing_has_files() -> None:
    estimate = estimated_bytes(CountedIndex(IndexStatistics(0, 0, 0, 0), 0, pruned=True), IndexContents())
    assert sum(estimate.values()) > 0
    assert estimate[".doc"] == estimate[".tim"] == own_letters([]) == 0


def test_a_built_baseline_scales_each_type_of_file() -> None:
    scaled = scaled_bytes(
        {".doc": 50.0, ".tim": 10.0, ".npy": 4.0}, {".doc": 100.0, ".tim": 20.0}, {".doc": 300, ".tim": 10}
    )
    assert scaled == {".doc": 150.0, ".tim": 5.0, ".npy": 4.0}
