"""Results to report on: a small one with every number written out, a large one made by a model of pruning."""

from __future__ import annotations

import functools
import math
import random
from dataclasses import replace

from thresher.costs import BreakEven, Footprint, Interval, MeasuredTime, Power, break_even, footprint
from thresher.evaluation.significance import Comparison, compare_all
from thresher.lucene.query_rounds import CollectorPauses
from thresher.lucene.work import IndexStatistics, QueryWork
from thresher.results.experiment_results import Cost, NoiseFloor, Results, TopicValue, VariantResult

NDCG = "nDCG(dcg='exp-log2')@10"


def comparison(measure: str, difference: float, wins: int, ties: int, losses: int, p_holm: float) -> Comparison:
    return Comparison(
        measure=measure,
        difference=difference,
        wins=wins,
        ties=ties,
        losses=losses,
        differing=wins + losses,
        p=p_holm / 4,
        p_holm=p_holm,
        effect=math.copysign(0.5, difference),
        ci_low=difference - 0.01,
        ci_high=difference + 0.01,
    )


def interval(value: float, reach: float = 0.1) -> Interval:
    """Return a figure whose interval reaches to both sides by a share of it."""
    return Interval(value, value * (1 - reach), value * (1 + reach))


def measured_time(milliseconds: float, ratio: float) -> MeasuredTime:
    """Return a time beside a baseline's, with intervals of a tenth to both sides; one that differs is measurable."""
    seconds = milliseconds / 1000
    of_ratio = interval(ratio) if ratio != 1 else Interval(1.0, 1.0, 1.0)
    return MeasuredTime(
        interval(seconds), interval(0.9 * seconds), of_ratio, of_ratio, interval(seconds / ratio - seconds), ratio != 1
    )


def twin() -> MeasuredTime:
    """Return the time of a baseline's twin, which noise makes a little slower."""
    return replace(measured_time(1.26, 1.0), ratio=Interval(1.008, 0.99, 1.03))


def footprints(clean: float, index: float, milliseconds: float) -> tuple[Footprint, ...]:
    """Return the footprints of seconds of cleaning and indexing, and of a query's milliseconds."""
    power = Power(100.0, "configured")
    return (
        footprint("cleaning", Interval(clean, clean, clean), power, 1, repeated=False),
        footprint("indexing", interval(index), power, 1, repeated=True),
        *(
            footprint(f"{count:,} searches", interval(milliseconds * count / 1000), power, 1, repeated=True)
            for count in (10_000, 1_000_000)
        ),
    )


BASELINE = VariantResult(
    variant="none",
    retrieval="qld",
    is_baseline=True,
    sweep=None,
    cutoff=None,
    measures={"P@10": 0.4, NDCG: 0.5},
    comparisons={},
    documents=1000,
    indexed=1000,
    emptied=0,
    failed=2,
    words_kept=200_000,
    words_total=200_000,
    index_bytes=2_500_000,
    index_bytes_baseline=2_500_000,
    index_bytes_by_type={".doc": 1_500_000, ".tim": 1_000_000},
    clean=Cost(1.5, 1.4, 120.0, None),
    index=Cost(2.25, 3.5, 480.0, 0.02125),
    search=Cost(0.5, 0.75, 480.0, None),
    statistics=IndexStatistics(documents=1000, tokens=150_000, postings=80_000, vocabulary=9000),
    work=QueryWork(postings=410.5, documents=320.25),
    query=measured_time(1.25, 1.0),
    indexing=measured_time(2000.0, 1.0),
    break_even=BreakEven(None, "the baseline"),
    footprints=footprints(1.5, 2.0, 1.25),
)
WORDS = replace(
    BASELINE,
    variant="words@11",
    is_baseline=False,
    sweep="words",
    cutoff=11.0,
    measures={"P@10": 0.425, NDCG: 0.5123},
    comparisons={
        "P@10": comparison("P@10", 0.025, 3, 4, 1, 0.25),
        NDCG: comparison(NDCG, 0.0123, 6, 1, 1, 0.03125),
    },
    indexed=990,
    emptied=10,
    words_kept=100_000,
    index_bytes=1_234_567,
    index_bytes_by_type={".doc": 734_567, ".tim": 500_000},
    clean=Cost(12.5, 12.25, 130.0, 0.125),
    statistics=IndexStatistics(documents=990, tokens=75_000, postings=45_000, vocabulary=7000),
    work=QueryWork(postings=210.0, documents=180.0),
    query=measured_time(0.75, 0.6),
    indexing=measured_time(1500.0, 0.75),
    break_even=BreakEven(Interval(21_000.0, 19_090.909, 23_333.333), "after 21,000 queries (19,091 to 23,333)"),
    footprints=footprints(12.5, 1.5, 0.75),
)
JUSTEXT = replace(
    WORDS,
    variant="justext",
    sweep=None,
    cutoff=None,
    measures={"P@10": 0.3, NDCG: 0.4},
    comparisons={
        "P@10": comparison("P@10", -0.1, 1, 2, 5, 0.5),
        NDCG: comparison(NDCG, -0.1, 1, 0, 7, 0.015625),
    },
    indexed=900,
    emptied=100,
    words_kept=60_000,
    index_bytes=750_000,
    index_bytes_by_type={".doc": 500_000, ".tim": 250_000},
    query=replace(measured_time(1.2, 0.96), measurable=False),
    break_even=BreakEven(None, "not measurable here: the difference in searching is within noise"),
)


