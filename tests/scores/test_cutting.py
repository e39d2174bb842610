"""Cutting stored scores: what stays is what the definition says, page by page and over a whole shard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from troublesome import Listed, Trouble, whole

from thresher.base.errors import StateError
from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.shallow_features import Density, Words
from thresher.collections import Source, documents, open_collection
from thresher.pages import read_html
from thresher.scores.crash_log import PartTask
from thresher.scores.cutting import Layout, clean_page, cleaned_documents, kept_text, passes, sentence_mask
from thresher.scores.parts import process_part
from thresher.scores.percentiles import resolved
from thresher.scores.score_work import ScoreWork
from thresher.scores.scoring import score_page
from thresher.scores.store import FAILED, SCORED, PageScores

SINGLE = np.float32


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_cut_compares_in_single_precision_and_keeps_equals(score: float, cutoff: float) -> None:
    low, equal, high = (
        np.nextafter(SINGLE(cutoff), SINGLE(-1)),
        SINGLE(cutoff),
        np.nextafter(SINGLE(cutoff), SINGLE(1e9)),
    )
    scores = np.array([low, equal, high, score], dtype=SINGLE)
    stays = bool(SINGLE(score) >= equal), bool(SINGLE(score) <= equal)
    assert passes(Cut(Words(), cutoff), scores).tolist() == [False, True, True, stays[0]]
    assert passes(Cut(Perplexity(), cutoff), scores).tolist() == [True, True, False, stays[1]]


def test_a_cutoff_that_single_precision_has_not_got_keeps_what_equals_it_when_stored() -> None:
    # 0.1 is above the float32 nearest to it, 0.3 below.
    for cutoff in (0.1, 0.3, 10.7, 16777217.0):
        scores = np.array([cutoff], dtype=SINGLE)
        assert passes(Cut(Density(), cutoff), scores).tolist() == [True]
        assert passes(Cut(Perplexity(), cutoff), scores).tolist() == [True]


@pytest.mark.parametrize("cutoff", [3.5e38, 1e39, 1e300])
def test_no_cutoff_is_infinite(cutoff: float) -> None:
    scores = np.array([0, 3e38, math.inf], dtype=SINGLE)
    # A sentence without words has infinite perplexity: no cutoff keeps it.
    assert passes(Cut(Perplexity(), cutoff), scores).tolist() == [True, True, False]
    assert passes(Cut(Words(), cutoff), scores).tolist() == [False, False, True]


def test_blocks_decide_for_their_sentences_and_all_cuts_must_agree() -> None:
    block_of_sentence = np.array([0, 0, 1, 2, 2])
    heading = np.array([True, False, False])
    scores = {
        "words": np.array([1, 5, 9], dtype=SINGLE),
        "perplexity(lm=books)": np.array([10, 30, 20, 10, 30], dtype=SINGLE),
    }

    def kept(name: str) -> list[bool]:
        layout = Layout(block_of_sentence, np.ones(5, dtype=np.int64), heading, np.array([0, 3]))
        return sentence_mask(parse_cleaner(name), scores, layout).tolist()

    assert kept("none") == [True] * 5
    assert kept("words@5") == [False, False, True, True, True]
    assert kept("words@6") == [False, False, False, True, True]
    assert kept("perplexity@20") == [True, False, True, True, False]
    assert kept("words@6+perplexity@20") == kept("perplexity@20+words@6") == [False, False, False, True, False]
    assert kept("words(headings=keep)@6") == [True, True, False, True, True]
    assert kept("perplexity(headings=keep)@20") == [True, True, True, True, False]
    assert kept("words(headings=drop)@0") == kept("perplexity(headings=drop)@99") == [False, False, True, True, True]
    assert kept("words@1+perplexity(headings=drop)@20") == [False, False, True, True, False]
    assert kept("words(headings=keep)@6+words(headings=drop)@6") == [False, False, False, True, True]
    # Each cut keeps headings for itself only.
    assert kept("words(headings=keep)@6+perplexity@20") == [True, False, False, True, False]
    assert kept("words(headings=keep)@6+perplexity(headings=keep)@5") == [True, True, False, False, False]


def reference(blocks: Sequence[Sequence[str]], mask: Sequence[bool]) -> str:
    """The kept sentences, joined by spaces within a block; blocks that keep any, joined by line feeds."""
    flags = iter(mask)
    kept = [[sentence for sentence in block if next(flags)] for block in blocks]
    return "\n".join(" ".join(block) for block in kept if block)


WORD = st.text("ab.é漢", min_size=1, max_size=4)
SENTENCE = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
LAYOUT = st.lists(st.lists(SENTENCE, min_size=1, max_size=4), max_size=5)


@given(LAYOUT, st.data())
def test_kept_text_is_the_kept_sentences_in_order(blocks: list[list[str]], data: st.DataObject) -> None:
    text = "\n".join(" ".join(block) for block in blocks)
    ends, owners, end = [], [], 0
    for number, block in enumerate(blocks):
        for sentence in block:
            end += len(sentence) + 1
            ends.append(min(end, len(text)))
            owners.append(number)
    mask = data.draw(st.lists(st.booleans(), min_size=len(ends), max_size=len(ends)))
    assert kept_text(text, ends, owners, np.array(mask, dtype=np.bool_)) == reference(blocks, mask)


def test_sentences_without_a_space_between_them_stay_as_they_were() -> None:
    text = "漢。字。画。"
    mask = np.array
    assert kept_text(text, [2, 4, 6], [0, 0, 0], mask([True, True, False])) == "漢。字。"
    assert kept_text(text, [2, 4, 6], [0, 0, 0], mask([True, False, True])) == "漢。 画。"


def test_a_page_that_failed_leaves_nothing() -> None:
    cleaned = clean_page(PageScores("d", FAILED, "why"), parse_cleaner("words@1"))
    assert (cleaned.id, cleaned.text, cleaned.words) == ("d", "", 0)


def test_a_page_is_cut_by_hand() -> None:
    html = "<title>Oats</title><p>One two three. Four five.</p><h2>Rye</h2><div>six</div><p>seven eight</p>"
    segments = read_html(html)
    page = PageScores("d", SCORED, segments=segments, scores={"words": Words().score(segments)})
    cleaned = clean_page(page, parse_cleaner("words@2"))
    assert (cleaned.text, cleaned.words) == ("One two three. Four five.\nseven eight", 7)
    cleaned = clean_page(page, parse_cleaner("words(headings=keep)@2"))
    assert (cleaned.text, cleaned.words) == ("Oats\nOne two three. Four five.\nRye\nseven eight", 9)
    assert clean_page(page, parse_cleaner("words@6")).text == ""
    assert clean_page(page, parse_cleaner("none")).text == segments.text


SCORERS = (Words(), Density(), Perplexity(), Trouble())
NAMES = (
    "none",
    "words@0",
    "words@1",
    "words@5",
    "words@11",
    "words@10000",
    "density@2",
    "density@10.5",
    "perplexity@1",
    "perplexity@1000",
    "perplexity@8000",
    "words(headings=keep)@11",
    "perplexity(headings=keep)@1000",
    "words(headings=drop)@3",
    "density@4+perplexity(headings=drop)@8000",
    "words@3+density@4+perplexity@8000",
    "words(headings=keep)@3+perplexity@4000",
)


def test_a_title_after_text_is_the_documents_title(tmp_path: Path) -> None:
    pages = [
        Source(name, "x", 0, content=html) for name, html in (("a", b"Ebb.<p>Sand<title>Tide</title>"), ("b", b"Ebb."))
    ]
    process_part(PartTask(whole(pages)), ScoreWork(Listed(()), tmp_path, scorers=()))
    assert [document.title for document in cleaned_documents(tmp_path, parse_cleaner("none"))] == ["Tide", ""]


@pytest.fixture(scope="module")
def dragnet(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> tuple[Path, list[PageScores]]:
    """25 real pages in two shards, among them pages without text and failed ones, and the same pages scored one by one."""
    real = list(documents(open_collection(shared_data / "cleaning" / "dragnet-300" / "input")))[::12]
    empty = [Source(f"empty{number}", "x", 0, content=b"") for number in range(3)]
    failed = [Source(f"failed{number}", "x", 0, problem="broken") for number in range(3)]
    sources = [empty[0], failed[0], *real[:9], empty[1], failed[1], *real[9:], failed[2], empty[2]]
    folder = tmp_path_factory.mktemp("dragnet")
    for scorer in SCORERS:
        scorer.prepare()
    for number, part in enumerate((sources[:15], sources[15:], failed[:1], [])):
        process_part(PartTask(replace(whole(part), number=number)), ScoreWork(Listed(()), folder, scorers=SCORERS))
    return folder, [score_page(source.page(), SCORERS) for source in sources if source.problem is None]


@pytest.mark.parametrize("name", NAMES)
def test_cutting_a_shard_is_cutting_its_pages(dragnet: tuple[Path, list[PageScores]], name: str) -> None:
    folder, pages = dragnet
    cleaner = parse_cleaner(name)
    cleaned = list(cleaned_documents(folder, cleaner))
    assert cleaned == [clean_page(page, cleaner) for page in pages]
    for document, page in zip(cleaned, pages, strict=True):
        segments = page.segments
        assert segments is not None
        # By the definition: one sentence at a time.
        kept: list[list[str]] = [[] for _ in segments.blocks]
        words = 0
        for number, block in enumerate(segments.block_of_sentence.tolist()):
            if all(_stays(cut, page, number, block) for cut in cleaner.cuts):
                kept[block].append(segments.sentences[number])
                words += int(segments.words_in_sentences[number])
        lines = document.text.split("\n") if document.text else []
        assert [line.replace(" ", "") for line in lines] == ["".join(block).replace(" ", "") for block in kept if block]
        assert document.words == words == sum(any(map(str.isalnum, word)) for word in document.text.split())


@pytest.mark.parametrize(
    "name",
    [
        "words(floor=50)@40",
        "perplexity(headings=keep,floor=30)@100",
        "density(floor=500)@9+perplexity(floor=20)@500",
        "density@2+words(headings=drop,floor=0)@3+words(floor=30)@40",
        "words@3+density(floor=40)@p60",
    ],
)
def test_cutting_a_shard_with_floors_is_cutting_its_pages(dragnet: tuple[Path, list[PageScores]], name: str) -> None:
    folder, pages = dragnet
    cleaner = resolved(folder, parse_cleaner(name))
    cleaned = list(cleaned_documents(folder, cleaner))
    assert cleaned == [clean_page(page, cleaner) for page in pages]
    floor = cleaner.cuts[-1].floor
    before = [clean_page(page, Cleaner(cleaner.cuts[:-1])).words for page in pages]
    assert all(document.words >= min(floor, words) for document, words in zip(cleaned, before, strict=True))
    assert any(document.words < words for document, words in zip(cleaned, before, strict=True))


def _stays(cut: Cut, page: PageScores, sentence: int, block: int) -> bool:
    assert page.segments is not None
    assert cut.cutoff is not None
    if cut.headings != "score" and page.segments.levels[block] > 0:
        return cut.headings == "keep"
    score = page.scores[cut.scorer.canonical_name][block if cut.scorer.segment == BLOCK else sentence]
    return bool(score >= SINGLE(cut.cutoff) if cut.scorer.keep == KEEP_HIGH else score <= SINGLE(cut.cutoff))


@pytest.mark.parametrize(
    "names",
    [
        [f"words@{cutoff}" for cutoff in range(0, 60, 3)],
        [f"density@{cutoff / 2}" for cutoff in range(0, 40, 3)],
        [f"perplexity@{cutoff}" for cutoff in (100000, 14000, 8000, 4000, 2000, 1000, 500, 100, 1)],
        ["none", "words@3", "words@3+density@4", "words@3+density@4+perplexity@8000"],
    ],
)
def test_a_stricter_cutoff_never_adds_words(dragnet: tuple[Path, list[PageScores]], names: list[str]) -> None:
    folder, pages = dragnet
    before = [math.inf] * len(pages)
    for name in names:
        words = [document.words for document in cleaned_documents(folder, parse_cleaner(name))]
        assert all(now <= then for now, then in zip(words, before, strict=True))
        before = list(words)
    assert sum(before) < sum(int(page.segments.words_in_blocks.sum()) for page in pages if page.segments)


def test_scores_that_the_store_lacks_are_an_error(dragnet: tuple[Path, list[PageScores]]) -> None:
    folder, _ = dragnet
    with pytest.raises(StateError, match="the shard of scores is damaged"):
        list(cleaned_documents(folder, Cleaner((Cut(Trouble(q=9.0), 1.0),))))
