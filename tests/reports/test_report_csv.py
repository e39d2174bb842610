"""results.csv and per_topic.csv, read back by the csv module."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_samples import BASELINE, NDCG, footprints, large, small

from thresher.costs import BreakEven
from thresher.reports.report_files import write_all
from thresher.reports.results_tables import per_topic_csv, results_csv


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_every_number_of_a_variant_is_in_its_line() -> None:
    text = results_csv(small())
    lines = _read(text)
    assert [line["variant"] for line in lines] == ["none", "words@11", "justext"]
    timed = ("query_ms", "query_cpu_", "query_ratio", "query_saved_", "indexing_ms", "indexing_cpu_", "indexing_ratio")
    timed += ("indexing_saved_", "cleaning_", "indexing_hours", "indexing_k", "10000_searches_", "1000000_searches_")
    numbers = {name: float(text) for name, text in lines[1].items() if name.startswith(timed) and text}
    assert {name: text for name, text in lines[1].items() if name not in numbers} == {
        "variant": "words@11",
        "retrieval": "qld",
        "baseline": "no",
        "sweep": "words",
        "cutoff": "11",
        "P@10": "0.425",
        NDCG: "0.5123",
        "P@10 difference": "0.025",
        "P@10 W": "3",
        "P@10 T": "4",
        "P@10 L": "1",
        "P@10 p": "0.0625",
        "P@10 p_holm": "0.25",
        "P@10 effect": "0.5",
        "P@10 ci_low": repr(0.025 - 0.01),
        "P@10 ci_high": repr(0.025 + 0.01),
        f"{NDCG} difference": "0.0123",
        f"{NDCG} W": "6",
        f"{NDCG} T": "1",
        f"{NDCG} L": "1",
        f"{NDCG} p": "0.0078125",
        f"{NDCG} p_holm": "0.03125",
        f"{NDCG} effect": "0.5",
        f"{NDCG} ci_low": repr(0.0123 - 0.01),
        f"{NDCG} ci_high": repr(0.0123 + 0.01),
        "documents": "1000",
        "indexed": "990",
        "emptied": "10",
        "failed": "2",
        "words_kept": "100000",
        "words_total": "200000",
        "index_bytes": "1234567",
        "index_bytes_relative": "0.4938268",
        "tokens": "75000",
        "postings": "45000",
        "vocabulary": "7000",
        "query_postings": "210.0",
        "query_documents": "180.0",
        "clean_wall_seconds": "12.5",
        "clean_cpu_seconds": "12.25",
        "clean_peak_mib": "130.0",
        "clean_co2_grams": "0.125",
        "index_wall_seconds": "2.25",
        "index_cpu_seconds": "3.5",
        "index_peak_mib": "480.0",
        "index_co2_grams": "0.02125",
        "query_measurable": "yes",
        "indexing_measurable": "yes",
        "break_even_queries": "21000.0",
        "break_even_queries_low": "19090.909",
        "break_even_queries_high": "23333.333",
        "break_even_note": "after 21,000 queries (19,091 to 23,333)",
        # Cleaning was timed once: it has no bounds.
        **{f"cleaning_{quantity}_{bound}": "" for quantity in ("hours", "kwh", "kg") for bound in ("low", "high")},
    }
    assert numbers == pytest.approx(
        {
            "query_ms": 0.75,
            "query_cpu_ms": 0.675,
            "query_ratio": 0.6,
            "query_ratio_low": 0.54,
            "query_ratio_high": 0.66,
            "query_cpu_ratio": 0.6,
            "query_saved_ms": 0.5,
            "query_saved_ms_low": 0.45,
            "query_saved_ms_high": 0.55,
            "indexing_ms": 1500.0,
            "indexing_cpu_ms": 1350.0,
            "indexing_ratio": 0.75,
            "indexing_ratio_low": 0.675,
            "indexing_ratio_high": 0.825,
            "indexing_cpu_ratio": 0.75,
            "indexing_saved_ms": 500.0,
            "indexing_saved_ms_low": 450.0,
            "indexing_saved_ms_high": 550.0,
            **used("cleaning", 12.5),
            **used("indexing", 1.5, bounded=True),
            **used("10000_searches", 7.5, bounded=True),
            **used("1000000_searches", 750.0, bounded=True),
        }
    )


def used(work: str, seconds: float, bounded: bool = False) -> dict[str, float]:
    """Hours, energy and CO2 of seconds at 100 W and 0.341 kg/kWh, with bounds a tenth to both sides."""
    hours = seconds / 3600
    figures = {f"{work}_hours": hours, f"{work}_kwh": 0.1 * hours, f"{work}_kg": 0.0341 * hours}
    if not bounded:
        return figures
    bounds = {"": 1.0, "_low": 0.9, "_high": 1.1}
    return {name + end: value * factor for name, value in figures.items() for end, factor in bounds.items()}


def test_what_a_line_has_none_of_is_empty() -> None:
    baseline, _, justext = _read(results_csv(small()))
    empty = {name for name, text in baseline.items() if text == ""}
    compared = ("difference", "W", "T", "L", "p", "p_holm", "effect", "ci_low", "ci_high")
    queries = {"break_even_queries", "break_even_queries_low", "break_even_queries_high"}
    once = {f"cleaning_{quantity}_{bound}" for quantity in ("hours", "kwh", "kg") for bound in ("low", "high")}
    comparisons = {f"{measure} {name}" for measure in ("P@10", NDCG) for name in compared}
    assert empty == comparisons | queries | once | {"sweep", "cutoff"}
    assert {name for name, text in justext.items() if text == ""} == queries | once | {"sweep", "cutoff"}
    assert (baseline["baseline"], baseline["break_even_note"]) == ("yes", "the baseline")
    assert justext["break_even_note"] == "not measurable here: the difference in searching is within noise"
    assert [(line["query_measurable"], line["indexing_measurable"]) for line in (baseline, justext)] == [
        ("no", "no"),
        ("no", "yes"),
    ]


def test_what_was_not_timed_has_no_times() -> None:
    rows = tuple(
        replace(
            row, query=None, indexing=None, break_even=BreakEven(None, "not measured"), footprints=row.footprints[:2]
        )
        for row in small().rows
    )
    plain, timed = (_read(results_csv(replace(small(), rows=shown))) for shown in (rows, small().rows))
    for line, whole in zip(plain, timed, strict=True):
        assert line.keys() == whole.keys()
        gone = {name for name, text in whole.items() if text and not line[name]}
        kept = ("query_postings", "query_documents", "indexing_hours", "indexing_kwh", "indexing_kg")
        times = {name for name in whole if name.startswith(("query_", "indexing_")) and not name.startswith(kept)}
        searches = {name for name in whole if "_searches_" in name}
        queries = {name for name in whole if name.startswith("break_even_queries") and whole[name]}
        assert gone == times | searches | queries
        assert {name: text for name, text in line.items() if text} == {
            **{name: text for name, text in whole.items() if text and name not in gone},
            "break_even_note": "not measured",
        }


def test_short_work_is_below_resolution() -> None:
    row = replace(BASELINE, footprints=footprints(0.75, 0.5, 0.00005))
    (line,) = _read(results_csv(replace(small(), rows=(row,))))
    assert {name for name, text in line.items() if text == "below resolution"} == {
        "clean_co2_grams",
        *(f"{work}_{quantity}" for work in ("cleaning", "indexing", "10000_searches") for quantity in ("kwh", "kg")),
        *(f"1000000_searches_{quantity}" for quantity in ("kwh", "kg")),
    }
    assert float(line["cleaning_hours"]) == pytest.approx(0.75 / 3600)
    assert float(line["1000000_searches_hours_high"]) == pytest.approx(1.1 * 0.05 / 3600)


def test_floats_of_numpy_and_names_with_commas_survive() -> None:
    value = 0.1 + 0.2
    row = replace(BASELINE, variant='a,"b"\nc', measures={"P@10": np.float64(value), NDCG: np.float64("nan")})
    text = results_csv(replace(small(), rows=(row,)))
    (line,) = _read(text)
    assert line["variant"] == 'a,"b"\nc'
    assert (float(line["P@10"]), line[NDCG]) == (value, "nan")


def test_an_empty_baseline_index_has_no_ratio() -> None:
    row = replace(BASELINE, index_bytes=0, index_bytes_baseline=0)
    text = results_csv(replace(small(), rows=(row,)))
    assert _read(text)[0]["index_bytes_relative"] == ""


def test_per_topic_is_the_long_form() -> None:
    results = large(topics=3)
    text = per_topic_csv(results)
    assert text.startswith("variant,retrieval,topic,measure,value\nnone,qld,101,P@10,")
    lines = _read(text)
    expected = [(v.variant, v.retrieval, v.topic, v.measure, v.value) for v in results.per_topic]
    assert [
        (line["variant"], line["retrieval"], line["topic"], line["measure"], float(line["value"])) for line in lines
    ] == expected


def test_two_writings_are_the_same_bytes_and_leave_nothing_else(tmp_path: Path) -> None:
    written = []
    for _ in range(2):
        write_all(small(), tmp_path)
        written.append({path.name: path.read_bytes() for path in tmp_path.iterdir()})
    assert written[0] == written[1]
    assert set(written[0]) == {"results.json", "results.csv", "per_topic.csv", "table.md", "table.tex", "report.html"}
