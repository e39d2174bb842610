"""PyTerrier's transformers and indexers: documents cleaned, indexed by Lucene, pruned if asked for, and searched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from thresher.api import clean_pages, index_json_lines, search
from thresher.base.defaults import DEFAULT_CLEANER, DEPTH, RETRIEVAL_MODEL
from thresher.base.files import temporary_folder


class ThresherCleaner(pt.Transformer):
    """Sets `text` of documents to the cleaned text of their HTML in the column `source`."""

    def __init__(self, cleaner: str = DEFAULT_CLEANER, source: str = "html") -> None:
        self.cleaner = cleaner
        self.source = source

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows, which have `source`, with their text; none where the page is missing."""
        return inp.assign(text=[document.text for document in clean_pages(inp[self.source], self.cleaner)])


class ThresherRetriever(pt.Transformer):
    """Searches an index that Thresher made, by a retrieval model such as `bm25(k1=0.9,b=0.4)`."""

    def __init__(self, folder: str | Path, model: str = RETRIEVAL_MODEL, depth: int = DEPTH) -> None:
        self.folder = folder
        self.model = model
        self.depth = depth

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the hits of the rows' `query` by `qid`, with `docno`, `score` and `rank` from 0."""
        rows = inp.astype({"qid": str})
        topics = dict(zip(rows["qid"], rows["query"], strict=True))
        hits: list[tuple[str, str, float, int]] = []
        for topic, scores in search(self.folder, topics, self.model, self.depth).items():
            for rank, (document, score) in enumerate(scores.items()):
                hits.append((topic, document, score, rank))
        return rows.merge(pd.DataFrame(hits, columns=["qid", "docno", "score", "rank"]), on="qid")


class ThresherIndexer(pt.Indexer):
    """Indexes `text` by `docno` into a folder, with options of `thresher.index_json_lines`, such as
    `prune="dcp@0.5"`.
    """

    def __init__(self, folder: str | Path, **options: Any) -> None:
        self.folder = folder
        self.options = options

    def index(self, iter: Iterable[Mapping[str, Any]], **_: Any) -> ThresherRetriever:
        """Index documents and return a retriever for them."""
        with temporary_folder() as folder:
            with (folder / "texts.jsonl").open("w", encoding="utf-8") as out:
                for document in iter:
                    line = json.dumps({"id": document["docno"], "contents": document["text"]})
                    out.write(f"{line}\n")
            index_json_lines(folder / "texts.jsonl", self.folder, **self.options)
        return ThresherRetriever(self.folder)
