"""The numbers of cleaning as CSV, read back by the csv module."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from cleaning_samples import EMPTIED, PAGES, STEMS, bare, results, run, sweep

from thresher.reports.cleaning_tables import cleaners_csv, curves_csv, page_types, page_types_csv, pages_csv


def read(text: str) -> list[dict[str, str]]:
    lines = list(csv.reader(io.StringIO(text)))
    assert len(set(lines[0])) == len(lines[0])
    assert {len(line) for line in lines} == {len(lines[0])}
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def test_every_number_of_a_cleaner_comes_back() -> None:
    actual = results()
    lines = read(cleaners_csv(actual))
    assert [line["cleaner"] for line in lines] == ["none", "words@10", "extractor:x"]
    assert [line["extractor"] for line in lines] == ["0", "0", "1"]
    assert [(line["pages"], line["emptied"], line["crashed"]) for line in lines] == [
        ("12", "0", "0"),
        ("12", "1", "0"),
        ("12", "0", "2"),
    ]
    for line, result in zip(lines, actual, strict=True):
        words, summary = result.summary.words, result.summary
        for name in ("precision", "recall", "f1", "bag_precision", "bag_recall", "bag_f1", "similarity"):
            for part in ("mean", "sd", "median"):
                assert float(line[f"{name}_{part}"]) == getattr(getattr(words, name), part)
        for name in ("rouge_precision", "rouge_recall", "rouge_f1", "token_precision", "token_recall", "token_f1"):
            assert float(line[f"{name}_mean"]) == getattr(summary, name).mean
        interval = result.token_interval
        assert (float(line["token_f1_low"]), float(line["token_f1_high"])) == (interval.low, interval.high)
        for name, interval in zip(("precision", "recall", "f1"), result.intervals, strict=True):
            assert (float(line[f"{name}_low"]), float(line[f"{name}_high"])) == (interval.low, interval.high)
        for name in ("micro", "micro_bag"):
            for part in ("precision", "recall", "f1"):
                assert float(line[f"{name}_{part}"]) == getattr(getattr(words, name), part)
        assert summary.segmentation is not None
        assert line["segmented_pages"] == "12"
        assert float(line["labelled_f1"]) == summary.segmentation.labelled.f1
        assert float(line["labelled_f1_macro"]) == summary.segmentation.labelled_f1.mean
        assert float(line["unlabelled_recall"]) == summary.segmentation.unlabelled.recall
        assert float(line["unlabelled_f1_macro"]) == summary.segmentation.unlabelled_f1.mean
        if result.comparison is None:
            continue
        for name in ("difference", "wins", "ties", "losses", "p", "p_holm", "effect", "ci_low", "ci_high"):
            assert float(line[f"f1_{name}"]) == getattr(result.comparison, name)
        for name, test in (("f1", result.t_test), ("precision", result.t_precision)):
            assert test is not None
            values = (test.t, test.df, test.p, test.difference.low, test.difference.high)
            assert tuple(float(line[f"t_{name}_{part}"]) for part in ("t", "df", "p", "low", "high")) == values


def test_what_is_not_defined_is_empty() -> None:
    baseline = read(cleaners_csv(results(segments=False)))[0]
    tests = {name for name in baseline if name.startswith("t_")} | {"f1_p", "f1_difference", "f1_ci_low"}
    segments = {name for name in baseline if name.startswith(("labelled", "unlabelled", "segmented"))}
    assert len(segments) == 9
    assert {baseline[name] for name in tests | segments} == {""}
    page = read(pages_csv(bare()))[0]
    assert {page[name] for name in ("segments", "gold_segments", "right_labelled", "right_unlabelled")} == {""}


def test_each_page_and_cleaner_has_a_line() -> None:
    actual = results()
    lines = read(pages_csv(replace(run(), reliability=())))
    assert [(line["page"], line["cleaner"]) for line in lines] == [
        (stem, result.cleaner) for stem in STEMS for result in actual
    ]
    line = lines[1]
    assert {name: line[name] for name in ("words", "gold", "aligned", "shared", "distance")} == {
        "words": "60",
        "gold": "50",
        "aligned": "45",
        "shared": "45",
        "distance": "15",
    }
    assert (float(line["precision"]), float(line["recall"]), float(line["f1"])) == (45 / 60, 45 / 50, 90 / 110)
    assert (float(line["bag_f1"]), float(line["similarity"]), float(line["rouge_f1"])) == (90 / 110, 75.0, 90 / 110)
    assert [line[name] for name in ("tokens", "gold_tokens", "shared_tokens")] == ["60", "50", "36"]
    assert float(line["token_f1"]) == 72 / 110
    assert [line[name] for name in ("segments", "gold_segments", "right_labelled", "right_unlabelled")] == [*"8423"]
    assert {line["predicted_precision"] for line in lines} == {""}


def test_types_and_snippets_have_lines_and_fields() -> None:
    actual = run()
    lines = read(page_types_csv(page_types(actual)))
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
        assert line["kept"] == (str(one.snippets.counts.kept) if one.snippets else "")
    cleaner = read(cleaners_csv(actual.results))[1]
    assert [cleaner[name] for name in ("snippet_pages", "required", "kept", "forbidden", "leaked")] == [
        "11", "22", "10", "11", "0",
    ]  # fmt: skip
    assert float(cleaner["snippet_recall"]) == float(cleaner["micro_snippet_recall"]) == 10 / 22
    assert {read(cleaners_csv(results()))[0][name] for name in ("snippet_recall", "leak_rate_low", "required")} == {""}
    pages = read(pages_csv(actual))
    assert [pages[1][name] for name in ("page_type", "required", "kept", "leaked")] == ["article", "2", "1", "0"]
    assert [pages[-1][name] for name in ("page_type", "required", "kept", "leaked")] == [""] * 4


def test_predictions_stand_at_their_pages() -> None:
    ((cleaner, reliability),) = run().reliability
    lines = read(pages_csv(run()))
    told = [line for line in lines if line["predicted_precision"]]
    assert {line["cleaner"] for line in told} == {cleaner}
    assert [line["page"] for line in told] == [stem for place, stem in enumerate(STEMS) if place != EMPTIED]
    assert tuple(float(line["predicted_precision"]) for line in told) == reliability.predictions


def test_curves_have_a_line_for_each_cutoff() -> None:
    one, two = sweep("here"), replace(sweep("there", 6), is_tested=True)
    lines = read(curves_csv((one, two)))
    assert [(line["set"], line["tested"], line["cutoff"]) for line in lines] == [
        *(("here", "0", str(cutoff)) for cutoff in range(1, 5)),
        *(("there", "1", str(cutoff)) for cutoff in range(1, 7)),
    ]
    assert {line["scorer"] for line in lines} == {"words"}
    assert [line["best"] for line in lines] == [*"0100", *"010000"]
    assert [line["plateau"] for line in lines] == [line["best"] for line in lines]
    for line, point in zip(lines, (*one.points, *two.points), strict=True):
        for prefix, values in (("", point.macro), ("micro_", point.micro)):
            assert [float(line[f"{prefix}{name}"]) for name in ("precision", "recall", "f1")] == [
                values.precision,
                values.recall,
                values.f1,
            ]
    assert len(one.baseline) == PAGES
    assert curves_csv(()).count("\n") == 1
