"""Advice for a crawl without judgments: a sample of its pages, topics from them, an exploration, and what follows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from string import Template

import numpy as np
import pyarrow as pa

from thresher.choosing.advice import (
    ADVICE,
    ADVICE_FILE,
    Advice,
    Finding,
    LookAt,
    Removed,
    expected_change,
    relative_change,
)
from thresher.collections import open_collection
from thresher.costs.repeats import Interval
from thresher.defaults import DEFAULT_INDEX, LEFT_OUT
from thresher.errors import InputError, StateError
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.significance import ratio_interval
from thresher.experiments.chooser import choose_experiment, treatment_commands
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.explorer import explore_experiment
from thresher.experiments.inputs import check_apart
from thresher.experiments.schema import (
    CollectionTable,
    Document,
    ExperimentTable,
    QrelsTable,
    TopicsTable,
    read_options,
)
from thresher.files import read_text, write_text
from thresher.passes.backends import Backend
from thresher.passes.parts import Limits
from thresher.pruning_methods.treatments import parse_treatment
from thresher.pseudo_topics.extracting import page_address
from thresher.pseudo_topics.link_tables import Store, Truths
from thresher.pseudo_topics.making import (
    QRELS_FILE,
    SOURCES,
    TOPICS_FILE,
    Made,
    PseudoOptions,
    PseudoTopic,
    by_page,
    choose,
    extracted,
    write_topics,
)
from thresher.pseudo_topics.sampling import PAGES, STRIPPED, sample_by_site, write_sample
from thresher.reports import write_report
from thresher.scorers.cleaners import BASELINE, Cleaner
from thresher.scoring.block_kinds import KINDS, BlockKind
from thresher.scoring.cutting import shard_columns, shard_layout, shard_mask
from thresher.scoring.percentiles import resolved
from thresher.scoring.removed import explained_pages
from thresher.scoring.store import list_column, read_shard, shards
from thresher.variants.results import Results
from thresher.variants.table import Floats, Ints

SAMPLE, EACH = 20_000, 200
"""The most pages that are looked at, and topics of each source."""
MADE, ASKED, QUERIES = "made", "asked", "queries"
"""The experiments with made topics and with the user's queries, and the name of the latter as a source."""
_LOOK = 5
_PASSAGE = 200
_CONTENT = [KINDS.index(kind) for kind in (BlockKind.TEXT, BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE)]


@dataclass(frozen=True)
class Crawl:
    """Pages to advise on.

    Args:
        collection: where they are, and how they are read.
        queries: a file with a query, a tab and its page, an id or a URL, on each line; None without.
        sample: the most pages that are looked at; those of queries are always among them.
        backend: the workers.
    """

    collection: CollectionTable
    queries: Path | None = None
    sample: int = SAMPLE
    backend: Backend = field(default_factory=Backend)


def advise_on(crawl: Crawl, folder: Path, say: Callable[[str], None] = lambda _: None) -> Advice:
    """Advise which cleaner and pruning to use for a crawl, and write all that this rests on into a folder.

    Queries that are enough for a verdict decide alone, as `thresher choose` does. Else the advice is the default setting, and
    topics made from the pages are asked what they lose by it. The folder gets `advice.json`, `report.html`, the sampled pages,
    topics with qrels, and experiment files with results. It must be new, empty, or written by this function.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / ADVICE_FILE).exists():
        raise StateError("it holds other things than an advice", "name a new folder with -o", str(folder))
    taken = _take(crawl, folder, say)
    decide = len(taken.asked) >= MINIMUM
    made = asked = choice = None
    if taken.topics and not decide:
        made = explore_experiment(_experiment(crawl, folder, MADE, STRIPPED), folder, True, say)
    if taken.asked:
        experiment = _experiment(crawl, folder, ASKED, PAGES)
        asked = explore_experiment(experiment, folder, True, say)
        choice = choose_experiment(experiment, folder, say=say) if decide else None
    results = asked or made
    if results is None:
        fix = "give queries with their pages: --queries"
        raise InputError("no topic can be made of its pages", fix, crawl.collection.path)
    first = choice.models[0].first if choice else None
    variant = DEFAULT_INDEX if choice is None else first.variant if first else BASELINE
    treatment, table = parse_treatment(variant), results.table()
    found = [*_findings(made, variant, taken.topics)] if made else []
    found += _findings(asked, variant, taken.asked) if asked else []
    blocks, kinds, look, kept = _removed(folder / results.facts.experiment / "scores", treatment.cleaner)
    share = float(table.shares[table.position[variant]])
    errors = (kept.low / kept.value, kept.high / kept.value) if taken.sampled < taken.pages else (1.0, 1.0)
    document = Document(ExperimentTable("advice"), crawl.collection, TopicsTable(""), QrelsTable(""))
    advice = Advice(
        title=results.facts.title,
        pages=taken.pages,
        sites=taken.sites,
        sampled=taken.sampled,
        by_queries=decide,
        variant=variant,
        size=Interval(share, share * errors[0], share * errors[1]),
        measure=table.main,
        change=found[-1].change if decide else expected_change([*LEFT_OUT.values()]),
        elsewhere={} if decide else LEFT_OUT,
        findings=tuple(found),
        blocks=blocks,
        kinds=kinds,
        look=look,
        commands=treatment_commands(document, crawl.collection.path, treatment) if variant != BASELINE else (),
    )
    ADVICE.write(folder / ADVICE_FILE, advice)
    write_report(folder, results, choice, advice=advice)
    return advice


@dataclass(frozen=True)
class _Taken:
    """The number of pages and sites, the sampled pages, and the topics: made ones, and the user's."""

    pages: int
    sites: int
    sampled: int
    topics: tuple[PseudoTopic, ...]
    asked: tuple[PseudoTopic, ...]


