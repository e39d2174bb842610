"""Scores of postings against those of Lucene's own similarities."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from posting_samples import postings_of

from thresher.base.defaults import BM25_B, BM25_K1, QLD_MU
from thresher.indexes.jvm import java_characters, java_class
from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings, bm25, qld

SEARCH = "org.apache.lucene.search"


@pytest.fixture(scope="module")
def sample() -> tuple[DocumentPostings, CollectionStatistics]:
    """Documents of at most 39 tokens, whose lengths Lucene stores exactly."""
    draw = random.Random(1)
    words = [f"w{number}" for number in range(30)]
    weights = [1 / (number + 1) for number in range(30)]
    documents = {str(number): draw.choices(words, weights, k=draw.randint(1, 39)) for number in range(40)}
    postings, _ = postings_of(documents)
    (block,) = postings.blocks()
    return block, postings.statistics


def test_bm25_is_lucenes(sample: tuple[DocumentPostings, CollectionStatistics]) -> None:
    block, statistics = sample
    similarity = java_class(f"{SEARCH}.similarities.BM25Similarity")(BM25_K1, BM25_B)
    assert lucene_scores(similarity, block, statistics) == pytest.approx(bm25(block, statistics), rel=1e-5)


def test_query_likelihood_is_lucenes_where_it_is_above_0(sample: tuple[DocumentPostings, CollectionStatistics]) -> None:
    block, statistics = sample
    similarity = java_class(f"{SEARCH}.similarities.LMDirichletSimilarity")(QLD_MU)
    # Lucene adds one occurrence of each term to the collection, and one token.
    smoothed = replace(statistics, cf=statistics.cf + 1, tokens=statistics.tokens + 1)
    scores = qld(block, smoothed)
    assert 50 < (scores > 0).sum() < len(scores) - 50
    assert lucene_scores(similarity, block, statistics) == pytest.approx(np.maximum(scores, 0), rel=1e-4, abs=1e-8)


def lucene_scores(similarity: Any, block: DocumentPostings, statistics: CollectionStatistics) -> list[float]:
    """Return the score that a similarity of Lucene gives to each posting."""
    collection = java_class(f"{SEARCH}.CollectionStatistics")(
        "contents", statistics.documents, statistics.documents, statistics.tokens, int(statistics.df.sum())
    )
    scorers = {}
    for number, (df, cf) in enumerate(zip(statistics.df.tolist(), statistics.cf.tolist(), strict=True)):
        term = java_class("org.apache.lucene.util.BytesRef")(java_characters(str(number)))
        scorers[number] = similarity.scorer(1.0, collection, java_class(f"{SEARCH}.TermStatistics")(term, df, cf))
    lengths = block.lengths[block.document].tolist()
    triples = zip(block.term.tolist(), block.tf.tolist(), lengths, strict=True)
    return [scorers[number].score(float(tf), length) for number, tf, length in triples]
