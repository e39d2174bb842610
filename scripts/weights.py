#!/usr/bin/env python3
"""Measure weights of pages' parts, with and without pruning, on seven collections: docs/results/weights.md.

usage: scripts/weights.py [--read] [--seconds N] [NAME...]

Weights are tried over a grid without an index (`explore`); for each collection the setting is taken from the other six. The
named indexes are then built, searched by two retrieval models and timed, for N seconds a collection. What was measured is kept
in results/weights and taken from there; with `--read` nothing is measured, and the page is filled with what is there.
Needs the extra `extractors`, and for `web` what scripts/web_folds.py writes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np

from arguments import parser_of
from collection_tables import ROOT
from fill import JUDGE, put
from fill import table as markdown
from thresher import (
    BASELINE,
    ChoiceCriteria,
    Comparison,
    Experiment,
    MarginComparison,
    RunVerdict,
    Searcher,
    Treatment,
    Variant,
    VariantTable,
    compare,
    compare_by_margin,
    load_experiment,
    parse_margin,
    parse_retrieval,
    parse_treatment,
    read_results,
    shards,
)
from thresher.base.defaults import ALPHA, DEFAULT_FAMILIES, MAIN_MEASURE, MARGIN
from thresher.base.files import safe_name, scratch_folder
from thresher.base.tables import Lists, Table
from thresher.cleaners.cleaner import parse_cleaner
from thresher.evaluation.evaluating import evaluate
from thresher.experiments.announcements import say_nothing
from thresher.experiments.choosing.families import parse_family
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.testing_order import fixed_sequences, smallest_accepted
from thresher.experiments.exploring.exploring import POINTS, Search, WeightedSweeps, explore
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning
from thresher.experiments.inputs import Scored, score_experiment
from thresher.experiments.measuring import build_variant
from thresher.experiments.outcome import facts_of
from thresher.experiments.results import RESULTS_FILE, Results, write_results
from thresher.experiments.stages import evidence_key
from thresher.indexes.lexicon import Lexicon, ShardTokenizer
from thresher.indexes.pruning.collected_postings import collected_postings
from thresher.indexes.pruning.method import KEEP_ABOVE, PruningMethod
from thresher.indexes.pruning.treatments import parse_pruning
from thresher.indexes.query_timing import TimedSearches, time_queries
from thresher.scores.store import read_report, read_shard, write_columns
from thresher.scores.weighting import weighted_store
from web_folds import FOLDER as FOLDS
from web_folds import FOLDS_FILE

NAMES = ("web", "ray-docs", "sqlite-docs", "postgresql", "pydoc", "man-pages", "cacm")
RESULTS = ROOT / "results" / "weights"
PAGE = ROOT / "docs" / "results" / "weights.md"
LINKED = ("ray-docs", "pydoc")
"""Their pages link to each other. So do those of sqlite-docs and postgresql, whose topics are texts of links: anchors would be
the answers."""
CONTENT = "content(headings=keep)@0.3"
REPEATED = "repeated(share,headings=keep)@0.01"
CLEANER = f"{CONTENT}+{REPEATED}"
TRAFILATURA = "extractor(trafilatura)"
EXTRACTED = ("sqlite-docs", "postgresql", "man-pages", "cacm")
"""The others' text by Trafilatura was measured by scripts/extractors.py."""
TITLES, HEADINGS = (1, 2, 4, 8), (1, 2, 3)
ANCHORS = 1
"""By a rule: they count once where pages link to each other, unless a collection loses by it."""
ALPHAS = (0, 0.2, 0.5)
SHARES = (0.3, 0.2, 0.1, 0.05)
PLAIN_SHARES = (0.2, 0.1)
"""By these a method of pruning is chosen; the pruned index of all text is built, too."""
QLD, BM25, AP = "qld", "bm25", "AP"
TIMED_QUERIES = 100
SAMPLE_SIZES, SAMPLES = (36, 60, 150), 500
SAMPLED = "man-pages"
"""The collection with the most topics: samples of them are compared with all."""
HALF = 100
"""From so many topics on, an index is chosen on one half of them and tested on the other."""
SHOWN = (RunVerdict.NON_INFERIOR, RunVerdict.SUPERIOR)
HALVES, LEVELS = 100, (ALPHA, 0.01)
"""How often the topics are halved at random, and at which levels of significance an index is chosen."""


@dataclass(frozen=True)
class Setting:
    """Weights of pages' parts, and what is cleaned before."""

    title: int
    headings: int
    anchors: int
    cleaner: str = CLEANER

    @property
    def label(self) -> str:
        """The weights in words."""
        return f"title {self.title}, headings {self.headings}"

    @property
    def treatment(self) -> Treatment:
        """The treatment."""
        weights = f"weights(title={self.title},headings={self.headings},anchors={self.anchors})"
        return parse_treatment(f"{self.cleaner}|{weights}")


