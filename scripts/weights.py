#!/usr/bin/env python3
"""Measure weights of pages' parts, with and without pruning, on seven collections: docs/results/weights.md,
and the tables of each collection, scripts/pages/weights-by-collection.md.

usage: scripts/weights.py [--seconds N]

One command from nothing to the page: collections are scored (scripts/seven.py), weights are tried over a grid without an index
(`explore`), and for each collection the setting is taken from the other six. The named indexes are then built, searched by two
retrieval models, and timed together for N seconds a collection. What was measured stays in results/seven and is taken from
there when the command is run again. Needs the extra `extractors`, and the folders of THRESHER_DATA.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np

from arguments import parser_of
from fill import JUDGE, ROOT, SEVEN, percent, put, relative
from fill import table as markdown
from seven import (
    AP,
    BM25,
    CONTENT,
    LINKED,
    QLD,
    RESULTS,
    TREATMENTS,
    Built,
    Collection,
    commits,
)
from thresher import (
    BASELINE,
    ChoiceCriteria,
    MarginComparison,
    RunVerdict,
    Treatment,
    VariantTable,
    compare,
    compare_by_margin,
    parse_margin,
    parse_retrieval,
    parse_treatment,
    read_results,
)
from thresher.base.defaults import ALPHA, DEFAULT_FAMILIES, MAIN_MEASURE, MARGIN
from thresher.base.repeats import compare_times
from thresher.cleaners.cleaner import parse_cleaner
from thresher.experiments.choosing.families import parse_family
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.testing_order import fixed_sequences, smallest_accepted
from thresher.experiments.exploring.exploring import POINTS, Search, WeightedSweeps, explore
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning
from thresher.experiments.outcome import facts_of
from thresher.experiments.results import RESULTS_FILE, Results, write_results
from thresher.experiments.stages import evidence_key
from thresher.indexes.lexicon import Lexicon, ShardTokenizer
from thresher.indexes.pruning.collected_postings import collected_postings
from thresher.indexes.pruning.method import KEEP_ABOVE, PruningMethod
from thresher.indexes.pruning.treatments import parse_pruning
from thresher.indexes.query_timing import TimedSearches, time_queries
from thresher.scores.weighting import weighted_store

PAGE = ROOT / "docs" / "results" / "weights.md"
TABLES = ROOT / "scripts" / "pages" / "weights-by-collection.md"
REPEATED = "repeated(share,headings=keep)@0.01"
CLEANER = f"{CONTENT}+{REPEATED}"
TRAFILATURA = "extractor(trafilatura)"
TITLES, HEADINGS = (1, 2, 4, 8), (1, 2, 3)
ANCHORS = 1
"""By a rule: they count once where pages link to each other, unless a collection loses by it."""
ALPHAS = (0, 0.2, 0.5)
SHARES = (0.3, 0.2, 0.1, 0.05)
PLAIN_SHARES = (0.2, 0.1)
"""By these a method of pruning is chosen; the pruned index of all text is built, too."""
TIMED_QUERIES = 100
TIMES_FILE = "times.json"
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


def treatment_on(name: str, setting: Setting) -> Treatment:
    """Return a setting's treatment on a collection: anchors are 0 if no page links to another or topics are texts of links."""
    return setting.treatment if name in LINKED else replace(setting, anchors=0).treatment


@dataclass(frozen=True)
class Explored(Collection):
    """A collection of which weights are explored, step by step."""

    @cached_property
    def search(self) -> Search:
        """How it is explored: by query likelihood, as the setting is chosen."""
        experiment, topics = self.experiment, self.scored.inputs.topics
        models, measures = (parse_retrieval(QLD),), (AP, MAIN_MEASURE)
        return Search(topics, models, experiment.index, experiment.retrieval.depth, measures, None, experiment.backend)

    def treatment(self, setting: Setting) -> Treatment:
        """Return the treatment of a setting."""
        return treatment_on(self.name, setting)

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


