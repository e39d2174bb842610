"""What the browser cuts is what the cleaner cuts: both are given the same pages, cleaners and cutoffs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser

from thresher.cleaners.cleaner import HEADINGS, Cleaner, Cut
from thresher.collections import Page
from thresher.experiments.page_samples import PageSample, ScoredPage, model_free_scorers, scored_page
from thresher.pages import read_text_page
from thresher.pages.headlines import find_headline
from thresher.reports.try_page import cuts_view, page_view, scorer_view, write_try_page
from thresher.scores.cutting import Layout, clean_page, sentence_mask
from thresher.scores.scoring import score_page
from thresher.scores.store import SCORED, PageScores

SCORERS = model_free_scorers()
HTML = (
    "<title>Oats and rye</title><ul><li><a href=/>Home</a><li>News | Maps | Login</ul><h1>Oats</h1>"
    "<p>Rain is expected in the north tonight. Bring a coat! 雨が降る。今夜は寒い。</p>"
    "<h2>Rye</h2><p>Six. -- -- 𝒳 words here.</p>"
    "<p>Copyright 2020. All rights reserved.</p><p>A last one of some length, with a comma and a clause after it.</p>"
)
FLOATS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 1.0, 1.0, 2.0, 3.4028235e38, -3.4028235e38, 0.1, 16777216.0, 1e-5]


def scored(html: str) -> PageScores:
    return score_page(Page("page", html.encode()), SCORERS)


def strange() -> PageScores:
    """Blocks and sentences whose scores are everything that a float can be, by all scorers alike."""
    rng = random.Random(8)
    segments = read_text_page("\n".join("One two. Three four five. Six." for _ in range(12)) + "\n--\nSeven")
    levels = np.array([7, *rng.choices([0, 0, 2], k=len(segments.levels) - 1)], dtype=np.int8)
    scores = {}
    for scorer in SCORERS:
        count = len(segments.block_ends if scorer.segment == "block" else segments.sentence_ends)
        values = rng.choices([0.0, 1.0], k=count) if scorer.decides else rng.choices(FLOATS, k=count)
        scores[scorer.canonical_name] = np.array(values, dtype=np.float32)
    return PageScores("strange", SCORED, segments=replace(segments, levels=levels), scores=scores)


def shown(page: PageScores) -> ScoredPage:
    assert page.segments is not None
    return scored_page(page, page.segments)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A page with `cutting` in its script."""
    file = tmp_path / "a.html"
    write_try_page(PageSample("t", (shown(scored(HTML)),), (), SCORERS, (Cleaner(), Cleaner())), file)
    return file


def cutoffs(page: PageScores, cut: Cut, rng: random.Random) -> Iterator[Cut]:
    """The cut at each score of the page, between and beyond them, and at quotas."""
    kind = type(cut.scorer)
    if kind.decides:
        yield cut
        return
    scores = page.scores[cut.scorer.canonical_name]
    finite = np.unique(scores[np.isfinite(scores)]).tolist()
    between = [(one + other) / 2 for one, other in itertools.pairwise(finite)]
    for cutoff in rng.sample([*finite, *between, 1e300, -1e300, 0.1, 1e-7, 3e21], k=min(6, len(finite))):
        yield replace(cut, cutoff=cutoff)
    for quota in (rng.choice((0.5, 12.5, 33, 50, 99.99)), 100.0):
        yield replace(cut, cutoff=quota, quota=True)


def cleaners(page: PageScores, seed: int) -> list[Cleaner]:
    rng = random.Random(seed)
    single = [
        one
        for scorer in SCORERS
        for headings in HEADINGS.choices
        for floor in (0, rng.choice((1, 5, 10_000)))
        for one in cutoffs(page, Cut(scorer, 0.5, str(headings), floor=floor), rng)
    ]
    several = [Cleaner(tuple(rng.sample(single, k=rng.choice((2, 3))))) for _ in range(300)]
    return [Cleaner(), *(Cleaner((cut,)) for cut in single), *several]


CUT = """
([scorers, page, cleaners]) => {
  const byName = Object.fromEntries(scorers.map((scorer) => [scorer.name, scorer]));
  const decoded = cutting.decode(page);
  return cleaners.map((cuts) => {
    const mask = cutting.mask(decoded, byName, cuts);
    return [mask.join(""), cutting.keptText(decoded, mask), cutting.name(byName, cuts)];
  });
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [lambda: scored(HTML), strange, lambda: scored(""), lambda: scored("<p>one")],
    ids=["a page", "strange scores", "no text", "one word"],
)
def test_the_browser_cuts_as_the_cleaner_does(browser: Browser, written: Path, make: Callable[[], PageScores]) -> None:
    page = make()
    browser.open(written)
    tried = cleaners(page, 20)
    given: list[Any] = [[*map(scorer_view, SCORERS)], page_view(shown(page)), [cuts_view(cleaner) for cleaner in tried]]
    segments = page.segments
    assert segments is not None
    layout = Layout(
        segments.block_of_sentence,
        segments.words_in_sentences,
        segments.is_heading,
        np.array([0, len(segments.block_ends)]),
        lambda: [at for at in [find_headline(segments.blocks, segments.levels.tolist())] if at is not None],
    )
    kept = set()
    for cleaner, (mask, text, name) in zip(tried, browser.page.evaluate(CUT, given), strict=True):
        expected = "".join(map(str, sentence_mask(cleaner, page.scores, layout).astype(int)))
        assert (mask, text, name) == (expected, clean_page(page, cleaner).text, cleaner.name)
        kept.add(mask)
    assert len(tried) > 500 or len(layout.blocks) < 2
    assert len(kept) > min(50, len(layout.blocks)), "the cleaners keep different things"


def test_numbers_are_printed_as_in_names(browser: Browser, written: Path) -> None:
    browser.open(written)
    rng = random.Random(3)
    words = next(scorer for scorer in SCORERS if scorer.name == "words")
    numbers = [0.0, 1.0, 1e-4, 9.9e-5, 1e-7, 1.5e-10, 1e21, 1e22, 123456789012345680.0, 0.1, 1e16, 12345.678, 2.5e-300]
    numbers += [rng.uniform(0, 10) ** rng.randint(-30, 30) for _ in range(500)]
    shown = browser.page.evaluate("(numbers) => numbers.map(cutting.printed)", numbers)
    assert [f"words@{one}" for one in shown] == [Cut(words, number).name for number in numbers]


def test_steps_are_the_scores_that_are_cutoffs_from_the_laxest(browser: Browser, written: Path) -> None:
    page = strange()
    browser.open(written)
    for scorer in SCORERS:
        view = scorer_view(scorer)
        steps = browser.page.evaluate(
            "([page, scorer]) => cutting.steps(cutting.decode(page), scorer)", [page_view(shown(page)), view]
        )
        scores = page.scores[scorer.canonical_name]
        allowed = {
            float(str(score + np.float32(0)))
            for score in scores[np.isfinite(scores)]
            if (view["low"] is None or score >= view["low"]) and (view["high"] is None or score <= view["high"])
        }
        assert steps == sorted(allowed, reverse=view["keep"] == "low")
