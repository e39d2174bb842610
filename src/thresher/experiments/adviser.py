"""Advice for a crawl without judgments: a sample of its pages, topics from them, an exploration, and what follows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from thresher.choosing.advice import (
    ADVICE_FILE,
    Advice,
    Finding,
    Grounds,
    LookAt,
    Removed,
    expected_change,
    relative_change,
    write_advice,
)
from thresher.choosing.choices import Choice
from thresher.collections import open_collection
from thresher.costs.repeats import Interval
from thresher.defaults import DEFAULT_INDEX, LEFT_OUT, SEARCH_CLEANER
from thresher.errors import InputError, StateError
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.significance import ratio_interval
from thresher.experiments.chooser import choose_experiment, treatment_commands
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.explorer import explore_experiment
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
from thresher.reports import REPORT_FILE, write_report
from thresher.scorers.cleaners import BASELINE, Cleaner
from thresher.scoring.block_kinds import KINDS, BlockKind
from thresher.scoring.cutting import shard_columns, shard_layout, shard_mask
from thresher.scoring.percentiles import resolved
from thresher.scoring.removed import explained_pages
from thresher.scoring.store import list_column, read_shard, shards
from thresher.variants.results import Results
from thresher.variants.table import Floats, Ints, VariantTable

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
    topics made from the pages are asked what they lose by it. The folder gets `advice.json`, the sampled pages, topics with
    qrels, experiment files with results, and a report in `made/`, or in `asked/` where there are queries. It must be new,
    empty, or written by this function.
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
        raise InputError(
            "no topic can be made of its pages", "give queries with their pages: --queries", crawl.collection.path
        )
    advice = _advice(crawl, taken, folder, (made, asked, choice))
    write_advice(advice, folder)
    write_report(folder / results.facts.experiment, results, choice, advice=advice)
    return advice


def written(folder: Path, asked: bool) -> list[tuple[str, Path]]:
    """Return the report and the record of an advice, by what they are; `asked`: whether queries were given."""
    return [("report", folder / (ASKED if asked else MADE) / REPORT_FILE), ("record", folder / ADVICE_FILE)]


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
    options = PseudoOptions(topics=EACH)
    say(f"reading {source}")
    with extracted(source, folder, options, table.format, reading, limits, crawl.backend) as store:
        asked = [*_asked(crawl.queries, store)] if crawl.queries else []
        wanted = {document for topic in asked for document in topic.documents}
        mask = sample_by_site(store, crawl.sample, _mask(store, wanted))
        each = [choose(store, replace(options, sources=(origin,)), mask) for origin in SOURCES]
        ids = {*_ids(store, mask)}
        found = int(store.good.sum()), len(np.unique(store.sites[store.good]))
    made = tuple(topic for one in each for topic in one.topics)
    counts = {name: of for one in each for name, of in one.counts.items()}
    say(f"writing {len(ids):,} pages")
    write_sample(open_collection(source, reading, table.format), ids, by_page(made), folder)
    for name, topics in ((MADE, made), (ASKED, tuple(asked))):
        write_topics(Made(topics, counts), folder / "topics" / name, {"options": asdict(options)})
    return _Taken(*found, len(ids), made, tuple(asked))


def _ids(store: Store, mask: Truths) -> Iterator[str]:
    for start, ids in store.column("id"):
        yield from (ids[row] for row in np.flatnonzero(mask[start : start + len(ids)]).tolist())


def _mask(store: Store, wanted: set[str]) -> Truths:
    found = np.zeros(len(store.good), dtype=np.bool_)
    for start, ids in store.column("id"):
        found[start : start + len(ids)] = [document in wanted for document in ids]
    return found & store.good


def _asked(file: Path, store: Store) -> Iterator[PseudoTopic]:
    """Yield the queries of a file that have a page of the collection, each once, with all its pages."""
    answers: dict[str, set[str]] = {}
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        query, _, rest = line.partition("\t")
        page = rest.partition("\t")[0].strip()
        if line.strip() and not (query.strip() and page):
            fix = "write behind each query a tab and the id or URL of a page that answers it"
            raise InputError("the line is not a query with its page", fix, f"{file}:{number}")
        if page:
            answers.setdefault(" ".join(query.split()), set()).add(page)
    pages = set().union(*answers.values())
    keys = {page: address.key for page in pages if (address := page_address(page, None))}
    hit = _mask(store, pages) | (store.good & np.isin(store.keys, np.array([*keys.values()], dtype=np.uint64)))
    by_id: dict[str, list[str]] = {}
    by_key: dict[int, list[str]] = {}
    for document, key in zip(_ids(store, hit), store.keys[hit].tolist(), strict=True):
        by_id[document] = [document]
        by_key.setdefault(key, []).append(document)
    found = [
        (query, {document for page in named for document in by_id.get(page, by_key.get(keys.get(page, 0), []))})
        for query, named in answers.items()
    ]
    if not any(documents for _, documents in found):
        raise InputError("none of its pages is in the collection", "name pages by their ids or URLs", str(file))
    for number, (query, documents) in enumerate(found, start=1):
        if documents:
            yield PseudoTopic(f"query-{number}", query, QUERIES, tuple(sorted(documents)))


def _experiment(crawl: Crawl, folder: Path, name: str, pages: str) -> Experiment:
    """Write the experiment file for a set of topics, and read it as any other."""
    title = f"Advice for {Path(crawl.collection.path).name}"
    paths = {"pages": pages, "topics": f"topics/{name}/{TOPICS_FILE}", "qrels": f"topics/{name}/{QRELS_FILE}"}
    quoted = {
        key: json.dumps(value, ensure_ascii=False) for key, value in {**paths, "name": name, "title": title}.items()
    }
    cleaner, method = DEFAULT_INDEX.split("|")
    scorer, cutoff = cleaner.rsplit("@", 1)
    text = _TEMPLATE.format(
        **quoted,
        cleaners=json.dumps([SEARCH_CLEANER, *_OTHERS]),
        sweep=json.dumps(f"{scorer}|{method.partition('@')[0]}"),
        cutoff=cutoff,
        share=method.partition("@")[2],
    )
    write_text(folder / f"{name}.toml", text)
    loaded = load_experiment(folder / f"{name}.toml")
    backend = crawl.backend
    return replace(loaded, backend=backend.name, workers=backend.workers, scheduler=backend.scheduler)


_OTHERS = ("boilerpipe(rules=words,headings=keep)",)
_TEMPLATE = """[experiment]
name = {name}
title = {title}