def explore_settings(collection: Explored) -> None:
    """Explore every setting of the grid, without pruning."""
    weighted: list[WeightedSweeps] = []
    for setting in GRID:
        treatment = collection.treatment(setting)
        weighted.append(WeightedSweeps(treatment.weights, (), (treatment.cleaner.checked(),)))
    plain = [parse_cleaner(name).checked() for name in (CONTENT, CLEANER, TRAFILATURA)]
    collection.write("grid", explore(collection.scored.store, [], plain, collection.search, weighted=weighted))


@dataclass(frozen=True)
class Pruned:
    """A treatment to prune by some methods, each to some shares of no cleaning's postings."""

    treatment: Treatment
    methods: tuple[str, ...]
    shares: tuple[float, ...] = SHARES


def explore_pruned(collection: Explored, every: Sequence[Pruned], unpruned: Sequence[Treatment], step: str) -> None:
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
    collection: Explored, treatment: Treatment, methods: Sequence[PruningMethod], counts: Sequence[int]
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
    return table.position[treatment_on(name, setting).name]


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
                row = at_share(table, f"{treatment_on(name, setting).name}|{canonical(method)}", share)
                changes.append(-1.0 if row is None else change(table, row))
            values[method].append(float(np.mean(changes)))
    best = max(METHODS, key=lambda method: float(np.mean(values[method])))
    lead = np.array(values[best]) - np.array(values[PUBLISHED])
    return best if lead.mean() > lead.std(ddof=1) / np.sqrt(len(lead)) else PUBLISHED


# Times


@dataclass(frozen=True)
class TimedIndex:
    """The CPU time of a query in an index.

    Args:
        milliseconds: mean over queries of the median over rounds.
        ratio: by the unpruned index of all text, timed in turn: geometric mean over queries.
        low, high: bounds of 95 % of the ratio, over queries and restarts.
        is_measurable: whether the ratio is beyond that of a second searcher of the same index.
    """

    milliseconds: float
    ratio: float
    low: float
    high: float
    is_measurable: bool


def build_and_time(collection: Explored, names: Sequence[str], seconds: float) -> None:
    """Build the indexes of treatments, search them, and time queries in all of them together, unless these are timed."""
    if set(names) <= set(read_times(collection)):
        return
    built = collection.read_built()
    topics = collection.scored.inputs.topics
    queries = [topics.topics[topic].query for topic in topics.ids][:TIMED_QUERIES]
    with ExitStack() as stack:
        folders: list[Path] = []
        for name in names:
            folder, report = stack.enter_context(collection.index(name))
            built.setdefault(name, collection.judged(folder, report))
            collection.write_built(built)
            folders.append(folder)
        both = [folders[0], *folders]
        searches = TimedSearches(both, parse_retrieval(QLD), collection.experiment.retrieval.depth, queries, seconds)
        times = time_queries(searches, lambda _: False)
    repeats = compare_times(names, times.wall, times.cpu)
    noise = repeats.copy.cpu_ratio
    floor = max(noise.high, 1 / noise.low) if noise.low else np.inf
    records: dict[str, dict[str, float | bool]] = {}
    for name, one in repeats.times.items():
        ratio = one.cpu_ratio
        records[name] = {
            "milliseconds": 1000 * one.cpu.value,
            "ratio": ratio.value,
            "low": ratio.low,
            "high": ratio.high,
            "is_measurable": ratio.high < 1 / floor or ratio.low > floor,
        }
    (collection.folder / TIMES_FILE).write_text(json.dumps(records) + "\n", encoding="utf-8")


def read_times(collection: Explored) -> dict[str, TimedIndex]:
    """Return what was timed."""
    path = collection.folder / TIMES_FILE
    if not path.exists():
        return {}
    return {name: TimedIndex(**one) for name, one in json.loads(path.read_text(encoding="utf-8")).items()}


# What the page shows