def small() -> Results:
    """Three rows, eight topics; every number is written out above."""
    rows = (BASELINE, WORDS, JUSTEXT)
    gains = {"none": 0.0, "words@11": 0.0123, "justext": -0.1}
    values = tuple(
        TopicValue(
            row.variant,
            "qld",
            str(topic),
            f"query {topic}",
            measure,
            0.25 + 0.05 * topic + gains[row.variant],
        )
        for row in rows
        for measure in ("P@10", NDCG)
        for topic in range(1, 9)
    )
    return Results(
        experiment="tiny",
        title="A small sample",
        measures=("P@10", NDCG),
        topics=8,
        rows=rows,
        per_topic=values,
        methods=(("Time", "Wall seconds of one run."),),
        notices=("2 judged pages are not in the collection.",),
        failed_pages=(("page-1", "it is empty"), ("page-2", "it is empty")),
        noise=(
            NoiseFloor("qld", twin(), 10, 30, CollectorPauses(4, 0.02)),
            NoiseFloor("", twin(), 8, 8, None),
        ),
    )


QUERIES = (
    "obama family tree",
    "french lick resort and casino",
    "Überwachung der Luftqualität",
    "日本の図書館",
    "поиск работы",
    "cell phone rates < $20 & more",
)


@functools.cache
def large(topics: int = 60, retrievals: tuple[str, ...] = ("qld",), seed: int = 7) -> Results:
    """Three sweeps of twenty cutoffs and seven single cleaners, compared by the real test."""
    cutoffs = {
        "words": [1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 15, 18, 20, 25, 30, 40, 50, 60, 80, 100],
        "density": [round(0.5 + 1.25 * step, 2) for step in range(20)],
        "perplexity(lm=books)": [1000 + 684 * step for step in range(19)] + [14000],
    }
    share = {
        "words": lambda cutoff: 1 / (1 + (cutoff / 18) ** 0.9),
        "density": lambda cutoff: 1 / (1 + (cutoff / 9) ** 1.6),
        "perplexity(lm=books)": lambda cutoff: 0.15 + 0.75 * (cutoff / 14000) ** 0.6,
    }
    plan: list[tuple[str, str | None, float | None, float]] = [("none", None, None, 1.0)]
    for sweep, places in cutoffs.items():
        plan += [(f"{sweep}@{place:g}", sweep, float(place), share[sweep](place)) for place in places]
    singles = {
        "justext": 0.42,
        "justext(lang=German)": 0.08,
        "boilerpipe(rules=words)": 0.47,
        "boilerpipe(rules=density)": 0.5,
        "bte": 0.58,
        "ncleaner@0": 0.36,
        "words@5+perplexity(lm=books)@8000": 0.45,
    }
    plan += [(name, None, None, kept) for name, kept in singles.items()]
    measures = ("P@10", "AP", NDCG, "Judged@10")
    rows: list[VariantResult] = []
    values: list[TopicValue] = []
    table: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for retrieval in retrievals:
        dice = random.Random(seed)
        base = {measure: [dice.betavariate(2, 3) for _ in range(topics)] for measure in measures}
        taste = [dice.gauss(0, 1) for _ in range(topics)]
        for name, sweep, cutoff, kept in plan:
            found: dict[str, dict[str, float]] = {}
            for place, measure in enumerate(measures):
                found[measure] = {}
                for topic in range(topics):
                    gain = 0.22 * (1 - kept) * kept - 0.5 * max(0.0, 0.35 - kept) ** 1.2
                    gain += (1 - kept) * (0.07 * taste[topic] + dice.gauss(0, 0.035)) - 0.012 * place * (1 - kept)
                    changed = kept < 1 and dice.random() > 0.15
                    value = min(1.0, max(0.0, base[measure][topic] + (gain if changed else 0)))
                    if measure == "P@10":
                        value = round(value, 1)
                    found[measure][str(101 + topic)] = value
                    query = QUERIES[topic % len(QUERIES)] + (f" {topic}" if topic >= len(QUERIES) else "")
                    values.append(TopicValue(name, retrieval, str(101 + topic), query, measure, value))
            table[name, retrieval] = found
            size = int(97_000_000 * (0.06 + 0.94 * kept**0.9))
            latency = 0.35 + 1.1 * kept
            clean = 0.0 if name == "none" else 14.0 + 9 * ("perplexity" in name)
            query = measured_time(latency, latency / 1.45)
            point = break_even(clean + 7 * kept - 7, query.saved if query.measurable else None)
            rows.append(
                VariantResult(
                    variant=name,
                    retrieval=retrieval,
                    is_baseline=name == "none",
                    sweep=sweep,
                    cutoff=cutoff,
                    measures={measure: sum(found[measure].values()) / topics for measure in measures},
                    comparisons={},
                    documents=50_000,
                    indexed=int(50_000 * (1 - 0.3 * (1 - kept) ** 4)),
                    emptied=50_000 - int(50_000 * (1 - 0.3 * (1 - kept) ** 4)),
                    failed=3,
                    words_kept=int(11_200_000 * kept),
                    words_total=11_200_000,
                    index_bytes=size,
                    index_bytes_baseline=97_000_000,
                    index_bytes_by_type={
                        ".doc": int(size * 0.55),
                        ".tim": int(size * 0.25),
                        ".nvd": int(size * 0.15),
                        ".fdt": size - int(size * 0.55) - int(size * 0.25) - int(size * 0.15),
                    },
                    clean=Cost(clean, clean * 1.9, 512.0 if clean else 0.0, clean * 0.004 if clean else None),
                    index=Cost(1 + 7 * kept, 2 + 9 * kept, 900.0, 0.02 + 0.1 * kept),
                    search=Cost(latency * topics / 1000, latency * topics / 900, 910.0, None),
                    statistics=IndexStatistics(
                        50_000, int(9_000_000 * kept), int(4_000_000 * kept), int(150_000 * kept**0.6)
                    ),
                    work=QueryWork(12_000 * kept, 1500 * kept),
                    query=query,
                    indexing=None,
                    break_even=BreakEven(None, "the baseline") if kept == 1 else point,
                    footprints=footprints(clean, 1 + 7 * kept, latency),
                )
            )
    bases = {key: ("none", key[1]) for key in table if key[0] != "none"}
    found_comparisons = compare_all(table, bases)
    rows = [replace(row, comparisons=found_comparisons.get((row.variant, row.retrieval), {})) for row in rows]
    return Results(
        experiment="sample-sweeps",
        title="Pruning a web sample: words, density and perplexity",
        measures=measures,
        topics=topics,
        rows=tuple(rows),
        per_topic=tuple(values),
        methods=(
            ("Baseline", "Tags, scripts and styles are removed, all text is kept."),
            (
                "Index bytes",
                "All files of the index after a merge to one segment; postings without positions.",
            ),
            (
                "Significance",
                "Wilcoxon signed-rank test on the values per topic, zeros by Pratt.\nHolm's correction.",
            ),
            ("CO2", "Hours × 0.341 kg/kWh × TDP of the CPU; below 1 s of work nothing is said."),
        ),
        notices=("37 of 2,310 judged pages are not in the collection; they count as not retrieved.",),
        failed_pages=(
            ("clueweb-0003-17", "its markup has no text"),
            ("clueweb-0004-02", "its encoding is not known"),
            ("clueweb-0007-99", "its markup has no text"),
        ),
        noise=tuple(NoiseFloor(retrieval, twin(), 10, 30, CollectorPauses(4, 0.02)) for retrieval in retrievals),
        co2_method="estimated: Eq. 9, wall time × 85 W",
    )
