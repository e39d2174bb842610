"""Sentences: each is true by the numbers, and says them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from experiments import NAMES, NDCG, facts, made, small
from messages import Message, assert_names

from thresher.evaluation.topics import About, Notice
from thresher.experiments.results import Results, TitleBias
from thresher.reports.methods import methods
from thresher.reports.summary import findings, warnings


def said(results: Results) -> str:
    return " ".join(findings(results))


def test_counts_of_what_was_run() -> None:
    results = made(only_explored=[name for name in NAMES if "|" in name])
    (table,) = results.tables
    compared = [row.built.comparisons[NDCG] for row in table.rows[1:] if row.built]
    text = said(results)
    assert f"{len(compared)} variants" in text
    assert f"{sum(one.direction == 'worse' for one in compared)} " in text
    assert f"{sum(one.direction == 'better' for one in compared)} are significantly better" in text
    assert f"{max(one.difference for one in compared):+.4f}" in text
    harmless = sum(
        not any(one.shows_a_loss for one in row.built.comparisons.values()) for row in table.rows[1:] if row.built
    )
    assert f" {harmless} of {len(compared)} smaller indexes " in text


def test_what_was_explored_is_not_taken_at_its_word() -> None:
    results = made(only_explored=list(NAMES))
    (table,) = results.tables
    best = table.best(NDCG, table.candidates)
    text = said(results)
    assert f"{len(NAMES) - 1} variants were explored" in text
    assert table.rows[best].name in text
    assert f"{table.mean(NDCG)[best]:.4f}" in text


def test_pages_without_text_are_said() -> None:
    assert_names(said(small()), "1 variant empties", "1 % ")


def test_each_model_is_named_where_there_are_several() -> None:
    results = made(retrievals=("qld", "bm25"))
    assert {sentence.split(":")[0] for sentence in findings(results)} == {"qld", "bm25"}


def test_only_a_baseline() -> None:
    results = small()
    alone = replace(results, tables=(results.tables[0].only((0,)),))
    (finding,) = findings(alone)
    assert "exp-nDCG@10 of the baseline is 0.4250." in finding
    (warning,) = warnings(alone)
    assert warning.startswith("2 of 1002 pages failed; failures.jsonl ")


@pytest.mark.parametrize(
    ("row", "facts"),
    [
        (1, ("words@11 is significantly better", "exp-nDCG@10", "+0.0125.")),
        (2, ("justext is significantly worse", "exp-nDCG@10", "−0.1000.")),
    ],
)
def test_a_single_variant_has_its_verdict(row: int, facts: tuple[str, ...]) -> None:
    results = small()
    single = replace(results, tables=(results.tables[0].only((0, row)),))
    assert Message(*facts) in findings(single)


@pytest.mark.parametrize(("topics", "warned"), [(5, True), (8, False)])
def test_too_few_topics_for_any_significance(topics: int, warned: bool) -> None:
    names = {"none": 1.0, "words@5": 0.5}
    assert any("no difference can be significant" in text for text in warnings(made(names, topics=topics))) is warned


def test_the_correction_over_all_models_is_counted() -> None:
    names = {"none": 1.0, "words@5": 0.5}
    one, both = (
        warnings(made(names, topics=6, measures=(NDCG,), retrievals=models)) for models in (("qld",), ("qld", "bm25"))
    )
    assert not any("comparisons" in text for text in one)
    assert sum("6 topics and 2 comparisons" in text for text in both) == 2


def test_notices_and_relevant_titles_come_first() -> None:
    results = small()
    biased = facts(8, notices=(Notice(About.MISSING, 3, ("a", "b", "c")),), title_bias=TitleBias(100, 20, 26))
    found = [*warnings(replace(results, facts=biased))]
    assert found[0].startswith("3 judged pages ")
    assert found[0].endswith(": a, b, c.")
    assert "26 of 100 relevant pages" in found[2]
    assert not any(
        "relevant pages" in text
        for text in warnings(replace(results, facts=facts(8, title_bias=TitleBias(100, 20, 25))))
    )


def test_methods_say_how_everything_was_measured() -> None:
    results = made(held_out=10, only_explored=["bte"])
    by_heading = {heading: " ".join(lines) for heading, lines in methods(results)}
    assert_names(by_heading["Pages"], "1002 pages", "1000 scored", "0 without text", "2 failed")
    assert all(name in by_heading["Scorers"] for name in ("words:", "justext:"))
    assert "dcp:" in by_heading["Pruning"]
    assert "Weights" not in by_heading
    weighted = dict(methods(made({"none": 1.0, "none|weights(title=2)": 1.0})))["Weights"]
    assert "weights(title=2,headings=2,anchors=1):" in " ".join(weighted)
    assert f"nDCG@10 is {NDCG}" in by_heading["Evaluation"]
    assert "10 held-out topics" in by_heading["Evaluation"]
    assert "100 W" in by_heading["CO₂"]
    explored = dict(methods(made(only_explored=list(NAMES))))
    assert "Wilcoxon" not in " ".join(explored["Evaluation"])
    assert "CO₂" not in explored
