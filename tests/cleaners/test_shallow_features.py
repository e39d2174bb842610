"""Link density by hand and against counting words one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cleaners.scorer import Scorer
from thresher.cleaners.scorers.shallow_features import Links
from thresher.pages import read_html

CHINESE = "我们在河边的老桥上走了一个下午"


def rounded(values: list[float]) -> list[float]:
    return np.array(values, dtype=np.float32).tolist()


@given(st.lists(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=1, max_size=5), max_size=5))
def test_links_of_blocks_of_words(blocks):
    """Runs of words, each linked or not."""
    html = "".join(
        "<p>" + " ".join(f"<a>{'w ' * count}</a>" if linked else "w " * count for linked, count in runs)
        for runs in blocks
    )
    shares = [sum(count for linked, count in runs if linked) / sum(count for _, count in runs) for runs in blocks]
    assert Links().score(read_html(html)).tolist() == rounded(shares)


@pytest.mark.parametrize(
    ("scorer", "html", "expected"),
    [
        (Links(), "<p><a>Home</a> | <a>News</a> today<p>•<p>So <a>it</a> is.", [2 / 3, 0, 1 / 3]),
        (
            Links(count="tokens"),
            "<p><a>Home |</a> | <a>N</a>ews today<p><a>•</a><p>So <a>it</a> is.",
            [3 / 5, 1, 1 / 3],
        ),
        (Links(), f"<p>{CHINESE}<a>{CHINESE}</a><p><a>{CHINESE}</a>", [0.5, 1]),
        (Links(), "", []),
    ],
)
def test_by_hand(scorer: Scorer, html: str, expected: list[float]) -> None:
    scores = scorer.score(read_html(html))
    assert scores.dtype == np.float32
    assert scores.tolist() == rounded(expected)
