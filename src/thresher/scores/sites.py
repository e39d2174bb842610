"""Scores that need all pages of a collection: by text that repeats on their sites; and site files.

A site file lies beside each shard, in the folder `sites`, with the same pages. Its columns: `own_title`, the title without the
parts that repeat on the site, empty for pages without a title; `anchor_texts`, a line each, the heaviest first, and their
`anchor_weights`, as of `thresher.scores.anchors`; none if the store has no links.

After the pass the texts of all pages are counted, then shards are written anew. Each is replaced at once, and equal
texts give equal bytes: after a kill the same command counts again and writes identical files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.files import atomic_path, temporary_folder
from thresher.base.hash_counts import HashCounts
from thresher.base.processes import Backend, run_tasks
from thresher.base.records import RecordFile
from thresher.base.repeats import Times, measure_times
from thresher.base.tables import Column, Lists, Table, Texts, write_table
from thresher.cleaners.scorer import Scorer
from thresher.cleaners.site_scorer import SiteScorer
from thresher.scores import store as stores
from thresher.scores.anchors import NO_ANCHORS, AnchorPart, Anchors, LinkReport, anchors_of, gather_links
from thresher.scores.site_texts import COLUMNS, BlockCounts, block_counts, count_texts, own_titles, read_shard_texts

SITES = "sites"
"""The folder of site files in a store."""
_WHAT = "comparing pages"
_REPORT = "links.json"
_REPORT_FILE = RecordFile(LinkReport, "a report on links", "run the same command again", indent=2)


class _ShardGroup(NamedTuple):
    """Shards to be written together: their files, and the links to their pages, if gathered."""

    shards: Sequence[Path]
    anchors: AnchorPart | None = None


@dataclass(frozen=True)
class _Comparison:
    """The comparison of shards, once the texts of all shards are counted.

    Attributes:
        counts: the folder of the counts.
        scorers: the scorers of a shard's blocks.
        sites: whether to write a shard's site file.
    """

    counts: Path
    scorers: Sequence[SiteScorer]
    sites: bool

    def write(self, group: _ShardGroup) -> Times:
        """Write the scores and site files of a group of shards; return the cost."""
        with measure_times() as watch:
            anchors: dict[int, Anchors] = {}
            begins: Sequence[int] = [0] * len(group.shards)
            if group.anchors is not None:
                anchors = anchors_of(group.anchors)
                begins = group.anchors.begins[:-1]
            for path, begin in zip(group.shards, begins, strict=True):
                pages = range(begin, begin + stores.read_report(path).documents)
                self._write_shard(path, [anchors.get(page, NO_ANCHORS) for page in pages])
        return watch.times

    def _write_shard(self, path: Path, anchors: Sequence[Anchors]) -> None:
        counts = HashCounts(self.counts)
        texts = read_shard_texts(self.counts, path)
        if self.scorers:
            table = stores.read_shard(path)
            self._write_scores(path, table, block_counts(texts, counts))
        else:
            table = stores.read_shard(path, COLUMNS)
        if self.sites:
            _write_site(path, own_titles(table, texts, counts), anchors)

    def _write_scores(self, path: Path, table: Table, blocks: BlockCounts) -> None:
        """Write a shard again with the scores of its blocks."""
        columns: dict[str, Column] = dict(table.columns)
        for scorer in self.scorers:
            scores = scorer.score_counts(blocks.pages, blocks.site_pages)
            columns[f"score:{scorer.canonical_name}"] = Lists(scores, table.lists("levels").offsets)
        stores.write_columns(path, Table(columns), stores.read_report(path))


def _write_site(path: Path, titles: Sequence[str], anchors: Sequence[Anchors]) -> None:
    """Write the site file of a shard: by page, its own title and its anchors."""
    anchor_texts: list[str] = []
    anchor_weights: list[npt.NDArray[np.float32]] = []
    for page in anchors:
        anchor_texts.append("\n".join(page.texts))
        anchor_weights.append(page.weights)
    columns: dict[str, Column] = {
        "own_title": Texts.of(titles),
        "anchor_texts": Texts.of(anchor_texts),
        "anchor_weights": Lists.of(anchor_weights, np.float32),
    }
    with atomic_path(site_path(path)) as temporary:
        write_table(temporary, Table(columns), "")


def compare_pages(store: Path, scorers: Sequence[Scorer], sites: bool, backend: Backend) -> stores.ScoringCost:
    """Write the scores of site scorers and the site files into a store whose pages are scored; return the cost.

    The cost of site files is that of `SITES`.
    """
    by_text: dict[str, list[SiteScorer]] = {}
    if sites:
        by_text[""] = []
    for scorer in scorers:
        if isinstance(scorer, SiteScorer):
            by_text.setdefault(scorer.input_name, []).append(scorer)
    if not by_text or not stores.written_shards(store):
        return stores.NO_COST
    times = Times(0.0, 0.0, 0.0)
    seconds: dict[str, float] = {}
    for text, site_scorers in by_text.items():
        with_files = sites and not text
        spent = _compare(stores.text_store(store, text), site_scorers, with_files, backend)
        times += spent
        names = [scorer.canonical_name for scorer in site_scorers]
        if with_files:
            names.append(SITES)
        for name in names:
            # Each alone would need the counts; other workers wait for them.
            seconds[name] = spent.wall * backend.workers
    return stores.ScoringCost(seconds, times)


def write_sites(store: Path, backend: Backend | None = None) -> None:
    """Write the site files of a finished store, with anchors if it has links."""
    compare_pages(store, (), True, backend or Backend())


def _compare(store: Path, scorers: Sequence[SiteScorer], sites: bool, backend: Backend) -> Times:
    begin = perf_counter()
    paths = stores.shards(store)
    groups = [_ShardGroup([path]) for path in paths]
    with temporary_folder(store) as scratch:
        with measure_times() as watch:
            counts = count_texts(store, scratch / "counts")
            if sites and stores.LINKS in stores.column_names(paths[0]):
                gathered = gather_links(store, scratch / "links")
                groups = [_ShardGroup(part.shards, part) for part in gathered.parts]
                _REPORT_FILE.write(store / SITES / _REPORT, gathered.report)
        times = watch.times
        comparison = _Comparison(counts.folder, scorers, sites)
        tasks = [(group,) for group in groups]
        for spent in run_tasks(backend, comparison.write, tasks, _WHAT, str(store)):
            times += spent
    return replace(times, wall=perf_counter() - begin)


def read_link_report(store: Path) -> LinkReport | None:
    """Return the report on the links of a store; None if it has no site files with links."""
    return _REPORT_FILE.find(store / SITES / _REPORT)


def site_path(shard: Path) -> Path:
    """Return the site file of a shard."""
    return shard.parent / SITES / shard.name


def read_site_shard(shard: Path) -> Table:
    """Read the site file of a shard."""
    return stores.read_shard(site_path(shard))
