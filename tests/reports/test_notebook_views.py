"""How results, choices and compared runs look in Python and notebooks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from experiments import NAMES, NDCG, chosen, facts, made, small
from lxml import html

import thresher
from thresher.base.errors import ConfigError
from thresher.evaluation.comparing import ComparedRuns
from thresher.evaluation.significance import compare_all
from thresher.evaluation.topics import About, Notice
from thresher.reports.compared_runs import run_lines, topic_lines

VALUES = {
    name: {"AP": {str(topic): (topic * step) % 7 / 7 for topic in range(30)}} for name, step in (("a", 2), ("b", 3))
}
RUNS = ComparedRuns("a", tuple(VALUES["a"]["AP"]), VALUES, compare_all(VALUES, {"b": "a"}))


def shown(record: Any) -> html.HtmlElement:
    return html.fragment_fromstring(record._repr_html_(), create_parent="div")


PAGE = thresher.score_html("<title>Weather</title><p>Rain. Wind, too.", ["words", "perplexity"])


@pytest.mark.parametrize(
    "record", [small(), chosen(made(), "words@8"), RUNS, PAGE], ids=["results", "choice", "runs", "page"]
)
def test_records_are_short_in_a_terminal_and_a_table_in_a_notebook(record: Any) -> None:
    line = repr(record)
    assert line.startswith(f"<{type(record).__name__}: ")
    assert len(line) < 300
    page = shown(record)
    assert page.xpath("./table/tbody/tr")
    assert not page.xpath(".//script | .//img | .//style")


def test_text_stays_text_and_code_is_code() -> None:
    evil = "<script>alert(1)</script> `code`"
    page = shown(replace(small(), facts=facts(8, notices=(Notice(About.MISSING, 1, (evil,)),))))
    assert not page.xpath(".//script")
    assert "<script>alert(1)</script> code." in page.text_content()
    assert page.findtext(".//code") == "code"


def test_data_frames_have_a_row_for_each_variant_answer_and_run() -> None:
    results = made(retrievals=("qld", "bm25"))
    frame = results.to_pandas()
    assert list(frame["variant"]) == 2 * list(NAMES)
    assert frame[NDCG][3] == results.tables[0].mean(NDCG)[3]
    # Figures that depend on times may all be missing; their columns stay.
    assert {*frame.columns[frame.isna().all()]} <= {"break_even_until", "clean_co2_grams", "index_co2_grams"}
    answers = chosen(results, "words@18", None, "words@14").to_pandas()
    assert list(answers["variant"]) == 2 * ["none", "words@18", "words@14"]
    runs = RUNS.to_pandas()
    assert list(runs["run"]) == ["a", "b"]
    assert runs["p"][1] == RUNS.comparisons["b"]["AP"].p


def test_a_page_has_a_row_for_each_block_or_sentence() -> None:
    frame = PAGE.to_pandas()
    assert list(frame["text"]) == ["Weather", "Rain.", "Wind, too."]
    assert list(frame["kind"]) == ["title", "text", "text"]
    assert list(frame["words"]) == [1, 3, 3]
    assert list(frame["perplexity(lm=books)"]) == PAGE.scores["perplexity(lm=books)"].tolist()
    text = thresher.score_text("a b\n\nc", "words").to_pandas()
    assert text.to_dict("records") == [{"text": "a b", "words": 2}, {"text": "c", "words": 1}]
    assert len(thresher.score_html("", "words").to_pandas()) == 0


def test_a_plot_has_every_variant_of_a_model() -> None:
    results = made(retrievals=("qld", "bm25"))
    drawn = results.plot("bm25").spec["data"]["values"]
    assert sorted(point["name"] for point in drawn) == sorted(name for name in NAMES if name != "none")
    assert results.plot()._repr_svg_().startswith("<svg ")
    with pytest.raises(ConfigError, match="bm52"):
        results.plot("bm52")
    by_precision = results.plot(measure="P@10").spec
    assert "P@10" in by_precision["description"]
    with pytest.raises(ConfigError, match="no measure 'P@11'"):
        results.plot(measure="P@11")


def test_compared_runs_are_tabbed_lines_with_the_test_below() -> None:
    head, first, second, comment = run_lines(RUNS)
    assert head.split("\t")[:3] == ["run", "measure", "mean"]
    assert "p (Holm)" in head
    assert first.split("\t")[:3] == ["a", "AP", f"{sum(VALUES['a']['AP'].values()) / 30:.4f}"]
    compared = RUNS.comparisons["b"]["AP"]
    assert f"\t{compared.wins}/{compared.ties}/{compared.losses}\t" in second
    assert comment.startswith("# 30 topics. ")
    lines = list(topic_lines(RUNS))
    assert len(lines) == 60
    assert lines[1] == f"a\tAP\t1\t{2 / 7:.6f}"


def test_few_differing_topics_are_said() -> None:
    values = {"a": {"AP": {"1": 0.5, "2": 0.5}}, "b": {"AP": {"1": 0.5, "2": 0.75}}, "c": {"AP": {"1": 0.5, "2": 0.5}}}
    runs = ComparedRuns("a", ("1", "2"), values, compare_all(values, {"b": "a", "c": "a"}))
    notes = [line.split("\t")[-1] for line in run_lines(runs)]
    assert "below 1 with 1 differing topic" in notes[2]
    assert notes[3] == "no topic differs"
