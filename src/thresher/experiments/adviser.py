"""Advice for a crawl without judgments: a sample of its pages, topics from them, an exploration, and what follows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Template

import numpy as np

import thresher.base.arrow as pa
from thresher.base.defaults import BY_SENTENCES, DEFAULT_INDEX, LEFT_OUT
from thresher.base.errors import InputError, StateError
from thresher.base.files import fit_text, read_text, write_text
from thresher.base.locks import held
from thresher.base.numbers import Floats, Interval, Ints
from thresher.cleaners.cleaner import BASELINE, Cleaner
from thresher.collections import open_collection
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.significance import ratio_interval
from thresher.experiments import schema
from thresher.experiments.chooser import choose_experiment, treatment_commands
from thresher.experiments.choosing.advice import (
    ADVICE,
    ADVICE_FILE,
    Advice,
    Cautious,
    Finding,
    LookAt,
    Removed,
    expected_change,
    relative_change,
)
from thresher.experiments.choosing.walks import Sample, Terms, recommended, walk
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.explorer import explore_experiment
from thresher.experiments.inputs import check_apart
from thresher.experiments.table import VariantTable
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.pseudo_topics import making
from thresher.pseudo_topics.extracting import page_address
from thresher.pseudo_topics.link_tables import Store, Truths
from thresher.pseudo_topics.sampling import PAGES, sample_by_site, write_sample
from thresher.reports.files import REPORT_FILE, write_report
from thresher.scores.backends import Backend
from thresher.scores.block_kinds import KINDS, BlockKind
from thresher.scores.cutting import shard_columns, shard_layout, shard_mask
from thresher.scores.parts import Limits
from thresher.scores.percentiles import resolved
from thresher.scores.removed import explained_pages
from thresher.scores.store import list_column, read_shard, shards

SAMPLE, EACH = 20_000, 150
"""The most pages that are looked at, and topics of each source."""
NAME, QUERIES = "advice", "queries"
"""The name of the experiment that is explored, and of the source of topics that a user gives."""
_OWN = {ADVICE_FILE, REPORT_FILE, PAGES, "topics", NAME, f"{NAME}.toml"}
_LOOK, _PASSAGE = 5, 200
_CONTENT = [KINDS.index(kind) for kind in (BlockKind.TEXT, BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE)]


def advise_on(
    collection: schema.CollectionTable,
    folder: Path,
    queries: Path | None = None,
    sample: int = SAMPLE,
    backend: Backend | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Advice:
    """Advise which cleaner and pruning to use for a crawl, and write all that this rests on into a folder.

    Queries choose as topics with judgments do for `thresher choose`. Without them the advice is the default setting, and
    topics made of the pages are asked what they lose by it, on pages without titles and what else they are made of. The folder
    gets `advice.json`, `report.html`, the sampled pages, topics with qrels, and an experiment file with its results.

    Args:
        collection: where the pages are, and how they are read.
        folder: new, empty, or written by this function.
        queries: a file with a query, a tab and its page, an id or a URL, on each line; at least `MINIMUM` of the collection.
        sample: the most pages that are looked at; those of queries are always among them.
        backend: the workers.
        say: called with a line for each stage that begins.
    """
    if folder.exists() and {path.name for path in folder.iterdir() if path.name[0] != "."} - _OWN:
        raise StateError("it holds other things than an advice", "name a new folder with -o", str(folder))
    reading, backend = schema.read_options(collection), backend or Backend()
    source, limits = Path(collection.path), Limits(collection.page_seconds, collection.max_page_mib)
    options, opened = making.PseudoOptions(topics=EACH), open_collection(source, reading, collection.format)
    check_apart(folder, opened, "-o")
    with held(folder):
        say(f"reading {source}")
        with making.extracted(source, folder, options, collection.format, reading, limits, backend) as store:
            topics, always = _asked(queries, store) if queries else ([], None)
            mask = sample_by_site(store, sample, always)
            if not queries:
                made = (making.choose(store, replace(options, sources=(origin,)), mask) for origin in making.SOURCES)
                topics = [topic for one in made for topic in one.topics]
            ids = {ids[row] for start, ids in store.column("id") for row in np.flatnonzero(mask[start:][: len(ids)])}
            pages, sites = int(store.good.sum()), len(np.unique(store.sites[store.good]))
        if not topics:
            fix = "give queries with their pages: --queries"
            raise InputError("no topic can be made of its pages", fix, str(source))
        say(f"writing {len(ids):,} pages")
        write_sample(opened, ids, folder / PAGES, None if queries else making.by_page(topics))
        making.write_topics(making.Made(tuple(topics), {}), folder / "topics")
        experiment = _experiment(folder, f"Advice for {source.name}", backend)
        results = explore_experiment(experiment, folder, True, say)
        choice = choose_experiment(experiment, folder, say=say) if queries else None
        first = choice.models[0].first if choice else None
        variant = DEFAULT_INDEX if choice is None else first.variant if first else BASELINE
        table = results.table()
        findings = tuple(_findings(table, variant, topics))
        blocks, kinds, look, kept = _removed(folder / NAME / "scores", parse_treatment(variant).cleaner)
        share = float(table.shares[table.position[variant]])
        errors = (kept.low / kept.value, kept.high / kept.value) if len(ids) < pages else (1.0, 1.0)
        advice = Advice(
            title=results.facts.title,
            pages=pages,
            sites=sites,
            sampled=len(ids),
            by_queries=choice is not None,
            variant=variant,
            size=Interval(share, share * errors[0], share * errors[1]),
            measure=table.main,
            change=findings[0].change if choice else expected_change([*LEFT_OUT.values()]),
            elsewhere={} if choice else LEFT_OUT,
            findings=findings,
            cautious=None if choice else _cautious(table, topics, collection),
            blocks=blocks,
            kinds=kinds,
            look=look,
            commands=_commands(variant, collection),
        )
        ADVICE.write(folder / ADVICE_FILE, advice)
        write_report(folder, results, choice, advice=advice)
        return advice


def _asked(file: Path, store: Store) -> tuple[list[making.PseudoTopic], Truths]:
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
        making.PseudoTopic(f"query-{at}", query, QUERIES, tuple(of))
        for at, (query, of) in enumerate(found.items(), 1)
        if of
    ]
    if len(topics) < MINIMUM:
        what = f"of {len(topics)} of its queries a page is in the collection, which are too few"
        raise InputError(what, f"give at least {MINIMUM}, with ids or URLs of pages", str(file))
    return topics, mask


def _experiment(folder: Path, title: str, backend: Backend) -> Experiment:
    """Write the experiment file, and read it as any other."""
    values = {"pages": PAGES, "topics": f"topics/{making.TOPICS_FILE}", "qrels": f"topics/{making.QRELS_FILE}"}
    values["title"] = fit_text(title)
    quoted = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}
    quoted |= dict(zip(("scorer", "cutoff", "method", "share"), re.split("[@|]", DEFAULT_INDEX), strict=True))
    template = files("thresher.experiments").joinpath("advising.toml").read_text(encoding="utf-8")
    write_text(folder / f"{NAME}.toml", Template(template).substitute(quoted))
    loaded = load_experiment(folder / f"{NAME}.toml")
    return replace(loaded, backend=backend.name, workers=backend.workers, scheduler=backend.scheduler)


def _findings(table: VariantTable, variant: str, topics: Sequence[making.PseudoTopic]) -> Iterator[Finding]:
    """Yield what each source's topics say of a variant."""
    values = table.of(table.main)[[table.position[variant], 0]]
    of = {topic.id: topic.source for topic in topics}
    for source in dict.fromkeys(of.values()):
        after, before = values[:, [of[topic] == source for topic in table.topics]]
        yield Finding(source, len(after), relative_change(after, before))


