"""Indexes of weighted text against weighted counts: Lucene's scores by hand, with its lengths of one byte."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from thresher.base.processes import Backend
from thresher.collections import open_collection
from thresher.experiments.measuring import build_variant
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.searching import Searcher
from thresher.scores.score_pass import ScorePlan, score_collection

Parts = list[tuple[str, str]]
"""The parts of a page: the name of each element and its text."""
Counts = dict[str, Counter[str]]
"""The weighted counts of the words of each page."""

# Pages long enough that Lucene's byte rounds their lengths.
PAGES: dict[str, Parts] = {
    "rain": [("title", "rain guide"), ("h1", "rain"), ("p", "water falls " * 40), ("h2", "why clouds rain")],
    "snow": [("title", "snow guide"), ("p", "rain that is cold " * 17), ("h2", "snow")],
    "sun": [("title", "sun guide rain"), ("h1", "sun sun"), ("p", "light and no rain"), ("p", "clouds hide it")],
    "plain": [("p", "clouds rain guide " * 9)],
    "other": [("title", "guide"), ("p", "nothing of interest stands here " * 3)],
}
QUERIES = ("rain", "rain guide", "clouds clouds sun", "why water")
MU, K1, B = 2000, 0.9, 0.4
ROUNDED = 6e-5
"""Rankings have scores of four decimals."""
OPTIONS = IndexOptions(stemmer="none", stopwords=False, lengths=True)


def counts_of(weights: Mapping[str, int]) -> Counts:
    """Return weighted counts: each word counts as its part weighs, 1 if the part is not named."""
    counts: Counts = {}
    for name, parts in PAGES.items():
        counts[name] = Counter()
        for element, text in parts:
            for word in text.split():
                counts[name][word] += weights.get(element, 1)
    return counts


def in_a_byte(length: int) -> int:
    """Return a length as Lucene keeps it: whole below 40, then 24 plus a number of four significant bits."""
    if length < 40:
        return length
    rest = length - 24
    unit = 1 << max(rest.bit_length() - 4, 0)
    return 24 + rest // unit * unit


def dirichlet(query: Counter[str], counts: Counts, document: str) -> float:
    """Lucene's: (cf + 1) / (|C| + 1), only words of the document, none below 0."""
    total = sum(map(Counter.total, counts.values()))
    length = in_a_byte(counts[document].total())
    score = 0.0
    for word, boost in query.items():
        if counts[document][word]:
            share = (sum(words[word] for words in counts.values()) + 1) / (total + 1)
            of_word = math.log1p(counts[document][word] / (MU * share)) + math.log(MU / (MU + length))
            score += boost * max(of_word, 0.0)
    return score


def exact_dirichlet(query: Counter[str], counts: Counts, document: str) -> float:
    """The published formula, with the exact length."""
    total = sum(map(Counter.total, counts.values()))
    score = query.total() * math.log(MU / (MU + counts[document].total()))
    for word, boost in query.items():
        if counts[document][word]:
            share = sum(words[word] for words in counts.values()) / total
            score += boost * math.log1p(counts[document][word] / (MU * share))
    return score


def bm25(query: Counter[str], counts: Counts, document: str) -> float:
    mean = sum(map(Counter.total, counts.values())) / len(counts)
    norm = K1 * (1 - B + B * in_a_byte(counts[document].total()) / mean)
    score = 0.0
    for word, boost in query.items():
        if tf := counts[document][word]:
            df = sum(word in words for words in counts.values())
            score += boost * math.log1p((len(counts) - df + 0.5) / (df + 0.5)) * tf / (tf + norm)
    return score


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weighted")
    (folder / "pages").mkdir()
    for name, parts in PAGES.items():
        page = "".join(f"<{element}>{text.strip()}</{element}>" for element, text in parts)
        (folder / "pages" / f"{name}.html").write_text(page)
    score_collection(ScorePlan(open_collection(folder / "pages"), ()), folder / "scores", Backend(workers=1))
    return folder / "scores"


@pytest.mark.parametrize(("model", "score"), [("qld", dirichlet), ("qld(exact)", exact_dirichlet), ("bm25", bm25)])
@pytest.mark.parametrize(("title", "headings"), [(1, 1), (4, 2), (7, 3)])
def test_lucenes_scores_are_those_of_weighted_counts(
    store: Path,
    tmp_path: Path,
    model: str,
    score: Callable[[Counter[str], Counts, str], float],
    title: int,
    headings: int,
) -> None:
    counts = counts_of({"title": title, "h1": headings, "h2": headings})
    treatment = parse_treatment(f"none|weights(title={title},headings={headings},anchors=0)")
    built = build_variant(store, treatment, tmp_path / "index", OPTIONS, True)
    assert built.words == sum(map(Counter.total, counts_of({}).values()))
    assert built.index.statistics.tokens == sum(map(Counter.total, counts.values()))
    assert built.index.statistics.postings == sum(map(len, counts.values()))
    lengths = {words.total() for words in counts.values()}
    assert any(in_a_byte(length) != length for length in lengths)
    with Searcher(tmp_path / "index", parse_retrieval(model)) as searcher:
        for query in QUERIES:
            words = Counter(query.split())
            matching = [name for name in counts if any(counts[name][word] for word in words)]
            expected = {name: score(words, counts, name) for name in matching}
            ids, scores = searcher.ranking.rank(query)
            assert dict(zip(ids, scores, strict=True)) == pytest.approx(expected, abs=ROUNDED)
            assert scores == sorted(scores, reverse=True)


def test_a_pruned_weighted_index_ranks_with_the_statistics_of_the_weighted_text(store: Path, tmp_path: Path) -> None:
    counts = counts_of({"title": 4, "h1": 2, "h2": 2})
    treatment = parse_treatment("none|weights(title=4,headings=2,anchors=0)|dcp@0.5")
    built = build_variant(store, treatment, tmp_path / "index", OPTIONS, True)
    total = sum(map(Counter.total, counts.values()))
    kept: Counts = {}
    for name, words in counts.items():
        gains = {}
        for word, tf in words.items():
            share = tf / words.total()
            gains[word] = share * math.log(share * total / sum(of_page[word] for of_page in counts.values()))
        best = sorted(gains, key=lambda word: -gains[word])[: math.ceil(0.5 * len(gains))]
        kept[name] = Counter({word: words[word] for word in best})
    assert built.index.statistics.postings == sum(map(len, kept.values()))
    with Searcher(tmp_path / "index", parse_retrieval("qld")) as searcher:
        for query in QUERIES:
            words = Counter(query.split())
            expected = {}
            for name, of_page in kept.items():
                there = Counter({word: boost for word, boost in words.items() if of_page[word]})
                if there:
                    expected[name] = dirichlet(there, counts, name)
            ids, scores = searcher.ranking.rank(query)
            assert dict(zip(ids, scores, strict=True)) == pytest.approx(expected, abs=ROUNDED)
