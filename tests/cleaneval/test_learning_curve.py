"""Learning curves against models that are trained one by one and judged as any cleaner is."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from thresher.cleaneval.ncleaner_evaluation import (
    CurvePoint,
    CurveSize,
    HeldOutPage,
    Spread,
    TrainingPage,
    held_out_pages,
    learning_curve,
    summarize_curve,
    training_pages,
    usual_sizes,
)

from thresher.cleaneval.cleaning_measures import compare_words, summarize_pages
from thresher.cleaneval.gold import read_gold
from thresher.collections import Page
from thresher.errors import ConfigError, InputError
from thresher.language_models.characters.character_counts import STANDARD, STANDARD_NON_LEXICAL, Settings, train
from thresher.language_models.characters.model_files import write_model
from thresher.language_models.characters.pages import Pairs, find_pairs
from thresher.scorers.cleaners import parse_cleaner
from thresher.scoring.cutting import clean_page
from thresher.scoring.store import score_page

HELD_OUT = [HeldOutPage("aaa\nb b", np.array([False, False]), "aaa")]


@pytest.fixture(scope="module")
def pages(shared_data: Path) -> list[TrainingPage]:
    folder = shared_data / "cleaning" / "cleaneval-dev"
    result = find_pairs(folder / "GoldStandard", folder / "input")
    return [*training_pages(replace(result, files=result.files[:12]))]


@pytest.mark.parametrize("settings", [STANDARD, STANDARD_NON_LEXICAL], ids=["standard", "non-lexical"])
def test_points_are_those_of_the_scorer(
    shared_data: Path, tmp_path: Path, pages: list[TrainingPage], settings: Settings
) -> None:
    gold = read_gold(shared_data / "cleaning" / "cleanportaleval").pages[::8]
    points = [*learning_curve(pages, [*held_out_pages(gold)], (2, 12), 2, settings, seed=7)]
    assert [(point.pages, point.repeat) for point in points] == [(2, 0), (12, 0), (2, 1), (12, 1)]
    for point in points:
        order = np.random.default_rng([7, point.repeat]).permutation(12)
        chosen = [pages[place] for place in order[: point.pages]]
        model = tmp_path / f"{point.pages}-{point.repeat}.ncleaner"
        write_model(model, train(chosen, settings, "test"))
        cleaner = parse_cleaner(f"ncleaner(model={model})@0")
        words = []
        for page in gold:
            cleaned = clean_page(score_page(Page(page.stem, page.path.read_bytes()), cleaner.scorers), cleaner).text
            words.append(compare_words(cleaned, page.text))
        summary = summarize_pages(words)
        assert point.words == sum(len(" ".join(page.clean).split()) for page in chosen)
        assert (point.precision, point.recall) == (summary.micro.precision, summary.micro.recall)
        assert (point.f1, point.macro_f1) == (summary.micro.f1, summary.f1.mean)


def test_subsets_are_nested_and_repeats_have_orders_of_their_own() -> None:
    # The words tell which pages a subset has: page k has 2^k of them.
    few = [TrainingPage(["a" * (place + 1)] * 2**place, [f"{place} b b b"] * 400) for place in range(8)]
    points = [*learning_curve(few, HELD_OUT, (1, 3, 5, 8), 3, STANDARD)]
    by_repeat = {repeat: [point.words for point in points if point.repeat == repeat] for repeat in range(3)}
    for words in by_repeat.values():
        assert words[-1] == 255
        assert [word.bit_count() for word in words] == [1, 3, 5, 8]
        assert all(fewer & more == fewer for fewer, more in pairwise(words))
    assert len({tuple(words) for words in by_repeat.values()}) == 3
    more = [*learning_curve(few, HELD_OUT, (1, 3, 5, 8), 4, STANDARD)]
    assert more[: len(points)] == points
    assert [*learning_curve(few, HELD_OUT, (1, 3, 5, 8), 3, STANDARD, seed=1)] != points


def test_a_bar_is_dropped_and_a_page_without_text_counts(tmp_path: Path) -> None:
    for stem, body in (("1", "<p>good text here<p>Home | News | About"), ("2", "")):
        (tmp_path / f"{stem}.html").write_text(body)
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "1.txt").write_text("good text here\nHome | News | About")
    (tmp_path / "gold" / "2.txt").write_text("lost words")
    first, second = held_out_pages(read_gold(tmp_path).pages)
    assert (first.text, first.bars.tolist()) == ("good text here\nHome | News | About", [False, True])
    assert (second.text, second.bars.tolist(), second.gold) == ("", [], "lost words")
    pages = [TrainingPage(["good text here Home | News | About"] * 9, ["good text", "zz zz zz zz zz " * 99])]
    (point,) = learning_curve(pages, [first, second], (1,), 1, STANDARD)
    assert (point.precision, point.recall) == (1, 3 / 10)
    assert point.macro_f1 == pytest.approx((6 / 11) / 2)


def test_cleaned_text_is_read_as_gold(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("URL: http://x.org/\n<h>Caf&eacute; &amp; bar <p>One\nline\n\nTwo<l>* Three")
    (tmp_path / "b.txt").write_text("# Head\nA &amp; B\n\n* item\n!@#$%^&*()  COMMENTS\nnot this")
    (tmp_path / "c.html").write_text("<h1>Head</h1><p>Text")
    result = [
        *training_pages(Pairs(tuple((tmp_path / name, tmp_path / "c.html") for name in ("a.txt", "b.txt", "c.html"))))
    ]
    assert [page.clean for page in result] == [
        ["Café & bar", "One line", "Two", "Three"],
        ["Head A &amp; B", "item"],
        ["Head", "Text"],
    ]
    assert [page.raw for page in result] == [["Head", "Text"]] * 3
    missing = tmp_path / "no.txt"
    with pytest.raises(InputError) as caught:
        [*training_pages(Pairs(((missing, tmp_path / "c.html"),)))]
    assert str(caught.value) == f"{missing}: there is no such file or folder. Fix: check the path."


def test_a_subset_that_makes_no_model_has_no_point() -> None:
    good, bad = TrainingPage(["aaa"], ["aaa", "b b b b b b"]), TrainingPage(["aaa bbb"], ["aaa"])
    points = [*learning_curve([good, bad], HELD_OUT, (1, 2), 6, STANDARD)]
    assert {point.words for point in points if point.pages == 1} == {1}
    assert 0 < sum(point.pages == 1 for point in points) < 6
    assert sum(point.pages == 2 for point in points) == 6
    with pytest.raises(InputError) as caught:
        [*learning_curve([bad], HELD_OUT, (1,), 1, STANDARD)]
    assert str(caught.value) == (
        "all training pages: the raw pages have no more text (3 characters) than the cleaned ones (7). "
        "Fix: give the cleaned pages first and the raw ones second."
    )


def test_sizes() -> None:
    assert [usual_sizes(count) for count in (1, 2, 10, 58, 300)] == [
        (1,),
        (1, 2),
        (1, 2, 5, 10),
        (1, 2, 5, 10, 20, 50, 58),
        (1, 2, 5, 10, 20, 50, 100, 200, 300),
    ]
    page = TrainingPage(["aaa"], ["aaa", "b b b b b b"])
    for size in (0, 3):
        with pytest.raises(ConfigError) as caught:
            [*learning_curve([page] * 2, HELD_OUT, (1, size), 1, STANDARD)]
        assert str(caught.value) == (
            f"--sizes: {size} training pages cannot be taken from 2. Fix: give sizes from 1 to 2."
        )


def test_points_are_summed_up_by_size() -> None:
    points = [
        CurvePoint(5, 900, 0, 0.5, 0.9, 0.6, 0.55),
        CurvePoint(1, 100, 0, 0.25, 1.0, 0.4, 0.35),
        CurvePoint(1, 200, 1, 0.75, 0.5, 0.6, 0.45),
    ]
    assert summarize_curve(points) == (
        CurveSize(
            1, 2, 150, Spread(0.5, 0.25, 0.75), Spread(0.75, 0.5, 1), Spread(0.5, 0.4, 0.6), Spread(0.4, 0.35, 0.45)
        ),
        CurveSize(5, 1, 900, *(Spread(value, value, value) for value in (0.5, 0.9, 0.6, 0.55))),
    )
    assert summarize_curve([]) == ()
