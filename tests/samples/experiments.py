"""Experiments in memory: a small one with every number written out, and others made by a model of cleaning and pruning."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.base.machine import Footprint, Power, footprint
from thresher.base.numbers import Floats, Interval
from thresher.base.repeats import MeasuredTime, break_even
from thresher.evaluation.significance import Comparison, compare_all
from thresher.experiments.choosing.choices import (
    Choice,
    ChosenIndex,
    Effect,
    FamilyTests,
    ModelChoice,
    TestedIndex,
    WorkChange,
)
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.savings import Basis, Savings
from thresher.experiments.results import BaselineRun, Facts, Pages, Results, Setup
from thresher.experiments.table import Built, Cost, NoiseFloor, Row, Variant, VariantTable
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import IndexStatistics, QueryWork

NDCG = "nDCG(dcg='exp-log2')@10"
MEASURES = ("P@10", NDCG)
DOCUMENTS, WORDS, POSTINGS, BYTES = 1000, 200_000, 80_000, 2_500_000
POWER = Power(100.0, "configured")
SETUP = Setup(
    blocks="join",
    language="en",
    mib=16.0,
    seconds=30.0,
    scorers=("words", "justext"),
    stemmer="porter",
    stopwords=True,
    holds=(),
    depth=1000,
    seed=1,
    workers=2,
    timed=60.0,
    power=POWER,
)


def variant(name: str, sweep: str | None = None, cutoff: float | None = None) -> Variant:
    """Return a variant by its name; a cutoff behind the last `@` makes it one of the sweep before it."""
    head, _, tail = name.rpartition("@")
    if sweep is None and head and "+" not in name and tail.replace(".", "").removeprefix("-").isdigit():
        sweep, cutoff = head, float(tail)
    return Variant(parse_treatment(name), sweep, cutoff)


def interval(value: float, reach: float = 0.1) -> Interval:
    """Return a figure whose interval reaches to both sides by a share of it."""
    return Interval(value, value * (1 - reach), value * (1 + reach))


def measured_time(milliseconds: float, ratio: float, measurable: bool | None = None) -> MeasuredTime:
    """Return a time beside a baseline's, with intervals of a tenth to both sides; one that differs is measurable."""
    seconds = milliseconds / 1000
    of_ratio = interval(ratio) if ratio != 1 else Interval(1.0, 1.0, 1.0)
    saved = interval(seconds / ratio - seconds)
    differs = ratio != 1 if measurable is None else measurable
    return MeasuredTime(interval(seconds), interval(0.9 * seconds), of_ratio, of_ratio, saved, differs)


def footprints(clean: float, index: float, milliseconds: float | None) -> tuple[Footprint, ...]:
    """Return the footprints of seconds of cleaning and indexing, and of a query's milliseconds if it was timed."""
    tags = Interval(clean, clean, clean)
    work = {"tag removal": tags, "scoring": tags, "indexing": interval(index)}
    if milliseconds is not None:
        work |= {f"{count:,} searches": interval(milliseconds * count / 1000) for count in (10_000, 1_000_000)}
    return tuple(footprint(name, seconds, POWER, 1) for name, seconds in work.items())


def noise(retrieval: str) -> NoiseFloor:
    """Return how times were measured; the baseline's copy takes 1.008 of its time."""
    copy = replace(measured_time(1.26, 1.0), ratio=Interval(1.008, 0.99, 1.03))
    return NoiseFloor(retrieval, copy, 3, 9)


def built(
    share: float,
    comparisons: Mapping[str, Comparison] | None = None,
    held_out: Mapping[str, Comparison] | None = None,
    timed: bool = True,
    measurable: bool = True,
) -> Built:
    """Return what building a variant took, whose index has a share of the baseline's postings."""
    query = measured_time(1.25 * share, share, None if measurable else False) if timed else None
    point = break_even(8.0, query.saved if query and query.measurable else None) if query and share < 1 else None
    return Built(
        bytes_by_type={".doc": round(1_500_000 * share), ".tim": round(990_000 * share), ".si": round(10_000 * share)},
        work=QueryWork(410.5 * share, 320.25 * share),
        clean=Cost(1.5 + 10 * (1 - share), 1.4, 120.0),
        index=Cost(2.25, 3.5, 480.0, 0.02125),
        search=Cost(0.5, 0.75, 480.0),
        query=query,
        indexing=measured_time(2000.0 * share, share) if timed else None,
        break_even=point,
        footprints=footprints(1.5, 2.0 * share, 1.25 * share if timed else None),
        comparisons=comparisons or {},
        held_out=held_out or {},
    )


def row(name: str, share: float, made: Built | None = None, emptied: int = 0) -> Row:
    """Return a row whose index has a share of the baseline's words, tokens and postings, and if it was built, bytes."""
    counts = IndexStatistics(
        DOCUMENTS - emptied, round(150_000 * share), round(POSTINGS * share), round(9000 * share**0.5)
    )
    return Row(variant(name), counts, round(WORDS * share), round(BYTES * share) if made else None, made is None, made)