GRID = tuple(Setting(title, headings, ANCHORS) for title, headings in product(TITLES, HEADINGS))
PUBLISHED = "dcp"
"""The method without a parameter of its own, which others have measured."""
METHODS = (*(f"gain(alpha={alpha})" for alpha in ALPHAS), PUBLISHED)


@dataclass(frozen=True)
class Collection:
    """A collection of which weights are explored."""

    name: str

    @property
    def folder(self) -> Path:
        """Its results."""
        return RESULTS / self.name

    @cached_property
    def experiment(self) -> Experiment:
        """Its experiment, which needs all scorers that are measured."""
        experiment = load_experiment(ROOT / "experiments" / f"{self.name}.toml")
        names = [CLEANER, f"{BASELINE}|weights(anchors=1)", *(family.partition("|")[0] for family in DEFAULT_FAMILIES)]
        if self.name in EXTRACTED:
            names.append(TRAFILATURA)
        if self.name == "web":
            names += [f"{scorer}@0.3" for scorer in self._fold_scorers]
        treatments = dict.fromkeys([Treatment(), *(parse_treatment(name) for name in names)])
        variants = tuple(Variant(treatment) for treatment in treatments)
        criteria = replace(experiment.criteria, families=())
        backend = replace(experiment.backend, workers=1)
        return replace(experiment, variants=variants, families=(), criteria=criteria, backend=backend)

    @property
    def _fold_scorers(self) -> list[str]:
        models = sorted(FOLDS.glob("*.content"))
        if not models:
            sys.exit("error: there are no models that do not know the pages of web. Fix: run scripts/web_folds.py.")
        return [f"content(model={model.relative_to(ROOT)},headings=keep)" for model in models]

    @cached_property
    def scored(self) -> Scored:
        """Its scores; those of `content` on `web` are by models that do not know the page."""
        scored = score_experiment(self.experiment, self.folder, False, say_nothing)
        if self.name == "web":
            put_out_of_fold(scored.store, self._fold_scorers)
        return scored

    @cached_property
    def search(self) -> Search:
        """How it is explored: by query likelihood, as the setting is chosen."""
        experiment, topics = self.experiment, self.scored.inputs.topics
        models, measures = (parse_retrieval(QLD),), (AP, MAIN_MEASURE)
        return Search(topics, models, experiment.index, experiment.retrieval.depth, measures, None, experiment.backend)

    def treatment(self, setting: Setting) -> Treatment:
        """Return the treatment of a setting: where no page links to another, or links say what topics ask, anchors are 0."""
        return setting.treatment if self.name in LINKED else replace(setting, anchors=0).treatment

    def is_done(self, step: str) -> bool:
        """Whether a step has its results."""
        return (self.folder / step / RESULTS_FILE).exists()

    def table(self, step: str) -> VariantTable:
        """Return the results of a step."""
        return read_results(self.folder / step).table()

    def write(self, step: str, tables: tuple[VariantTable, ...]) -> None:
        """Write the results of a step."""
        facts = facts_of(self.experiment, self.scored, evidence_key(self.experiment, self.scored))
        write_results(Results.of(facts, tables), self.folder / step)


def put_out_of_fold(store: Path, fold_scorers: Sequence[str]) -> None:
    """Put scores by models that do not know the page in place of the shipped model's; pages without gold have the first's."""
    fold_of: dict[str, int] = json.loads((FOLDS / FOLDS_FILE).read_text(encoding="utf-8"))
    columns = [f"score:{parse_cleaner(f'{name}@0.5').scorers[0].canonical_name}" for name in fold_scorers]
    for path in shards(store):
        table = read_shard(path)
        folds = np.array([fold_of.get(id_, 0) for id_ in table.texts("id").tolist()])
        of_folds = [table.lists(column) for column in columns]
        rows = of_folds[0].rows
        values = np.stack([lists.values for lists in of_folds])[folds[rows], np.arange(len(rows))]
        write_columns(
            path,
            Table({**table.columns, "score:content": Lists(values, of_folds[0].offsets)}),
            read_report(path),
        )


def explore_settings(collection: Collection) -> None:
    """Explore every setting of the grid, without pruning."""
    weighted: list[WeightedSweeps] = []
    for setting in GRID:
        treatment = collection.treatment(setting)
        weighted.append(WeightedSweeps(treatment.weights, (), (treatment.cleaner.checked(),)))
    texts = (CONTENT, CLEANER, TRAFILATURA) if collection.name in EXTRACTED else (CONTENT, CLEANER)
    plain = [parse_cleaner(name).checked() for name in texts]
    collection.write("grid", explore(collection.scored.store, [], plain, collection.search, weighted=weighted))


@dataclass(frozen=True)
class Pruned:
    """A treatment to prune by some methods, each to some shares of no cleaning's postings."""

    treatment: Treatment
    methods: tuple[str, ...]
    shares: tuple[float, ...] = SHARES


