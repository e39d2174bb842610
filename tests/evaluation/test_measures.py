import math
import random
import subprocess
import sys

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.defaults import DEFAULT_MEASURES
from thresher.base.errors import ConfigError, InputError
from thresher.evaluation.evaluating import check_overlap, evaluate, topic_set
from thresher.evaluation.measures import parse_measure
from thresher.evaluation.topics import About, Notice, Topic
from thresher.evaluation.trec_files import read_qrels


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("P@10", "P@10"),
        (" P @ 10 ", "P@10"),
        ("P(cutoff=10)", "P@10"),
        ("P(judged_only=True, rel=2)@5", "P(rel=2,judged_only=True)@5"),
        ("P(rel=1)@5", "P@5"),
        ("Precision@5", "P@5"),
        ("MAP", "AP"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
        ("NDCG@10", "nDCG@10"),
        ('nDCG(dcg="exp-log2")@10', "nDCG(dcg='exp-log2')@10"),
        ("nDCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("MRR@10", "RR@10"),
        ("RR", "RR"),
        ("Rprec", "Rprec"),
        ("Recall@1000", "R@1000"),
        ("Bpref", "Bpref"),
        ("infAP", "infAP"),
        ("Success@1", "Success@1"),
        ("IPrec@0.1", "IPrec@0.1"),
        ("SetP(relative=True)", "SetP(relative=True)"),
        ("SetRelP", "SetP(relative=True)"),
        ("SetR", "SetR"),
        ("SetF(beta=2.0)", "SetF(beta=2.0)"),
        ("SetAP", "SetAP"),
        ("Judged@10", "Judged@10"),
        ("ERR@20", "ERR@20"),
        ("Compat(p=0.9)", "Compat(p=0.9)"),
        ("map", "AP"),
        ("ndcg_cut_10", "nDCG@10"),
        (" P_10 ", "P@10"),
        ("recall_100", "R@100"),
        ("recip_rank", "RR"),
        ("set_P", "SetP"),
        ("ndcg@10", "nDCG@10"),
        ("ndcg_burges@5", "nDCG(dcg='exp-log2')@5"),
        ("precision@2", "P@2"),
        ("r-precision", "Rprec"),
        ("hit_rate@1", "Success@1"),
    ],
)
def test_names_parse_and_print_back(name, canonical):
    measure = parse_measure(name)
    assert str(measure) == canonical
    assert str(parse_measure(canonical)) == canonical
    qrels = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}, "2": {"a": 0}, "3": {"a": 1}}
    run = {"1": {"d": 4.0, "a": 3.0, "e": 2.0, "b": 1.0}, "2": {"b": 1.0}}
    values = evaluate(qrels, run, [name], ["1", "2", "3"])
    assert list(values) == [canonical]
    assert list(values[canonical]) == ["1", "2", "3"]
    assert all(type(value) is float and 0 <= value <= 1 for value in values[canonical].values())
    assert values[canonical]["1"] > 0 or canonical in ("Success@1",)


KNOWN = "P, AP, nDCG, RR, Rprec, R, Bpref, infAP, Success, IPrec, SetP, SetR, SetF, SetAP, Judged, ERR"


@pytest.mark.parametrize("name", ["", "num_q", "gm_map", "NumQ", "P;AP"])
def test_measures_that_are_not_computed_here(name):
    with pytest.raises(ConfigError) as error:
        parse_measure(name)
    assert error.value.what == f"there is no measure `{name}` here"
    assert error.value.fix.startswith(f"use one of {KNOWN}")
    assert "P@10, AP(rel=2)" in error.value.fix


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("P10", "P@10"),
        ("nDGC@10", "nDCG@10"),
        ("NDCG_10", "nDCG@10"),
        ("Bpreff", "Bpref"),
        ("sucess@1", "Success@1"),
    ],
)
def test_a_slip_is_told_what_was_meant(name, meant):
    with pytest.raises(ConfigError) as error:
        parse_measure(name)
    assert f"`{name}`" in error.value.what
    assert error.value.fix == f"did you mean {meant}?"
    assert str(parse_measure(meant)) == meant


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("alpha_nDCG@10", ["`alpha_nDCG@10`", "subtopic", "nDCG@10"]),
        ("RBP(rel=1)", ["`RBP(rel=1)`", "pip install cwl-eval"]),
        ("RBP", ["`RBP`", "RBP(rel=1)"]),
        ("RBP(p=0.5)", ["`RBP(p=0.5)`", "RBP(p=0.5,rel=1)"]),
        ("ndcg_cut.5,10", ["`ndcg_cut.5,10` is 2 measures", "nDCG@5"]),
    ],
)
def test_measures_that_need_something_else_say_what(name, facts):
    with pytest.raises(ConfigError) as error:
        parse_measure(name)
    for fact in facts:
        assert fact in f"{error.value.what} {error.value.fix}"
    assert facts[-1] in error.value.fix


