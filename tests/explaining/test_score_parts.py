"""The parts of a score's change add up to it, and the scores are Lucene's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import log, log1p
from pathlib import Path

import numpy as np
import pytest
from explained_samples import OWN, VARIANTS
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.files import safe_name
from thresher.experiments.explaining.removed_passages import cut_page, with_weights
from thresher.experiments.explaining.score_parts import ScoreParts, score_parts
from thresher.indexes.analysis import Analysis, RetrievalModel, analyse, parse_retrieval, text_analyzer
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.score_inputs import ScoredIndex, ScoreInputs
from thresher.indexes.searching import LuceneRanking, Searcher
from thresher.scores.cutting import cleaned_documents
from thresher.scores.removed import explained_pages
from thresher.scores.weighting import weighted_store

MODELS = ("qld", "qld(exact,mu=50)", "bm25", "bm25(b=1,k1=2)", "classic")
QUERY = "return the file path file of a string zzzunknown message"


def hits(folder: Path, model: RetrievalModel) -> dict[str, float]:
    """Score by document, unrounded."""
    with Searcher(folder, model) as searcher:
        ranking = searcher.ranking
        ids, scores = ranking.hits(QUERY) if isinstance(ranking, LuceneRanking) else ranking.rank(QUERY)
        return dict(zip(ids, map(float, scores), strict=True))


@cache
def kept_of(store: Path, name: str) -> dict[str, Mapping[str, int]]:
    """tf after cleaning, by document, for the terms of the query."""
    treatment = parse_treatment(name)
    analyzer = text_analyzer(Analysis())
    terms = analyse(analyzer, QUERY)
    pages = {page.id: cut_page(page, analyzer, terms) for page in explained_pages(store, treatment.cleaner)}
    if treatment.weights is not None:
        documents = cleaned_documents(weighted_store(store, treatment.weights), treatment.cleaner)
        pages = with_weights(pages, documents, analyzer, terms)
    return {name: page.indexed for name, page in pages.items()}


def taken_apart(
    store: Path, folders: tuple[Path, Path], name: str, model: RetrievalModel, documents: list[str]
) -> tuple[ScoreParts, tuple[ScoreInputs, ScoreInputs]]:
    with ScoredIndex(folders[0], model.exact) as first, ScoredIndex(folders[1], model.exact) as second:
        query = Counter(analyse(first.analyzer, QUERY))
        inputs = first.inputs([*query], documents), second.inputs([*query], documents)
    kept = kept_of(store, name)
    cleaned = np.array([[kept[document].get(term, 0) for term in query] for document in documents])
    # What pages hold, segment by segment, is what the index has, but for pruned postings.
    indexed = inputs[1].tf
    assert (cleaned == indexed)[indexed > 0].all()
    assert "|" in name or (cleaned == indexed).all()
    return score_parts(model, query, *inputs, cleaned), inputs


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", [*VARIANTS[1:], *(OWN + name for name in VARIANTS if "|" in name)])
def test_parts_add_up_to_the_difference_of_lucenes_scores(store: Path, indexes: Path, name: str, model: str) -> None:
    retrieval = parse_retrieval(model)
    folders = indexes / "none", indexes / safe_name(name)
    runs = [hits(folder, retrieval) for folder in folders]
    documents = sorted({*runs[0], *runs[1]})
    changes, inputs = taken_apart(store, folders, name.removeprefix(OWN), retrieval, documents)
    parts = changes.removed + changes.pruned + changes.length + changes.statistics
    np.testing.assert_allclose(parts, changes.after - changes.before, rtol=0, atol=1e-6)
    for run, scores in ((runs[0], changes.before), (runs[1], changes.after)):
        expected = [
            (run[document], score) for document, score in zip(documents, scores, strict=True) if document in run
        ]
        assert len(expected) > 50
        for lucene, ours in expected:
            # ExactRanking rounds to ten decimals, as this does; the 32 bits of the others are the same.
            assert ours == pytest.approx(lucene, abs=1e-9 if retrieval.exact else 0)
        unmatched = (inputs[0 if run is runs[0] else 1].tf == 0).all(axis=1)
        assert {document for document, none in zip(documents, unmatched, strict=True) if not none} == {*run}
    np.testing.assert_allclose(changes.by_term.sum(axis=1), changes.removed + changes.pruned, rtol=0, atol=5e-6)
    if not retrieval.exact and "bm25" not in model:
        assert (changes.after[unmatched] == 0).all()


@pytest.mark.parametrize("model", ["qld", "qld(exact)", "bm25"])
def test_what_cannot_have_a_part_has_none(store: Path, indexes: Path, model: str) -> None:
    retrieval = parse_retrieval(model)
    documents = sorted(hits(indexes / "none", retrieval))

    def changes(name: str) -> ScoreParts:
        folders = indexes / "none", indexes / safe_name(name)
        return taken_apart(store, folders, name.removeprefix(OWN), retrieval, documents)[0]

    pruned = changes("none|dcp@0.5")
    for part in (pruned.removed, pruned.length, pruned.statistics):
        assert not part.any()
    assert pruned.pruned.any()
    own = changes(f"{OWN}none|dcp@0.5")
    assert not own.removed.any()
    assert all(part.any() for part in (own.pruned, own.length, own.statistics))
    cleaned = changes("words@4")
    assert not cleaned.pruned.any()
    assert all(part.any() for part in (cleaned.removed, cleaned.length, cleaned.statistics))
    both = changes("words@4|dcp@0.3")
    assert all(part.any() for part in (both.removed, both.pruned, both.length, both.statistics))


counts = st.lists(st.integers(0, 6), min_size=2, max_size=2)


@given(counts, counts, st.lists(st.booleans(), min_size=2, max_size=2), st.integers(1, 40), st.integers(0, 40))
def test_parts_are_the_steps_of_the_stated_order(
    tf: list[int], lost: list[int], pruned: list[bool], more: int, fewer: int
) -> None:
    cleaned = [max(one - other, 0) for one, other in zip(tf, lost, strict=True)]
    left = [0 if prune else one for one, prune in zip(cleaned, pruned, strict=True)]
    lengths = sum(tf) + more + fewer, sum(left) + more
    collections = ([30, 40], 900), ([20, 35], 700)

    def score(changed: set[str]) -> float:
        """By the published formula."""
        times = cleaned if "removed" in changed else tf
        if "pruned" in changed:
            times = [one * (clean == 0 or keep > 0) for one, clean, keep in zip(times, cleaned, left, strict=True)]
        cf, tokens = collections["statistics" in changed]
        matched = sum(log1p(one * tokens / (100 * every)) for one, every in zip(times, cf, strict=True))
        return matched + 2 * log(100 / (100 + lengths["length" in changed]))

    names = ("removed", "pruned", "length", "statistics")
    expected = {name: score({*names[: step + 1]}) - score({*names[:step]}) for step, name in enumerate(names)}

    def inputs(state: int, times: list[int]) -> ScoreInputs:
        cf, tokens = collections[state]
        every = np.array(cf)
        return ScoreInputs(10, tokens, every, every, np.array([True]), np.array([lengths[state]]), np.array([times]))

    found = score_parts(
        parse_retrieval("qld(exact,mu=100)"), {"a": 1, "b": 1}, inputs(0, tf), inputs(1, left), np.array([cleaned])
    )
    for name in names:
        assert float(getattr(found, name)[0]) == pytest.approx(expected[name], abs=1e-9)


def test_a_term_that_the_collection_lost_counts_as_lost_terms_alone() -> None:
    def inputs(tf: int, cf: int) -> ScoreInputs:
        every = np.array([cf])
        return ScoreInputs(5, 100, every, every, np.array([True]), np.array([20]), np.array([[tf]]))

    for model in ("qld", "qld(exact)", "bm25"):
        found = score_parts(parse_retrieval(model), {"a": 1}, inputs(3, 3), inputs(0, 0), np.array([[0]]))
        assert (found.statistics[0], found.length[0]) == (0, 0)
        assert found.removed[0] == pytest.approx(found.after[0] - found.before[0])
        assert found.removed[0] < 0
