"""results.csv and per_topic.csv, read back by the csv module."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
from report_samples import BASELINE, NDCG, large, small

from thresher.reports import write_all
from thresher.reports.results_tables import per_topic_csv, results_csv


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_every_number_of_a_variant_is_in_its_line() -> None:
    text = results_csv(small())
    lines = _read(text)
    assert [line["variant"] for line in lines] == ["none", "words@11", "justext"]
    assert lines[1] == {
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
        "clean_wall_seconds": "12.5",
        "clean_cpu_seconds": "12.25",
        "clean_peak_mib": "130.0",
        "clean_co2_grams": "0.125",
        "index_wall_seconds": "2.25",
        "index_cpu_seconds": "3.5",
        "index_peak_mib": "480.0",
        "index_co2_grams": "0.02125",
        "search_wall_seconds": "0.5",
        "search_cpu_seconds": "0.75",
        "search_peak_mib": "480.0",
        "search_co2_grams": "below resolution",
        "latency_median_ms": "0.75",
        "latency_p95_ms": "3.5",
        "queries": "8",
        "break_even_queries": "1234.5",
        "break_even_note": "after 1,234 queries",
    }


def test_the_baseline_has_no_comparison_and_no_break_even_and_never_is_never() -> None:
    text = results_csv(small())
    baseline, _, justext = _read(text)
    empty = {name for name, text in baseline.items() if text == ""}
    compared = ("difference", "W", "T", "L", "p", "p_holm", "effect", "ci_low", "ci_high")
    assert empty == {f"{measure} {name}" for measure in ("P@10", NDCG) for name in compared} | {
        "sweep",
        "cutoff",
        "break_even_queries",
        "break_even_note",
    }
    assert baseline["baseline"] == "yes"
    assert (justext["break_even_queries"], justext["sweep"], justext["cutoff"]) == ("never", "", "")


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
