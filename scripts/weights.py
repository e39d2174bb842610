#!/usr/bin/env python3
"""Measure weights of pages' parts, with and without pruning, on seven collections.

usage: scripts/weights.py [--seconds N]

Writes the tables of docs/results/weights.md and scripts/pages/weights-by-collection.md. The script scores the collections
(scripts/seven.py) and tries a grid of weights without indexes (`explore`). For each collection it takes the setting that is
best on the other six. Then it builds the indexes of the tables, searches them by two retrieval models, and times them
together for N seconds a collection. A later run reuses the results in results/seven. Needs the extra `extractors` and the
folders of THRESHER_DATA.
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
    Results,
    RunVerdict,
    Treatment,
    VariantTable,
    compare,
    compare_by_margin,
    parse_cleaner,
    parse_margin,
    parse_retrieval,
    parse_treatment,
    read_results,
)
from thresher.base.defaults import ALPHA, DEFAULT_FAMILIES, MAIN_MEASURE, MARGIN
from thresher.base.repeats import compare_times
from thresher.experiments.choosing.families import parse_family
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.testing_order import fixed_sequences, smallest_accepted
from thresher.experiments.exploring.exploring import POINTS, Search, WeightedSweeps, explore
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning
from thresher.experiments.outcome import facts_of
from thresher.experiments.results import RESULTS_FILE, write_results
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
"""The weight of link texts, which is fixed and not chosen from a grid; 0 on collections outside of `LINKED`."""
ALPHAS = (0, 0.2, 0.5)
SHARES = (0.3, 0.2, 0.1, 0.05)
PLAIN_SHARES = (0.2, 0.1)
"""Shares of the postings at which a pruning method is chosen, and at which pruned indexes of all text are built."""
TIMED_QUERIES = 100
TIMES_FILE = "times.json"
SAMPLE_SIZES, SAMPLES = (36, 60, 150), 500
SAMPLED = "man-pages"
"""The collection with the most topics. Samples of its topics are compared with all of them."""
HALF = 100
"""The fewest topics of a collection for choosing an index on one half of them and testing it on the other half."""
SHOWN = (RunVerdict.NON_INFERIOR, RunVerdict.SUPERIOR)
HALVES, LEVELS = 100, (ALPHA, 0.01)
"""The number of random halves of the topics, and the significance levels at which an index is chosen."""


@dataclass(frozen=True)
class Setting:
    """Weights of pages' parts, and the cleaner before them."""

    title: int
    headings: int
    anchors: int
    cleaner: str = CLEANER

    @property
    def label(self) -> str:
        """The weights in the words of the tables."""
        return f"title {self.title}, headings {self.headings}"

    @property
    def treatment(self) -> Treatment:
        """The treatment with these weights."""
        weights = f"weights(title={self.title},headings={self.headings},anchors={self.anchors})"
        return parse_treatment(f"{self.cleaner}|{weights}")


GRID = tuple(Setting(title, headings, ANCHORS) for title, headings in product(TITLES, HEADINGS))
PUBLISHED = "dcp"
"""The published pruning method, which has no parameter besides its cutoff."""
METHODS = (*(f"gain(alpha={alpha})" for alpha in ALPHAS), PUBLISHED)


def treatment_on(name: str, setting: Setting) -> Treatment:
    """Return a setting's treatment on a collection, with anchors 0 if the collection is not in `LINKED`."""
    return setting.treatment if name in LINKED else replace(setting, anchors=0).treatment


@dataclass(frozen=True)
class Explored(Collection):
    """A collection on which weights are explored, in steps whose results are stored."""

    @cached_property
    def search(self) -> Search:
        """The search that explores it: by query likelihood, which also chooses the setting."""
        experiment, topics = self.experiment, self.scored.inputs.topics
        models, measures = (parse_retrieval(QLD),), (AP, MAIN_MEASURE)
        return Search(topics, models, experiment.index, experiment.retrieval.depth, measures, None, experiment.backend)

    def treatment(self, setting: Setting) -> Treatment:
        """Return the treatment of a setting."""
        return treatment_on(self.name, setting)

    def is_done(self, step: str) -> bool:
        """Whether the results of a step are stored."""
        return (self.folder / step / RESULTS_FILE).exists()

    def table(self, step: str) -> VariantTable:
        """Return the stored results of a step."""
        return read_results(self.folder / step).table()

    def write(self, step: str, tables: tuple[VariantTable, ...]) -> None:
        """Store the results of a step."""
        facts = facts_of(self.experiment, self.scored, evidence_key(self.experiment, self.scored))
        write_results(Results.of(facts, tables), self.folder / step)


