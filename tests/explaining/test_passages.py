"""Removed passages: what they hold, and the cutoff at which each returns, by cutting again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner
from thresher.cleaners.scorer import KEEP_HIGH
from thresher.experiments.explaining.removed_passages import cut_page
from thresher.indexes.analysis import Analysis, analyse, text_analyzer
from thresher.scores.block_kinds import BlockKind
from thresher.scores.removed import DROPPED, DROPPED_HEADING, PageVerdicts, explained_pages

ENOUGH = 12


def stricter(cut: Cut, cutoff: float) -> float:
    """The next cutoff that keeps less: of scores, which are 32-bit floats, or of a quota."""
    if cut.quota:
        return float(np.nextafter(cutoff, -np.inf))
    towards = np.float32(np.inf if cut.scorer.keep == KEEP_HIGH else -np.inf)
    return float(np.nextafter(np.float32(cutoff), towards))


def page_at(store: Path, cleaner: Cleaner, place: int, cutoff: float, page: str) -> PageVerdicts:
    """The page with the cut at that place at another cutoff."""
    cuts = [*cleaner.cuts]
    cuts[place] = replace(cuts[place], cutoff=cutoff)
    (judged,) = explained_pages(store, Cleaner(tuple(cuts)), {page})
    return judged


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "words@8",
        "words(headings=keep)@8",
        "words(floor=20)@30",
        "density@9",
        "perplexity(lm=books)@900",
        "words@4+perplexity(lm=books)@900",
        "words@doc40",
        "perplexity(lm=books)@doc40",
        "density@9+words@doc60",
    ],
)
def test_passages_return_at_exactly_the_cutoff_that_is_told(store: Path, name: str) -> None:
    cleaner = parse_cleaner(name)
    tried: Counter[int] = Counter()
    for page in explained_pages(store, cleaner):
        for number, segment in enumerate(page.segments):
            for place, verdict in enumerate(segment.verdicts):
                if verdict.outcome != DROPPED:
                    assert verdict.returns is None
                elif verdict.returns is not None and tried[place] < ENOUGH:
                    tried[place] += 1
                    cut = cleaner.cuts[place]
                    outcomes = [
                        page_at(store, cleaner, place, cutoff, page.id).segments[number].verdicts[place].outcome
                        for cutoff in (verdict.returns, stricter(cut, verdict.returns))
                    ]
                    assert outcomes[0] != DROPPED
                    assert outcomes[1] == DROPPED
        if min(tried[place] for place in range(len(cleaner.cuts))) >= ENOUGH:
            break
    assert min(tried.values()) >= ENOUGH


def test_no_cutoff_brings_back_headings_that_are_dropped_and_what_a_scorer_decides(store: Path) -> None:
    for name in ("words(headings=drop)@0", "bte"):
        dropped = [
            verdict
            for page in explained_pages(store, parse_cleaner(name), {"string.capwords", "str.join"})
            for segment in page.segments
            for verdict in segment.dropped_by
        ]
        assert dropped
        assert all(verdict.returns is None for verdict in dropped)
        assert {verdict.outcome for verdict in dropped} == {DROPPED_HEADING if "headings" in name else DROPPED}


def test_only_the_pages_that_are_asked_for(store: Path) -> None:
    cleaner = parse_cleaner("words@8")
    every = {page.id: page for page in explained_pages(store, cleaner)}
    some = [*explained_pages(store, cleaner, {"str.join", "chinese", "not there"})]
    assert [page.id for page in some] == ["chinese", "str.join"]
    assert all(page == every[page.id] for page in some)
    assert [*explained_pages(store, cleaner, set())] == []


def test_kept_and_removed_tokens_are_those_of_the_whole_page(store: Path) -> None:
    analyzer = text_analyzer(Analysis())
    for page in explained_pages(store, parse_cleaner("words@9"), {"str.join", "chinese", "os.walk", "stop-words"}):
        whole = Counter(analyse(analyzer, "\n".join(segment.text for segment in page.segments)))
        kinds = tuple(BlockKind.LINK if number % 2 else BlockKind.TEXT for number in range(len(page.segments)))
        cleaned = cut_page(replace(page, kinds=kinds), analyzer, {*whole})
        removed = sum((Counter(passage.terms) for passage in cleaned.removed), Counter[str]())
        assert Counter(cleaned.cleaned) + removed == whole
        for kind in (BlockKind.LINK, BlockKind.TEXT):
            kept = [one.text for one in page.segments if kinds[one.block] is kind and one.is_kept]
            assert Counter(cleaned.cleaned_by_kind.get(kind, {})) == Counter(analyse(analyzer, "\n".join(kept)))
        for passage in cleaned.removed:
            assert passage.kind is kinds[passage.block]
            assert passage.text == page.segments[passage.block].text
            assert passage.tokens == sum(passage.terms.values())
            (drop,) = passage.drops
            assert (drop.cut, drop.cutoff, drop.returns) == ("words@9", 9, drop.score)
            assert drop.score < 9


def test_passages_with_words_of_the_topic_alone(store: Path) -> None:
    analyzer = text_analyzer(Analysis())
    (page,) = explained_pages(store, parse_cleaner("words@999"), {"Ä-umlaut"})
    cleaned = cut_page(page, analyzer, {"file", "return", "path"})
    assert [passage.terms for passage in cleaned.removed] == [{"return": 1, "file": 1}] * 2
    assert [passage.terms for passage in cleaned.with_words(["file", "path"])] == [{"file": 1}] * 2
    assert cleaned.with_words(["path"]) == ()
    assert cleaned.cleaned == {}