def _cautious(
    table: VariantTable, topics: Sequence[making.PseudoTopic], collection: schema.CollectionTable
) -> Cautious | None:
    """Return what sentences choose."""
    sentences = [topic.id for topic in topics if topic.source == making.SENTENCES]
    if len(sentences) < MINIMUM:
        return None
    sample = Sample(table.of_topics(sentences), (table.main, "AP"), Terms())
    index = recommended(sample, walk(sample, False)) or 0
    variant = table.rows[index].name
    change = expected_change([*BY_SENTENCES.values()])
    return Cautious(variant, float(table.shares[index]), change, BY_SENTENCES, _commands(variant, collection))


def _commands(variant: str, table: schema.CollectionTable) -> tuple[str, ...]:
    if variant == BASELINE:
        return ()
    document = schema.Document(schema.ExperimentTable("advice"), table, schema.TopicsTable(""), schema.QrelsTable(""))
    return treatment_commands(document, table.path, parse_treatment(variant))


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
    of_pages = (np.array([of[group].sum() for group in groups]) for of in (np.ones(len(ids)), words, lost.sum(axis=1)))
    content = lost[:, _CONTENT].sum(axis=1)
    worst = [row for row in np.argsort(-content, kind="stable")[:_LOOK].tolist() if content[row] > 0]
    passages = dict(_passages(store, cleaner, [ids[row] for row in worst]))
    look = (LookAt(ids[row], int(words[row]), float(lost[row].sum() / words[row]), passages[ids[row]]) for row in worst)
    share = float(after.sum() / before.sum())
    bounds = ratio_interval(after.sum(axis=1), words)
    of_blocks = kinds(before.sum(axis=0), before.sum(axis=0), lost.sum(axis=0))
    return of_blocks, kinds(*of_pages), tuple(look), Interval(share, *bounds)


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
        longest = max(lost, key=len, default="")
        yield page.id, longest if len(longest) <= _PASSAGE else f"{longest[: _PASSAGE - 1]}…"