@dataclass(frozen=True)
class Measured:
    """All that is known of a collection, for one setting and one method of pruning.

    Args:
        grid: the table of settings, and of text that is cleaned alone.
        pruned: the table of pruned indexes, and of those without a part.
    """

    collection: Explored
    setting: Setting
    method: str
    grid: VariantTable
    pruned: VariantTable

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.collection.name

    @cached_property
    def built(self) -> Mapping[str, Built]:
        """The built indexes by name."""
        return self.collection.read_built()

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
        shown = {
            "no cleaning": BASELINE,
            "Trafilatura's text": parse_treatment(TRAFILATURA).name,
            "`content`": parse_treatment(CONTENT).name,
            "`content`, `repeated`": parse_treatment(CLEANER).name,
            "weights": self.weighted,
        }
        for share, name in self.names(self.weighted, canonical(self.method)).items():
            shown[f"weights, `{short_method(self.method)}`, {100 * share:g} %"] = name
        for share, name in self.names(BASELINE, canonical(PUBLISHED)).items():
            if share in PLAIN_SHARES:
                shown[f"`none`, `{PUBLISHED}`, {100 * share:g} %"] = name
        return shown

    def explored(self, name: str, measure: str = MAIN_MEASURE) -> str:
        """Return the change of an explored index from no cleaning, with its interval."""
        table = self.pruned if name in self.pruned.position else self.grid
        values = table.of(measure)
        ours, theirs = values[table.position[name]], values[0]
        return relative(compare(ours.tolist(), theirs.tolist(), measure), float(theirs.mean()))

    def changed(self, name: str, model: str, measure: str) -> str:
        """Return the change of a built index from no cleaning, with its interval."""
        ours, theirs = (self.built[one].values[model][measure] for one in (name, BASELINE))
        comparison = compare([ours[topic] for topic in theirs], [*theirs.values()], measure)
        return relative(comparison, self.built[BASELINE].means(model, measure))


def short_method(method: str) -> str:
    """Return a method's name without the parameters that have their defaults."""
    return parse_pruning(method, "").method.name


COLUMNS = ((QLD, MAIN_MEASURE), (QLD, AP), (BM25, MAIN_MEASURE), (BM25, AP))
"""The models and measures of a collection's table."""


def rows_of(one: Measured) -> Iterator[tuple[str, ...]]:
    """Give the lines of a collection's table, which are of built indexes."""
    baseline, times = one.built[BASELINE], read_times(one.collection)
    for label, name in one.shown.items():
        index, time = one.built[name], times[name]
        cells = [label, f"{100 * index.postings / baseline.postings:.1f}", f"{100 * index.bytes / baseline.bytes:.1f}"]
        if name == BASELINE:
            cells += [f"{baseline.means(*column):.4f}" for column in COLUMNS]
            yield *cells, f"{index.work:,.0f}", f"{time.milliseconds:.2f} ms"
        else:
            cells += [one.changed(name, *column) for column in COLUMNS]
            ratio = f"{time.ratio:.2f} [{time.low:.2f}, {time.high:.2f}]"
            yield *cells, f"{index.work:,.0f}", ratio if time.is_measurable else "–"


def row_left_out(one: Measured) -> tuple[str, ...]:
    """Return the line of a collection whose setting and method were taken from the other six."""
    topics = str(len(one.pruned.topics))
    cells = [one.name, topics, one.setting.label, f"`{one.method}`", one.explored(one.weighted)]
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
                cells.append("" if row is None else percent(change(table, row)))
                changes.append(np.nan if row is None else change(table, row))
            mean = "" if np.isnan(changes).any() else percent(float(np.mean(changes)))
            yield label, "all" if share == 1 else f"{100 * share:g} %", mean, *cells


def rows_of_grid(grids: Mapping[str, VariantTable]) -> Iterator[tuple[str, ...]]:
    """Give for each weight of titles, and below it of headings, the mean change over all collections."""
    for title in TITLES:
        cells: list[str] = []
        for headings in HEADINGS:
            setting = Setting(title, headings, ANCHORS)
            changes = [change(table, grid_row(table, name, setting)) for name, table in grids.items()]
            cells.append(percent(float(np.mean(changes))))
        yield f"title {title}", *cells


