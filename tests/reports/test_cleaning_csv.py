"""The numbers of cleaning as CSV, read back by the csv module."""

from __future__ import annotations

import csv
import io

from cleaning_samples import STEMS, results, run

from thresher.reports.cleaning_columns import CLEANERS, TYPES
from thresher.reports.cleaning_tables import page_types, pages_csv
from thresher.reports.table import csv_table


def read(text: str) -> list[dict[str, str]]:
    lines = list(csv.reader(io.StringIO(text)))
    assert len(set(lines[0])) == len(lines[0])
    assert {len(line) for line in lines} == {len(lines[0])}
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def test_every_number_of_a_cleaner_comes_back() -> None:
    actual = results()
    lines = read(csv_table(CLEANERS, actual))
    assert [line["cleaner"] for line in lines] == ["none", "words@10", "extractor:x"]
    assert [line["extractor"] for line in lines] == ["0", "0", "1"]
    assert [(line["pages"], line["emptied"], line["crashed"]) for line in lines] == [
        ("12", "0", "0"),
        ("12", "1", "0"),
        ("12", "0", "2"),
    ]
    for line, result in zip(lines, actual, strict=True):
        words, summary = result.summary.words, result.summary
        for name in ("precision", "recall", "f1", "similarity"):
            for part in ("mean", "sd", "median"):
                assert float(line[f"{name}_{part}"]) == getattr(getattr(words, name), part)
        for name in ("rouge_precision", "rouge_recall", "rouge_f1", "token_precision", "token_recall", "token_f1"):
            assert float(line[f"{name}_mean"]) == getattr(summary, name).mean
        interval = result.token_interval
        assert (float(line["token_f1_low"]), float(line["token_f1_high"])) == (interval.low, interval.high)
        for name, interval in zip(("precision", "recall", "f1"), result.intervals, strict=True):
            assert (float(line[f"{name}_low"]), float(line[f"{name}_high"])) == (interval.low, interval.high)
        for part in ("precision", "recall", "f1"):
            assert float(line[f"micro_{part}"]) == getattr(words.micro, part)
        if result.comparison is None:
            continue
        for name in ("difference", "wins", "ties", "losses", "p", "p_corrected", "effect", "ci_low", "ci_high"):
            assert float(line[f"f1_{name}"]) == getattr(result.comparison, name)


def test_what_is_not_defined_is_empty() -> None:
    baseline = read(csv_table(CLEANERS, results()))[0]
    assert {baseline[name] for name in ("f1_p", "f1_difference", "f1_ci_low")} == {""}


def test_each_page_and_cleaner_has_a_line() -> None:
    actual = results()
    lines = read(pages_csv(run()))
    assert [(line["page"], line["cleaner"]) for line in lines] == [
        (stem, result.cleaner) for stem in STEMS for result in actual
    ]
    line = lines[1]
    assert {name: line[name] for name in ("words", "gold", "aligned", "distance")} == {
        "words": "60",
        "gold": "50",
        "aligned": "45",
        "distance": "15",
    }
    assert (float(line["precision"]), float(line["recall"]), float(line["f1"])) == (45 / 60, 45 / 50, 90 / 110)
    assert (float(line["similarity"]), float(line["rouge_f1"])) == (75.0, 90 / 110)
    assert [line[name] for name in ("tokens", "gold_tokens", "shared_tokens")] == ["60", "50", "36"]
    assert float(line["token_f1"]) == 72 / 110


def test_types_have_lines() -> None:
    actual = run()
    lines = read(csv_table(TYPES, page_types(actual)))
    assert [(line["cleaner"], line["page_type"], line["pages"], line["extractor"]) for line in lines][3:7] == [
        ("words@10", "article", "8", "0"),
        ("words@10", "forum", "3", "0"),
        ("words@10", "no type", "1", "0"),
        ("extractor:x", "article", "8", "1"),
    ]
    for line, one in zip(lines, page_types(actual), strict=True):
        for name, interval in (("token_f1", one.token_f1), ("f1", one.f1)):
            found = tuple(float(line[f"{name}{part}"]) for part in ("", "_low", "_high"))
            assert found == (interval.mean, interval.low, interval.high)
    pages = read(pages_csv(actual))
    assert [pages[place]["page_type"] for place in (1, -1)] == ["article", ""]