def explore_pruned(collection: Collection, every: Sequence[Pruned], unpruned: Sequence[Treatment], step: str) -> None:
    """Explore treatments without pruning, and others with it, at the cutoffs that leave the wanted shares."""
    scored, search = collection.scored, collection.search
    groups: dict[Treatment, list[Treatment]] = {}
    for treatment in unpruned:
        groups.setdefault(replace(treatment, cleaner=parse_cleaner(BASELINE)), []).append(treatment)
    weighted: list[WeightedSweeps] = []
    for alike in groups.values():
        cleaners = tuple(treatment.cleaner.checked() for treatment in alike)
        weighted.append(WeightedSweeps(alike[0].weights, (), cleaners))
    tables = explore(scored.store, [], [], search, weighted=weighted)
    postings = int(tables[0].sizes[0])
    sweeps: list[PruningSweep] = []
    for one in every:
        methods = [parse_pruning(name, name).method for name in one.methods]
        counts = [int(share * postings) for share in one.shares]
        cutoffs = cutoffs_that_leave(collection, one.treatment, methods, counts)
        for method, own in zip(methods, cutoffs, strict=True):
            cleaner = one.treatment.cleaner.checked()
            sweeps.append(PruningSweep(cleaner, method, own, points=1, weights=one.treatment.weights))
    collection.write(step, explore_pruning(tables, scored.store, sweeps, search))


def cutoffs_that_leave(
    collection: Collection, treatment: Treatment, methods: Sequence[PruningMethod], counts: Sequence[int]
) -> list[tuple[float, ...]]:
    """Return for each method the cutoffs, to four digits, that leave at most these numbers of postings, but nearly."""
    found: list[tuple[float, ...]] = []
    store = collection.scored.store
    source, scratch = weighted_store(store, treatment.weights), store.parent / "postings"
    tokenizer = ShardTokenizer(Lexicon(collection.experiment.index.analysis))
    with collected_postings(source, treatment.cleaner.checked(), tokenizer, scratch) as postings:
        for method in methods:
            fitted = method.fit(postings)
            blocks = [method.scores(block, postings.statistics, fitted) for block in postings.blocks()]
            scores = np.sort(np.concatenate(blocks))
            if method.keep == KEEP_ABOVE:
                cutoffs = [rounded(float(scores[-count]), np.ceil) for count in counts if count <= len(scores)]
            else:
                cutoffs = [rounded(float(scores[count]), np.floor) for count in counts if count < len(scores)]
            found.append(tuple(cutoff for cutoff in cutoffs if np.isfinite(cutoff) and cutoff))
    return found


def canonical(method: str) -> str:
    """Return the canonical name of a method of pruning."""
    return parse_pruning(method, method).name


def rounded(value: float, up_or_down: Callable[[float], float]) -> float:
    """Return a number with four significant digits; infinite ones stay."""
    if not np.isfinite(value) or not value:
        return value
    unit = 10.0 ** (np.floor(np.log10(abs(value))) - 3)
    return float(f"{up_or_down(value / unit) * unit:.4g}")


def at_share(table: VariantTable, sweep: str, share: float) -> int | None:
    """Return the largest index of a sweep with at most a share of the postings, and at least .9 of that; None without one."""
    rows = [number for number, row in enumerate(table.rows) if row.variant.sweep == sweep]
    inside = [number for number in rows if 0.9 * share <= table.shares[number] <= share]
    return max(inside, key=lambda number: float(table.shares[number]), default=None)


def change(table: VariantTable, number: int, measure: str = MAIN_MEASURE) -> float:
    """Return the relative change of a mean from no cleaning's."""
    means = table.mean(measure)
    return float(means[number] / means[0]) - 1


# Leaving one collection out


def chosen_setting(grids: Mapping[str, VariantTable], left_out: str = "") -> Setting:
    """Return the setting with the best mean change over all collections but one; of equals the one with the lowest weights."""

    def worth(setting: Setting) -> tuple[float, int]:
        changes: list[float] = []
        for name, table in grids.items():
            if name != left_out:
                changes.append(change(table, grid_row(table, name, setting)))
        return round(float(np.mean(changes)), 5), -(setting.title + setting.headings + setting.anchors)

    return max(GRID, key=worth)


def grid_row(table: VariantTable, name: str, setting: Setting) -> int:
    """Return the row of a setting."""
    return table.position[Collection(name).treatment(setting).name]


def chosen_method(tables: Mapping[str, VariantTable], setting: Setting, left_out: str = "") -> str:
    """Return `PUBLISHED`, unless another method is better by more than one standard error over all collections but one.

    A method's value on a collection is its mean change at 20 and at 10 % of the postings; where it cannot leave as little, as
    if everything were lost. The standard error is that of the mean difference between the best method and `PUBLISHED`. The
    rule is that of Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, 1984, page 80, for pairs.
    """
    values: dict[str, list[float]] = {method: [] for method in METHODS}
    for method in METHODS:
        for name, table in tables.items():
            if name == left_out:
                continue
            changes: list[float] = []
            for share in PLAIN_SHARES:
                row = at_share(table, f"{Collection(name).treatment(setting).name}|{canonical(method)}", share)
                changes.append(-1.0 if row is None else change(table, row))
            values[method].append(float(np.mean(changes)))
    best = max(METHODS, key=lambda method: float(np.mean(values[method])))
    lead = np.array(values[best]) - np.array(values[PUBLISHED])
    return best if lead.mean() > lead.std(ddof=1) / np.sqrt(len(lead)) else PUBLISHED


