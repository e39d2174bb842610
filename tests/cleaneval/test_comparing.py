"""What cleaners leave of a store's pages, and how it compares with their gold texts."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from messages import Message, assert_names

from thresher.base.errors import StateError
from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner
from thresher.cleaners.scorer import Scores
from thresher.cleaners.scorers.shallow_features import Words
from thresher.collections import Page
from thresher.evaluation.cleaneval.cleaning_measures import PageWords
from thresher.evaluation.cleaneval.comparing import (
    ComparedPage,
    cleaned_pages,
    compare_cleaned,
    compare_page,
    page_id,
    score_gold,
)
from thresher.evaluation.cleaneval.gold import GoldPage, LabelledText, read_gold
from thresher.pages import Segments
from thresher.scores.cutting import clean_page
from thresher.scores.scoring import score_page
from thresher.scores.store import shards

NAMES = ("none", "words@4", "justext", "perplexity(lm=books)@3000", "words@1000", "words@0")
PAGE = (
    "<title>A harbour in the rain</title><h1>Rain</h1><ul><li>one<p>the second part of it</p><li>two | three</ul>"
    "<p>It rained all day on the harbour. Xqz vvk. It was in the house.</p>"
)


def cleaners() -> tuple[Cleaner, ...]:
    return tuple(map(parse_cleaner, NAMES))


def written(folder: Path, contents: dict[str, bytes]) -> list[GoldPage]:
    pages = []
    for stem, content in contents.items():
        path = folder / f"{stem}.html"
        path.write_bytes(content)
        pages.append(GoldPage(stem, path, (LabelledText("p", "It rained all day on the harbour."),)))
    return pages


def scored(pages: list[GoldPage], folder: Path, workers: int = 1) -> Path:
    score_gold(pages, [scorer for cleaner in cleaners() for scorer in cleaner.scorers], folder, workers)
    return folder


def test_texts_of_one_page(tmp_path: Path) -> None:
    store = scored(written(tmp_path, {"a page": PAGE.encode()}), tmp_path / "store")
    (page,) = (page for path in shards(store) for page in cleaned_pages(path, cleaners()))
    assert (page.id, page.problem) == ("a%20page", "")
    title, *_, last = whole = [
        "A harbour in the rain",
        "Rain",
        "one",
        "the second part of it",
        "two | three",
        "It rained all day on the harbour. Xqz vvk. It was in the house.",
    ]
    assert page.texts[0] == page.texts[5] == "\n".join(whole)
    assert page.texts[1] == "\n".join([title, whole[3], last])
    # Of the last block the sentence in between goes.
    assert page.texts[3].split("\n")[-1] == "It rained all day on the harbour. It was in the house."
    assert page.texts[4] == ""


def test_real_pages_are_as_each_cleaned_by_itself(shared_data: Path, tmp_path: Path) -> None:
    pages = read_gold(shared_data / "cleaning" / "cleaneval-dev").pages[:20]
    store = scored(list(pages), tmp_path / "store", workers=2)
    # Sixteen pages a shard.
    assert len(shards(store)) == 2
    result = [page for path in shards(store) for page in cleaned_pages(path, cleaners())]
    assert [page.id for page in result] == [page_id(page) for page in pages]
    scorers = tuple({scorer.canonical_name: scorer for cleaner in cleaners() for scorer in cleaner.scorers}.values())
    for gold, page in zip(pages, result, strict=True):
        alone = score_page(Page(gold.stem, gold.path.read_bytes()), scorers)
        assert list(page.texts) == [clean_page(alone, cleaner).text for cleaner in cleaners()]


def test_pages_that_fail_are_emptied_and_say_why(tmp_path: Path) -> None:
    pages = written(tmp_path, {"a": b"", "b": b"<p>It rained all day on the harbour.", "c": b"x" * (17 * 2**20)})
    store = scored(pages, tmp_path / "store")
    compared = list(compare_cleaned(pages, store, cleaners()))
    assert [(page.stem, page.problem) for page in compared] == [
        ("a", "the page holds no text"),
        ("b", ""),
        ("c", Message("too large", "17.0 MiB", "16 MiB")),
    ]
    assert [page.quality[0].words.words for page in compared] == [0, 7, 0]
    assert [page.quality[0].words.aligned for page in compared] == [0, 7, 0]


def test_compressed_pages_are_compared_as_others_and_damaged_ones_emptied(tmp_path: Path) -> None:
    pages = written(tmp_path, {"a": PAGE.encode(), "b": PAGE.encode(), "c": PAGE.encode()})
    expected = list(compare_cleaned(pages, scored(pages, tmp_path / "plain"), cleaners()))
    packed = []
    for page in pages:
        path = page.path.with_suffix(".html.gz")
        path.write_bytes(gzip.compress(page.path.read_bytes()))
        packed.append(replace(page, path=path))
    packed[1].path.write_bytes(packed[1].path.read_bytes()[:-9])
    compared = list(compare_cleaned(packed, scored(packed, tmp_path / "packed"), cleaners()))
    assert (compared[0], compared[2]) == (expected[0], expected[2])
    assert compared[1].problem == "the compressed data end too early"
    assert [quality.words.words for quality in compared[1].quality] == [0] * len(NAMES)


def test_scores_are_kept_and_other_pages_refused(tmp_path: Path) -> None:
    pages = written(tmp_path, {"a": PAGE.encode()})
    store = scored(pages, tmp_path / "store")
    (shard,) = shards(store)
    before = shard.stat().st_mtime_ns
    assert scored(pages, store) == store
    assert shard.stat().st_mtime_ns == before
    other = written(tmp_path, {"b": PAGE.encode()})
    with pytest.raises(StateError) as caught:
        scored(other, store)
    assert_names(caught.value, f"{store}: ", "otherwise (changed: collection)", "Fix: ", "--fresh")
    score_gold(other, [], store, fresh=True)
    assert [page.id for path in shards(store) for page in cleaned_pages(path, [Cleaner()])] == ["b"]


def test_pages_compare_alike_by_any_number_of_workers(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    for number in range(5):
        rain = f"It rains for {number} days, and then it is dry for as many days again."
        (tmp_path / f"{number}.html").write_text(f"<title>Rain</title><ul><li>Home<li>About</ul><p>{rain}")
        (tmp_path / "gold" / f"{number}.txt").write_text(f"<p>{rain}")
    (tmp_path / "4.html").write_bytes(b"")
    pages = read_gold(tmp_path).pages
    cleaners = [parse_cleaner(name) for name in ("none", "words@10", "words@99", "words@5+words@10")]
    score_gold(pages, [scorer for cleaner in cleaners for scorer in cleaner.scorers], tmp_path / "store")
    compared = list(compare_cleaned(pages, tmp_path / "store", cleaners))
    assert compared == list(compare_cleaned(pages, tmp_path / "store", cleaners, workers=2))
    assert [page.stem for page in compared] == ["0", "1", "2", "3", "4"]
    assert [found.words for found in compared[0].quality] == [
        PageWords(18, 15, 15, 3),
        PageWords(15, 15, 15, 0),
        PageWords(0, 15, 0, 15),
        PageWords(15, 15, 15, 0),
    ]
    assert compared[4].quality == (compare_page("", pages[4].text),) * 4


class Brittle(Words):
    """Counts words, and cannot take one page."""

    name = "brittle"

    def score(self, segments: Segments) -> Scores:
        if "Rain" in segments.text:
            raise ValueError("two\nlines")
        return super().score(segments)


def test_a_page_that_cannot_be_scored_is_emptied_and_said_to_be(tmp_path: Path) -> None:
    cleaner = Cleaner((Cut(Brittle(), 1.0),))
    pages = [GoldPage(text, tmp_path / f"{text}.html", (LabelledText(None, text),)) for text in ("Rain", "Sun")]
    for page in pages:
        page.path.write_text(f"<p>{page.stem}")
    score_gold(pages, cleaner.scorers, tmp_path / "store")
    rain, sun = compare_cleaned(pages, tmp_path / "store", [cleaner])
    reason = "cannot be scored: ValueError: two lines"
    assert rain == ComparedPage("Rain", (compare_page("", "Rain"),), reason)
    assert sun == ComparedPage("Sun", (compare_page("Sun", "Sun"),))
