"""The properties of an experiment's indexes that estimate their bytes, together with their counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored
from thresher.indexes.analysis import text_analyzer, tokens_of_each
from thresher.indexes.size_estimates import NEARLY_ALL, IndexContents, own_letters
from thresher.scores.store import read_shard, shards

_SAMPLED = 200
"""About this many pages are sampled to estimate the letters of a term."""


def index_contents(experiment: Experiment, scored: Scored) -> IndexContents:
    """Return the contents of the experiment's indexes, for estimating bytes."""
    index = experiment.index
    store = scored.store
    ids: list[str] = []
    for path in shards(store):
        ids += read_shard(path, ["id"]).texts("id").tolist()
    sample = _sample(store, len(ids), text_analyzer(index.analysis))
    return IndexContents(
        id_bytes=sum(len(identifier.encode()) for identifier in ids) / max(len(ids), 1),
        id_letters=own_letters(ids),
        term_letters=own_letters(sample.df),
        common_terms=sample.common_terms,
        sample_terms=len(sample.df),
        options=index,
        original_statistics=experiment.pruning.original_statistics,
    )


@dataclass(frozen=True)
class _Sample:
    """The pages of a sample with a term, and the df of each term in it."""

    pages: int
    df: Counter[str]

    @property
    def common_terms(self) -> float:
        """The mean number of a page's terms that nearly all pages of the sample have."""
        occurrences = 0
        for pages in self.df.values():
            if pages >= NEARLY_ALL * self.pages:
                occurrences += pages
        return occurrences / max(self.pages, 1)


def _sample(store: Path, documents: int, analyzer: Any) -> _Sample:
    """Return the terms of evenly spread pages of a store."""
    step = max(1, documents // _SAMPLED)
    pages = 0
    df = Counter[str]()
    begin = 0
    for path in shards(store):
        texts = read_shard(path, ["text"]).texts("text").tolist()
        # The first page of this shard whose number in the store is a multiple of the step.
        first = -begin % step
        for tokens in tokens_of_each(analyzer, texts[first::step]):
            if tokens:
                pages += 1
            df.update(set(tokens))
        begin += len(texts)
    return _Sample(pages, df)