@given(
    grades=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-2, 4), min_size=1),
    ranking=st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1),
    depth=st.integers(1, 12),
)
@settings(max_examples=5)
def test_expected_reciprocal_rank_is_that_of_its_definition(grades, ranking, depth):
    """Chapelle et al. 2009, with the largest grade 4."""
    run = {"1": {document: float(-rank) for rank, document in enumerate(ranking)}}
    left, expected = 1.0, 0.0
    for rank, document in enumerate(ranking[:depth], 1):
        stops = (2 ** max(grades.get(document, 0), 0) - 1) / 16
        expected += left * stops / rank
        left *= 1 - stops
    measure = f"ERR@{depth}"
    assert evaluate({"1": grades}, run, [measure], ["1"])[measure]["1"] == pytest.approx(expected, abs=6e-6)


def test_grades_beyond_those_of_err_are_refused():
    with pytest.raises(InputError) as error:
        evaluate({"1": {"a": 5}}, {"1": {"a": 1.0}}, ["ERR@10"], ["1"])
    assert "grade 5" in error.value.what
    assert "4" in error.value.fix


@pytest.mark.parametrize(
    ("name", "reason", "usage"),
    [
        ("P", "cutoff", "P(rel, judged_only)@cutoff"),
        ("P@", "", "P(rel, judged_only)@cutoff"),
        ("P@1@2", "", "P(rel, judged_only)@cutoff"),
        ("P@0", "cutoff is an integer from 1", "P(rel, judged_only)@cutoff"),
        ("P@True", "cutoff is an integer from 1", "P(rel, judged_only)@cutoff"),
        ("P@-5", "", "P(rel, judged_only)@cutoff"),
        ("P@5.5", "cutoff=5.5", "P(rel, judged_only)@cutoff"),
        ("P(rel=0)@5", "rel is an integer from 1", "P(rel, judged_only)@cutoff"),
        ("P(5)", "must be named", "P(rel, judged_only)@cutoff"),
        ("P(x=5)@5", "['x']", "P(rel, judged_only)@cutoff"),
        ("nDCG@1o", "", "nDCG(dcg, judged_only)@cutoff"),
        ("IPrec@0.155", "recall is in [0, 1]", "IPrec(rel, judged_only)@recall"),
        ("RR(judged_only=True)@10", "combination of parameters", "RR(rel, judged_only)@cutoff"),
        ("nDCG(gains={1: 5})@10", "'exp-log2'", "nDCG(dcg, judged_only)@cutoff"),
        ("nDCG(dcg='ln')@10", "dcg='ln'", "nDCG(dcg, judged_only)@cutoff"),
    ],
)
def test_parameters_that_cannot_be_used(name, reason, usage):
    with pytest.raises(ConfigError) as error:
        parse_measure(name)
    assert f"`{name}`" in error.value.what
    assert reason in error.value.what
    assert usage in error.value.fix


@given(name=st.text(max_size=20) | st.text(alphabet="PnDCGrel(@)=1,'\"*{}: ", max_size=20))
def test_any_text_is_a_measure_or_an_error_for_users(name):
    try:
        measure = parse_measure(name)
    except ConfigError:
        return
    assert str(parse_measure(str(measure))) == str(measure)


def exponential_ndcg(judged: dict[str, int], ranking: list[str], cutoff: int) -> float:
    def dcg(grades: list[int]) -> float:
        return sum((2**grade - 1) / math.log(rank + 2) for rank, grade in enumerate(grades[:cutoff]))

    positive = {document: max(0, grade) for document, grade in judged.items()}
    ideal = dcg(sorted(positive.values(), reverse=True))
    return dcg([positive.get(document, 0) for document in ranking]) / ideal if ideal else 0.0