def _take(crawl: Crawl, folder: Path, say: Callable[[str], None]) -> _Taken:
    """Sample pages, make topics of them, and write both."""
    table, reading = crawl.collection, read_options(crawl.collection)
    source, limits = Path(table.path), Limits(table.page_seconds, table.max_page_mib)
    options, collection = PseudoOptions(topics=EACH), open_collection(source, reading, table.format)
    check_apart(folder, collection)
    say(f"reading {source}")
    with extracted(source, folder, options, table.format, reading, limits, crawl.backend) as store:
        asked, always = _asked(crawl.queries, store) if crawl.queries else ([], None)
        mask = sample_by_site(store, crawl.sample, always)
        each = [choose(store, replace(options, sources=(origin,)), mask) for origin in SOURCES]
        ids = {ids[row] for start, ids in store.column("id") for row in np.flatnonzero(mask[start : start + len(ids)])}
        found = int(store.good.sum()), len(np.unique(store.sites[store.good]))
    made = tuple(topic for one in each for topic in one.topics)
    say(f"writing {len(ids):,} pages")
    write_sample(collection, ids, by_page(made), folder)
    for name, topics in ((MADE, made), (ASKED, tuple(asked))):
        write_topics(Made(topics, {}), folder / "topics" / name)
    return _Taken(*found, len(ids), made, tuple(asked))


def _asked(file: Path, store: Store) -> tuple[list[PseudoTopic], Truths]:
    """Return the queries of a file that have a page of the collection, each once, with all its pages; and a mask of these."""
    answers: dict[str, set[str | int]] = {}
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        query, page = (" ".join(field.split()) for field in (*line.split("\t"), "")[:2])
        if line.strip() and not (query and page):
            fix = "write behind each query a tab and the id or URL of a page that answers it"
            raise InputError("the line is not a query with its page", fix, f"{file}:{number}")
        if page:
            address = page_address(page, None)
            answers.setdefault(query, set()).add(address.key if address else page)
    wanted = set().union(*answers.values())
    known: dict[str | int, set[str]] = {}
    mask = np.zeros(len(store.good), dtype=np.bool_)
    for start, ids in store.column("id"):
        for row in np.flatnonzero(store.good[start : start + len(ids)]).tolist():
            for name in wanted & {ids[row], int(store.keys[start + row])}:
                known.setdefault(name, set()).add(ids[row])
                mask[start + row] = True
    found = {query: sorted(set().union(*(known.get(page, ()) for page in of))) for query, of in answers.items()}
    topics = [
        PseudoTopic(f"query-{at}", query, QUERIES, tuple(of)) for at, (query, of) in enumerate(found.items(), 1) if of
    ]
    if not topics:
        raise InputError("none of its pages is in the collection", "name pages by their ids or URLs", str(file))
    return topics, mask