# Built indexes


@dataclass(frozen=True)
class Built:
    """A built index: its counts, milliseconds a query, and by model and measure the values of topics.

    Args:
        postings: of the index.
        bytes: of its files.
        work: postings of a query's terms, mean over topics.
        milliseconds: of a query by query likelihood: its median over rounds, the mean over queries.
        values: by model, measure and topic.
    """

    postings: int
    bytes: int
    work: float
    milliseconds: float
    values: Mapping[str, Mapping[str, Mapping[str, float]]]


def build(collection: Collection, names: Sequence[str], seconds: float) -> None:
    """Build the indexes that are not built yet, search them, time all of them together, and drop them."""
    experiment, topics = collection.experiment, collection.scored.inputs.topics
    queries = [(topic, topics.topics[topic].query) for topic in topics.ids]
    path = collection.folder / "built.json"
    if path.exists() and set(names) <= set(read_built(collection)):
        return
    built: dict[str, Built] = {}
    with scratch_folder(collection.folder / "indexes") as scratch:
        scratch.mkdir(exist_ok=True)
        folders = [scratch / safe_name(name) for name in names]
        for name, folder in zip(names, folders, strict=True):
            print(f"{collection.name}: building {name}", file=sys.stderr)
            report = build_variant(collection.scored.store, parse_treatment(name), folder, experiment.index, True).index
            values: dict[str, dict[str, dict[str, float]]] = {}
            work = 0.0
            for model in (QLD, BM25):
                with Searcher(folder, parse_retrieval(model), experiment.retrieval.depth) as searcher:
                    run = {topic: dict(hits) for topic, hits in searcher.search_topics(queries, 0).hits.items()}
                    work = searcher.work([query for _, query in queries]).postings
                values[model] = evaluate(topics.qrels, run, [AP, MAIN_MEASURE], topics.ids)
            built[name] = Built(report.statistics.postings, report.bytes, work, 0.0, values)
        texts = [query for _, query in queries[:TIMED_QUERIES]]
        searches = TimedSearches(folders, parse_retrieval(QLD), experiment.retrieval.depth, texts, seconds)
        times = np.median(np.concatenate(time_queries(searches, lambda _: False).wall), axis=0).mean(axis=1)
    for name, milliseconds in zip(names, (1000 * times).tolist(), strict=True):
        built[name] = replace(built[name], milliseconds=milliseconds)
    path.write_text(json.dumps({name: asdict(one) for name, one in built.items()}) + "\n", encoding="utf-8")


def read_built(collection: Collection) -> dict[str, Built]:
    """Return what was built."""
    if not (collection.folder / "built.json").exists():
        return {}
    records = json.loads((collection.folder / "built.json").read_text(encoding="utf-8"))
    return {name: Built(**record) for name, record in records.items()}


# What the page shows


@dataclass(frozen=True)
class Measured:
    """All that is known of a collection, for one setting and one method of pruning.

    Args:
        grid: the table of settings, and of text that is cleaned alone.
        pruned: the table of pruned indexes, and of those without a part.
        built: by name.
    """

    collection: Collection
    setting: Setting
    method: str
    grid: VariantTable
    pruned: VariantTable
    built: Mapping[str, Built]

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.collection.name

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.pruned.topics)

    def names(self, treatment: str, method: str) -> dict[float, str]:
        """Return the explored indexes of a treatment that is pruned by a method, by their nominal shares."""
        found: dict[float, str] = {}
        for share in SHARES:
            row = at_share(self.pruned, f"{treatment}|{method}", share)
            if row is not None:
                found[share] = self.pruned.rows[row].name
        return found

    @property
    def weighted(self) -> str:
        """The name of the weighted treatment without pruning."""
        return self.collection.treatment(self.setting).name

    @property
    def shown(self) -> dict[str, str]:
        """The built indexes of the table, by their names there."""
        shown = {"no cleaning": BASELINE}
        if self.name in EXTRACTED:
            shown["Trafilatura's text"] = parse_treatment(TRAFILATURA).name
        shown["`content`"] = parse_treatment(CONTENT).name
        shown["`content`, `repeated`"] = parse_treatment(CLEANER).name
        shown["weights"] = self.weighted
        for share, name in self.names(self.weighted, canonical(self.method)).items():
            shown[f"weights, `{parse_pruning(self.method, '').method.name}`, {100 * share:g} %"] = name
        for share, name in self.names(BASELINE, "dcp").items():
            if share in PLAIN_SHARES:
                shown[f"`none`, `dcp`, {100 * share:g} %"] = name
        return shown

    def table_of(self, name: str) -> VariantTable:
        """Return the table that has an explored index."""
        return self.pruned if name in self.pruned.position else self.grid

    def explored(self, name: str, measure: str = MAIN_MEASURE) -> str:
        """Return the change of an explored index from no cleaning, with its interval."""
        table = self.table_of(name)
        values = table.of(measure)
        ours, theirs = values[table.position[name]], values[0]
        return relative(compare(ours.tolist(), theirs.tolist(), measure), float(theirs.mean()))

    def by_bm25(self, name: str) -> str:
        """Return the change of a built index from no cleaning by BM25, with its interval; empty where it is not built."""
        if name not in self.built or name == BASELINE:
            return ""
        ours, theirs = (self.built[one].values[BM25][MAIN_MEASURE] for one in (name, BASELINE))
        before = [*theirs.values()]
        comparison = compare([ours[topic] for topic in theirs], before, MAIN_MEASURE)
        return relative(comparison, float(np.mean(before)))


