"""From runs and records to results, on records made by hand."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import yaml
from messages import Message, assert_names

from thresher import __version__
from thresher.base.errors import InputError
from thresher.base.machine import Footprint, Machine, Power
from thresher.base.numbers import Interval
from thresher.base.repeats import BreakEven, MeasuredTime, Payoff, Repeats, Times
from thresher.collections.file_collection import Files
from thresher.collections.interface import ReadOptions
from thresher.collections.sources import Part
from thresher.evaluation.topics import About, Notice, Topic
from thresher.evaluation.trec_files import write_run
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.inputs import Inputs, Scored, TopicSet, same_queries
from thresher.experiments.locations import TopicSource
from thresher.experiments.manifest import CodeState, Provenance, package_versions
from thresher.experiments.measuring import CostMeter, Measurements
from thresher.experiments.outcome import CostSources, _cleaning, _notices, assemble, clean_cost, cleaning_machines
from thresher.experiments.results import Results
from thresher.experiments.stages import IndexRecord, SearchRecord, VariantRun
from thresher.experiments.table import Cost, NoiseFloor, Row, Variant
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.work import IndexStatistics, QueryWork
from thresher.pages import read_text_page
from thresher.reports.notices import notices
from thresher.scores.score_pass import ScoreReport
from thresher.scores.store import (
    EMPTIED,
    FAILED,
    NO_COST,
    SCORED,
    PageScores,
    ScoringCost,
    ShardReport,
    shard_path,
    total,
    write_shard,
)

METER = CostMeter(Power(100.0, "configured", intensity=0.5))
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
SEARCH = SearchRecord(
    "k", "d", QueryWork(12.5, 10.0, (10.0, 15.0, 12.5), (8.0, 12.0, 10.0)), Cost(6.0, 5.0, 200.0, None)
)


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
MEASURED = Measurements({"qld": REPEATS, "bm25": REPEATS}, BUILDS)


def run(
    name: str, path: Path = Path(), model: str = "qld", search: SearchRecord = SEARCH, **changes: Any
) -> VariantRun:
    return VariantRun(Variant(parse_treatment(name)), parse_retrieval(model), path, replace(INDEX, **changes), search)


def scored(inputs: Inputs, scores: ScoreReport, store: Path) -> Scored:
    plan: Any = None
    return Scored(inputs, plan, scores, store, {})


def assembled(
    experiment: Experiment,
    inputs: Inputs,
    runs: Sequence[VariantRun],
    measured: Measurements | None,
    store: Path,
) -> Results:
    return assemble(experiment, scored(inputs, SCORES, store), runs, CostSources(SCORES, measured, METER), "key")


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


@pytest.mark.parametrize(
    ("name", "stages"), [("none|weights(anchors=0)", 20.0), ("none|weights", 26.0), ("words@5|weights|dcp@0.5", 30.0)]
)
def test_cleaning_costs_the_links_of_a_site_if_their_texts_count(name: str, stages: float) -> None:
    scores = replace(SCORES, seconds={**SCORES.seconds, "sites": 6.0})
    assert clean_cost(run(name), scores, METER).wall == stages / 4 + 2


def test_machines_that_cleaned_are_those_configured_or_those_that_scored() -> None:
    shards = [ShardReport(1, 1, 0, 0, 5, 9, None, None, 0)] * 3
    spent = [ScoringCost({"pages": 1.0}, Times(1.0, 1.0, 10.0), host) for host in ("a", "b", "a")]
    scores = total(shards, spent, 2, [NO_COST])
    assert scores.machines == 2
    assert total(shards[:0], [], 2, [NO_COST]).machines == 1
    cluster = replace(METER, power=replace(METER.power, machines=15))
    assert [cleaning_machines(scores, meter) for meter in (METER, cluster)] == [2, 15]
    long = replace(SCORES, machines=2)
    alone, both = clean_cost(run("none"), SCORES, METER), clean_cost(run("none"), long, METER)
    assert alone.co2_grams is not None
    assert both.co2_grams == pytest.approx(2 * alone.co2_grams)
    tags, scoring = assembled_footprints(long)
    assert tags.hours.value + scoring.hours.value == pytest.approx(2 * both.wall / 3600)


def assembled_footprints(scores: ScoreReport, name: str = "none") -> tuple[Footprint, ...]:
    return tuple(_cleaning(clean_cost(run(name), scores, METER), scores, METER))


def test_removing_tags_and_scoring_are_apart_as_in_the_papers_tables() -> None:
    tags, scoring = assembled_footprints(SCORES, "perplexity@8000")
    assert [one.work for one in (tags, scoring)] == ["tag removal", "scoring"]
    # 20 s of pages and 32 s of perplexity by four workers, and two to cut.
    assert [one.hours.value for one in (tags, scoring)] == pytest.approx([20 / 4 / 3600, (32 / 4 + 2) / 3600])


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
FIRST = Notice(About.UNJUDGED, 2, ("x", "y"))
INPUTS = Inputs(
    Files(Path("x.jsonl"), "jsonl", ReadOptions()),
    TOPICS,
    None,
    (FIRST,),
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
    assert _notices(scored(INPUTS, SCORES, tmp_path)) == [FIRST, Notice(About.MISSING, 1, ("gone",))]
    known = replace(TOPICS, qrels={"1": {"a": 1}, "2": {"empty": 1}})
    assert _notices(scored(replace(INPUTS, topics=known), SCORES, tmp_path)) == [FIRST]
    lost = replace(TOPICS, qrels={"1": {f"p{number}": 1 for number in range(7)}})
    told = _notices(scored(replace(INPUTS, topics=lost, notices=()), SCORES, tmp_path))
    assert told == [Notice(About.MISSING, 7, ("p0", "p1", "p2", "p3", "p4"))]
    both = replace(INPUTS, topics=known, held_out=HELD_OUT)
    assert _notices(scored(both, SCORES, tmp_path))[1:] == [Notice(About.MISSING, 1, ("lost",), held_out=True)]


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
    write_shard(shard_path(folder, Part(0, 0, folder, "x")), pages, [], report, NO_COST)


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
        search=replace(SEARCH, work=QueryWork(6.0, 5.0, (4.0, 8.0, 6.0), (3.0, 7.0, 5.0))),
    )
    bm25 = [
        run("none", hits(tmp_path, "bm25", {"2": "c"}), model="bm25"),
        run("words@5", hits(tmp_path, "bm25-words", {"2": "c"}), model="bm25"),
    ]
    models = (*experiment.retrieval.models, parse_retrieval("bm25"))
    both = replace(experiment, retrieval=replace(experiment.retrieval, models=models))
    return assembled(both, INPUTS, [baseline, cleaned, *bm25], MEASURED, tmp_path)


def test_values_are_those_of_the_judged_topics_and_compared_within_a_model(results: Results) -> None:
    qld, bm25 = results.tables
    assert (qld.retrieval, bm25.retrieval, qld.measures, qld.topics) == ("qld", "bm25", ("P@1", "AP"), ("1", "2"))
    assert [row.name for row in qld.rows] == ["none", "words@5"]
    assert [row.name for row in bm25.rows] == ["none", "words@5"]
    assert (dict(results.facts.topics), results.facts.key) == ({"1": "oats", "2": "rye bread"}, "key")
    # Topic 1: a is relevant; topic 2: c and a page that is not there. Topic 3 has no judgments.
    assert qld.of("P@1").tolist() == [[1, 0], [0, 1]]
    assert qld.of("AP").tolist() == [[1, (1 / 2) / 2], [1 / 2, 1 / 2]]
    assert bm25.of("AP").tolist() == [[0, 1 / 2], [0, 1 / 2]]
    assert qld.query_postings.tolist() == [[10, 15], [4, 8]]
    (base, cleaned), other = (row.built for row in qld.rows), bm25.rows[0].built
    assert base is not None
    assert cleaned is not None
    assert other is not None
    assert base.comparisons == other.comparisons == {}
    assert cleaned.comparisons["AP"].difference == pytest.approx(1 / 2 - 5 / 8)
    counts = cleaned.comparisons["P@1"]
    assert (counts.wins, counts.ties, counts.losses) == (1, 0, 1)


def test_indexes_that_were_chosen_carry_no_mark_and_change_no_correction(
    experiment: Experiment, tmp_path: Path
) -> None:
    make_store(tmp_path)
    own = [
        run("none", hits(tmp_path, "base", {"1": "ab", "2": "dc"})),
        run("words@5", hits(tmp_path, "words", {"1": "ba", "2": "cd"})),
    ]
    chosen = [run(f"density@{at}", hits(tmp_path, f"density{at}", {"1": "ba", "2": "cd"})) for at in (7, 8)]
    alone, both = (assembled(experiment, INPUTS, runs, None, tmp_path).tables[0] for runs in (own, [*own, *chosen]))
    assert alone.rows[1] == both.rows[1]
    for table, index, tests, selected in (
        (alone, 1, 2, False),
        (both, 1, 2, False),
        (both, 2, 4, True),
        (both, 3, 4, True),
    ):
        built = table.rows[index].built
        assert built is not None
        assert {one.selected for one in built.comparisons.values()} == {selected}
        assert {one.p_corrected for one in built.comparisons.values()} == {min(1.0, tests * built.comparisons["AP"].p)}


def test_counts_and_costs_are_in_their_rows(results: Results) -> None:
    pages, cleaned = results.facts.pages, results.tables[0].rows[1]
    assert (pages.documents, pages.scored, pages.emptied, pages.failed, pages.words) == (10, 7, 1, 2, 1000)
    assert (cleaned.index, cleaned.words, cleaned.bytes) == (IndexStatistics(8, 900, 600, 90), 400, 1000)
    assert cleaned.built is not None
    assert cleaned.built.index == Cost(7.0, 11.0, 300.0, 0.25)
    assert cleaned.built.search == Cost(6.0, 5.0, 200.0, None)
    assert cleaned.built.clean.wall == 24 / 4 + 2
    # Topic 3, which has no judgments, was searched too.
    assert cleaned.built.work == QueryWork(6.0, 5.0, (4.0, 8.0), (3.0, 7.0))


def test_times_are_in_their_rows_with_the_noise_beside_them(results: Results) -> None:
    baseline, cleaned, other, _ = (row.built for table in results.tables for row in table.rows)
    assert baseline is not None
    assert cleaned is not None
    assert other is not None
    assert (baseline.query, cleaned.query, other.query) == (BASE_TIME, FASTER, BASE_TIME)
    assert (baseline.indexing, cleaned.indexing) == (BUILDS.times["none"], BUILDS.times["words@5"])
    assert results.facts.noise == (
        NoiseFloor("qld", REPEATS.copy, 10, 30),
        NoiseFloor("bm25", REPEATS.copy, 10, 30),
        NoiseFloor("", BUILDS.copy, 6, 6),
    )


def footprints_of(row: Row) -> dict[str, tuple[float, float | None, float | None]]:
    """Hours, kWh and kg by kind of work; all intervals are points here."""
    found = {}
    assert row.built is not None
    for item in row.built.footprints:
        figures = [item.hours, item.kwh, item.kg]
        assert all(figure is None or figure.low == figure.value == figure.high for figure in figures)
        hours, kwh, kg = (figure and figure.value for figure in figures)
        assert hours is not None
        found[item.work] = (hours, kwh, kg)
    return found


def used(seconds: float) -> tuple[Any, Any, Any]:
    """Hours, and what 100 W draw and emit in them at 0.5 kg/kWh."""
    hours = seconds / 3600
    return pytest.approx(hours), pytest.approx(0.1 * hours), pytest.approx(0.05 * hours)


def test_footprints_of_cleaning_indexing_and_searching(results: Results) -> None:
    baseline, cleaned = results.tables[0].rows
    assert footprints_of(baseline) == {
        "tag removal": used(20 / 4),
        "scoring": used(2),
        "indexing": used(8.0),
        "10,000 searches": used(40.0),
        "1,000,000 searches": used(4000.0),
    }
    assert footprints_of(cleaned) == {
        "tag removal": used(20 / 4),
        "scoring": used(4 / 4 + 2),
        "indexing": used(7.9),
        "10,000 searches": used(30.0),
        "1,000,000 searches": used(3000.0),
    }


def test_break_even_is_of_what_can_be_told_from_noise(experiment: Experiment, tmp_path: Path) -> None:
    make_store(tmp_path)
    baseline = run("none", hits(tmp_path, "base", {"1": "ab", "2": "dc"}))
    cleaned = run("words@5", hits(tmp_path, "words", {"1": "ba"}), cost=replace(INDEX.cost, wall=7.0))

    def of(query: MeasuredTime, indexing: MeasuredTime | None) -> BreakEven:
        repeats = replace(REPEATS, times={"none": BASE_TIME, "words@5": query})
        builds = indexing and replace(BUILDS, times={"none": BUILDS.times["none"], "words@5": indexing})
        measured = Measurements({"qld": repeats}, builds)
        found = assembled(experiment, INPUTS, [baseline, cleaned], measured, tmp_path)
        base, made = (row.built for row in found.tables[0].rows)
        assert base is not None
        assert made is not None
        assert base.break_even is None
        assert made.break_even is not None
        return made.break_even

    # Scoring takes 4 s / 4 workers more, a query 1 ms less (0.8 to 1.25); the difference in indexing is noise.
    noise = BUILDS.times["words@5"]
    at = of(FASTER, noise)
    assert (at.payoff, at.queries) == (Payoff.AFTER, Interval(*(pytest.approx(count) for count in (1000, 800, 1250))))
    # Indexing takes 0.25 s less, measurably.
    faster = replace(noise, measurable=True, saved=Interval(0.25, 0.2, 0.3))
    assert of(FASTER, faster).queries == Interval(*(pytest.approx(count) for count in (750, 600, 937.5)))
    # Timed once, it takes 3 s less.
    assert of(FASTER, None) == BreakEven(Payoff.AT_ONCE, Interval(0, 0, 0))
    # On 15 machines cleaning counts 15 times in CO₂.
    measured = Measurements({"qld": REPEATS}, BUILDS)
    costs = CostSources(replace(SCORES, machines=15), measured, METER)
    made = (
        assemble(experiment, scored(INPUTS, SCORES, tmp_path), [baseline, cleaned], costs, "key")
        .tables[0]
        .rows[1]
        .built
    )
    assert made is not None
    assert made.co2_break_even is not None
    assert made.co2_break_even.queries == Interval(*(pytest.approx(count) for count in (15_000, 12_000, 18_750)))
    alike = replace(FASTER, measurable=False)
    assert of(alike, noise).payoff is Payoff.UNKNOWN
    slower = replace(FASTER, saved=Interval(-0.001, -0.00125, -0.0008))
    assert of(slower, noise).payoff is Payoff.NEVER


def test_without_times_there_is_no_break_even_and_no_footprint_of_searches(
    experiment: Experiment, results: Results, tmp_path: Path
) -> None:
    untimed = replace(experiment, measure_seconds=0.0)
    runs = [run("none", tmp_path / "base.trec"), run("words@5", tmp_path / "words.trec")]
    found = assembled(untimed, INPUTS, runs, None, tmp_path)
    assert found.facts.noise == ()
    for row in found.tables[0].rows:
        assert row.built is not None
        assert (row.built.query, row.built.indexing, row.built.break_even) == (None, None, None)
    # Indexing was done once, in 10 s.
    assert footprints_of(found.tables[0].rows[0]) == {
        "tag removal": used(20 / 4),
        "scoring": used(2),
        "indexing": used(10.0),
    }


def test_failed_pages_and_notices_are_told(results: Results) -> None:
    assert results.facts.pages.reasons == (("bad1", "too large"), ("bad2", "took longer than 1 s"))
    assert results.facts.notices[1:] == (Notice(About.MISSING, 1, ("gone",)),)
    missing, failed, blank = notices(results)[1:]
    assert_names(missing, "1 judged page", "gone")
    assert_names(failed, "2 of 10 pages failed", "failures.jsonl")
    assert_names(blank, "1 of 10 pages", "no text")


def test_held_out_topics_are_evaluated_by_themselves(experiment: Experiment, results: Results, tmp_path: Path) -> None:
    inputs = replace(INPUTS, held_out=HELD_OUT)
    baseline = run("none", tmp_path / "base.trec")
    cleaned = run("words@5", tmp_path / "words.trec", words=400, bytes=1000)
    others = [
        replace(baseline, path=hits(tmp_path, "base.held-out", {"1": "ad", "2": "ae"}), held_out=True),
        replace(cleaned, path=hits(tmp_path, "words.held-out", {"1": "d", "2": "aeb"}), held_out=True),
    ]
    found = assembled(experiment, inputs, [baseline, others[0], cleaned, others[1]], None, tmp_path)
    table = found.tables[0]
    assert table.values.tolist() == results.tables[0].values.tolist()
    assert (table.held_out_topics, dict(found.facts.held_out_topics)) == (
        ("2", "1", "4"),
        {"2": "barley", "1": "Rye Bread", "4": "millet"},
    )
    # Topic 4 has no hits, and its page is not there.
    assert table.held_out_mean("P@1").tolist() == pytest.approx([0.0, mean([1, 0, 0])])
    assert table.held_out_mean("AP").tolist() == pytest.approx([mean([1 / 2, 1 / 2, 0]), mean([1, 1 / 2, 0])])
    made = table.rows[1].built
    assert made is not None
    compared = made.held_out["AP"]
    assert (compared.wins, compared.ties, compared.losses) == (1, 2, 0)
    assert (compared.p, compared.p_corrected) == (1.0, 1.0)
    assert results.tables[0].held_out.shape == (2, 2, 0)


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
    found = assembled(experiment, INPUTS, runs, None, tmp_path)
    words, stop_words, russian = [notice for notice in notices(found) if "languages" in notice]
    assert_names(words, "words@5 ", "3 of 10 pages (30.0 %)", "2 Chinese, 1 Thai; ", "floor=W", "1 more of its cutoffs")
    assert "lang=" not in words
    floors = ("lang=LANGUAGE", "floor=W")
    assert_names(stop_words, "justext ", "2 of 10 pages (20.0 %)", "1 Russian, 1 Thai; ", *floors)
    assert_names(russian, "justext(lang=Russian) ", "99 of 10 pages (990.0 %)", "99 English; ", *floors)


def test_a_baseline_that_retrieves_no_judged_page_is_an_error(experiment: Experiment, tmp_path: Path) -> None:
    make_store(tmp_path)
    baseline = run("none", hits(tmp_path, "base", {"1": "x", "2": "y"}))
    with pytest.raises(InputError) as caught:
        assembled(experiment, INPUTS, [baseline], None, tmp_path)
    assert_names(caught.value, "run is x", "qrels a", "Fix: ", "same document ids")


MACHINE = Machine("Xeon", 1, 0, 2, 24000, "Linux 6.1", "3.11")


def metadata(
    experiment: Experiment, inputs: Inputs, of: VariantRun, results: Results, code: CodeState | None
) -> dict[str, Any]:
    """Return what is written beside a run, parsed back."""
    Provenance(experiment, scored(inputs, SCORES, Path()), [of], MACHINE, METER, code).write_metadata(results)
    text = of.path.with_suffix(".yaml").read_text(encoding="utf-8")
    assert text.startswith(f"# ir_metadata 0.2-beta\nschema version: 0.2\ntag: {of.variant.name}\n")
    data: dict[str, Any] = yaml.safe_load(text)
    return data


def test_all_that_is_known_of_a_run_is_in_its_metadata(
    experiment: Experiment, results: Results, tmp_path: Path
) -> None:
    of = run("words@5", tmp_path / "x.trec", cost=replace(INDEX.cost, wall=7.0, joules={"cpu": 12.5, "ram": 1.5}))
    about = replace(experiment.document.experiment, team="us", repository="https://example.org/code")
    changed = replace(experiment, title="Cutoffs in 日本", document=replace(experiment.document, experiment=about))
    assert metadata(changed, INPUTS, of, results, CodeState("9548cd6", changed=False)) == {
        "schema version": 0.2,
        "tag": "words@5",
        "actor": {"team": "us"},
        "platform": {
            "hardware": {
                "cpu": {"model": "Xeon", "architecture": platform.machine(), "number of cores": 2},
                "ram": "24000 MiB",
            },
            "operating system": {"kernel": "Linux 6.1"},
            "software": {
                "libraries": [f"{name}=={number}" for name, number in package_versions().items()],
                "retrieval toolkit": ["pyserini"],
            },
        },
        "implementation": {
            "executable": {"cmd": "thresher run e.toml", "version": __version__},
            "source": {"lang": ["python"], "repository": "https://example.org/code", "commit": "9548cd6"},
        },
        "resources": {
            "runtime": {"wallclock": "21000 ms", "cpu": "29500 ms"},
            "ram": {"used process": {"max": "300 MiB"}},
            "stages": {
                "cleaning": {
                    "runtime": {"wallclock": "8000 ms", "cpu": "13500 ms"},
                    "ram": {"used process": {"max": "150 MiB"}},
                    "emissions": f"{METER.grams(8.0)!r} g CO2",
                },
                "indexing": {
                    "runtime": {"wallclock": "7000 ms", "cpu": "11000 ms"},
                    "ram": {"used process": {"max": "300 MiB"}, "energy used system": "1.5 J"},
                    "cpu": {"energy used system": "12.5 J"},
                    "emissions": "0.25 g CO2",
                },
                "searching": {
                    "runtime": {"wallclock": "6000 ms", "cpu": "5000 ms"},
                    "ram": {"used process": {"max": "200 MiB"}},
                    "emissions": "below resolution",
                },
            },
            "emissions method": str(METER.power),
        },
        "research goal": {
            "name": "e",
            "title": "Cutoffs in 日本",
            "evaluation": {
                "reported measures": ["P@1", "AP"],
                "baseline": ["none"],
                "significance test": [
                    {"name": "Two-sided Wilcoxon signed-rank test", "correction method": "Holm"},
                ],
            },
        },
        "data": {
            "test collection": {
                "name": "pages",
                "topics": "topics",
                "qrels": "qrels",
                "documents": 10,
                "digest": "c",
                "topics count": 2,
                "topics digest": "t",
                "qrels digest": "q",
            }
        },
        "method": {
            "name": "words@5, qld",
            "description": Message("words@5", "Lucene", "qld"),
            "automatic": True,
            "score ties": "by document id, ascending",
            "cleaning": {"name": "words@5", "scorers": ["words"]},
            "indexing": {"tokenizer": "Lucene's StandardTokenizer", "stemmer": "porter", "stopwords": True},
            "retrieval": [{"name": "qld", "method": "qld", "parameters": {"mu": 2000.0}}],
        },
    }


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("qld(exact,mu=500)", {"mu": 500.0}),
        ("bm25", {"b": 0.4, "k1": 0.9}),
        ("bm25(k1=1.2)", {"b": 0.4, "k1": 1.2}),
    ],
)
def test_metadata_names_the_model_and_leaves_out_what_is_not_known(
    model: str, parameters: dict[str, float], experiment: Experiment
) -> None:
    of = Provenance(experiment, scored(INPUTS, SCORES, Path()), [], MACHINE, METER, None)
    costs = {"cleaning": INDEX.cost, "indexing": INDEX.cost, "searching": SEARCH.cost}
    data = of.metadata(run("none", model=model), costs)
    (retrieval,) = data["method"]["retrieval"]
    assert retrieval == {"name": model, "method": model.partition("(")[0], "parameters": parameters}
    assert data["implementation"]["source"] == {"lang": ["python"]}
    assert data["method"]["cleaning"] == {"name": "none", "scorers": []}
    assert "actor" not in data
    pruned = of.metadata(run("none|dcp@0.5", model=model), costs)["method"]["description"]
    assert_names(pruned, "cleaned by none", "pruned by dcp@0.5", "Lucene", f"ranked by {model}")
    own = replace(of, scored=scored(replace(INPUTS, held_out=HELD_OUT), SCORES, Path()))
    found = own.metadata(replace(run("none"), held_out=True), costs)["data"]["test collection"]
    assert (found["topics"], found["qrels"], found["topics count"]) == ("others", "other-qrels", 3)
