"""Articles cut short among other pages' sidebars."""

from collections.abc import Iterator

import numpy as np
import pytest
from gold_pages import write_gold_pages

from content_training.short_posts import short_posts
from content_training.training_pages import domain, folds_of
from thresher.evaluation.cleaneval.gold import GoldPage, read_gold

PAGES = 24
PARAGRAPHS = 20
FOLDS = 2


def made() -> Iterator[tuple[str, str, str]]:
    """Give articles of many paragraphs of 15 words, and sidebars of 45; every third page is a forum's."""
    for number in range(PAGES):
        story = [" ".join(f"w{number}x{part}x{place}" for place in range(15)) for part in range(PARAGRAPHS)]
        beside = " ".join(f"s{number}x{place}" for place in range(45))
        html = (
            f"<title>t</title><body><div id=page><div id=story>{''.join(f'<p>{part}</p>' for part in story)}</div>"
            f"<div class=sidebar><div>{beside}</div></div></div>"
        )
        yield html, "article" if number % 3 else "forum", "\n".join(story)


@pytest.fixture(scope="module")
def gold(tmp_path_factory) -> tuple[GoldPage, ...]:
    return read_gold(write_gold_pages(tmp_path_factory.mktemp("gold") / "made", made())).pages


@pytest.fixture(scope="module")
def posts(gold):
    return short_posts(gold, FOLDS, 1)


def test_the_beginning_of_each_article_is_the_only_content(gold, posts):
    assert [page.stem for page in posts] == [page.stem for page in gold if page.page_type == "article"]
    shortened = 0
    for page in posts:
        assert page.bags is None
        assert set(page.labels.tolist()) == {0.0, 1.0}
        words, kept = page.features.words, page.labels == 1
        # Its own paragraphs, in one piece from the first.
        first, last = np.flatnonzero(kept)[[0, -1]]
        assert kept[first : last + 1].all()
        assert (words[kept] == 15).all()
        shortened += kept.sum() < PARAGRAPHS
        assert kept.sum() in (PARAGRAPHS, *(-(-most // 15) for most in (25, 40, 60, 90, 130, 200)))
        # Its own sidebar and what came from other pages: paragraphs and headings of theirs, or their sidebar.
        others = words[~kept].tolist()
        assert len(others) > 1
        assert set(others) <= {1, 2, 3, 4, 5, 15, 45}
        assert 45 in others
    assert len(posts) / 2 < shortened < len(posts)


def test_the_same_again_for_any_number_of_workers(gold, posts):
    again = short_posts(gold, FOLDS, 2)
    assert [page.stem for page in again] == [page.stem for page in posts]
    for one, other in zip(again, posts, strict=True):
        assert np.array_equal(one.features.values, other.features.values)
        assert np.array_equal(one.labels, other.labels)


def test_parts_are_of_pages_of_the_same_fold(gold):
    # With a fold for each page there is no other to take parts from.
    many = 1_000_003
    assert len({*folds_of([domain(page.url) for page in gold], many).tolist()}) == PAGES
    assert short_posts(gold, many, 1) == []


def test_without_whole_gold_there_is_nothing_to_cut(gold):
    assert short_posts([], FOLDS, 1) == []
