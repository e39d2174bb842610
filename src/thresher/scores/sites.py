"""What only a collection tells of its pages: scores by what repeats on their sites, and site files.

A site file lies beside each shard, in the folder `sites`, with the same pages. Its columns: `own_title`, the title without the
parts that repeat on the site; empty for pages without a title.

After the pass the texts of all pages are counted, then shards are written anew. Each is replaced at once, and equal texts give
equal bytes: after a kill the same command counts again and writes the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from thresher.base.files import atomic_path, temporary_folder
from thresher.base.hash_counts import HashCounts
from thresher.base.processes import Backend, run_tasks
from thresher.base.repeats import Times, measure_times
from thresher.base.tables import Column, Lists, Table, Texts, write_table
from thresher.cleaners.scorer import Scorer
from thresher.cleaners.site_scorer import SiteScorer
from thresher.scores import store as stores
from thresher.scores.site_texts import COLUMNS, block_counts, count_texts, own_titles

SITES = "sites"
"""The folder of site files in a store."""
_WHAT = "comparing pages"


def score_sites(store: Path, scorers: Sequence[Scorer], backend: Backend) -> stores.ScoringCost:
    """Write the scores of all site scorers into the shards of a store whose pages are scored; return what it cost."""
    by_text: dict[str, list[SiteScorer]] = {}
    for scorer in scorers:
        if isinstance(scorer, SiteScorer):
            by_text.setdefault(scorer.input_name, []).append(scorer)
    if not by_text:
        return stores.NO_COST
    times = Times(0.0, 0.0, 0.0)
    seconds: dict[str, float] = {}
    for text, site_scorers in by_text.items():
        spent = _score_text(stores.text_store(store, text), tuple(site_scorers), backend)
        times += spent
        for scorer in site_scorers:
            # Each alone would need the counts; other workers wait for them.
            seconds[scorer.canonical_name] = spent.wall * backend.workers
    return stores.ScoringCost(seconds, times)


def _score_text(store: Path, scorers: tuple[SiteScorer, ...], backend: Backend) -> Times:
    begin = perf_counter()
    with temporary_folder(store) as scratch:
        with measure_times() as watch:
            counts = count_texts(store, scratch / "counts")
        times = watch.times
        tasks = [(path, counts.folder, scorers) for path in stores.written_shards(store)]
        for spent in run_tasks(backend, _score_shard, tasks, _WHAT, str(store)):
            times += spent
    return replace(times, wall=perf_counter() - begin)


def _score_shard(path: Path, counts: Path, scorers: Sequence[SiteScorer]) -> Times:
    with measure_times() as watch:
        table = stores.read_shard(path)
        if len(table):
            blocks = block_counts(table, HashCounts(counts))
            columns: dict[str, Column] = dict(table.columns)
            for scorer in scorers:
                scores = scorer.score_counts(blocks.pages, blocks.site_pages)
                columns[f"score:{scorer.canonical_name}"] = Lists(scores, table.lists("levels").offsets)
            stores.write_columns(path, Table(columns), stores.read_report(path))
    return watch.times


def write_sites(store: Path, backend: Backend | None = None) -> None:
    """Write the site files of a finished store."""
    with temporary_folder(store) as scratch:
        counts = count_texts(store, scratch / "counts")
        tasks = [(path, counts.folder) for path in stores.shards(store)]
        for _ in run_tasks(backend or Backend(), _write_site_file, tasks, _WHAT, str(store)):
            pass


def _write_site_file(path: Path, counts: Path) -> None:
    table = stores.read_shard(path, COLUMNS)
    columns = {"own_title": Texts.of(own_titles(table, HashCounts(counts)) if len(table) else [])}
    with atomic_path(site_path(path)) as temporary:
        write_table(temporary, Table(columns), "")


def site_path(shard: Path) -> Path:
    """Return the site file of a shard."""
    return shard.parent / SITES / shard.name


def read_site_shard(shard: Path) -> Table:
    """Read the site file of a shard."""
    return stores.read_shard(site_path(shard))