def _experiment(crawl: Crawl, folder: Path, name: str, pages: str) -> Experiment:
    """Write the experiment file for a set of topics, and read it as any other."""
    values = {
        "name": name,
        "title": f"Advice for {Path(crawl.collection.path).name}",
        "pages": pages,
        "topics": f"topics/{name}/{TOPICS_FILE}",
        "qrels": f"topics/{name}/{QRELS_FILE}",
    }
    quoted = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}
    template = files("thresher.experiments").joinpath("advising.toml").read_text(encoding="utf-8")
    write_text(folder / f"{name}.toml", Template(template).substitute(quoted))
    loaded, backend = load_experiment(folder / f"{name}.toml"), crawl.backend
    return replace(loaded, backend=backend.name, workers=backend.workers, scheduler=backend.scheduler)


def _findings(results: Results, variant: str, topics: Sequence[PseudoTopic]) -> Iterator[Finding]:
    """Yield what each source's topics say of a variant."""
    table = results.table()
    values = table.of(table.main)[[table.position[variant], 0]]
    of = {topic.id: topic.source for topic in topics}
    for source in dict.fromkeys(of.values()):
        after, before = values[:, [of[topic] == source for topic in table.topics]]
        yield Finding(source, len(after), relative_change(after, before))


def _removed(
    store: Path, cleaner: Cleaner
) -> tuple[tuple[Removed, ...], tuple[Removed, ...], tuple[LookAt, ...], Interval]:
    """Return what a cleaner removes from blocks and from pages of each kind, pages to look at, and the share that it keeps.

    Its interval is that of a ratio of two sums over sampled pages (95 %, bootstrap).
    """
    cleaner = resolved(store, cleaner)
    columns = [*shard_columns([cleaner]), "kinds"]
    pieces = [_words(read_shard(path, columns).combine_chunks(), cleaner) for path in shards(store)]
    ids = [document for of, _, _ in pieces for document in of]
    before, after = (np.concatenate([piece[at] for piece in pieces]) for at in (1, 2))
    lost, words = before - after, before.sum(axis=1)
    mostly = np.where(words > 0, before.argmax(axis=1), -1)

    def kinds(counts: Floats, of: Floats, without: Floats) -> tuple[Removed, ...]:
        rows = zip(KINDS, counts.tolist(), of.tolist(), without.tolist(), strict=True)
        return tuple(Removed(kind.value, int(count), gone / all_) for kind, count, all_, gone in rows if count and all_)

    groups = [mostly == at for at in range(len(KINDS))]
    of_pages = (
        np.array([figures[group].sum() for group in groups]) for figures in (np.ones(len(ids)), words, lost.sum(axis=1))
    )
    content = lost[:, _CONTENT].sum(axis=1)
    worst = [row for row in np.argsort(-content, kind="stable")[:_LOOK].tolist() if content[row] > 0]
    passages = dict(_passages(store, cleaner, [ids[row] for row in worst]))
    look = (LookAt(ids[row], int(words[row]), float(lost[row].sum() / words[row]), passages[ids[row]]) for row in worst)
    share = float(after.sum() / before.sum())
    bounds = ratio_interval(after.sum(axis=1), words)
    return (
        kinds(before.sum(axis=0), before.sum(axis=0), lost.sum(axis=0)),
        kinds(*of_pages),
        tuple(look),
        Interval(share, *bounds),
    )


def _words(table: pa.Table, cleaner: Cleaner) -> tuple[list[str], Floats, Floats]:
    """Return the ids of a shard's pages, and their words in blocks of each kind, before and after; shape (pages, kinds)."""
    layout = shard_layout(table)
    mask = shard_mask(table, cleaner, layout)
    offsets, kinds = list_column(table, "kinds")
    cells = np.repeat(np.arange(len(table)), np.diff(offsets)) * len(KINDS) + kinds

    def words(weights: Ints) -> Floats:
        of_blocks = np.bincount(layout.blocks, weights=weights, minlength=len(kinds))
        return np.bincount(cells, of_blocks, len(table) * len(KINDS)).reshape(-1, len(KINDS)).astype(np.float64)

    return table["id"].to_pylist(), words(layout.words), words(layout.words * mask)


def _passages(store: Path, cleaner: Cleaner, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the longest removed segment of each page that may be content."""
    for page in explained_pages(store, cleaner, ids):
        lost = [one.text for one in page.segments if not one.kept and KINDS.index(page.kinds[one.block]) in _CONTENT]
        yield page.id, max(lost, key=len, default="")[:_PASSAGE]