def facts(topics: int, held_out: int = 0, timed: Sequence[str] = (), **others: Any) -> Facts:
    """Return the facts of an experiment with so many topics; `timed` are its retrieval models if queries were timed."""
    made = Facts(
        experiment="small",
        title="Pages & more",
        key="key",
        topics={str(number): f"query {number}" for number in range(topics)},
        held_out_topics={f"h{number}": f"held-out query {number}" for number in range(held_out)},
        pages=Pages(DOCUMENTS + 2, DOCUMENTS, 0, 2, WORDS, (("page 1", "too large"), ("page 2", "too large"))),
        setup=SETUP,
        noise=tuple(noise(name) for name in (*timed, "")) if timed else (),
    )
    return replace(made, **others)


def comparison(measure: str, difference: float, wins: int, ties: int, losses: int, p_corrected: float) -> Comparison:
    """Return a comparison with these numbers; its interval reaches 0.01 to both sides."""
    effect = 0.5 if difference > 0 else -0.5
    low, high = difference - 0.01, difference + 0.01
    return Comparison(measure, difference, wins, ties, losses, p_corrected / 4, p_corrected, effect, low, high)


def small() -> Results:
    """The baseline, `words@11` with half of its index, and `justext`, which is significantly worse; eight topics."""
    found = {
        "words@11": (comparison("P@10", 0.025, 3, 4, 1, 0.25), comparison(NDCG, 0.0125, 6, 1, 1, 0.03125)),
        "justext": (comparison("P@10", -0.1, 1, 2, 5, 0.5), comparison(NDCG, -0.1, 1, 0, 7, 0.015625)),
    }
    tests = {name: {one.measure: one for one in both} for name, both in found.items()}
    rows = (
        row("none", 1.0, built(1.0)),
        row("words@11", 0.5, built(0.5, tests["words@11"]), emptied=10),
        row("justext", 0.25, built(0.25, tests["justext"], measurable=False), emptied=100),
    )
    gains = np.array([[0.0, 0.025, -0.1], [0.0, 0.0125, -0.1]])
    base = np.array([0.25 + 0.05 * topic for topic in range(8)])
    values = base[None, None, :] + gains[:, :, None]
    postings = 410.5 * np.array([1.0, 0.5, 0.25])[:, None] * np.ones(8)
    table = VariantTable("qld", MEASURES, tuple(map(str, range(8))), rows, values, postings, (), np.zeros((2, 3, 0)))
    return Results(facts(8, timed=("qld",)), (table,))


NAMES = {
    "none": 1.0,
    **{f"words@{cutoff}": 1 - 0.03 * cutoff for cutoff in range(2, 26, 2)},
    **{f"none|dcp@{share}": share for share in (0.9, 0.7, 0.5, 0.3, 0.1)},
    **{f"words@5|dcp@{share}": 0.85 * share for share in (0.8, 0.6, 0.4)},
    "justext": 0.4,
    "bte": 0.6,
}
"""Variants of two families and their combination, with the shares of the baseline's postings that they keep."""


def made(  # noqa: PLR0913, keywords of a builder
    names: Mapping[str, float] = NAMES,
    topics: int = 60,
    held_out: int = 0,
    retrievals: Sequence[str] = ("qld",),
    only_explored: Sequence[str] = (),
    measures: Sequence[str] = MEASURES,
    timed: bool = True,
    loss: float = 0.5,
    seed: int = 5,
) -> Results:
    """Return an experiment made by a model: a little less text helps, much less harms, and topics differ in it.

    Args:
        names: variants with the shares of the baseline's postings, the baseline first.
        topics, held_out: how many.
        retrievals, measures: names.
        only_explored: variants that were not built; all others were.
        timed: whether what was built was timed.
        loss: of the mean, for an index of nothing.
        seed: of the values.
    """
    dice = np.random.default_rng(seed)
    shares = np.array([*names.values()])
    gain = 0.08 * shares * (1 - shares) - loss * np.maximum(0, 0.5 - shares) ** 1.3
    explored = set(only_explored)

    def draw(count: int) -> Floats:
        base = dice.beta(3, 2, (len(measures), 1, count))
        taste = dice.normal(0, 1, count) + dice.normal(0, 0.2, (len(measures), len(shares), count))
        values: Floats = np.clip(base + gain[:, None] + 0.05 * (1 - shares[:, None]) * taste, 0, 1)
        return values

    tables = []
    for retrieval in retrievals:
        values, others = draw(topics), draw(held_out)
        is_compared = not explored.issuperset(names)
        tests = [
            _compared(of_topics, measures, list(names)) if is_compared and of_topics.shape[-1] else {}
            for of_topics in (values, others)
        ]
        rows = tuple(
            row(
                name,
                share,
                None if name in explored else built(share, tests[0].get(name), tests[1].get(name), timed=timed),
                round(20 * (1 - share) ** 3),
            )
            for name, share in names.items()
        )
        postings = 400 * shares[:, None] * np.linspace(0.5, 1.5, topics)
        ids = tuple(map(str, range(topics))), tuple(f"h{number}" for number in range(held_out))
        tables.append(VariantTable(retrieval, tuple(measures), ids[0], rows, values, postings, ids[1], others))
    return Results(facts(topics, held_out, retrievals if timed else ()), tuple(tables))