def explore_settings(collection: Explored) -> None:
    """Explore every setting of the grid without pruning, and three cleaners alone."""
    weighted: list[WeightedSweeps] = []
    for setting in GRID:
        treatment = collection.treatment(setting)
        weighted.append(WeightedSweeps(treatment.weights, (), (treatment.cleaner.checked(),)))
    plain = [parse_cleaner(name).checked() for name in (CONTENT, CLEANER, TRAFILATURA)]
    collection.write("grid", explore(collection.scored.store, [], plain, collection.search, weighted=weighted))


@dataclass(frozen=True)
class Pruned:
    """A treatment to prune by each of `methods`, to each of `shares` of the baseline's postings."""

    treatment: Treatment
    methods: tuple[str, ...]
    shares: tuple[float, ...] = SHARES


def explore_pruned(collection: Explored, every: Sequence[Pruned], unpruned: Sequence[Treatment], step: str) -> None:
    """Explore treatments without pruning and pruned treatments, at the cutoffs that leave their shares of the postings."""
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
    for pruned in every:
        methods = [parse_pruning(name, name).method for name in pruned.methods]
        counts = [int(share * postings) for share in pruned.shares]
        cutoffs = cutoffs_that_leave(collection, pruned.treatment, methods, counts)
        for method, own in zip(methods, cutoffs, strict=True):
            cleaner = pruned.treatment.cleaner.checked()
            sweeps.append(PruningSweep(cleaner, method, own, points=1, weights=pruned.treatment.weights))
    collection.write(step, explore_pruning(tables, scored.store, sweeps, search))


def cutoffs_that_leave(
    collection: Explored, treatment: Treatment, methods: Sequence[PruningMethod], counts: Sequence[int]
) -> list[tuple[float, ...]]:
    """Return for each method the cutoffs, to four digits, that leave nearly and at most these numbers of postings."""
    by_method: list[tuple[float, ...]] = []
    store = collection.scored.store
    source, scratch = weighted_store(store, treatment.weights), store.parent / "postings"
    tokenizer = ShardTokenizer(Lexicon(collection.experiment.index.analysis))
    with collected_postings(source, treatment.cleaner.checked(), tokenizer, scratch) as postings:
        for method in methods:
            parameters = method.fit(postings)
            blocks = [method.scores(block, postings.statistics, parameters) for block in postings.blocks()]
            scores = np.sort(np.concatenate(blocks))
            if method.keep == KEEP_ABOVE:
                cutoffs = [rounded(float(scores[-count]), np.ceil) for count in counts if count <= len(scores)]
            else:
                cutoffs = [rounded(float(scores[count]), np.floor) for count in counts if count < len(scores)]
            by_method.append(tuple(cutoff for cutoff in cutoffs if np.isfinite(cutoff) and cutoff))
    return by_method


def canonical(method: str) -> str:
    """Return the canonical name of a pruning method."""
    return parse_pruning(method, method).name


def rounded(value: float, up_or_down: Callable[[float], float]) -> float:
    """Return a number rounded up or down to four significant digits; an infinite number or 0 unchanged."""
    if not np.isfinite(value) or not value:
        return value
    unit = 10.0 ** (np.floor(np.log10(abs(value))) - 3)
    return float(f"{up_or_down(value / unit) * unit:.4g}")


def at_share(table: VariantTable, sweep: str, share: float) -> int | None:
    """Return the largest index of a sweep with .9 to 1 times a share of the postings; None without one."""
    rows = [number for number, row in enumerate(table.rows) if row.variant.sweep == sweep]
    inside = [number for number in rows if 0.9 * share <= table.shares[number] <= share]
    return max(inside, key=lambda number: float(table.shares[number]), default=None)


