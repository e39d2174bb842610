"""What notebooks show of results, explorations and choices, as tables, data frames and plots."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest
from choice_samples import choice_of, explored
from decision_samples import CHOICE
from lxml import html
from report_samples import small

from thresher.errors import ConfigError, MissingDependencyError
from thresher.reports.choice_tables import choice_csv
from thresher.reports.explored import explored_csv
from thresher.reports.notebook_views import ChoiceView
from thresher.reports.results_tables import results_csv
from thresher.shown import VIEWS


def shown(record: Any) -> html.HtmlElement:
    return html.fragment_fromstring(record._repr_html_(), create_parent="div")


def test_the_answer_comes_as_sentences_and_a_table() -> None:
    results, exploration = small(), explored()
    for record in (results, exploration, choice_of(exploration)):
        page = shown(record)
        assert page.xpath("./ul/li")
        assert page.xpath("./table/tbody/tr")
        assert not page.xpath(".//script | .//img | .//style")
    variants = [row.text_content() for row in shown(results).xpath("./table/tbody/tr/td[1]")]
    assert set(variants) <= {row.variant for row in results.rows}
    assert "none" in variants


def test_text_stays_text() -> None:
    evil = "<script>alert(1)</script>"
    results = small()
    rows = tuple(replace(row, variant=evil) if row.variant == "justext" else row for row in results.rows)
    page = shown(replace(results, rows=rows))
    assert not page.xpath(".//script")
    choice = replace(CHOICE, recommendations=tuple(replace(one, variant=evil) for one in CHOICE.recommendations))
    assert not shown(choice).xpath(".//script")
    assert evil in shown(choice).text_content()


@pytest.mark.parametrize(
    ("record", "text"),
    [(small(), results_csv(small())), (explored(), explored_csv(explored())), (CHOICE, choice_csv(CHOICE))],
    ids=["results", "exploration", "choice"],
)
def test_data_frames_hold_the_csv_file(record: Any, text: str) -> None:
    frame = record.to_pandas()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(frame.columns) == list(rows[0])
    assert len(frame) == len(rows)
    assert list(frame["variant"]) == [row["variant"] for row in rows]
    for name in frame.columns:
        for value, written in zip(frame[name], (row[name] for row in rows), strict=True):
            missing = value is None or value != value
            assert missing == (written == "")
            if not missing and not isinstance(value, str):
                assert float(value) == float(written) if written not in ("True", "False") else str(value) == written


def test_without_pandas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"thresher\[pandas\]"):
        small().to_pandas()


def test_plots_have_every_variant() -> None:
    results, exploration = small(), explored()
    baseline, *others = results.rows
    assert {(row["name"], row["size"]) for row in results.plot().rows} == {
        (row.variant, row.index_bytes) for row in others
    }
    assert len(list(exploration.plot().rows)) == sum(len(sweep.variants) for sweep in exploration.sweeps) - 1
    assert baseline.is_baseline
    assert CHOICE.plot("qld")._repr_svg_().startswith("<svg ")
    assert CHOICE.plot().vega_lite()["layer"]
    for record in (results, exploration, CHOICE):
        with pytest.raises(ConfigError, match="bm52"):
            record.plot("bm52")
    assert isinstance(VIEWS["Choice"], ChoiceView)