def rows_of_methods(every: Sequence[Measured], setting: Setting) -> Iterator[tuple[str, ...]]:
    """Give the changes of each method of pruning at 20 and 10 % of the postings, of weights and of no cleaning."""
    for weighted, share in product((True, False), (0.2, 0.1)):
        for method in METHODS:
            cells: list[str] = []
            changes: list[float] = []
            for one in every:
                treatment = one.collection.treatment(setting).name if weighted else BASELINE
                row = at_share(one.pruned, f"{treatment}|{canonical(method)}", share)
                cells.append("" if row is None else percent(change(one.pruned, row)))
                changes.append(np.nan if row is None else change(one.pruned, row))
            mean = "" if np.isnan(changes).any() else percent(float(np.mean(changes)))
            label = f"weights, `{method}`" if weighted else f"`none`, `{method}`"
            yield label, f"{100 * share:g} %", mean, *cells


# What `choose` recommends


def families_of(collection: Explored) -> tuple[str, ...]:
    """Return the families that `choose` tests, without anchors where the collection has none to count."""
    names: list[str] = []
    for name in DEFAULT_FAMILIES:
        if collection.name not in LINKED:
            name = re.sub(r"anchors=[\d.]+", "anchors=0", name)
        names.append(parse_family(name).name)
    return tuple(names)


def explore_families(collection: Explored) -> None:
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


def row_of_choice(collection: Explored) -> tuple[str, ...]:
    """Return what is recommended by all topics, and by one half of many topics with its test on the other."""
    table, families = collection.table("families"), families_of(collection)
    row = recommended(table, families)
    cells = [
        collection.name,
        str(len(table.topics)),
        f"`{short(table.rows[row].name)}`",
        f"{100 * table.shares[row]:.1f}",
    ]
    cells.append(percent(change(table, row)))
    if len(table.topics) < HALF:
        return (*cells, "", "", "", "")
    row = recommended(table.of_topics(table.topics[::2]), families)
    test, before = tested_on(table.of_topics(table.topics[1::2]), row)
    bound = f"{percent(test.difference / before)} (above {percent(test.low / before)})"
    return (*cells, f"`{short(table.rows[row].name)}`", f"{100 * table.shares[row]:.1f}", bound, str(test.verdict))


def tested_on(table: VariantTable, row: int) -> tuple[MarginComparison, float]:
    """Return the test of an index at the margin on the topics of a table, and the mean of no cleaning."""
    values = table.of(MAIN_MEASURE)
    return compare_by_margin(values[row], values[0], parse_margin(MARGIN)), float(values[0].mean())


def row_of_halves(collection: Explored) -> tuple[str, ...]:
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


def rows_of_samples(collection: Explored) -> Iterator[tuple[str, ...]]:
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
        wanted = f"mean over seven at {100 * share:g} % of the postings: {percent(bar)} % or more"
        yield wanted, *(told(f"{percent(mean)} %", mean >= bar) for mean in means)
    counts = [sum(value >= 0 for value in pruned_changes(each, 0.1)) for each in (others, every)]
    yield "at or above no cleaning at 10 %: three or more", *(told(str(count), count >= 3) for count in counts)
    ratios = {one.name: bytes_ratio(one) for one in every}
    worst = max(ratios, key=lambda name: ratios[name])
    wanted = "bytes a posting by those of the same text without weights: 1.15 or less"
    yield wanted, "", told(f"{ratios[worst]:.3f} ({worst}) at most", ratios[worst] <= 1.15)
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


def explore_missing(collections: Sequence[Explored], steps: Mapping[str, Callable[[Explored], None]]) -> None:
    """Take the steps that have no results yet."""
    for collection, (step, explored) in product(collections, steps.items()):
        if not collection.is_done(step):
            collection.begin(f"exploring {step}")
            explored(collection)


def chosen_settings(collections: Sequence[Explored]) -> tuple[Setting, dict[str, Setting]]:
    """Return the setting of all collections, and for each that of the other six."""
    grids = {collection.name: collection.table("grid") for collection in collections}
    return chosen_setting(grids), {name: chosen_setting(grids, name) for name in grids}