[collection]
path = {pages}

[topics]
path = {topics}

[qrels]
path = {qrels}

[cleaners]
names = {cleaners}

[[sweep]]
scorer = {sweep}
cleaner_cutoffs = [{cutoff}]
cutoffs = [{share}]

[pruning]
combined = 1
"""


def _advice(
    crawl: Crawl, taken: _Taken, folder: Path, found: tuple[Results | None, Results | None, Choice | None]
) -> Advice:
    made, asked, choice = found
    results = asked or made
    assert results is not None
    table = results.table()
    if choice:
        first = choice.models[0].first
        grounds, variant = Grounds.QUERIES, first.variant if first else BASELINE
    else:
        grounds, variant = Grounds.DEFAULT, DEFAULT_INDEX
    doubts: list[str] = []
    treatment = parse_treatment(variant)
    index, main = table.position[variant], table.main
    told = [
        finding
        for results, topics in ((made, taken.topics), (asked, taken.asked))
        if results
        for finding in _findings(results.table(), variant, topics, grounds)
    ]
    own = next((one.change for one in told if one.counts), None)
    removed = _removed(folder / results.facts.experiment / "scores", treatment.cleaner)
    share = float(table.shares[index])
    low, high = removed.ratio if taken.sampled < taken.pages else (1.0, 1.0)
    document = Document(ExperimentTable("advice"), crawl.collection, TopicsTable(""), QrelsTable(""))
    return Advice(
        title=results.facts.title,
        pages=taken.pages,
        sites=taken.sites,
        sampled=taken.sampled,
        grounds=grounds,
        variant=variant,
        cleaner="" if treatment.cleaner.name == BASELINE else treatment.cleaner.name,
        pruning=treatment.pruning.name if treatment.pruning else "",
        size=Interval(share, share * low, share * high),
        measure=main,
        change=own if choice else expected_change([*LEFT_OUT.values()]),
        elsewhere={} if choice else LEFT_OUT,
        findings=tuple(told),
        blocks=removed.blocks,
        kinds=removed.kinds,
        look=removed.look,
        doubts=tuple(doubts),
        commands=treatment_commands(document, crawl.collection.path, treatment) if variant != BASELINE else (),
    )


def _findings(table: VariantTable, variant: str, topics: Sequence[PseudoTopic], grounds: Grounds) -> Iterator[Finding]:
    """Yield what each source's topics say of a variant."""
    values = table.of(table.main)[[table.position[variant], 0]]
    of = {topic.id: topic.source for topic in topics}
    for source in dict.fromkeys(of.values()):
        after, before = values[:, [of[topic] == source for topic in table.topics]]
        counts = source == QUERIES and grounds is Grounds.QUERIES
        yield Finding(source, len(after), relative_change(after, before), counts)