def signed(share: float) -> str:
    """Return a relative change in per cent."""
    return f"{100 * share:+.1f}".replace("-", "−")


def relative(comparison: Comparison, before: float) -> str:
    """Return a change of a mean in per cent with its interval; one that excludes 0 is in bold type."""
    low, high = comparison.ci_low / before, comparison.ci_high / before
    text = f"{signed(comparison.difference / before)} [{signed(low)}, {signed(high)}]"
    return f"**{text}**" if low > 0 or high < 0 else text


def rows_of(one: Measured) -> Iterator[tuple[str, ...]]:
    """Give the lines of a collection's table; bytes, BM25 and milliseconds are those of built indexes."""
    for label, name in one.shown.items():
        table = one.table_of(name)
        row, index = table.position[name], one.built.get(name)
        cells = [label, f"{100 * table.shares[row]:.1f}"]
        cells.append(f"{100 * index.bytes / one.built[BASELINE].bytes:.1f}" if index else "")
        if name == BASELINE:
            cells += [f"{table.mean(measure)[0]:.4f}" for measure in (MAIN_MEASURE, AP)]
            cells.append(f"{np.mean([*index.values[BM25][MAIN_MEASURE].values()]):.4f}" if index else "")
        else:
            cells += [one.explored(name), one.explored(name, AP), one.by_bm25(name)]
        cells.append(f"{table.mean_query_postings[row]:,.0f}")
        yield *cells, f"{index.milliseconds:.2f}" if index else ""


def row_left_out(one: Measured) -> tuple[str, ...]:
    """Return the line of a collection whose setting and method were taken from the other six."""
    cells = [one.name, str(one.topics), one.setting.label, f"`{one.method}`", one.explored(one.weighted)]
    names = one.names(one.weighted, canonical(one.method))
    return (*cells, *(one.explored(names[share]) if share in names else "" for share in SHARES))


PARTS: Mapping[str, Callable[[Setting], Setting]] = {
    "all parts": lambda setting: setting,
    "without title": lambda setting: replace(setting, title=1),
    "without headings": lambda setting: replace(setting, headings=1),
    "without anchors": lambda setting: replace(setting, anchors=0),
    "anchors 2": lambda setting: replace(setting, anchors=2),
    "without `content`": lambda setting: replace(setting, cleaner=REPEATED),
    "without `repeated`": lambda setting: replace(setting, cleaner=CONTENT),
}
"""Settings with each part left out."""
ABLATED_SHARE = 0.1


def rows_of_parts(every: Sequence[Measured], setting: Setting, method: str) -> Iterator[tuple[str, ...]]:
    """Give the lines of the ablation: for each part left out the changes of all postings and of a tenth."""
    for label, without in PARTS.items():
        for share in (1.0, ABLATED_SHARE):
            cells: list[str] = []
            changes: list[float] = []
            for one in every:
                treatment = one.collection.treatment(without(setting))
                table = one.collection.table("parts")
                row = table.position.get(treatment.name)
                if share < 1:
                    row = at_share(table, f"{treatment.name}|{canonical(method)}", share)
                cells.append("" if row is None else signed(change(table, row)))
                changes.append(np.nan if row is None else change(table, row))
            mean = "" if np.isnan(changes).any() else signed(float(np.mean(changes)))
            yield label, "all" if share == 1 else f"{100 * share:g} %", mean, *cells


def rows_of_grid(grids: Mapping[str, VariantTable]) -> Iterator[tuple[str, ...]]:
    """Give the mean change of each setting, and that on each collection."""
    for setting in GRID:
        changes = [change(table, grid_row(table, name, setting)) for name, table in grids.items()]
        yield setting.label, signed(float(np.mean(changes))), *map(signed, changes)


