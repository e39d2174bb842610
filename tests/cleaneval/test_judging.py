"""What cleaners leave of a store's pages, with labels: compared with cleaning each page by itself."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from thresher.cleaneval.judging import GoldCollection, cleaned_pages, judge_pages, judge_words, page_id, score_gold

from thresher.cleaneval.gold import GoldPage, read_gold
from thresher.cleaneval.gold_texts import LabelledText
from thresher.collections import Page
from thresher.errors import InputError, StateError
from thresher.pages.marked_text import marked_segments
from thresher.scorers.cleaners import Cleaner, parse_cleaner
from thresher.scoring.cutting import clean_page
from thresher.scoring.score_pass import ScorePlan, score_collection
from thresher.scoring.store import score_page, shards

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


def test_texts_and_labels_of_one_page(tmp_path: Path) -> None:
    (page,) = (
        page
        for path in shards(scored(written(tmp_path, {"a page": PAGE.encode()}), tmp_path / "store"))
        for page in cleaned_pages(path, cleaners())
    )
    assert (page.id, page.problem) == ("a%20page", "")
    whole = [
        ("h", "A harbour in the rain"),
        ("h", "Rain"),
        ("l", "one"),
        ("p", "the second part of it"),
        ("l", "two | three"),
        ("p", "It rained all day on the harbour. Xqz vvk. It was in the house."),
    ]
    assert [(part.label, part.text) for part in page.texts[0]] == [(None, text) for _, text in whole]
    assert [(part.label, part.text) for part in page.texts[5]] == whole
    assert [(part.label, part.text) for part in page.texts[1]] == [whole[0], whole[3], whole[5]]
    # Of the last block the sentence in between goes.
    assert (page.texts[3][-1].label, page.texts[3][-1].text) == (
        "p",
        "It rained all day on the harbour. It was in the house.",
    )
    assert page.texts[4] == ()


def test_real_pages_are_as_each_cleaned_by_itself(shared_data: Path, tmp_path: Path) -> None:
    pages = read_gold(shared_data / "cleaning" / "cleaneval-dev").pages[:20]
    store = scored(list(pages), tmp_path / "store", workers=2)
    # Sixteen pages a shard.
    assert len(shards(store)) == 2
    result = [page for path in shards(store) for page in cleaned_pages(path, cleaners())]
    assert [page.id for page in result] == [page_id(page) for page in pages]
    scorers = tuple({scorer.canonical_name: scorer for cleaner in cleaners() for scorer in cleaner.scorers}.values())
    for gold, page in zip(pages, result, strict=True):
        alone = score_page(Page(gold.stem, gold.path.read_bytes()), scorers, labels=True)
        assert alone.segments is not None
        for cleaner, text in zip(cleaners(), page.texts, strict=True):
            assert "\n".join(part.text for part in text) == clean_page(alone, cleaner).text
        assert [(part.label, part.text) for part in page.texts[5]] == [
            (part.label, part.text) for part in marked_segments(alone.segments)
        ]


def test_pages_that_fail_are_emptied_and_say_why(tmp_path: Path) -> None:
    pages = written(tmp_path, {"a": b"", "b": b"<p>It rained all day on the harbour.", "c": b"x" * (17 * 2**20)})
    store = scored(pages, tmp_path / "store")
    judged = list(judge_pages(pages, store, cleaners()))
    assert [(page.stem, page.problem) for page in judged] == [
        ("a", "the page holds no text"),
        ("b", ""),
        ("c", "too large: 17.0 MiB, the limit is 16 MiB"),
    ]
    assert [page.quality[0].words.words for page in judged] == [0, 7, 0]
    assert [page.quality[0].words.aligned for page in judged] == [0, 7, 0]
    words = list(judge_words(pages, store, cleaners()))
    assert words == [tuple(quality.words for quality in page.quality) for page in judged]


def test_compressed_pages_are_judged_as_others_and_damaged_ones_emptied(tmp_path: Path) -> None:
    pages = written(tmp_path, {"a": PAGE.encode(), "b": PAGE.encode(), "c": PAGE.encode()})
    expected = list(judge_pages(pages, scored(pages, tmp_path / "plain"), cleaners()))
    packed = []
    for page in pages:
        path = page.path.with_suffix(".html.gz")
        path.write_bytes(gzip.compress(page.path.read_bytes()))
        packed.append(replace(page, path=path))
    packed[1].path.write_bytes(packed[1].path.read_bytes()[:-9])
    judged = list(judge_pages(packed, scored(packed, tmp_path / "packed"), cleaners()))
    assert (judged[0], judged[2]) == (expected[0], expected[2])
    assert judged[1].problem == "the compressed data end too early"
    assert [quality.words.words for quality in judged[1].quality] == [0] * len(NAMES)


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
    assert str(caught.value) == (
        f"{store}: these scores were made otherwise (changed: collection). Fix: add --fresh to score again."
    )
    score_gold(other, [], store, fresh=True)
    assert [page.id for path in shards(store) for page in cleaned_pages(path, [Cleaner()])] == ["b"]


def test_a_store_without_labels_and_a_page_that_is_gone(tmp_path: Path) -> None:
    pages = written(tmp_path, {"a": PAGE.encode()})
    score_collection(ScorePlan(GoldCollection(tmp_path, pages), ()), tmp_path / "store")
    (shard,) = shards(tmp_path / "store")
    with pytest.raises(StateError) as caught:
        list(cleaned_pages(shard, [Cleaner()]))
    assert str(caught.value) == f"{shard}: the shard of scores is damaged. Fix: delete the file and run again."
    pages[0].path.unlink()
    with pytest.raises(InputError, match="no such file"):
        scored(pages, tmp_path / "other")
