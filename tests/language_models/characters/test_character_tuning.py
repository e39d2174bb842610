"""Cross-entropy over n and q, against each page under a model of the other folds' pages."""

import math

import numpy as np
import pytest
from character_oracle import Oracle, fold, windows
from hypothesis import given, settings
from hypothesis import strategies as st
from thresher.language_models.characters.tuning import QS, Tuning, tune

from thresher.errors import InputError
from thresher.language_models.characters.alphabet import LEXICAL, NON_LEXICAL, normalise

TEXT = st.text(st.sampled_from("ab 1|é"), min_size=1, max_size=10).map(normalise).filter(bool)
PAGE = st.lists(TEXT, min_size=1, max_size=4)


@settings(max_examples=40)
@given(st.lists(PAGE, min_size=4, max_size=7), st.integers(2, 4), st.booleans(), st.integers(0, 3))
def test_cross_entropy_is_that_of_the_formula(pages, folds, non_lexical, seed):
    most, qs = 4, (0.1, 0.5, 0.9)
    result = tune(pages, NON_LEXICAL if non_lexical else LEXICAL, most, qs, folds, seed)
    places = np.random.default_rng(seed).permutation(np.arange(len(pages)) % folds).tolist()
    for row, q in enumerate(qs):
        for n in range(1, most + 1):
            bits = []
            for number, page in enumerate(pages):
                others = [(other, []) for other, place in zip(pages, places, strict=True) if place != places[number]]
                oracle = Oracle(others, n, q, non_lexical)
                for text in page:
                    for window in windows(fold(text, non_lexical), n, n):
                        bits.append(-math.log2(oracle.smoothed(window, False)))
            assert result.bits[row][n - 1] == pytest.approx(math.fsum(bits) / len(bits), rel=1e-9)


def test_the_best():
    result = Tuning((0.1, 0.5), ((3.0, 2.5), (2.0, 2.0)))
    assert result.best == (1, 0.5, 2.0)


def test_the_folds_are_the_seed_s():
    pages = [[f"page number {number} of many", "home" * (number % 3)] for number in range(20)]
    first = tune(pages, LEXICAL, 3)
    assert first == tune(pages, LEXICAL, 3)
    assert first != tune(pages, LEXICAL, 3, seed=1)
    assert first.qs == QS == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    assert [len(row) for row in first.bits] == [3] * 9


def test_too_few_pages():
    with pytest.raises(InputError) as caught:
        tune([["text"], ["\u200b"], [], ["more"]], LEXICAL, 2, folds=3)
    assert str(caught.value) == "tune: 2 pages with text are too few for 3 folds. Fix: give more pages, or fewer folds."


def test_the_papers_figure_on_real_pages(shared_data):
    """Fig. 2: six characters do best at q = 0.6 or near, and longer ones want more smoothing."""
    from thresher.pages import read_html

    pages = [
        read_html(path.read_bytes()).blocks
        for path in sorted((shared_data / "cleaning" / "cleaneval-dev" / "input").iterdir())
    ]
    result = tune(pages, LEXICAL, 8)
    n, q, bits = result.best
    assert n in (5, 6, 7)
    assert 0.4 <= q <= 0.7
    assert 2.4 < bits < 2.9
    best_q = [QS[int(np.argmin(column))] for column in zip(*result.bits, strict=True)]
    assert best_q[1:] == sorted(best_q[1:])
    # Both papers: "higher-order models (e.g. n = 8) require extremely strong interpolation".
    assert best_q[7] >= 0.8
