"""Collected postings against Lucene's index of the same documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from thresher.base.errors import StateError
from thresher.cleaners.cleaner import parse_cleaner
from thresher.indexes.analysis import Analysis, analyse, text_analyzer
from thresher.indexes.indexing import IndexOptions, build_index
from thresher.indexes.lexicon import Lexicon, ShardTokenizer, hash_texts
from thresher.indexes.pruning.collected_postings import collected_postings
from thresher.indexes.pruning.postings import DocumentPostings
from thresher.scores.cutting import cleaned_documents

CLEANERS = (
    "none",
    "words@4",
    "words(headings=keep)@8",
    "perplexity(lm=books)@5000",
    "bte",
    "words@doc50",
    "words@9999",
)


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon(Analysis(), texts=True)


@pytest.mark.parametrize("name", CLEANERS)
def test_postings_are_those_of_the_cleaned_documents(store: Path, lexicon: Lexicon, tmp_path: Path, name: str) -> None:
    cleaner = parse_cleaner(name)
    documents = {page.id: page for page in cleaned_documents(store, cleaner)}
    report = build_index(((id_, page.text) for id_, page in documents.items()), tmp_path / "index", IndexOptions())
    analyzer = text_analyzer(Analysis())
    tokens = {id_: analyse(analyzer, page.text) for id_, page in documents.items()}
    with collected_postings(store, cleaner, ShardTokenizer(lexicon), tmp_path / "postings") as postings:
        statistics = postings.statistics
        found: dict[str, Counter[str]] = {}
        assert lexicon.text_of is not None
        terms = [lexicon.text_of[value] for value in statistics.hashes.tolist()]
        for block in postings.blocks():
            check_block(block)
            for row, id_ in enumerate(block.ids):
                part = slice(block.bounds[row], block.bounds[row + 1])
                found[id_] = Counter(
                    dict(zip((terms[term] for term in block.term[part]), block.tf[part].tolist(), strict=True))
                )
                assert block.lengths[row] == len(tokens[id_])
    assert found == {id_: Counter(tokens[id_]) for id_ in documents if id_ in found}
    assert [*found] == [id_ for id_ in documents if id_ in found]
    assert (postings.indexed, postings.blank) == (report.documents, report.empty)
    assert postings.words == sum(page.words for page in documents.values())
    index = report.statistics
    assert (statistics.tokens, int(statistics.df.sum())) == (index.tokens, index.postings)
    assert np.count_nonzero(statistics.df) == index.vocabulary
    lengths = [len(of_document) for of_document in tokens.values() if of_document]
    assert statistics.documents == len(lengths)
    if lengths:
        assert statistics.mean_length == pytest.approx(np.mean(lengths))
        assert statistics.length_deviation == pytest.approx(np.std(lengths))
    assert statistics.hashes.tolist() == hash_texts(terms).tolist()
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]


def check_block(block: DocumentPostings) -> None:
    assert block.bounds[0] == 0
    assert block.bounds[-1] == len(block.term) == len(block.tf)
    assert np.bincount(block.document, weights=block.tf, minlength=len(block.ids)).tolist() == block.lengths.tolist()
    for first, after in zip(block.bounds, block.bounds[1:], strict=False):
        assert (np.diff(block.term[first:after]) > 0).all()


def test_a_store_without_the_scores_is_an_error_and_leaves_nothing(
    store: Path, lexicon: Lexicon, tmp_path: Path
) -> None:
    with (
        pytest.raises(StateError) as caught,
        collected_postings(store, parse_cleaner("justext"), ShardTokenizer(lexicon), tmp_path / "postings"),
    ):
        pass
    assert "justext" in str(caught.value) or "score" in str(caught.value)
    assert list(tmp_path.iterdir()) == []