def explore_all(collections: Sequence[Explored]) -> None:
    """Explore what has no results yet: the settings, then the chosen ones with pruning, and the families of `choose`."""
    explore_missing(collections, {"grid": explore_settings})
    default, own = chosen_settings(collections)
    settings = list(dict.fromkeys([default, *own.values()]))
    steps: dict[str, Callable[[Explored], None]] = {
        "pruned": lambda one: explore_all_pruned(one, settings),
        "parts": lambda one: explore_parts(one, default),
        "families": explore_families,
    }
    explore_missing(collections, steps)


def choices_of(collections: Sequence[Explored]) -> Chosen:
    """Return what was chosen."""
    default, settings = chosen_settings(collections)
    pruned = {collection.name: collection.table("pruned") for collection in collections}
    own = {name: (setting, chosen_method(pruned, setting, name)) for name, setting in settings.items()}
    return Chosen(default, chosen_method(pruned, default), own)


def explore_all_pruned(collection: Explored, settings: Sequence[Setting]) -> None:
    """Explore the settings with every method and share, and no cleaning."""
    pruned = [Pruned(Treatment(), METHODS)]
    for setting in settings:
        pruned.append(Pruned(collection.treatment(setting), METHODS))
    explore_pruned(collection, pruned, [one.treatment for one in pruned[1:]], "pruned")


def explore_parts(collection: Explored, default: Setting) -> None:
    """Explore a setting with each part left out, without pruning and by every method."""
    treatments = dict.fromkeys(collection.treatment(without(default)) for without in PARTS.values())
    pruned = [Pruned(treatment, METHODS, (ABLATED_SHARE,)) for treatment in treatments]
    explore_pruned(collection, pruned, list(treatments), "parts")


def main() -> None:
    """Measure and fill the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="seconds that queries are timed, for a collection")
    parser.add_argument("--only", nargs="+", choices=SEVEN, help="explore these collections alone, and leave the page")
    arguments = parser.parse_args()
    collections = [Explored(name, TREATMENTS, RESULTS / name) for name in arguments.only or SEVEN]
    explore_all(collections)
    chosen = choices_of(collections)
    others: list[Measured] = []
    every: list[Measured] = []
    for one in collections:
        tables = one.table("grid"), one.table("pruned")
        others.append(Measured(one, *chosen.own[one.name], *tables))
        default = Measured(one, chosen.setting, chosen.method, *tables)
        build_and_time(one, [*default.shown.values()], arguments.seconds)
        every.append(default)
    if not arguments.only:
        fill(others, every, chosen)


def fill(others: Sequence[Measured], every: Sequence[Measured], chosen: Chosen) -> None:
    """Fill the pages."""
    names = [one.name for one in every]
    collections = [one.collection for one in every]
    choices = [row_of_choice(one) for one in collections]
    heads: Sequence[str] = ("wanted", "chosen on the other six", "chosen on all seven")
    put(PAGE, "bars", markdown(heads, rows_of_bars(others, every, choices), "lll"))
    heads = ("collection", "topics", "weights", "pruning", "all postings", *(f"{100 * share:g} %" for share in SHARES))
    put(PAGE, "left out", markdown(heads, map(row_left_out, others), "lrll"))
    parts = rows_of_parts(every, chosen.setting, chosen.method)
    put(PAGE, "parts", markdown(["", "postings", "mean", *names], parts))
    grids = {one.name: one.grid for one in every}
    put(PAGE, "grid", markdown(["", *(f"headings {headings}" for headings in HEADINGS)], rows_of_grid(grids)))
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
    heads = (
        "",
        "postings (%)",
        "bytes (%)",
        "exp-nDCG@10",
        "AP",
        "exp-nDCG@10, BM25",
        "AP, BM25",
        "postings a query",
        "time",
    )
    sections: list[str] = []
    for one in every:
        topics = f"### {one.name} ({len(one.pruned.topics)} topics)"
        sections.append(f"{topics}\n\n{markdown(heads, rows_of(one))}")
    put(TABLES, "collections", "\n".join([*sections, f"{JUDGE} Measured by commit {commits()}.", ""]))


if __name__ == "__main__":
    main()
