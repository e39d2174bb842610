"""The scripts that clean a gold standard, on pages small enough to count: golden rows, and each formula by another way."""

from __future__ import annotations

import csv
import math
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pytest
from click.testing import CliRunner, Result
from small_models import write_arpa

import content_importance
import gold_tables
import histogram
import ncleaner
import precision_differences
import reliability
from thresher.cleaners.characters.character_counts import ALPHABETS
from thresher.cleaners.content_model.features import feature_names
from thresher.evaluation.cleaneval.gold import LabelledText

PAGES = 14
WORDS = "rain wind snow north south tonight tomorrow morning clouds showers expected slowly".split()


GOLDEN_FOLDS = {
    "none": ("0.7478", "1.0"),
    "bars": ("0.7478", "1.0"),
    "ncleaner, lexical": ("0.9962", "1.0"),
    "ncleaner, non-lexical": ("0.9395", "1.0"),
    "ncleaner, vowels": ("0.9361", "1.0"),
}
GOLDEN_CURVE = [("2", "2", "0.9632"), ("10", "2", "1.0")]


def gold(folder: Path, pages: int = PAGES) -> Path:
    """Pages with a menu, one to three sentences and a footer; the sentences are gold."""
    chance = random.Random(7)
    for name in ("input", "gold"):
        (folder / name).mkdir(parents=True)
    for number in range(pages):
        sentences = [" ".join(chance.choices(WORDS, k=8 + number % 5)) + "." for _ in range(1 + number % 3)]
        menu = "".join(f"<li><a href=/{word}>{word.title()}</a>" for word in chance.sample(WORDS, 2 + number % 4))
        body = "".join(f"<p>{sentence}" for sentence in sentences)
        page = f"<title>{number}</title><ul>{menu}</ul>{body}<p>Copyright {2000 + number}"
        (folder / "input" / f"{number:02}.html").write_text(page)
        (folder / "gold" / f"{number:02}.txt").write_text("\n".join(f"<p>{sentence}" for sentence in sentences))
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def done(command: object, *arguments: object) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])  # type: ignore[arg-type]
    assert result.exit_code == 0, result.output
    return result


def test_differences_are_binned_away_from_zero() -> None:
    values, baseline = [0.55, 0.5501, 0.5, 0.449, 0.2], [0.5, 0.5, 0.5, 0.5, 0.5]
    found, tied, mean = precision_differences.bins(values, baseline)
    assert found == [
        {"from": -30, "to": -25, "pages": 1},
        {"from": -10, "to": -5, "pages": 1},
        {"from": 0, "to": 5, "pages": 1},
        {"from": 5, "to": 10, "pages": 1},
    ]
    assert (tied, mean) == (1, pytest.approx(100 * fmean(a - b for a, b in zip(values, baseline, strict=True))))