def with_system(results: Results, name: str = "other") -> Results:
    """Return results with a run of another system: the baseline's values, each a twentieth lower."""
    values = 0.95 * results.tables[0].values[:, 0]
    both = np.stack([results.tables[0].values[:, 0], values], axis=1)
    system = BaselineRun(name, values, _compared(both, results.measures, ["none", name])[name], values.shape[1], None)
    return replace(results, facts=replace(results.facts, systems=(system,)))


def _compared(values: Floats, measures: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Comparison]]:
    """Return comparisons with the first of the names, by name and measure."""
    return _compared_once(values.tobytes(), values.shape, tuple(measures), tuple(names))


@functools.cache
def _compared_once(
    content: bytes, shape: tuple[int, ...], measures: tuple[str, ...], names: tuple[str, ...]
) -> dict[str, dict[str, Comparison]]:
    """Compare once for all tests that make the same experiment, for the tests and intervals take half a second."""
    values: Floats = np.frombuffer(content).reshape(shape)
    table = {
        name: {
            measure: {str(topic): value for topic, value in enumerate(values[number, index].tolist())}
            for number, measure in enumerate(measures)
        }
        for index, name in enumerate(names)
    }
    return compare_all(table, dict.fromkeys(names[1:], names[0]))


def effect(measure: str, difference: float, low: float, topics: int, margin: float | None = 0.025) -> Effect:
    """Return what an index changes in a measure whose baseline has 0.5."""
    return Effect(measure, topics, 0.5 + difference, 0.5, difference, low, None, margin)


def pick_of(table: VariantTable, name: str, *effects: Effect) -> ChosenIndex:
    """Return an index of a table as answers name it; it saves a second over a million queries."""
    index = table.position[name]
    share = float(table.shares[index])
    work = WorkChange(400 * share, 400.0, interval(share))
    saved = Savings(1_000_000, 1_000_000, 1 - share, Basis.NOT_RUN, 0)
    row = table.rows[index]
    return ChosenIndex(
        variant=name,
        postings=row.index.postings,
        share=share,
        bytes=int(table.index_bytes[index]),
        bytes_share=float(table.bytes_shares[index]),
        measured=row.bytes is not None,
        emptied=int(table.emptied[index]),
        effects=effects,
        held_out=(),
        savings=saved,
        work=work,
    )


def chosen(results: Results, smallest: str | None, conservative: str | None = None, best: str | None = None) -> Choice:
    """Return a choice of some indexes; each loses 0.01 and at worst 0.02 of 0.025 that are accepted, or gains 0.03.

    Families are the table's sweeps, each with the last that was accepted and the first that failed.
    """
    models = tuple(_answered(table, smallest, conservative, best) for table in results.tables)
    terms = ChoiceCriteria(families=(*results.tables[0].sweeps, "none|up"))
    lines = {pick.variant: (f"clean to '{pick.variant}'", "index") for model in models for pick in model.named}
    facts, main = results.facts, results.tables[0].main
    return Choice(facts.title, facts.key, (main,), terms, 1_000_000, POWER, models, lines, "run --chosen")


def _answered(table: VariantTable, smallest: str | None, conservative: str | None, best: str | None) -> ModelChoice:
    topics = len(table.topics)
    little = effect(table.main, -0.01, -0.02, topics)
    more = effect(table.main, 0.03, 0.01, topics)

    def named(name: str | None) -> ChosenIndex | None:
        return pick_of(table, name, little) if name else None

    def tested(index: int, needed: int | None = None) -> TestedIndex:
        row = table.rows[index]
        low = -0.02 if needed is None else -0.03
        return TestedIndex(row.name, float(table.shares[index]), 0, (replace(little, low=low),), needed)

    walks = tuple(
        FamilyTests(sweep, 0.0125, len(members), tested(members[0]), tested(members[1], 200 + members[1]))
        for sweep, members in table.sweeps.items()
    )
    return ModelChoice(
        retrieval=table.retrieval,
        topics=topics,
        variants=len(table.candidates),
        documents=DOCUMENTS,
        no_cleaning=pick_of(table, "none", Effect(table.main, topics, 0.5, 0.5, 0.0, None, None, 0.025)),
        smallest=named(smallest),
        best=pick_of(table, best, more) if best else None,
        size=None,
        within=None,
        conservative=named(conservative),
        conservative_topics=86,
        families=(*walks, FamilyTests("none|up", 0.0125, 0, None, None)),
        conservative_families=(),
    )