def change(table: VariantTable, number: int, measure: str = MAIN_MEASURE) -> float:
    """Return the relative change of a variant's mean from the baseline's."""
    means = table.mean(measure)
    return float(means[number] / means[0]) - 1


# Leaving one collection out


def chosen_setting(grids: Mapping[str, VariantTable], left_out: str = "") -> Setting:
    """Return the setting with the best mean change over all collections except one.

    Among settings with equal means, the lowest weights win.
    """

    def mean_change(setting: Setting) -> tuple[float, int]:
        changes: list[float] = []
        for name, table in grids.items():
            if name != left_out:
                changes.append(change(table, grid_row(table, name, setting)))
        return round(float(np.mean(changes)), 5), -(setting.title + setting.headings + setting.anchors)

    return max(GRID, key=mean_change)


def grid_row(table: VariantTable, name: str, setting: Setting) -> int:
    """Return the row of a setting in a collection's table."""
    return table.position[treatment_on(name, setting).name]


def chosen_method(tables: Mapping[str, VariantTable], setting: Setting, left_out: str = "") -> str:
    """Return `PUBLISHED`, unless another method is better by more than one standard error over all collections except one.

    A method's value on a collection is its mean change at 20 and at 10 % of the postings. If the method cannot leave so few
    postings, its change counts as −100 %. The standard error is of the mean difference between the best method and
    `PUBLISHED`. This is the one-standard-error rule of Breiman, Friedman, Olshen, Stone: Classification and Regression
    Trees, 1984, page 80, for pairs.
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
        ratio: time over that of the unpruned index of all text, timed in turn: geometric mean over queries.
        low, high: bounds of the ratio's 95 % interval over queries and restarts.
        is_measurable: whether the interval is outside of the ratios between two searchers of one index.
    """

    milliseconds: float
    ratio: float
    low: float
    high: float
    is_measurable: bool


def build_and_time(collection: Explored, names: Sequence[str], seconds: float) -> None:
    """Build the indexes of treatments, search them, and time queries in all of them together, if times are missing."""
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
        timed_folders = [folders[0], *folders]
        searches = TimedSearches(
            timed_folders, parse_retrieval(QLD), collection.experiment.retrieval.depth, queries, seconds
        )
        times = time_queries(searches, lambda _: False)
    repeats = compare_times(names, times.wall, times.cpu)
    noise = repeats.copy.cpu_ratio
    floor = max(noise.high, 1 / noise.low) if noise.low else np.inf
    records: dict[str, dict[str, float | bool]] = {}
    for name, measured in repeats.times.items():
        ratio = measured.cpu_ratio
        records[name] = {
            "milliseconds": 1000 * measured.cpu.value,
            "ratio": ratio.value,
            "low": ratio.low,
            "high": ratio.high,
            "is_measurable": ratio.high < 1 / floor or ratio.low > floor,
        }
    (collection.folder / TIMES_FILE).write_text(json.dumps(records) + "\n", encoding="utf-8")


def read_times(collection: Explored) -> dict[str, TimedIndex]:
    """Return the stored times by treatment."""
    path = collection.folder / TIMES_FILE
    if not path.exists():
        return {}
    return {name: TimedIndex(**record) for name, record in json.loads(path.read_text(encoding="utf-8")).items()}


# Tables


@dataclass(frozen=True)
class Measured:
    """The results of a collection, with a setting and a pruning method.

    Args:
        grid: the table of settings and of cleaners alone.
        pruned: the table of pruned indexes.
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
        """Return the names of a treatment's explored indexes that a method pruned, by their nominal shares."""
        by_share: dict[float, str] = {}
        for share in SHARES:
            row = at_share(self.pruned, f"{treatment}|{method}", share)
            if row is not None:
                by_share[share] = self.pruned.rows[row].name
        return by_share

    @property
    def weighted(self) -> str:
        """The name of the weighted treatment without pruning."""
        return self.collection.treatment(self.setting).name

    @property
    def shown(self) -> dict[str, str]:
        """The treatments of the built indexes, by their labels in the table."""
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
        """Return the change of an explored index from the baseline, with its interval."""
        table = self.pruned if name in self.pruned.position else self.grid
        values = table.of(measure)
        ours, theirs = values[table.position[name]], values[0]
        return relative(compare(ours.tolist(), theirs.tolist(), measure), float(theirs.mean()))

    def changed(self, name: str, model: str, measure: str) -> str:
        """Return the change of a built index from the baseline, with its interval."""
        ours, theirs = (self.built[treatment].values[model][measure] for treatment in (name, BASELINE))
        comparison = compare([ours[topic] for topic in theirs], [*theirs.values()], measure)
        return relative(comparison, self.built[BASELINE].means(model, measure))