DOCUMENTS = [f"d{number}" for number in range(12)]


@given(
    judged=st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 6), min_size=1),
    ranking=st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=12),
    cutoff=st.integers(1, 12),
)
def test_exponential_ndcg_by_its_formula(judged, ranking, cutoff):
    run = {"1": {document: float(-rank) for rank, document in enumerate(ranking)}}
    name = f"nDCG(dcg='exp-log2')@{cutoff}"
    value = evaluate({"1": judged}, run, [name], ["1"])[name]["1"]
    assert value == pytest.approx(exponential_ndcg(judged, ranking, cutoff), abs=1e-12)


def test_gains_of_one_measure_do_not_reach_another():
    qrels = {"1": {"a": 1, "b": 3}}
    run = {"1": {"a": 2.0, "b": 1.0}}
    names = ["nDCG(dcg='exp-log2')@10", "nDCG@10", "nDCG(dcg='exp-log2')", "nDCG"]
    discount = 1 / math.log2(3)
    exponential = (1 + 7 * discount) / (7 + discount)
    linear = (1 + 3 * discount) / (3 + discount)
    for order in (names, names[::-1]):
        values = evaluate(qrels, run, order, ["1"])
        for name in names:
            expected = exponential if "exp" in name else linear
            assert values[name]["1"] == pytest.approx(expected, abs=1e-12)


def test_grades_too_large_for_exponential_gains():
    with pytest.raises(InputError) as error:
        evaluate({"1": {"a": 21}}, {"1": {"a": 1.0}}, ["nDCG(dcg='exp-log2')@10"], ["1"])
    assert_names(error.value, "grade 21", "2^grade - 1", "Fix: ", "up to 20", "nDCG@10")


TREC_EVAL = {
    "P@5": "P_5",
    "P@10": "P_10",
    "AP": "map",
    "AP@100": "map_cut_100",
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "R@100": "recall_100",
    "Bpref": "bpref",
    "Success@1": "success_1",
}


def synthetic_run(qrels: dict[str, dict[str, int]], seed: int) -> dict[str, dict[str, float]]:
    """Retrieve some judged documents and many others, with ties."""
    generator = random.Random(seed)
    run = {}
    for topic, judged in list(qrels.items())[:-2]:
        documents = [document for document in judged if generator.random() < 0.7]
        documents += [f"CACM-{number}" for number in generator.sample(range(1, 3205), 200)]
        run[topic] = {document: round(generator.uniform(0, 20), 1) for document in documents}
    return run


def test_same_values_as_trec_eval_on_cacm(shared_data):
    qrels = read_qrels(shared_data / "retrieval" / "cacm" / "qrels.cacm.txt")
    run = synthetic_run(qrels, 1)
    expected = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values())).evaluate(run)
    values = evaluate(qrels, run, list(TREC_EVAL), list(qrels))
    for name, key in TREC_EVAL.items():
        assert list(values[name]) == list(qrels)
        for topic in qrels:
            assert round(values[name][topic], 4) == round(expected.get(topic, {key: 0.0})[key], 4), (
                name,
                topic,
            )


def test_same_values_as_trec_eval_with_negative_and_graded_judgments(shared_data):
    qrels = read_qrels(shared_data / "topics-qrels" / "qrels.web.201-250.txt")
    generator = random.Random(2)
    run = {
        topic: {document: generator.uniform(0, 30) for document in judged if generator.random() < 0.5}
        for topic, judged in qrels.items()
    }
    expected = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values())).evaluate(run)
    values = evaluate(qrels, run, [*TREC_EVAL, "nDCG(dcg='exp-log2')@10"], list(qrels))
    for topic in qrels:
        for name, key in TREC_EVAL.items():
            assert values[name][topic] == pytest.approx(expected[topic][key], abs=1e-12)
        ranking = sorted(run[topic], key=run[topic].__getitem__, reverse=True)
        exact = exponential_ndcg(qrels[topic], ranking, 10)
        assert values["nDCG(dcg='exp-log2')@10"][topic] == pytest.approx(exact, abs=1e-12)


