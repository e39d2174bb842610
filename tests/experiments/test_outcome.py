"""From runs and records to results, on records made by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from thresher.results.experiment_results import Cost, NoiseFloor, Results, VariantResult

from thresher.collections.file_collection import Files
from thresher.collections.interface import ReadOptions
from thresher.collections.sources import Part
from thresher.costs import BreakEven, Footprint, Interval, MeasuredTime, Power, Repeats, Times
from thresher.errors import InputError
from thresher.evaluation import write_run
from thresher.evaluation.topics import Topic
from thresher.experiments.config import Experiment, TopicSource, load_experiment
from thresher.experiments.energy import Meter
from thresher.experiments.inputs import Inputs, TopicSet, same_queries
from thresher.experiments.measuring import MeasuredQueries, Measurements
from thresher.experiments.outcome import _footprints, _notices, assemble, clean_cost, cleaning_machines
from thresher.experiments.stages import IndexRecord, SearchRecord, VariantRun
from thresher.experiments.variants import Variant
from thresher.lucene.query_rounds import CollectorPauses
from thresher.lucene.retrieval import parse_retrieval
from thresher.lucene.work import IndexStatistics, QueryWork
from thresher.pages import read_text_page
from thresher.scorers.cleaners import parse_cleaner
from thresher.scoring.score_pass import ScoreReport
from thresher.scoring.store import (
    EMPTIED,
    FAILED,
    NOTHING_SPENT,
    SCORED,
    PageScores,
    ShardReport,
    Spent,
    shard_path,
    total,
    write_shard,
)

METER = Meter(Power(100.0, "configured", intensity=0.5))
# 100 W for an hour at 0.5 kg/kWh are 50 g.
GRAMS_A_SECOND = 50 / 3600

SCORES = ScoreReport(
    documents=10,
    scored=7,
    emptied=1,
    failed=2,
    words=1000,
    bytes=5000,
    shards=1,
    workers=4,
    seconds={"pages": 20.0, "words": 4.0, "density": 8.0, "perplexity(lm=books)": 32.0},
    times=Times(20.0, 32.0, 150.0),
)


INDEX = IndexRecord(
    key="k",
    indexed=8,
    emptied=0,
    words=1000,
    bytes=4000,
    bytes_by_type={"doc": 4000},
    statistics=IndexStatistics(8, 900, 600, 90),
    cut_wall=2.0,
    cut_cpu=1.5,
    cost=Cost(10.0, 11.0, 300.0, 0.25),
    cutoffs={},
    emptied_languages={},
)
SEARCH = SearchRecord("k", "d", QueryWork(12.5, 10.0), Cost(6.0, 5.0, 200.0, None))


def exactly(value: float) -> Interval:
    return Interval(value, value, value)


BASE_TIME = MeasuredTime(exactly(0.004), exactly(0.003), exactly(1.0), exactly(1.0), exactly(0.0), measurable=False)
FASTER = MeasuredTime(
    exactly(0.003), exactly(0.002), exactly(0.75), exactly(0.7), Interval(0.001, 0.0008, 0.00125), measurable=True
)
REPEATS = Repeats({"none": BASE_TIME, "words@5": FASTER}, replace(BASE_TIME, ratio=Interval(1.0, 0.99, 1.02)), 10, 30)
BUILDS = Repeats(
    {"none": replace(BASE_TIME, wall=exactly(8.0)), "words@5": replace(BASE_TIME, wall=exactly(7.9))}, BASE_TIME, 6, 6
)
PAUSES = CollectorPauses(2, 0.01)
MEASURED = Measurements({"qld": MeasuredQueries(REPEATS, PAUSES), "bm25": MeasuredQueries(REPEATS, PAUSES)}, BUILDS)


def run(
    name: str, path: Path = Path(), model: str = "qld", search: SearchRecord = SEARCH, **changes: Any
) -> VariantRun:
    return VariantRun(Variant(parse_cleaner(name)), parse_retrieval(model), path, replace(INDEX, **changes), search)


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        ("none", 20.0),
        ("words@5", 24.0),
        ("words(headings=keep)@5", 24.0),
        ("density@8", 28.0),
        ("perplexity@8000", 52.0),
        ("words@5+density@8", 32.0),
        ("words@5+words@7", 24.0),
        ("words@5+density@8+perplexity@8000", 64.0),
    ],
)
def test_cleaning_costs_parsing_its_own_scorers_and_the_cut(name: str, stages: float) -> None:
    wall = stages / 4 + 2
    assert clean_cost(run(name), SCORES, METER) == Cost(
        wall=wall,
        cpu=pytest.approx(32 * stages / 64 + 1.5),
        peak=150.0,
        co2_grams=pytest.approx(wall * GRAMS_A_SECOND),
    )


def test_machines_that_cleaned_are_those_configured_or_those_that_scored() -> None:
    shards = [ShardReport(1, 1, 0, 0, 5, 9, None, None, 0)] * 3
    spent = [Spent({"pages": 1.0}, Times(1.0, 1.0, 10.0), host) for host in ("a", "b", "a")]
    scores = total(shards, spent, 2, NOTHING_SPENT)
    assert scores.machines == 2
    assert total(shards[:0], [], 2, NOTHING_SPENT).machines == 1
    cluster = replace(METER, power=replace(METER.power, machines=15))
    assert [cleaning_machines(scores, meter) for meter in (METER, cluster)] == [2, 15]
    long = replace(SCORES, machines=2)
    alone, both = clean_cost(run("none"), SCORES, METER), clean_cost(run("none"), long, METER)
    assert alone.co2_grams is not None
    assert both.co2_grams == pytest.approx(2 * alone.co2_grams)
    (cleaning, *_) = assembled_footprints(long)
    assert cleaning.hours.value == pytest.approx(2 * both.wall / 3600)


def assembled_footprints(scores: ScoreReport) -> tuple[Footprint, ...]:
    made = _footprints(
        clean_cost(run("none"), scores, METER), cleaning_machines(scores, METER), INDEX.cost, None, None, METER.power
    )
    return tuple(made)


def test_cleaning_below_a_second_has_no_co2_and_no_time_no_share() -> None:
    nothing = replace(SCORES, seconds={}, times=replace(SCORES.times, cpu=0.0))
    assert clean_cost(run("none", cut_wall=0.5, cut_cpu=0.25), nothing, METER) == Cost(0.5, 0.25, 150.0, None)


TOPICS = TopicSet(
    {"1": Topic("1", "oats"), "2": Topic("2", "rye bread"), "3": Topic("3", "unjudged")},
    {"1": {"a": 1, "b": 0}, "2": {"c": 2, "gone": 1}},
    ("1", "2"),
    (),
    TopicSource(Path("topics"), Path("qrels"), "title"),
    {"topics": "t", "qrels": "q"},
)
INPUTS = Inputs(
    Files(Path("x.jsonl"), "jsonl", ReadOptions()),
    TOPICS,
    None,
    ("first notice",),
    {"collection": "c", **TOPICS.digests},
)
# The same ids are other topics here; page a is judged in both.
HELD_OUT = TopicSet(
    {"2": Topic("2", "barley"), "1": Topic("1", "Rye Bread"), "4": Topic("4", "millet")},
    {"1": {"d": 1, "a": 0}, "2": {"e": 1}, "4": {"lost": 1}},
    ("2", "1", "4"),
    (),
    TopicSource(Path("others"), Path("other-qrels"), "title"),
    {"topics": "t2", "qrels": "q2"},
)


def test_notices(tmp_path: Path) -> None:
    make_store(tmp_path)
    assert _notices(INPUTS, SCORES, tmp_path) == (
        "first notice",
        "1 judged pages are not in this collection: gone",
        "2 of 10 pages failed; failures.jsonl lists them with their reasons",
        "1 of 10 pages hold no text",
    )
    calm = replace(SCORES, failed=0, emptied=0)
    known = replace(TOPICS, qrels={"1": {"a": 1}, "2": {"empty": 1}})
    assert _notices(replace(INPUTS, topics=known), calm, tmp_path) == ("first notice",)
    for count, names in ((7, "p0, p1, p2, p3, p4, …"), (5, "p0, p1, p2, p3, p4")):
        lost = replace(TOPICS, qrels={"1": {f"p{number}": 1 for number in range(count)}})
        assert _notices(replace(INPUTS, topics=lost, notices=()), calm, tmp_path) == (
            f"{count} judged pages are not in this collection: {names}",
        )
    both = replace(INPUTS, topics=known, held_out=HELD_OUT)
    assert _notices(both, calm, tmp_path)[1:] == ("held-out topics: 1 judged pages are not in this collection: lost",)


def test_held_out_topics_that_ask_the_same() -> None:
    assert same_queries(TOPICS, HELD_OUT) == ["1"]
    # Topic 3 is not evaluated, so it has no part in the choice.
    asked = {**HELD_OUT.topics, "4": Topic("4", "unjudged")}
    assert same_queries(TOPICS, replace(HELD_OUT, topics=asked)) == ["1"]


def make_store(folder: Path) -> None:
    pages = [
        *(PageScores(name, SCORED, segments=read_text_page(name)) for name in "abcdefg"),
        PageScores("empty", EMPTIED, segments=read_text_page("")),
        PageScores("bad1", FAILED, "too large"),
        PageScores("bad2", FAILED, "took longer than 1 s"),
    ]
    report = ShardReport(10, 7, 1, 2, 7, 0, None, None, 0)
    write_shard(shard_path(folder, Part(0, 0, folder, "x")), pages, [], report, NOTHING_SPENT)


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    for name in ("pages", "topics", "qrels"):
        (tmp_path / name).touch()
    (tmp_path / "e.toml").write_text(
        '[experiment]\nname = "e"\n[collection]\npath = "pages"\n[topics]\npath = "topics"\n[qrels]\npath = "qrels"\n'
        '[evaluation]\nmeasures = ["P@1", "AP"]\n[cleaners]\nnames = ["words@5"]\n'
    )
    return load_experiment(tmp_path / "e.toml")


def hits(folder: Path, name: str, found: Mapping[str, str]) -> Path:
    """Write a run: the documents of each topic, one letter each, best first."""
    scored = {topic: [(document, 9.0 - rank) for rank, document in enumerate(ids)] for topic, ids in found.items()}
    write_run(folder / f"{name}.trec", scored, name)
    return folder / f"{name}.trec"


@pytest.fixture
def results(experiment: Experiment, tmp_path: Path) -> Results:
    make_store(tmp_path)
    baseline = run("none", hits(tmp_path, "base", {"1": "ab", "2": "dc", "3": "a"}))
    cleaned = run(
        "words@5",
        hits(tmp_path, "words", {"1": "ba", "2": "cd"}),
        words=400,
        indexed=6,
        emptied=2,
        bytes=1000,
        cost=replace(INDEX.cost, wall=7.0),
        search=replace(SEARCH, work=QueryWork(6.0, 5.0)),
    )
    exact = run("none", hits(tmp_path, "exact", {"2": "c"}), model="bm25")
    return assemble(experiment, INPUTS, SCORES, [baseline, cleaned, exact], MEASURED, tmp_path, METER)


def test_measures_are_over_the_judged_topics_and_compared_within_a_model(results: Results) -> None:
    baseline, cleaned, other = results.rows
    assert (results.experiment, results.title, results.measures, results.topics) == ("e", "e", ("P@1", "AP"), 2)
    assert [(row.variant, row.retrieval, row.is_baseline) for row in results.rows] == [
        ("none", "qld", True),
        ("words@5", "qld", False),
        ("none", "bm25", True),
    ]
    # Topic 1: a is relevant; topic 2: c and a page that is not there. Topic 3 has no judgments.
    assert baseline.measures == pytest.approx({"P@1": mean([1, 0]), "AP": mean([1, (1 / 2) / 2])})
    assert cleaned.measures == pytest.approx({"P@1": mean([0, 1]), "AP": mean([1 / 2, 1 / 2])})
    assert other.measures == pytest.approx({"P@1": mean([0, 1]), "AP": mean([0, 1 / 2])})
    assert baseline.comparisons == other.comparisons == {}
    assert cleaned.comparisons["AP"].difference == pytest.approx(1 / 2 - 5 / 8)
    counts = cleaned.comparisons["P@1"]
    assert (counts.wins, counts.ties, counts.losses) == (1, 0, 1)
    assert [(value.variant, value.topic, value.query, value.value) for value in results.per_topic[:2]] == [
        ("none", "1", "oats", 1.0),
        ("none", "2", "rye bread", 0.0),
    ]
    assert len(results.per_topic) == 3 * 2 * 2


def test_counts_and_costs_are_in_their_rows(results: Results) -> None:
    baseline, cleaned, _ = results.rows
    assert (cleaned.documents, cleaned.indexed, cleaned.emptied, cleaned.failed) == (10, 6, 2, 2)
    assert cleaned.indexed + cleaned.emptied + cleaned.failed == cleaned.documents
    assert (cleaned.words_kept, cleaned.words_total) == (400, 1000)
    assert (cleaned.index_bytes, cleaned.index_bytes_baseline) == (1000, 4000)
    assert cleaned.index == Cost(7.0, 11.0, 300.0, 0.25)
    assert cleaned.search == Cost(6.0, 5.0, 200.0, None)
    assert cleaned.clean.wall == 24 / 4 + 2
    assert (cleaned.statistics, cleaned.work) == (IndexStatistics(8, 900, 600, 90), QueryWork(6.0, 5.0))
    assert baseline.work == QueryWork(12.5, 10.0)


def test_times_are_in_their_rows_with_the_noise_beside_them(results: Results) -> None:
    baseline, cleaned, other = results.rows
    assert (baseline.query, cleaned.query, other.query) == (BASE_TIME, FASTER, BASE_TIME)
    assert (baseline.indexing, cleaned.indexing) == (BUILDS.times["none"], BUILDS.times["words@5"])
    assert results.noise == (
        NoiseFloor("qld", REPEATS.twin, 10, 30, PAUSES),
        NoiseFloor("bm25", REPEATS.twin, 10, 30, PAUSES),
        NoiseFloor("", BUILDS.twin, 6, 6, None),
    )


def footprints_of(row: VariantResult) -> dict[str, tuple[float, float | None, float | None, bool]]:
    """Hours, kWh and kg by kind of work, and whether it was repeated; all intervals are points here."""
    found = {}
    for item in row.footprints:
        figures = [item.hours, item.kwh, item.kg]
        assert all(figure is None or figure.low == figure.value == figure.high for figure in figures)
        hours, kwh, kg = (figure and figure.value for figure in figures)
        assert hours is not None
        found[item.work] = (hours, kwh, kg, item.repeated)
    return found


def used(seconds: float, repeated: bool) -> tuple[Any, Any, Any, bool]:
    """Hours, and what 100 W draw and emit in them at 0.5 kg/kWh."""
    hours = seconds / 3600
    return pytest.approx(hours), pytest.approx(0.1 * hours), pytest.approx(0.05 * hours), repeated


def test_footprints_of_cleaning_indexing_and_searching(results: Results) -> None:
    baseline, cleaned, _ = results.rows
    assert footprints_of(baseline) == {
        "cleaning": used(20 / 4 + 2, False),
        "indexing": used(8.0, True),
        "10,000 searches": used(40.0, True),
        "1,000,000 searches": used(4000.0, True),
    }
    assert footprints_of(cleaned) == {
        "cleaning": used(24 / 4 + 2, False),
        "indexing": used(7.9, True),
        "10,000 searches": used(30.0, True),
        "1,000,000 searches": used(3000.0, True),
    }


def test_break_even_is_of_what_can_be_told_from_noise(experiment: Experiment, tmp_path: Path) -> None:
    make_store(tmp_path)
    baseline = run("none", hits(tmp_path, "base", {"1": "ab", "2": "dc"}))
    cleaned = run("words@5", hits(tmp_path, "words", {"1": "ba"}), cost=replace(INDEX.cost, wall=7.0))

    def of(query: MeasuredTime, indexing: MeasuredTime | None) -> BreakEven:
        repeats = replace(REPEATS, times={"none": BASE_TIME, "words@5": query})
        builds = indexing and replace(BUILDS, times={"none": BUILDS.times["none"], "words@5": indexing})
        measured = Measurements({"qld": MeasuredQueries(repeats, PAUSES)}, builds)
        found = assemble(experiment, INPUTS, SCORES, [baseline, cleaned], measured, tmp_path, METER)
        assert found.rows[0].break_even == BreakEven(None, "the baseline")
        return found.rows[1].break_even

    # Scoring takes 4 s / 4 workers more, a query 1 ms less (0.8 to 1.25); the difference in indexing is noise.
    noise = BUILDS.times["words@5"]
    assert of(FASTER, noise) == BreakEven(
        Interval(*(pytest.approx(count) for count in (1000, 800, 1250))), "after 1,000 queries (800 to 1,250)"
    )
    # Indexing takes 0.25 s less, measurably.
    faster = replace(noise, measurable=True, saved=Interval(0.25, 0.2, 0.3))
    assert of(FASTER, faster) == BreakEven(
        Interval(*(pytest.approx(count) for count in (750, 600, 937.5))), "after 750 queries (600 to 938)"
    )
    # Timed once, it takes 3 s less.
    assert of(FASTER, None) == BreakEven(Interval(0, 0, 0), "at once: no costlier to build, faster to search")
    alike = replace(FASTER, measurable=False)
    assert of(alike, noise) == BreakEven(None, "not measurable here: the difference in searching is within noise")
    slower = replace(FASTER, saved=Interval(-0.001, -0.00125, -0.0008))
    assert of(slower, noise) == BreakEven(None, "never: no cheaper to build, slower to search")


def test_without_times_there_is_no_break_even_and_no_footprint_of_searches(
    experiment: Experiment, results: Results, tmp_path: Path
) -> None:
    untimed = replace(experiment, measure_seconds=0.0)
    runs = [run("none", tmp_path / "base.trec"), run("words@5", tmp_path / "words.trec")]
    found = assemble(untimed, INPUTS, SCORES, runs, None, tmp_path, METER)
    assert found.noise == ()
    assert [(row.query, row.indexing) for row in found.rows] == [(None, None)] * 2
    assert [row.break_even for row in found.rows] == [BreakEven(None, "the baseline"), BreakEven(None, "not measured")]
    # Indexing was done once, in 10 s.
    assert footprints_of(found.rows[0]) == {"cleaning": used(20 / 4 + 2, False), "indexing": used(10.0, False)}
    told, timed = (dict(of.methods)["Time and memory"] for of in (found, results))
    cleaning, end, rest = told.partition("a row shows what it would cost alone. ")
    assert timed.startswith(cleaning + end)
    assert rest == "Nothing else was timed."
    assert "its twin" in timed


def test_failed_pages_and_notices_are_told(results: Results) -> None:
    assert results.failed_pages == (("bad1", "too large"), ("bad2", "took longer than 1 s"))
    assert results.notices[1:] == (
        "1 judged pages are not in this collection: gone",
        "2 of 10 pages failed; failures.jsonl lists them with their reasons",
        "1 of 10 pages hold no text",
    )
    told = dict(results.methods)
    assert told["Pages"].startswith("10 pages = 7 scored + 1 without text + 2 failed. ")
    assert "that 4 worker processes spent" in told["Time and memory"]
    assert told["CO2"] == (
        "estimated: Eq. 9, wall time × 100 W a machine (configured) × 1 machine × PUE 1 × 0.5 kg/kWh. "
        "Stages under a second are below resolution."
    )
    json.dumps(told)


def test_held_out_topics_are_evaluated_by_themselves(experiment: Experiment, results: Results, tmp_path: Path) -> None:
    inputs = replace(INPUTS, held_out=HELD_OUT)
    baseline = run("none", tmp_path / "base.trec")
    cleaned = run("words@5", tmp_path / "words.trec", words=400, bytes=1000)
    others = [
        replace(baseline, path=hits(tmp_path, "base.held-out", {"1": "ad", "2": "ae"}), held_out=True),
        replace(cleaned, path=hits(tmp_path, "words.held-out", {"1": "d", "2": "aeb"}), held_out=True),
    ]
    found = assemble(experiment, inputs, SCORES, [baseline, others[0], cleaned, others[1]], None, tmp_path, METER)
    assert found.rows[1].measures == results.rows[1].measures
    assert found.per_topic == results.per_topic[:8]
    there = found.held_out
    assert there is not None
    assert (there.topics, there.methods, there.notices, there.failed_pages) == (3, (), (), ())
    assert [(row.variant, row.is_baseline, row.index_bytes) for row in there.rows] == [
        ("none", True, 4000),
        ("words@5", False, 1000),
    ]
    # Topic 4 has no hits, and its page is not there.
    assert there.rows[0].measures == pytest.approx({"P@1": 0.0, "AP": mean([1 / 2, 1 / 2, 0])})
    assert there.rows[1].measures == pytest.approx({"P@1": mean([1, 0, 0]), "AP": mean([1, 1 / 2, 0])})
    compared = there.rows[1].comparisons["AP"]
    assert (compared.wins, compared.ties, compared.losses) == (1, 2, 0)
    assert (compared.p, compared.p_holm) == (1.0, 1.0)
    assert [(value.topic, value.query) for value in there.per_topic[:3]] == [
        ("2", "barley"),
        ("1", "Rye Bread"),
        ("4", "millet"),
    ]
    assert "3 other topics with a judgment, " in dict(found.methods)["Held-out topics"]
    assert "best mean AP on the experiment's own topics" in dict(found.methods)["Held-out topics"]
    assert "Held-out topics" not in dict(results.methods)
    assert results.held_out is None


def test_pages_lost_by_language_are_a_notice(experiment: Experiment, tmp_path: Path) -> None:
    make_store(tmp_path)
    path = hits(tmp_path, "base", {"1": "ab", "2": "dc"})

    def swept(cutoff: int, **emptied: int) -> VariantRun:
        of = run(f"words@{cutoff}", path, emptied_languages=emptied)
        return replace(of, variant=replace(of.variant, sweep="words", cutoff=float(cutoff)))

    many, few = {"Russian": 1, "Thai": 1, "English": 9, "unknown": 5, "no text": 7}, {"English": 99, "unknown": 9}
    assert SCORES.documents == 10
    runs = [
        run("none", path),
        swept(3, Thai=1),
        swept(5, Chinese=2, Thai=1, Russian=9),
        swept(2),
        run("justext", path, emptied_languages=many),
        run("justext(lang=Russian)", path, emptied_languages=few),
        run("bte", path, emptied_languages=many),
    ]
    found = assemble(experiment, INPUTS, SCORES, runs, None, tmp_path, METER)
    assert [notice for notice in found.notices if "languages" in notice] == [
        "words@5 empties 3 of 10 pages (30.0 %) in languages that it does not know: 2 Chinese, 1 Thai; "
        "use floor=W, which keeps W words of each page (1 more of its cutoffs lose over 5% so)",
        "justext empties 2 of 10 pages (20.0 %) in languages that it does not know: 1 Russian, 1 Thai; "
        "use lang=LANGUAGE, or floor=W, which keeps W words of each page",
        "justext(lang=Russian) empties 99 of 10 pages (990.0 %) in languages that it does not know: 99 English; "
        "use lang=LANGUAGE, or floor=W, which keeps W words of each page",
    ]


def test_what_percentiles_came_to_is_told(experiment: Experiment, tmp_path: Path) -> None:
    make_store(tmp_path)
    path = hits(tmp_path, "base", {"1": "ab", "2": "dc"})
    runs = [
        run("none", path),
        run("words@p30+perplexity@p70", path, cutoffs={"words@p30": 4.0, "perplexity(lm=books)@p70": 8412.3}),
        run("words@5", path),
    ]
    found = assemble(experiment, INPUTS, SCORES, runs, None, tmp_path, METER)
    headings = [heading for heading, _ in found.methods]
    assert headings[headings.index("Scorers") + 1] == "Percentiles"
    assert dict(found.methods)["Percentiles"] == (
        "The cutoff pN is the smallest score such that the segments with this score or a lower one hold at least N % of the "
        "collection's words; rN is the perplexity at that percentile of the sentences of the model's reference text, linear "
        "between those in its card. Here: words@p30 = 4; perplexity(lm=books)@p70 = 8,412.3. Finding them counts as cleaning."
    )
    calm = assemble(experiment, INPUTS, SCORES, [runs[0], runs[2]], None, tmp_path, METER)
    assert "Percentiles" not in dict(calm.methods)


def test_what_quotas_are_is_told(experiment: Experiment, tmp_path: Path) -> None:
    make_store(tmp_path)
    runs = [run("none", hits(tmp_path, "base", {"1": "ab", "2": "dc"}))]
    found = assemble(experiment, INPUTS, SCORES, runs, None, tmp_path, METER)
    assert "Quotas" not in dict(found.methods)
    variant = Variant(parse_cleaner("density@5+words@doc30"))
    experiment = replace(experiment, variants=(*experiment.variants, variant))
    found = assemble(experiment, INPUTS, SCORES, runs, None, tmp_path, METER)
    assert dict(found.methods)["Quotas"] == (
        "The cutoff docN keeps of each page the best-scored segments until they hold at least N % of its words. A page's "
        "words are those that the cuts before it keep; kept headings are taken first, dropped ones are not counted."
    )


def test_a_baseline_that_retrieves_no_judged_page_is_an_error(experiment: Experiment, tmp_path: Path) -> None:
    make_store(tmp_path)
    baseline = run("none", hits(tmp_path, "base", {"1": "x", "2": "y"}))
    with pytest.raises(InputError) as caught:
        assemble(experiment, INPUTS, SCORES, [baseline], None, tmp_path, METER)
    assert str(caught.value) == (
        "no judged document was retrieved for any topic (the first id in the run is x, in the qrels a). "
        "Fix: check that collection and qrels use the same document ids."
    )
