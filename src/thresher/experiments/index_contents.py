"""What an experiment's indexes hold beside their counts, by which their bytes are estimated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored
from thresher.indexes.analysis import text_analyzer, tokens_of_each
from thresher.indexes.size_estimates import IndexContents, own_letters
from thresher.scores.store import read_shard, shards

_SAMPLED = 200
"""About as many pages tell the letters of a term."""


def index_contents(experiment: Experiment, scored: Scored) -> IndexContents:
    """Return what the experiment's indexes hold beside their terms."""
    index, store = experiment.index, scored.store
    ids: list[str] = []
    for path in shards(store):
        ids += read_shard(path, ["id"]).texts("id").tolist()
    terms = _terms_of_sample(store, len(ids), text_analyzer(index.analysis))
    return IndexContents(
        id_bytes=sum(len(identifier.encode()) for identifier in ids) / max(len(ids), 1),
        id_letters=own_letters(ids),
        term_letters=own_letters(terms),
        sample_terms=len(terms),
        options=index,
        original_statistics=experiment.pruning.original_statistics,
    )


def _terms_of_sample(store: Path, documents: int, analyzer: Any) -> set[str]:
    """Return the different terms of evenly spread pages of a store."""
    step = max(1, documents // _SAMPLED)
    terms: set[str] = set()
    begin = 0
    for path in shards(store):
        texts = read_shard(path, ["text"]).texts("text").tolist()
        for tokens in tokens_of_each(analyzer, texts[-begin % step :: step]):
            terms.update(tokens)
        begin += len(texts)
    return terms
