"""Building an index from lists of terms, half of the postings removed, against building it from texts; and searching it with
original statistics against its own."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pyarrow as pa
from measurements import Measurement, interleaved, ratio
from passages import passages, queries

from thresher.lucene.analysis import analyse, english_analyzer
from thresher.lucene.exact import ExactRanking
from thresher.lucene.indexing import IndexOptions, build_index
from thresher.lucene.pruned_index import PrunedDocument, build_pruned_index
from thresher.lucene.retrieval import parse_retrieval
from thresher.lucene.searching import LuceneRanking, Searcher
from thresher.lucene.term_lists import term_list

BUILD_BAR, SEARCH_BAR = 1.5, 1.1
_OPTIONS = IndexOptions()


def measure(pages: Path, documents: int = 20_000, topics: int = 50, rounds: int = 6) -> list[Measurement]:
    """Return the ratios of the seconds for building, terms being known, and for all queries."""
    texts = list(passages(pages, documents))
    pruned, own, changed = _half(texts)
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        best = interleaved(
            {
                "texts": lambda: build_index(texts, folder / "texts", _OPTIONS),
                "original": lambda: build_pruned_index(pruned, folder / "original", _OPTIONS, changed),
                "pruned": lambda: build_pruned_index(own, folder / "pruned", _OPTIONS, None),
            },
            rounds,
        )
        label = f"indexing half of the postings of {documents:,} documents / their texts"
        results = [ratio(f"{label}, {name}", best[name], best["texts"], BUILD_BAR) for name in ("original", "pruned")]
        wanted = queries(pages, topics)
        for model in ("qld", "bm25"):
            rankings = {
                name: stack.enter_context(Searcher(folder / name, parse_retrieval(model))).ranking
                for name in ("original", "pruned")
            }
            best = interleaved(
                {name: partial(_search, ranking, wanted) for name, ranking in rankings.items()}, 4 * rounds
            )
            label = f"{model}, {topics} queries with original statistics / the pruned index's own"
            results.append(ratio(label, best["original"], best["pruned"], SEARCH_BAR))
    return results


def _search(ranking: LuceneRanking | ExactRanking, wanted: Sequence[str]) -> None:
    for query in wanted:
        ranking.search(query)
        ranking.forget()


def _half(texts: Sequence[tuple[str, str]]) -> tuple[list[PrunedDocument], list[PrunedDocument], pa.Table]:
    """Return a random half of each document's terms, with what was removed and without, and what terms lost."""
    analyzer, chance = english_analyzer("porter", True), random.Random(22)
    pruned, own = [], []
    df: Counter[str] = Counter()
    cf: Counter[str] = Counter()
    for identifier, text in texts:
        counts = Counter(analyse(analyzer, text))
        lost = {word: tf for word, tf in counts.items() if chance.random() < 0.5}
        kept = term_list((word, tf) for word, tf in counts.items() if word not in lost)
        removed = sum(lost.values())
        pruned.append(PrunedDocument(identifier, kept, removed, counts.total()))
        own.append(PrunedDocument(identifier, kept, 0, counts.total() - removed))
        df.update(lost.keys())
        cf.update(lost)
    return pruned, own, pa.table({"term": list(df), "df": list(df.values()), "cf": [cf[word] for word in df]})