def test_precision_differences_of_a_small_gold_standard(tmp_path: Path) -> None:
    done(precision_differences.main, gold(tmp_path / "set"), "words@5", "-o", tmp_path / "out")
    # Without menu and footer every page is its gold; before, 4 to 7 of its words were none.
    expected: Counter[int] = Counter()
    for number in range(PAGES):
        words, others = (8 + number % 5) * (1 + number % 3), 2 + number % 4 + 2 + 1
        expected[math.ceil(round(100 * (1 - words / (words + others)), 6) / 5)] += 1
    found = {int(row["to"]) // 5: int(row["pages"]) for row in rows(tmp_path / "out" / "differences.csv")}
    assert found == dict(expected)
    assert (tmp_path / "out" / "differences.svg").read_text().startswith("<svg")


def test_statistics_of_a_page_and_a_model_that_explains_all() -> None:
    text = tuple(LabelledText("p", " ".join("w" * words)) for words in (3, 0, 20, 17))
    assert reliability.statistics_of(text) == (1.0, math.log(4), math.log1p(40 / 3), 3 / 40)
    assert reliability.statistics_of((LabelledText("p", " "),)) is None
    chance = np.random.default_rng(3)
    statistics = np.column_stack([np.ones(12), chance.random((12, 3))])
    model = reliability.fit(statistics, statistics @ [0.2, 0.1, 0.3, 0.2])
    assert model.coefficients.tolist() == pytest.approx([0.2, 0.1, 0.3, 0.2])
    assert (model.residual_error, model.r_squared) == (pytest.approx(0, abs=1e-12), pytest.approx(1))
    predicted = reliability.cross_validated(statistics, statistics @ [0.2, 0.1, 0.3, 0.2])
    assert predicted == pytest.approx((statistics @ [0.2, 0.1, 0.3, 0.2]).tolist())


def test_reliability_of_a_small_gold_standard(tmp_path: Path) -> None:
    done(reliability.main, gold(tmp_path / "set"), "-c", "words@3", "-o", tmp_path / "out")
    none, words = rows(tmp_path / "out" / "reliability.csv")
    assert (none["cleaner"], none["pages"], words["cleaner"], words["pages"]) == ("none", "14", "words@3", "14")
    assert (words["precision_all"], words["below_70_%_all"], words["r_squared"]) == ("1.0", "0", "1.0")
    # Of all text, menu and footer are no content.
    others = [5 + number % 4 for number in range(PAGES)]
    words = [(8 + number % 5) * (1 + number % 3) for number in range(PAGES)]
    precisions = [good / (good + bad) for good, bad in zip(words, others, strict=True)]
    for low in (70, 90):
        below = sum(precision < low / 100 for precision in precisions)
        assert int(none[f"below_{low}_%_chosen"]) < int(none[f"below_{low}_%_all"]) == below > 0
    assert int(none["chosen"]) >= PAGES / 2
    assert float(none["precision_chosen"]) > float(none["precision_all"])


def test_cross_entropy_of_single_characters_is_that_of_counts() -> None:
    pages = [["rain at noon"], ["no rain"], ["a ton of rain"], ["north"]]
    alphabet = ALPHABETS["lexical"]
    (found,) = ncleaner.tune(pages, alphabet, 1, qs=(0.5,), folds=4, seed=0).tolist()
    bits = []
    for number, (text,) in enumerate(pages):
        others = Counter("".join(other for place, (other,) in enumerate(pages) if place != number))
        # Add-one over the alphabet, of which one number stands for no character.
        bits += [-math.log2((others[char] + 1) / (others.total() + alphabet.size - 1)) for char in text]
    assert found == [pytest.approx(fmean(bits))]


def test_folds_and_curve_of_a_small_gold_standard(tmp_path: Path) -> None:
    done(ncleaner.main, "folds", gold(tmp_path / "set"), "--folds", 7, "-o", tmp_path / "out")
    pooled = {row["cleaner"]: row for row in rows(tmp_path / "out" / "pooled.csv")}
    assert {name: (row["micro_precision"][:6], row["micro_recall"][:6]) for name, row in pooled.items()} == GOLDEN_FOLDS
    other = gold(tmp_path / "other", 5)
    done(ncleaner.main, "curve", tmp_path / "set", other, "--sizes", "2,10", "--repeats", 2, "-o", tmp_path / "out")
    found = [(row["pages"], row["models"], row["precision"][:6]) for row in rows(tmp_path / "out" / "curve.csv")]
    assert found == GOLDEN_CURVE


def test_folds_of_other_settings(tmp_path: Path) -> None:
    arguments = ("folds", gold(tmp_path / "set"), "--folds", 7, "-o", tmp_path / "out")
    done(ncleaner.main, *arguments, "--n", 1, "--q", 0.6)
    pooled = {row["cleaner"]: row["micro_precision"][:6] for row in rows(tmp_path / "out" / "pooled.csv")}
    # What has no model is as before; single characters alone tell little, and with all letters alike less.
    assert [pooled[name] for name in ("none", "bars")] == [GOLDEN_FOLDS[name][0] for name in ("none", "bars")]
    assert "n = 1, q = 0.6" in (tmp_path / "out" / "pooled.md").read_text()
    # With single characters no weight of shorter histories counts.
    done(ncleaner.main, *arguments, "--n", 1, "--q", 0.1)
    assert {row["cleaner"]: row["micro_precision"][:6] for row in rows(tmp_path / "out" / "pooled.csv")} == pooled
    done(ncleaner.main, *arguments, "--n", 6, "--q", 0.4)
    found = {row["cleaner"]: row["micro_precision"][:6] for row in rows(tmp_path / "out" / "pooled.csv")}
    usual = [name for name in found if name != "ncleaner, lexical"]
    assert [found[name] for name in usual] == [GOLDEN_FOLDS[name][0] for name in usual]


def test_further_measures_of_a_small_gold_standard(tmp_path: Path) -> None:
    done(gold_tables.main, gold(tmp_path / "set"), "-c", "words@5", "-c", "words@99", "-o", tmp_path / "out")
    bags = {row["cleaner"]: row for row in rows(tmp_path / "out" / "bags.csv")}
    assert list(bags) == ["none", "words@5", "words@99"]
    # What is left without menu and footer is the gold; before, all of it is there among other words.
    scores = [[row[f"bag_{part}"] for part in ("precision", "recall", "f1", "f1_median")] for row in bags.values()]
    assert scores[1:] == [["1.0"] * 4, ["0.0"] * 4]
    others = [5 + number % 4 for number in range(PAGES)]
    words = [(8 + number % 5) * (1 + number % 3) for number in range(PAGES)]
    f1 = [2 * good / (2 * good + bad) for good, bad in zip(words, others, strict=True)]
    assert [float(value) for value in scores[0][1:]] == pytest.approx([1, fmean(f1), median(f1)])
    segments = {row["cleaner"]: row for row in rows(tmp_path / "out" / "segments.csv")}
    assert (segments["words@5"]["labelled_f1"], segments["none"]["labelled_f1"]) == ("1.0", "0.0")
    tests = {row["cleaner"]: row for row in rows(tmp_path / "out" / "t-tests.csv")}
    assert (tests["words@5"]["t_f1_df"], tests["none"]["t_f1"]) == (str(PAGES - 1), "0.0")
    assert float(tests["words@5"]["t_f1_p"]) < 0.001


def test_the_filters_of_the_figure_are_rows(tmp_path: Path) -> None:
    done(gold_tables.main, gold(tmp_path / "set", 3), "-o", tmp_path / "out")
    cleaners = [row["cleaner"] for row in rows(tmp_path / "out" / "bags.csv")]
    assert cleaners[-4:] == [
        f"boilerpipe(rules={rules},filter={content})"
        for rules in ("words", "density")
        for content in ("largest", "main")
    ]
    assert {"none", "bte", "words@10"} <= set(cleaners)


def test_percentiles_and_shares_of_sentences(tmp_path: Path) -> None:
    chance = np.random.default_rng(5)
    scores = np.round(chance.gamma(2, 3000, 200), 1).astype(np.float32)
    found = histogram.Sentences(scores, chance.integers(1, 20, 200), {})
    everything = np.sort(np.repeat(scores, found.words))
    for percent in histogram.PERCENTILES:
        expected = everything[math.ceil(percent * len(everything) / 100) - 1]
        assert np.float32(found.at(percent, found.words)) == expected
    edges, shares = histogram.bins(found)
    for (low, high), share in zip(pairwise(edges), shares, strict=True):
        assert share == pytest.approx(np.mean((everything >= low) & (everything < high)))
    model = write_arpa(tmp_path / "small.arpa")
    page = tmp_path / "page.html"
    page.write_text("<p>a b a b a.<p>b a a b")
    done(histogram.main, model, page, "-o", tmp_path / "out")
    removed = rows(tmp_path / "out" / "removed.csv")
    assert [row["cutoff"] for row in removed][:2] == ["1000", "2000"]
    assert {row["of_words"] for row in removed} == {"0.0"}


def test_groups_of_features_and_what_they_are_worth(tmp_path: Path) -> None:
    assert content_importance.group_of("in_hidden") == "hidden"
    assert content_importance.group_of("in_menu") == "words of class, id and role"
    assert content_importance.group_of("words") == "the block itself"
    done(content_importance.main, "web", gold(tmp_path / "set", 6), "-o", tmp_path / "out")
    found = rows(tmp_path / "out" / "importance.csv")
    assert sum(int(row["features"]) for row in found) == len(feature_names())
    lost = [float(row["all pages"]) for row in found]
    assert lost == sorted(lost, reverse=True)
    assert [float(row["all pages"]) for row in found if row["group"] == "hidden"] == [0.0]
