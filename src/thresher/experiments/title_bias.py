"""Title bias: how many relevant pages have all words of their topic in title or headings.

Where many have, an index of keywords is enough, and cleaners that keep titles and headings look better than they clean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from thresher.evaluation import Topic
from thresher.experiments.inputs import TopicSet
from thresher.lucene.analysis import analyse_each, english_analyzer
from thresher.lucene.indexing import IndexOptions
from thresher.pages.parsing import TITLE_LEVEL
from thresher.results.experiment_results import TitleBias
from thresher.scoring.store import FAILED, list_column, read_shard, shards


def title_bias(store: Path, topics: TopicSet, options: IndexOptions) -> TitleBias:
    """Count the relevant pages of a store that have all words of their topic in the title, and in title or headings.

    A page counts once for each topic that it is relevant for, that is, judged with a grade above 0. Words are compared after
    the index's analysis. Topics of which this leaves no word, and pages that failed, count nowhere.

    Args:
        store: the scored collection.
        topics: those with a judgment count.
        options: of the index.

    Raises:
        StateError: if a shard is damaged.
    """
    analyzer = english_analyzer(options.stemmer, options.stopwords)
    words = _words_by_topic(analyzer, {topic: topics.topics[topic] for topic in topics.ids})
    wanted: dict[str, list[frozenset[str]]] = {}
    for topic, of_topic in words.items():
        for document, grade in topics.qrels[topic].items():
            if grade > 0:
                wanted.setdefault(document, []).append(of_topic)
    relevant = in_title = in_headings = 0
    for path in shards(store):
        pages = [*_titles(path, wanted)]
        tokens, counts = analyse_each(analyzer, [text for _, *texts in pages for text in texts])
        ends = np.cumsum([0, *counts]).tolist()
        found = [frozenset(tokens[begin:end]) for begin, end in pairwise(ends)]
        for (document, *_), title, headings in zip(pages, found[::2], found[1::2], strict=True):
            for of_topic in wanted[document]:
                relevant += 1
                in_title += of_topic <= title
                in_headings += of_topic <= title | headings
    return TitleBias(relevant, in_title, in_headings)


def _words_by_topic(analyzer: Any, topics: Mapping[str, Topic]) -> dict[str, frozenset[str]]:
    tokens, counts = analyse_each(analyzer, [topic.query for topic in topics.values()])
    ends = np.cumsum([0, *counts]).tolist()
    words = {topic: frozenset(tokens[begin:end]) for topic, (begin, end) in zip(topics, pairwise(ends), strict=True)}
    return {topic: of_topic for topic, of_topic in words.items() if of_topic}


def _titles(path: Path, wanted: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the id, the title and the headings of a shard's pages among `wanted`."""
    table = read_shard(path, ["id", "status", "text", "levels"]).combine_chunks()
    if not len(table):
        return
    offsets, levels = list_column(table, "levels")
    texts = table["text"]
    for row, (document, status) in enumerate(zip(table["id"].to_pylist(), table["status"].to_pylist(), strict=True)):
        if document not in wanted or status == FAILED:
            continue
        # Blocks are joined by line feeds.
        blocks = [*zip(texts[row].as_py().split("\n"), levels[offsets[row] : offsets[row + 1]].tolist(), strict=False)]
        title = "\n".join(block for block, level in blocks if level == TITLE_LEVEL)
        headings = "\n".join(block for block, level in blocks if 0 < level < TITLE_LEVEL)
        yield document, title, headings