def test_ties_go_by_document_id_descending_in_every_measure():
    # 100.000001 and 100 are one number in single precision, which trec_eval compares in.
    run = {"1": {"a": 100.000001, "b": 100.0}}
    qrels = {"1": {"a": 1}}
    values = evaluate(qrels, run, ["P@1", "RR", "RR@10", "Judged@1"], ["1"])
    assert values == {"P@1": {"1": 0.0}, "RR": {"1": 0.5}, "RR@10": {"1": 0.5}, "Judged@1": {"1": 0.0}}
    assert pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)["1"]["recip_rank"] == 0.5


CRASHING = """
import random
from thresher.evaluation.topics import About, Notice
from thresher.evaluation.evaluating import evaluate
generator = random.Random(1)
documents = [f"d{number}" for number in range(12)]
names = ["nDCG@5", "Bpref", "Bpref(rel=1000000000)", "infAP", "nDCG(dcg='exp-log2')@5"]
for _ in range(6000):
    grades = {topic: generator.choices([-50, -2, -1, 0], k=3) for topic in "12"}
    qrels = {topic: dict(zip(documents[::2], grades[topic])) for topic in "12"}
    run = {topic: {d: generator.random() for d in documents} for topic in "12"}
    values = evaluate(qrels, run, [generator.choice(names)], "12")
    assert [*values.values()] == [{"1": 0.0, "2": 0.0}]
"""


@pytest.mark.slow
def test_grades_that_would_crash_trec_evals_library():
    done = subprocess.run([sys.executable, "-c", CRASHING], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@given(
    judged=st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-5, 3), min_size=1),
    ranking=st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=12),
    rel=st.integers(1, 4),
)
def test_binary_measures_by_their_formulas(judged, ranking, rel):
    relevant = {document for document, grade in judged.items() if grade >= rel}
    hits = [rank for rank, document in enumerate(ranking, start=1) if document in relevant]
    precision = sum(place / rank for place, rank in enumerate(hits, start=1)) / len(relevant) if relevant else 0.0
    expected = {
        f"AP(rel={rel})": precision,
        f"P(rel={rel})@5": sum(rank <= 5 for rank in hits) / 5,
        f"RR(rel={rel})": 1 / hits[0] if hits else 0.0,
        f"RR(rel={rel})@3": 1 / hits[0] if hits and hits[0] <= 3 else 0.0,
        "Judged@4": sum(document in judged for document in ranking[:4]) / min(4, len(ranking) or 1),
    }
    run = {"1": {document: float(-rank) for rank, document in enumerate(ranking)}}
    values = evaluate({"1": judged}, run, list(expected), ["1"])
    assert [value["1"] for value in values.values()] == pytest.approx(list(expected.values()), abs=1e-9)


def test_negative_grades():
    qrels = {"1": {"junk": -2, "good": 1, "bad": 0}}
    run = {"1": {"junk": 3.0, "good": 2.0, "bad": 1.0}}
    names = [
        "P@1",
        "AP",
        "Judged@1",
        "Bpref",
        "P(judged_only=True)@1",
        "nDCG(dcg='exp-log2',judged_only=True)@1",
    ]
    values = {name: value["1"] for name, value in evaluate(qrels, run, names, ["1"]).items()}
    assert values == {
        "P@1": 0.0,
        "AP": 0.5,
        "Judged@1": 1.0,
        "Bpref": 1.0,
        "P(judged_only=True)@1": 1.0,
        "nDCG(dcg='exp-log2',judged_only=True)@1": 1.0,
    }


def test_the_topic_set_is_the_one_given():
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": 0}}
    run = {"1": {"a": 1.0}, "2": {}, "4": {"a": 1.0}, "5": {"a": 1.0}, "9": {"a": 1.0}}
    values = evaluate(qrels, run, DEFAULT_MEASURES, ["3", "1", "2", "4", "5"])
    assert {name: list(value) for name, value in values.items()} == {
        name: ["3", "1", "2", "4", "5"] for name in DEFAULT_MEASURES
    }
    assert values["AP"] == {"3": 0.0, "1": 1.0, "2": 0.0, "4": 0.0, "5": 0.0}
    assert values["Judged@10"] == {"3": 0.0, "1": 1.0, "2": 0.0, "4": 1.0, "5": 0.0}
    assert evaluate(qrels, {}, ["AP"], ["1"]) == {"AP": {"1": 0.0}}