def rows_of_methods(every: Sequence[Measured], setting: Setting) -> Iterator[tuple[str, ...]]:
    """Give the changes of each method of pruning at 20 and 10 % of the postings, of weights and of no cleaning."""
    for weighted, share in product((True, False), (0.2, 0.1)):
        for method in METHODS:
            cells: list[str] = []
            changes: list[float] = []
            for one in every:
                treatment = one.collection.treatment(setting).name if weighted else BASELINE
                row = at_share(one.pruned, f"{treatment}|{canonical(method)}", share)
                cells.append("" if row is None else signed(change(one.pruned, row)))
                changes.append(np.nan if row is None else change(one.pruned, row))
            mean = "" if np.isnan(changes).any() else signed(float(np.mean(changes)))
            label = f"weights, `{method}`" if weighted else f"`none`, `{method}`"
            yield label, f"{100 * share:g} %", mean, *cells


# What `choose` recommends


def families_of(collection: Collection) -> tuple[str, ...]:
    """Return the families that `choose` tests, without anchors where the collection has none to count."""
    names: list[str] = []
    for name in DEFAULT_FAMILIES:
        if collection.name not in LINKED:
            name = re.sub(r"anchors=[\d.]+", "anchors=0", name)
        names.append(parse_family(name).name)
    return tuple(names)


def explore_families(collection: Collection) -> None:
    """Explore the families that `choose` tests, as `explore` does."""
    sweeps: list[PruningSweep] = []
    for name in families_of(collection):
        family = parse_family(name)
        if family.pruning is None or family.cleaner is None:
            sys.exit(f"error: {name} does not prune. Fix: explore it in scripts/weights.py.")
        method = family.pruning.method
        sweeps.append(PruningSweep(family.cleaner, method, (), POINTS, weights=family.weights))
    tables = explore(collection.scored.store, [], [], collection.search)
    collection.write("families", explore_pruning(tables, collection.scored.store, sweeps, collection.search))


def recommended(table: VariantTable, families: tuple[str, ...], level: float = ALPHA) -> int:
    """Return the smallest index that `choose` recommends by its defaults, but at a level; 0 where it recommends none."""
    problem = ChoiceProblem(table, (MAIN_MEASURE, AP), ChoiceCriteria(families=families, alpha=level))
    return smallest_accepted(problem, fixed_sequences(problem, conservative=False)) or 0


def short(name: str) -> str:
    """Return a name with `weights` for the text and weights of the default families."""
    return re.sub(r"^.*\|weights\([^)]*\)", "weights", name).replace(",floor=0.0", "")


def row_of_choice(collection: Collection) -> tuple[str, ...]:
    """Return what is recommended by all topics, and by one half of many topics with its test on the other."""
    table, families = collection.table("families"), families_of(collection)
    row = recommended(table, families)
    cells = [
        collection.name,
        str(len(table.topics)),
        f"`{short(table.rows[row].name)}`",
        f"{100 * table.shares[row]:.1f}",
    ]
    cells.append(signed(change(table, row)))
    if len(table.topics) < HALF:
        return (*cells, "", "", "", "")
    row = recommended(table.of_topics(table.topics[::2]), families)
    test, before = tested_on(table.of_topics(table.topics[1::2]), row)
    bound = f"{signed(test.difference / before)} (above {signed(test.low / before)})"
    return (*cells, f"`{short(table.rows[row].name)}`", f"{100 * table.shares[row]:.1f}", bound, str(test.verdict))


def tested_on(table: VariantTable, row: int) -> tuple[MarginComparison, float]:
    """Return the test of an index at the margin on the topics of a table, and the mean of no cleaning."""
    values = table.of(MAIN_MEASURE)
    return compare_by_margin(values[row], values[0], parse_margin(MARGIN)), float(values[0].mean())


