"""What a page's blocks have in common: its share of content, and its own cutoff at a half, against all cutoffs one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.content_model.page_rules import for_page, with_share


def highest_expected_f1(probabilities: list[float], words: list[float]) -> float:
    """By definition: of all cutoffs, twice the expected words of content kept, by the words kept and those expected."""
    expected = sum(p * n for p, n in zip(probabilities, words, strict=True))
    found = []
    for cutoff in probabilities:
        kept = [(p, n) for p, n in zip(probabilities, words, strict=True) if p >= cutoff]
        found.append(2 * sum(p * n for p, n in kept) / (sum(n for _, n in kept) + expected))
    return max(found)


PAGES = st.lists(
    st.tuples(st.integers(0, 1000).map(lambda p: p / 1000), st.integers(1, 300).map(float)), min_size=1, max_size=12
)


@given(PAGES)
def test_a_half_is_half_the_highest_expected_f1_and_a_tenth(page):
    probabilities, words = (np.array(values) for values in zip(*page, strict=True))
    cutoff = 0.5 * highest_expected_f1(*zip(*page, strict=True)) + 0.1
    expected = [0.5 * p / cutoff if p <= cutoff else 1 - 0.5 * (1 - p) / (1 - cutoff) for p, _ in page]
    assert for_page(probabilities, words) == pytest.approx(expected)


@given(PAGES)
def test_the_order_stays(page):
    probabilities, words = (np.array(values) for values in zip(*page, strict=True))
    moved = for_page(probabilities, words)
    order = np.argsort(probabilities, kind="stable")
    assert (np.diff(moved[order]) >= 0).all()
    assert ((moved == 0) == (probabilities == 0)).all()


def test_where_nothing_is_sure_the_cutoff_is_lower():
    unsure, sure = (for_page(np.array([0.4, p]), np.array([100.0, 100.0]))[0] for p in (0.1, 1.0))
    assert unsure > 0.5 > sure


def with_other_prior(p: float, old: float, new: float) -> float:
    """Saerens et al. (2002), eq. 4: each class by its new prior over its old one, and normalised."""
    content, rest = p * new / old, (1 - p) * (1 - new) / (1 - old)
    return content / (content + rest)


@given(PAGES)
def test_the_share_of_content_is_a_prior_where_it_is_more_than_half(page):
    probabilities, words = (np.array(values) for values in zip(*page, strict=True))
    share = min(sum(p * n for p, n in page) / sum(n for _, n in page), 0.99)
    # A prior with the root of the share's odds.
    odds = math.sqrt(max(share / (1 - share), 1))
    expected = [with_other_prior(p, 0.5, odds / (1 + odds)) for p, _ in page]
    assert with_share(probabilities, words) == pytest.approx(expected)
    assert (np.diff(with_share(probabilities, words)[np.argsort(probabilities)]) >= 0).all()


def test_a_sentence_stays_on_a_page_without_a_template_and_goes_beside_one():
    content, sentence, menu = (0.9, 900.0), (0.4, 10.0), (0.02, 600.0)
    for beside, stays in (([], True), ([menu, menu], False)):
        probabilities, words = (np.array(values) for values in zip(content, sentence, *beside, strict=True))
        assert (for_page(with_share(probabilities, words), words)[1] >= 0.5) == stays


def test_a_page_without_words_has_the_same_probabilities():
    assert with_share(np.array([0.2, 0.9]), np.zeros(2)).tolist() == [0.2, 0.9]