def short_method(method: str) -> str:
    """Return a method's name without parameters that have their default values."""
    return parse_pruning(method, "").method.name


COLUMNS = ((QLD, MAIN_MEASURE), (QLD, AP), (BM25, MAIN_MEASURE), (BM25, AP))
"""The models and measures of a collection's table."""


def rows_of(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a collection's table of built indexes."""
    baseline, times = measured.built[BASELINE], read_times(measured.collection)
    for label, name in measured.shown.items():
        index, time = measured.built[name], times[name]
        cells = [label, f"{100 * index.postings / baseline.postings:.1f}", f"{100 * index.bytes / baseline.bytes:.1f}"]
        if name == BASELINE:
            cells += [f"{baseline.means(*column):.4f}" for column in COLUMNS]
            yield *cells, f"{index.work:,.0f}", f"{time.milliseconds:.2f} ms"
        else:
            cells += [measured.changed(name, *column) for column in COLUMNS]
            ratio = f"{time.ratio:.2f} [{time.low:.2f}, {time.high:.2f}]"
            yield *cells, f"{index.work:,.0f}", ratio if time.is_measurable else "–"


def row_left_out(measured: Measured) -> tuple[str, ...]:
    """Return the line of a collection with the setting and method that are best on the other six."""
    topics = str(len(measured.pruned.topics))
    cells = [
        measured.name,
        topics,
        measured.setting.label,
        f"`{measured.method}`",
        measured.explored(measured.weighted),
    ]
    names = measured.names(measured.weighted, canonical(measured.method))
    return (*cells, *(measured.explored(names[share]) if share in names else "" for share in SHARES))


PARTS: Mapping[str, Callable[[Setting], Setting]] = {
    "all parts": lambda setting: setting,
    "without title": lambda setting: replace(setting, title=1),
    "without headings": lambda setting: replace(setting, headings=1),
    "without anchors": lambda setting: replace(setting, anchors=0),
    "anchors 2": lambda setting: replace(setting, anchors=2),
    "without `content`": lambda setting: replace(setting, cleaner=REPEATED),
    "without `repeated`": lambda setting: replace(setting, cleaner=CONTENT),
}
"""Changes of a setting that leave each part out in turn."""
ABLATED_SHARE = 0.1


def rows_of_parts(every: Sequence[Measured], setting: Setting, method: str) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the ablation: for each part left out, the changes with all postings and with a tenth of them."""
    for label, without in PARTS.items():
        for share in (1.0, ABLATED_SHARE):
            cells: list[str] = []
            changes: list[float] = []
            for measured in every:
                treatment = measured.collection.treatment(without(setting))
                table = measured.collection.table("parts")
                row = table.position.get(treatment.name)
                if share < 1:
                    row = at_share(table, f"{treatment.name}|{canonical(method)}", share)
                cells.append("" if row is None else percent(change(table, row)))
                changes.append(np.nan if row is None else change(table, row))
            mean = "" if np.isnan(changes).any() else percent(float(np.mean(changes)))
            yield label, "all" if share == 1 else f"{100 * share:g} %", mean, *cells


def rows_of_grid(grids: Mapping[str, VariantTable]) -> Iterator[tuple[str, ...]]:
    """Yield a line for each weight of titles: the mean change over all collections for each weight of headings."""
    for title in TITLES:
        cells: list[str] = []
        for headings in HEADINGS:
            setting = Setting(title, headings, ANCHORS)
            changes = [change(table, grid_row(table, name, setting)) for name, table in grids.items()]
            cells.append(percent(float(np.mean(changes))))
        yield f"title {title}", *cells


def rows_of_methods(every: Sequence[Measured], setting: Setting) -> Iterator[tuple[str, ...]]:
    """Yield the changes of each pruning method at 20 and 10 % of the postings, of weighted and of all text."""
    for weighted, share in product((True, False), (0.2, 0.1)):
        for method in METHODS:
            cells: list[str] = []
            changes: list[float] = []
            for measured in every:
                treatment = measured.collection.treatment(setting).name if weighted else BASELINE
                row = at_share(measured.pruned, f"{treatment}|{canonical(method)}", share)
                cells.append("" if row is None else percent(change(measured.pruned, row)))
                changes.append(np.nan if row is None else change(measured.pruned, row))
            mean = "" if np.isnan(changes).any() else percent(float(np.mean(changes)))
            label = f"weights, `{method}`" if weighted else f"`none`, `{method}`"
            yield label, f"{100 * share:g} %", mean, *cells


# Recommendations of `choose`


def families_of(collection: Explored) -> tuple[str, ...]:
    """Return the families that `choose` tests, with anchors 0 on collections whose link texts do not count."""
    names: list[str] = []
    for name in DEFAULT_FAMILIES:
        if collection.name not in LINKED:
            name = re.sub(r"anchors=[\d.]+", "anchors=0", name)
        names.append(parse_family(name).name)
    return tuple(names)


def explore_families(collection: Explored) -> None:
    """Explore the families that `choose` tests, at as many cutoffs as `explore`."""
    sweeps: list[PruningSweep] = []
    for name in families_of(collection):
        family = parse_family(name)
        if family.pruning is None or family.cleaner is None:
            sys.exit(f"error: the family {name} does not prune. Fix: extend explore_families in scripts/weights.py.")
        method = family.pruning.method
        sweeps.append(PruningSweep(family.cleaner, method, (), POINTS, weights=family.weights))
    tables = explore(collection.scored.store, [], [], collection.search)
    collection.write("families", explore_pruning(tables, collection.scored.store, sweeps, collection.search))


def recommended(table: VariantTable, families: tuple[str, ...], level: float = ALPHA) -> int:
    """Return the smallest index that `choose` recommends at a level with its other defaults; 0 if it recommends none."""
    problem = ChoiceProblem(table, (MAIN_MEASURE, AP), ChoiceCriteria(families=families, alpha=level))
    return smallest_accepted(problem, fixed_sequences(problem, conservative=False)) or 0


def short(name: str) -> str:
    """Return a treatment's name with `weights` in place of the text and weights of the default families."""
    return re.sub(r"^.*\|weights\([^)]*\)", "weights", name).replace(",floor=0.0", "")


def row_of_choice(collection: Explored) -> tuple[str, ...]:
    """Return a collection's recommendation by all topics, and by one half of them with its test on the other half."""
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
    """Return the test of an index at the margin on the topics of a table, and the baseline's mean."""
    values = table.of(MAIN_MEASURE)
    return compare_by_margin(values[row], values[0], parse_margin(MARGIN)), float(values[0].mean())


def row_of_halves(collection: Explored) -> tuple[str, ...]:
    """Return, by level, the mean size of indexes chosen by random halves and the share non-inferior on the other halves."""
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
    """Yield, by sample size, the mean size of the recommended indexes and the share that lose the margin on all topics."""
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
    """Yield the goals, and the results with settings from the other six collections and from all seven."""
    by_both = [unpruned_bars(others), unpruned_bars(every)]
    for label, *cells in zip(UNPRUNED_BARS, *by_both, strict=True):
        yield label, *cells
    for share, bar in ((0.2, -0.01), (0.1, -0.05)):
        means = [float(np.mean(pruned_changes(each, share))) for each in (others, every)]
        goal = f"mean change over seven collections at {100 * share:g} % of the postings: {percent(bar)} % or better"
        yield goal, *(with_verdict(f"{percent(mean)} %", mean >= bar) for mean in means)
    counts = [sum(value >= 0 for value in pruned_changes(each, 0.1)) for each in (others, every)]
    goal = "collections at or above no cleaning at 10 % of the postings: three or more"
    yield goal, *(with_verdict(str(count), count >= 3) for count in counts)
    ratios = {measured.name: bytes_ratio(measured) for measured in every}
    worst = max(ratios, key=lambda name: ratios[name])
    goal = "bytes a posting, over those of the cleaned text without weights: 1.15 or less"
    yield goal, "", with_verdict(f"at most {ratios[worst]:.3f} ({worst})", ratios[worst] <= 1.15)
    size = float(np.median([float(cells[3]) for cells in choices]))
    yield (
        "`choose` by all topics: median index of 20 % of the postings or less",
        "",
        with_verdict(f"{size:.1f} %", size <= 20),
    )
    halves = [cells[-1] for cells in choices if cells[-1]]
    safe = sum(verdict in SHOWN for verdict in halves)
    goal = "`choose` by half of 100 topics or more: non-inferior on the other half"
    yield goal, "", with_verdict(f"{safe} of {len(halves)}", safe == len(halves))


UNPRUNED_BARS = (
    "all postings: gain over no cleaning on all six collections with titles",
    "all postings: three or more gains whose intervals exclude 0",
    "all postings: lower bounds of all intervals −2 % or higher",
)


def unpruned_bars(every: Sequence[Measured]) -> list[str]:
    """Return the result for each of `UNPRUNED_BARS`."""
    changes: list[float] = []
    lows: list[float] = []
    for measured in every:
        if measured.name == "cacm":
            continue
        values = measured.grid.of(MAIN_MEASURE)
        before = float(values[0].mean())
        comparison = compare(
            values[measured.grid.position[measured.weighted]].tolist(), values[0].tolist(), MAIN_MEASURE
        )
        changes.append(comparison.difference / before)
        lows.append(comparison.ci_low / before)
    above, certain = sum(value > 0 for value in changes), sum(low > 0 for low in lows)
    cells = [
        with_verdict(f"{above} of {len(changes)}", above == len(changes)),
        with_verdict(str(certain), certain >= 3),
    ]
    return [*cells, with_verdict(f"lowest {100 * min(lows):+.2f} %".replace("-", "−"), min(lows) >= -0.02)]


def with_verdict(text: str, is_met: bool) -> str:
    """Return a result, followed by `met` or `missed`."""
    return f"{text}, {'met' if is_met else '**missed**'}"


def pruned_changes(every: Sequence[Measured], share: float) -> list[float]:
    """Return each collection's change with weights pruned to a share; −1 if the method cannot prune to it."""
    changes: list[float] = []
    for measured in every:
        row = at_share(measured.pruned, f"{measured.weighted}|{canonical(measured.method)}", share)
        changes.append(-1.0 if row is None else change(measured.pruned, row))
    return changes


def bytes_ratio(measured: Measured) -> float:
    """Return the bytes a posting of the weighted index, over those of the same cleaned text without weights."""
    weighted, plain = measured.built[measured.weighted], measured.built[parse_treatment(CLEANER).name]
    return (weighted.bytes / weighted.postings) / (plain.bytes / plain.postings)


@dataclass(frozen=True)
class Chosen:
    """The setting and method that are best on all collections, and for each collection those best on the other six."""

    setting: Setting
    method: str
    own: Mapping[str, tuple[Setting, str]]


def explore_missing(collections: Sequence[Explored], steps: Mapping[str, Callable[[Explored], None]]) -> None:
    """Explore the steps without stored results."""
    for collection, (step, explored) in product(collections, steps.items()):
        if not collection.is_done(step):
            collection.begin(f"exploring {step}")
            explored(collection)


def chosen_settings(collections: Sequence[Explored]) -> tuple[Setting, dict[str, Setting]]:
    """Return the best setting on all collections, and for each collection the best setting on the other six."""
    grids = {collection.name: collection.table("grid") for collection in collections}
    return chosen_setting(grids), {name: chosen_setting(grids, name) for name in grids}


def explore_all(collections: Sequence[Explored]) -> None:
    """Explore all steps without stored results: the grid, the chosen settings with pruning, the families of `choose`."""
    explore_missing(collections, {"grid": explore_settings})
    default, own = chosen_settings(collections)
    settings = list(dict.fromkeys([default, *own.values()]))
    steps: dict[str, Callable[[Explored], None]] = {
        "pruned": lambda collection: explore_all_pruned(collection, settings),
        "parts": lambda collection: explore_parts(collection, default),
        "families": explore_families,
    }
    explore_missing(collections, steps)


def choices_of(collections: Sequence[Explored]) -> Chosen:
    """Return the settings and methods chosen on all and on the other six collections."""
    default, settings = chosen_settings(collections)
    pruned = {collection.name: collection.table("pruned") for collection in collections}
    own = {name: (setting, chosen_method(pruned, setting, name)) for name, setting in settings.items()}
    return Chosen(default, chosen_method(pruned, default), own)


def explore_all_pruned(collection: Explored, settings: Sequence[Setting]) -> None:
    """Explore the settings and all text, pruned by every method to every share."""
    pruned = [Pruned(Treatment(), METHODS)]
    for setting in settings:
        pruned.append(Pruned(collection.treatment(setting), METHODS))
    explore_pruned(collection, pruned, [pruned_treatment.treatment for pruned_treatment in pruned[1:]], "pruned")


def explore_parts(collection: Explored, default: Setting) -> None:
    """Explore a setting with each part left out in turn, without pruning and pruned by every method."""
    treatments = dict.fromkeys(collection.treatment(without(default)) for without in PARTS.values())
    pruned = [Pruned(treatment, METHODS, (ABLATED_SHARE,)) for treatment in treatments]
    explore_pruned(collection, pruned, list(treatments), "parts")


def main() -> None:
    """Measure, and fill the pages."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="seconds of timing queries, by collection")
    parser.add_argument("--only", nargs="+", choices=SEVEN, help="explore only these collections, and write no page")
    arguments = parser.parse_args()
    collections = [Explored(name, TREATMENTS, RESULTS / name) for name in arguments.only or SEVEN]
    explore_all(collections)
    chosen = choices_of(collections)
    others: list[Measured] = []
    every: list[Measured] = []
    for collection in collections:
        tables = collection.table("grid"), collection.table("pruned")
        others.append(Measured(collection, *chosen.own[collection.name], *tables))
        default = Measured(collection, chosen.setting, chosen.method, *tables)
        build_and_time(collection, [*default.shown.values()], arguments.seconds)
        every.append(default)
    if not arguments.only:
        fill(others, every, chosen)


def fill(others: Sequence[Measured], every: Sequence[Measured], chosen: Chosen) -> None:
    """Put the tables into the pages."""
    names = [measured.name for measured in every]
    collections = [measured.collection for measured in every]
    choices = [row_of_choice(collection) for collection in collections]
    heads: Sequence[str] = ("goal", "chosen on the other six", "chosen on all seven")
    put(PAGE, "bars", markdown(heads, rows_of_bars(others, every, choices), "lll"))
    heads = ("collection", "topics", "weights", "pruning", "all postings", *(f"{100 * share:g} %" for share in SHARES))
    put(PAGE, "left out", markdown(heads, map(row_left_out, others), "lrll"))
    parts = rows_of_parts(every, chosen.setting, chosen.method)
    put(PAGE, "parts", markdown(["", "postings", "mean", *names], parts))
    grids = {measured.name: measured.grid for measured in every}
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
    halves = [
        row_of_halves(collection) for collection in collections if len(collection.table("families").topics) >= HALF
    ]
    put(PAGE, "halves", markdown(heads, halves))
    samples = [row for collection in collections if collection.name == SAMPLED for row in rows_of_samples(collection)]
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
    for measured in every:
        topics = f"### {measured.name} ({len(measured.pruned.topics)} topics)"
        sections.append(f"{topics}\n\n{markdown(heads, rows_of(measured))}")
    put(TABLES, "collections", "\n".join([*sections, f"{JUDGE} Measured by commit {commits()}.", ""]))


if __name__ == "__main__":
    main()