@dataclass(frozen=True)
class _Losses:
    """What a cleaner removes; `ratio` are the bounds of the share of words that it keeps, by that share (95 %, over pages)."""

    blocks: tuple[Removed, ...]
    kinds: tuple[Removed, ...]
    look: tuple[LookAt, ...]
    ratio: tuple[float, float]


def _removed(store: Path, cleaner: Cleaner) -> _Losses:
    """Add up what a cleaner removes from blocks and pages of each kind."""
    cleaner = resolved(store, cleaner)
    pieces = [
        _words(read_shard(path, [*shard_columns([cleaner]), "kinds"]).combine_chunks(), cleaner)
        for path in shards(store)
    ]
    ids = [document for of, _, _ in pieces for document in of]
    # Words of each page in blocks of each kind, before and after; shape (pages, kinds).
    before, after = (np.concatenate([piece[at] for piece in pieces]) for at in (1, 2))
    words, lost = before.sum(axis=1), before - after
    mostly = np.where(words > 0, before.argmax(axis=1), -1)
    blocks = [
        _removed_of(KINDS[at], int(before[:, at].sum()), lost[:, at].sum(), before[:, at].sum())
        for at in range(len(KINDS))
    ]
    kinds = [
        _removed_of(kind, int((mostly == at).sum()), lost[mostly == at].sum(), words[mostly == at].sum())
        for at, kind in enumerate(KINDS)
    ]
    worst = np.argsort(-lost[:, _CONTENT].sum(axis=1), kind="stable")[:_LOOK]
    worst = worst[lost[worst][:, _CONTENT].sum(axis=1) > 0]
    passages = dict(_passages(store, cleaner, [ids[row] for row in worst.tolist()]))
    look = [
        LookAt(ids[row], int(words[row]), float(lost[row].sum() / words[row]), passages.get(ids[row], ""))
        for row in worst.tolist()
    ]
    kept = after.sum(axis=1)
    low, high = ratio_interval(kept, words) if kept.any() else (1.0, 1.0)
    share = float(kept.sum() / max(words.sum(), 1.0)) or 1.0
    return _Losses(
        tuple(one for one in blocks if one.count),
        tuple(one for one in kinds if one.count),
        tuple(look),
        (low / share, high / share),
    )


def _removed_of(kind: BlockKind, count: int, lost: float, words: float) -> Removed:
    return Removed(kind.value, count, float(lost / words) if words else 0.0)


def _words(table: pa.Table, cleaner: Cleaner) -> tuple[list[str], Floats, Floats]:
    """Return the ids of a shard's pages, and their words in blocks of each kind, before and after cleaning."""
    layout = shard_layout(table)
    mask = shard_mask(table, cleaner, layout)
    offsets, kinds = list_column(table, "kinds")
    pages = np.repeat(np.arange(len(table)), np.diff(offsets))
    cells, shape = pages * len(KINDS) + kinds, (len(table), len(KINDS))

    def words(weights: Ints) -> Floats:
        of_blocks = np.bincount(layout.blocks, weights=weights, minlength=len(kinds))
        return np.bincount(cells, weights=of_blocks, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    return table["id"].to_pylist(), words(layout.words), words(layout.words * mask)


def _passages(store: Path, cleaner: Cleaner, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the longest removed segment of each page that may be content."""
    for page in explained_pages(store, cleaner, ids):
        lost = [one.text for one in page.segments if not one.kept and KINDS.index(page.kinds[one.block]) in _CONTENT]
        yield page.id, max(lost, key=len, default="")[:_PASSAGE]
