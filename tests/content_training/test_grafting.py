"""Articles with threads of other pages below them."""

from collections.abc import Iterator

import numpy as np
import pytest
from gold_pages import write_gold_pages

from content_training.gold_sets import read_gold_sets
from content_training.threads import grafted_pages
from content_training.training_pages import domain, folds_of
from thresher.evaluation.cleaneval.gold import GoldPage, read_gold

PAGES = 24
FOLDS = 2


def made() -> Iterator[tuple[str, str, str]]:
    """Give articles and forums, each with a thread whose words no other page has."""
    for number in range(PAGES):
        posts = "".join(f"<li><p>{f'said{number} ' * 40}</p></li>" for _ in range(4))
        story = " ".join(f"word{number}x{place}" for place in range(90))
        html = (
            f"<title>t</title><body><div id=menu>menu</div><div id=story><p>{story}</p></div>"
            f'<script>x</script><ul class="CommentList">{posts}</ul><p>end</p>'
        )
        yield (html, "article", story) if number % 3 else (html, "forum", f"{story}\n{f'said{number} ' * 160}")


@pytest.fixture(scope="module")
def gold(tmp_path_factory) -> tuple[GoldPage, ...]:
    return read_gold(write_gold_pages(tmp_path_factory.mktemp("gold") / "made", made())).pages


@pytest.fixture(scope="module")
def grafted(gold):
    return grafted_pages(gold, FOLDS, 1)


def test_some_articles_have_a_thread_more_that_is_no_content(gold, grafted):
    assert 4 <= len(grafted) < 16
    types = {page.stem: page.page_type for page in gold}
    for page in grafted:
        assert types[page.stem] == "article"
        assert page.bags is None
        words = page.features.words
        # The story, and no word of the page's own thread nor of the other.
        assert float(words @ page.labels) == 90
        own = words[words == 40]
        assert len(own) in (4 + 2, 4 + 3, 4 + 4)
        assert (page.labels[words == 40] == 0).all()


def test_the_same_again_for_any_number_of_workers(gold, grafted):
    again = grafted_pages(gold, FOLDS, 2)
    assert [page.stem for page in again] == [page.stem for page in grafted]
    for one, other in zip(again, grafted, strict=True):
        assert np.array_equal(one.features.values, other.features.values)


def test_threads_are_of_the_same_fold(gold, grafted):
    # With a fold for each page, or nearly, there is no other page to take a thread from.
    many = 1_000_003
    folds = folds_of([domain(page.url) for page in gold], many)
    assert len(set(folds.tolist())) == PAGES
    assert grafted_pages(gold, many, 1) == []


def test_sets_count_their_own_pages_alone(gold, grafted):
    folder = gold[0].path.parents[1]
    (one,), _ = read_gold_sets([folder], synthetic_folds=FOLDS)
    assert one.about.pages == PAGES
    assert len(one.pages) == PAGES + len(grafted)


def test_without_whole_gold_there_is_nothing_to_graft(gold):
    assert grafted_pages([], FOLDS, 1) == []