def test_no_program_and_no_download_is_needed(monkeypatch):
    monkeypatch.setenv("PATH", "")
    qrels = {"1": {"a": 2}}
    values = evaluate(qrels, {"1": {"b": 2.0, "a": 1.0}}, DEFAULT_MEASURES, ["1"])
    assert values["nDCG(dcg='exp-log2')@10"]["1"] == pytest.approx(1 / math.log2(3), abs=1e-12)


def topics(*ids: str) -> dict[str, Topic]:
    return {key: Topic(key, f"query {key}") for key in ids}


def test_topic_set_is_every_topic_with_a_judgment():
    qrels = {str(number): {"a": 1} for number in (3, 1, 7, 8)}
    assert topic_set(topics("1", "2", "3"), qrels) == (
        ["1", "3"],
        [Notice(About.UNJUDGED, 1, ("2",)), Notice(About.UNKNOWN, 2, ("7", "8"))],
    )
    assert topic_set(topics("1", "3", "7", "8"), qrels) == (["1", "3", "7", "8"], [])


def test_topics_without_a_relevant_document_are_noticed():
    qrels = {"1": {"a": 0, "b": -2}, "2": {"a": 0, "b": 1}, "3": {"c": 0}}
    assert topic_set(topics("1", "2", "3"), qrels) == (["1", "2", "3"], [Notice(About.IRRELEVANT, 2, ("1", "3"))])


def test_topic_set_notices_name_the_first_few():
    many = topics(*(str(number) for number in range(10)))
    assert topic_set(many, {"0": {"a": 1}})[1] == [Notice(About.UNJUDGED, 9, tuple("12345"))]


def test_topics_and_qrels_that_do_not_belong_together():
    with pytest.raises(InputError) as error:
        topic_set(topics("1", "2"), {"201": {"a": 1}})
    assert_names(error.value, "(topics: 1, 2; qrels: 201)", "Fix: ", "that belong together")


def test_overlap_needs_one_judged_document_only():
    qrels = {"1": {"a": 0}, "2": {"b": 1}}
    check_overlap({"1": {"x": 1.0}, "2": {"y": 2.0, "b": 1.0}}, qrels, ["1", "2"])
    with pytest.raises(InputError) as error:
        check_overlap({"1": {"x": 1.0}, "2": {"a": 1.0}}, qrels, ["1", "2"])
    assert_names(error.value, "run is x", "qrels a", "Fix: ", "same document ids")
    for kept in ("a.html", "a.txt"):
        with pytest.raises(InputError) as error:
            check_overlap({"1": {"a": 1.0}}, {"1": {kept: 1}}, ["1"])
        assert_names(error.value, "Fix: ", "suffixes", "--keep-suffix of `thresher clean`")
    with pytest.raises(InputError, match=r"no topic of the run \(2\).*\(1\)"):
        check_overlap({"2": {"b": 1.0}}, qrels, ["1"])


@pytest.mark.parametrize(
    ("run", "fact"),
    [
        ({}, "empty"),
        ({"1": {}}, "empty"),
        ({"2": {"b": 1.0}}, "no topic of the run (2)"),
        ({"1": {"x": 1.0}}, "run is x"),
    ],
)
def test_the_run_that_fits_no_judgments_is_named(run, fact):
    with pytest.raises(InputError) as error:
        check_overlap(run, {"1": {"a": 1}}, ["1"], "b.trec")
    assert error.value.where == "b.trec"
    assert fact in error.value.what


def test_scores_beyond_single_precision_rank_first_and_tie():
    # Warnings are errors here.
    run = {"1": {"a": 3e38, "b": 1e39, "c": 1e40, "d": -1e39}}
    assert evaluate({"1": {"c": 1}}, run, ["RR"], ["1"]) == {"RR": {"1": 1.0}}
    assert evaluate({"1": {"b": 1}}, run, ["RR"], ["1"]) == {"RR": {"1": 0.5}}
    assert evaluate({"1": {"a": 1}}, run, ["RR"], ["1"]) == {"RR": {"1": 1 / 3}}
    assert evaluate({"1": {"d": 1}}, run, ["RR"], ["1"]) == {"RR": {"1": 0.25}}
