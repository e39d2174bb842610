"""The time of searching against Anserini's SimpleSearcher: one index, equal queries, 1,000 hits, one query at a time."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from measurements import Measurement, interleaved, ratio
from passages import passages, queries
from thresher import IndexOptions, Searcher, build_index, parse_retrieval
from thresher.indexes.jvm import java_class

BAR = 1.1
DEPTH = 1000


def measure(pages: Path, documents: int = 20_000, topics: int = 50, rounds: int = 6) -> list[Measurement]:
    """Return the ratios of the seconds for all queries.

    pyjnius reads SimpleSearcher's ids and scores. SimpleSearcher lacks `qld(exact)`, so its `qld` stands against that.
    """
    texts = queries(pages, topics)
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "index"
        build_index(passages(pages, documents), folder, IndexOptions(lengths=True))
        java = java_class("io.anserini.search.SimpleSearcher")(str(folder))
        for model in ("qld", "bm25", "qld(exact)"):
            if model == "bm25":
                java.set_bm25(0.9, 0.4)
            else:
                java.set_qld(2000.0)
            with Searcher(folder, parse_retrieval(model), DEPTH) as searcher:
                best = interleaved(
                    {
                        "read": lambda: [_read(java, text) for text in texts],
                        "ours": lambda searcher=searcher: [searcher.search(text) for text in texts],
                    },
                    rounds,
                )
            bar = None if model == "qld(exact)" else BAR
            label = f"{model}, {topics} queries / SimpleSearcher and its hits"
            results.append(ratio(label, best["ours"], best["read"], bar))
        java.close()
    return results


def _read(java: Any, text: str) -> list[tuple[str, float]]:
    return [(hit.docid, hit.score) for hit in java.search(text, DEPTH)]