def row_of_halves(collection: Collection) -> tuple[str, ...]:
    """Return how often an index that a random half of the topics recommends is non-inferior on the other half, by level."""
    table, families = collection.table("families"), families_of(collection)
    generator = np.random.default_rng(0)
    halves = [generator.permutation(len(table.topics)) for _ in range(HALVES)]
    cells = [collection.name, str(len(table.topics) // 2)]
    for level in LEVELS:
        rows: list[int] = []
        shown = 0
        for order in halves:
            first, second = ([table.topics[number] for number in half.tolist()] for half in (order[::2], order[1::2]))
            rows.append(recommended(table.of_topics(first), families, level))
            test, _ = tested_on(table.of_topics(second), rows[-1])
            shown += test.verdict in SHOWN
        cells += [f"{100 * float(table.shares[rows].mean()):.1f}", f"{100 * shown / HALVES:.0f}"]
    return tuple(cells)


def rows_of_samples(collection: Collection) -> Iterator[tuple[str, ...]]:
    """Give how often samples of a collection's topics recommend an index that loses the margin on all of them."""
    table, families = collection.table("families"), families_of(collection)
    means = np.stack([table.mean(measure) for measure in (MAIN_MEASURE, AP)])
    losses = (1 - means / means[:, :1]).max(axis=0)
    generator = np.random.default_rng(0)
    for size in SAMPLE_SIZES:
        rows: list[int] = []
        for _ in range(SAMPLES):
            drawn = generator.integers(0, len(table.topics), size)
            sample = replace(
                table,
                topics=tuple(f"{number:04}" for number in range(size)),
                values=table.values[..., drawn],
                query_postings=table.query_postings[:, drawn],
            )
            rows.append(recommended(sample, families))
        shares = table.shares[rows]
        wrong = float(np.mean(losses[rows] >= parse_margin(MARGIN).value))
        yield collection.name, str(size), f"{100 * float(shares.mean()):.1f}", f"{100 * wrong:.1f}"


# The bars


def rows_of_bars(
    others: Sequence[Measured], every: Sequence[Measured], choices: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    """Give what was wanted and what was measured: with what the other six collections chose, and with what all seven chose."""
    by_both = [unpruned_bars(others), unpruned_bars(every)]
    for label, *cells in zip(UNPRUNED_BARS, *by_both, strict=True):
        yield label, *cells
    for share, bar in ((0.2, -0.01), (0.1, -0.05)):
        means = [float(np.mean(pruned_changes(each, share))) for each in (others, every)]
        wanted = f"mean over seven at {100 * share:g} % of the postings: {signed(bar)} % or more"
        yield wanted, *(told(f"{signed(mean)} %", mean >= bar) for mean in means)
    counts = [sum(value >= 0 for value in pruned_changes(each, 0.1)) for each in (others, every)]
    yield "at or above no cleaning at 10 %: three or more", *(told(str(count), count >= 3) for count in counts)
    ratios = {one.name: bytes_ratio(one) for one in every if one.built}
    if ratios:
        worst = max(ratios, key=lambda name: ratios[name])
        text = f"{ratios[worst]:.3f} ({worst}) at most, of {len(ratios)} collections"
        wanted = "bytes a posting by those of the same text without weights: 1.15 or less"
        yield wanted, "", told(text, ratios[worst] <= 1.15)
    size = float(np.median([float(cells[3]) for cells in choices]))
    yield "`choose`: median of 20 % of the postings or less", "", told(f"{size:.1f} %", size <= 20)
    halves = [cells[-1] for cells in choices if cells[-1]]
    safe = sum(verdict in SHOWN for verdict in halves)
    wanted = "`choose` by half of 100 topics or more: non-inferior on the other half"
    yield wanted, "", told(f"{safe} of {len(halves)}", safe == len(halves))


UNPRUNED_BARS = (
    "weights, all postings: above no cleaning on all six with titles",
    "of these, intervals that exclude 0: three or more",
    "lower ends of −2 % or higher",
)


def unpruned_bars(every: Sequence[Measured]) -> list[str]:
    """Return what was measured for each of `UNPRUNED_BARS`."""
    changes: list[float] = []
    lows: list[float] = []
    for one in every:
        if one.name == "cacm":
            continue
        values = one.grid.of(MAIN_MEASURE)
        before = float(values[0].mean())
        comparison = compare(values[one.grid.position[one.weighted]].tolist(), values[0].tolist(), MAIN_MEASURE)
        changes.append(comparison.difference / before)
        lows.append(comparison.ci_low / before)
    above, certain = sum(value > 0 for value in changes), sum(low > 0 for low in lows)
    cells = [told(f"{above} of {len(changes)}", above == len(changes)), told(str(certain), certain >= 3)]
    return [*cells, told(f"lowest {100 * min(lows):+.2f} %".replace("-", "−"), min(lows) >= -0.02)]


def told(text: str, is_met: bool) -> str:
    """Return what was measured, and whether that meets the bar."""
    return f"{text}, {'met' if is_met else '**missed**'}"


def pruned_changes(every: Sequence[Measured], share: float) -> list[float]:
    """Return the changes of weights with pruning at a share; where it cannot be reached, as if everything were lost."""
    changes: list[float] = []
    for one in every:
        row = at_share(one.pruned, f"{one.weighted}|{canonical(one.method)}", share)
        changes.append(-1.0 if row is None else change(one.pruned, row))
    return changes


def bytes_ratio(one: Measured) -> float:
    """Return the bytes a posting of the weighted index by those of the same cleaned text without weights."""
    weighted, plain = one.built[one.weighted], one.built[parse_treatment(CLEANER).name]
    return (weighted.bytes / weighted.postings) / (plain.bytes / plain.postings)


@dataclass(frozen=True)
class Chosen:
    """What all collections choose, and for each what the other six choose."""

    setting: Setting
    method: str
    own: Mapping[str, tuple[Setting, str]]


def explore_missing(collections: Sequence[Collection], steps: Mapping[str, Callable[[Collection], None]]) -> None:
    """Take the steps that have no results yet."""
    for collection, (step, explored) in product(collections, steps.items()):
        if not collection.is_done(step):
            print(f"{collection.name}: exploring {step}", file=sys.stderr)
            explored(collection)


def chosen_settings(collections: Sequence[Collection]) -> tuple[Setting, dict[str, Setting]]:
    """Return the setting of all collections, and for each that of the other six."""
    grids = {collection.name: collection.table("grid") for collection in collections}
    return chosen_setting(grids), {name: chosen_setting(grids, name) for name in grids}


def explore_all(collections: Sequence[Collection]) -> None:
    """Explore what has no results yet: the settings, then the chosen ones with pruning, and the families of `choose`."""
    explore_missing(collections, {"grid": explore_settings})
    default, own = chosen_settings(collections)
    settings = list(dict.fromkeys([default, *own.values()]))
    steps: dict[str, Callable[[Collection], None]] = {
        "pruned": lambda one: explore_all_pruned(one, settings),
        "parts": lambda one: explore_parts(one, default),
        "families": explore_families,
    }
    explore_missing(collections, steps)


def choices_of(collections: Sequence[Collection]) -> Chosen:
    """Return what was chosen."""
    default, settings = chosen_settings(collections)
    pruned = {collection.name: collection.table("pruned") for collection in collections}
    own = {name: (setting, chosen_method(pruned, setting, name)) for name, setting in settings.items()}
    return Chosen(default, chosen_method(pruned, default), own)


def explore_all_pruned(collection: Collection, settings: Sequence[Setting]) -> None:
    """Explore the settings with every method and share, and no cleaning."""
    pruned = [Pruned(Treatment(), METHODS)]
    for setting in settings:
        pruned.append(Pruned(collection.treatment(setting), METHODS))
    explore_pruned(collection, pruned, [one.treatment for one in pruned[1:]], "pruned")


def explore_parts(collection: Collection, default: Setting) -> None:
    """Explore a setting with each part left out, without pruning and by every method."""
    treatments = dict.fromkeys(collection.treatment(without(default)) for without in PARTS.values())
    pruned = [Pruned(treatment, METHODS, (ABLATED_SHARE,)) for treatment in treatments]
    explore_pruned(collection, pruned, list(treatments), "parts")


def main() -> None:
    """Measure and fill the page."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, []], help=", ".join(NAMES))
    parser.add_argument("--read", action="store_true", help="fill the page with what was measured before")
    parser.add_argument("--seconds", type=float, default=20, help="seconds that queries are timed, for a collection")
    arguments = parser.parse_args()
    collections = [Collection(name) for name in arguments.names or NAMES]
    if not arguments.read:
        explore_all(collections)
    chosen = choices_of(collections)
    others: list[Measured] = []
    every: list[Measured] = []
    for one in collections:
        tables = one.table("grid"), one.table("pruned")
        others.append(Measured(one, *chosen.own[one.name], *tables, {}))
        default = Measured(one, chosen.setting, chosen.method, *tables, {})
        if not arguments.read:
            build(one, list(dict.fromkeys(default.shown.values())), arguments.seconds)
        every.append(replace(default, built=read_built(one)))
    fill(others, every, chosen)


def fill(others: Sequence[Measured], every: Sequence[Measured], chosen: Chosen) -> None:
    """Fill the page."""
    names = [one.name for one in every]
    collections = [one.collection for one in every]
    choices = [row_of_choice(one) for one in collections]
    heads: Sequence[str] = ("wanted", "chosen on the other six", "chosen on all seven")
    put(PAGE, "bars", markdown(heads, rows_of_bars(others, every, choices), "lll"))
    heads = ("collection", "topics", "weights", "pruning", "all postings", *(f"{100 * share:g} %" for share in SHARES))
    put(PAGE, "left out", markdown(heads, map(row_left_out, others), "lrll"))
    rows = [(cells[0], *cells[4:]) for cells in map(row_left_out, every)]
    put(PAGE, "all seven", markdown((heads[0], *heads[4:]), rows))
    parts = rows_of_parts(every, chosen.setting, chosen.method)
    put(PAGE, "parts", markdown(["", "postings", "mean", *names], parts))
    grids = {one.name: one.grid for one in every}
    put(PAGE, "grid", markdown(["weights", "mean", *names], rows_of_grid(grids)))
    methods = rows_of_methods(every, chosen.setting)
    put(PAGE, "methods", markdown(["", "postings", "mean", *names], methods))
    heads = ("collection", "topics", "recommended", "postings (%)", "change", "by one half", "postings (%)")
    put(PAGE, "choose", markdown([*heads, "on the other half", ""], choices, "lrlrrlrrl"))
    heads = (
        "collection",
        "topics of a half",
        *(head for level in LEVELS for head in (f"postings (%), α = {level}", "shown (%)")),
    )
    halves = [row_of_halves(one) for one in collections if len(one.table("families").topics) >= HALF]
    put(PAGE, "halves", markdown(heads, halves))
    samples = [row for one in collections if one.name == SAMPLED for row in rows_of_samples(one)]
    put(PAGE, "samples", markdown(["topics of", "n", "postings (%)", "wrong (%)"], samples))
    heads = ("", "postings (%)", "bytes (%)", "exp-nDCG@10", "AP", "exp-nDCG@10, BM25", "postings a query", "ms")
    sections = [f"### {one.name}\n\n{one.topics} topics\n\n{markdown(heads, rows_of(one))}" for one in every]
    put(PAGE, "collections", "\n".join([*sections, JUDGE, ""]))


if __name__ == "__main__":
    main()
