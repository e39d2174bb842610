"""CPU time of queries in Lucene and PISA, on equal postings of 200,000 generated pages, cleaned and pruned (Table 4).

Install PISA by `pip install pyterrier_pisa`, a wheel for CPython on Linux. The test environment lacks it.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from measurements import Measurement
from passages import PAGES, passages, queries, write_json_lines
from thresher import (
    IndexOptions,
    JsonFields,
    ReadOptions,
    ScorePlan,
    Searcher,
    open_collection,
    parse_retrieval,
    parse_treatment,
    score_collection,
)
from thresher.base.files import temporary_folder
from thresher.base.machine import footprint, read_machine
from thresher.base.numbers import Interval
from thresher.experiments.measuring import build_variant, power_of
from thresher.experiments.schema import CostsTable
from thresher.indexes.analysis import Analysis, analyse, text_analyzer
from thresher.indexes.lexicon import Lexicon, ShardTokenizer
from thresher.indexes.pruning.collected_postings import collected_postings
from thresher.indexes.pruning.method import kept_postings

COUNT = int(os.environ.get("ENGINES_PAGES", "200000"))
VARIANTS = ("none", "words@10", "none|dcp@0.5", "words@10|dcp@0.5")
ALGORITHMS = ("maxscore", "block_max_wand", "ranked_or")
"""PISA's query algorithms. MaxScore and block-max WAND skip documents that cannot be hits; ranked OR skips none."""
DEPTH, TOPICS, ROUNDS = 1000, 100, 7
SEARCHES = 10_000
_MENU = "\n".join(
    ("Home", "News", "Sport", "Weather", "Business", "Travel", "Culture", "About us", "Contact", "Privacy policy")
)
_FOOTER = "Copyright 2012 Example Media Ltd. All rights reserved. Terms"


def measure(pages: Path = PAGES, count: int = COUNT) -> Iterator[Measurement]:
    """Yield the milliseconds of a query, and hours, kWh and CO2 of 10,000 queries, by engine and variant.

    Each page is a text with a block on each line: a menu, paragraphs, eight teasers of other words of the page, a footer.
    BM25 ranks with each index's own statistics. Both engines get Lucene's query terms and postings. One thread searches all
    queries and hands 1,000 hits of each to Python. Engines and variants take turns. The round with the least CPU time
    counts, since other work on the machine lengthens it least.
    """
    texts = queries(pages, TOPICS)
    power = power_of(CostsTable(), read_machine())
    with temporary_folder() as folder, ExitStack() as stack:
        write_json_lines(_pages(pages, count), folder / "pages.jsonl")
        collection = open_collection(folder / "pages.jsonl", ReadOptions(fields=JsonFields(html=())))
        needed = (scorer for name in VARIANTS for scorer in parse_treatment(name).cleaner.scorers)
        scorers = tuple({scorer.canonical_name: scorer for scorer in needed}.values())
        score_collection(ScorePlan(collection, scorers), folder / "scores")
        searches: dict[str, Callable[[], object]] = {}
        sizes: dict[str, int] = {}
        for name in VARIANTS:
            place = folder / f"variant-{VARIANTS.index(name)}"
            built = build_variant(folder / "scores", parse_treatment(name), place, IndexOptions(), False)
            searcher = stack.enter_context(Searcher(place, parse_retrieval("bm25"), DEPTH))
            searches[f"Lucene, {name}"] = lambda searcher=searcher: [searcher.search(text) for text in texts]
            sizes[f"Lucene, {name}"] = built.index.bytes
            index, size = _pisa(folder, name, place.with_suffix(".pisa"))
            for algorithm in ALGORITHMS:
                searches[f"PISA {algorithm}, {name}"] = _searches(index, algorithm, texts)
                sizes[f"PISA {algorithm}, {name}"] = size
            print(f"{name}: {built.index.statistics.postings:,} postings", file=sys.stderr, flush=True)
        seconds = dict.fromkeys(searches, float("inf"))
        for _ in range(ROUNDS):
            for label, search in searches.items():
                began = time.process_time()
                search()
                seconds[label] = min(seconds[label], time.process_time() - began)
    for label, each in seconds.items():
        engine, _, name = label.partition(", ")
        query = Interval(*(SEARCHES * each / len(texts) for _ in range(3)))
        work = footprint(f"{SEARCHES:,} searches", query, power, 1)
        spent = f", {work.kwh.value:.6f} kWh, {work.kg.value:.6f} kg CO2" if work.kwh and work.kg else ""
        share = each / seconds[f"{engine}, {VARIANTS[0]}"]
        outcome = (
            f"{1000 * each / len(texts):.3f} ms of CPU a query, {share:.3f} of the baseline's; {SEARCHES:,} searches: "
            f"{work.hours.value:.5f} h{spent}; index {sizes[label] / 1e6:.1f} MB"
        )
        yield Measurement(label, outcome)


def _pages(pages: Path, count: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(23)
    for identifier, text in passages(pages, count):
        words, lines, begin = text.split(), [_MENU], 0
        while begin < len(words):
            end = begin + chance.randint(15, 80)
            lines.append(" ".join(words[begin:end]))
            begin = end
        lines += [" ".join(words[at : at + 5]) for at in (chance.randrange(len(words)) for _ in range(8))]
        yield identifier, "\n".join((*lines, _FOOTER))


def _pisa(folder: Path, name: str, place: Path) -> tuple[Any, int]:
    """Return PISA's index of a variant's postings, and its bytes without the files that only building needs."""
    from pyterrier_pisa import PisaIndex

    treatment = parse_treatment(name)
    lexicon = Lexicon(Analysis(), texts=True)
    with collected_postings(
        folder / "scores", treatment.cleaner, ShardTokenizer(lexicon), folder / "postings"
    ) as postings:
        text_of = lexicon.text_of or {}
        terms = [text_of[value] for value in postings.statistics.hashes.tolist()]

        def documents() -> Iterator[dict[str, Any]]:
            method = treatment.pruning and treatment.pruning.method
            fitted = method and method.fit(postings)
            for block in postings.blocks():
                stays = np.ones(len(block.term), dtype=np.bool_)
                if method and treatment.pruning:
                    scores = method.scores(block, postings.statistics, fitted)
                    stays = kept_postings(method, scores, treatment.pruning.threshold)
                for row, document in enumerate(block.ids):
                    inside = slice(block.bounds[row], block.bounds[row + 1])
                    remaining = stays[inside]
                    pairs = zip(
                        block.term[inside][remaining].tolist(), block.tf[inside][remaining].tolist(), strict=True
                    )
                    yield {"docno": document, "toks": {terms[term]: tf for term, tf in pairs}}

        PisaIndex(str(place), stemmer="none", stops="none").toks_indexer(scale=1.0).index(documents())
    index = PisaIndex(str(place), stemmer="none", stops="none", threads=1)
    _searches(index, ALGORITHMS[0], ["rain"])()  # The first search writes the encoded index.
    return index, sum(
        path.stat().st_size for path in place.iterdir() if not path.name.startswith(("inv.", "fwd.terms"))
    )


def _searches(index: Any, algorithm: str, texts: Sequence[str]) -> Callable[[], object]:
    import pandas as pd

    retriever = index.bm25(k1=0.9, b=0.4, num_results=DEPTH, threads=1, query_algorithm=algorithm, toks_scale=1.0)
    analyzer = text_analyzer(Analysis())
    tokens = [dict.fromkeys(analyse(analyzer, text), 1.0) for text in texts]
    frame = pd.DataFrame({"qid": [*map(str, range(len(texts)))], "query_toks": tokens})
    return lambda: retriever(frame)
