"""Samples of pages: evenly spread or by id; a page that fails costs only itself."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import thresher
from thresher.base.errors import ConfigError, InputError
from thresher.cleaners.scorer import BLOCK, Scorer, Scores
from thresher.collections import Source, open_collection
from thresher.experiments.page_samples import (
    FailedPage,
    SampleOptions,
    every_kth,
    find_sources,
    model_free_scorers,
    sample_collection,
    score_sources,
)
from thresher.pages import PageOptions, Segments
from thresher.scores.limits import Limits

RAIN = "<title>Weather</title><ul><li>Home</ul><p>Rain is expected in the north tonight."


@pytest.mark.parametrize("size", [0, 1, 4, 5, 19, 20, 21, 100, 1003])
def test_a_sample_is_evenly_spread(size: int) -> None:
    sample = every_kth(iter(range(size)), 5)
    assert len(sample) == min(size, 5)
    assert sample == sorted(set(sample))
    if size > 5:
        gaps = np.diff([*sample, size])
        assert sample[0] == 0
        assert gaps.min() >= size // 5 - size // 10 - 1
        assert gaps.max() <= size // 5 + size // 4 + 1


def test_reading_ends_with_the_last_named_page() -> None:
    def sources() -> Iterator[Source]:
        for name in "abcb":
            yield Source(name, f"{name}.html", 1, content=name.encode())
        raise AssertionError("read on")

    assert [*find_sources(sources(), ["c", "a", "c"])] == ["c", "a"]
    with pytest.raises(InputError, match="no page") as raised:
        find_sources([], ["x"])
    assert raised.value.where == "x"


def test_pages_of_a_collection_have_the_scores_of_every_scorer(tmp_path: Path) -> None:
    for name in ("rain", "snow", "fog"):
        (tmp_path / f"{name}.html").write_text(RAIN.replace("Rain", name))
    (tmp_path / "bad.html").write_bytes(b"\x1f\x8b" + bytes(100))
    sample = sample_collection(open_collection(tmp_path), SampleOptions(scorers=("links(count=tokens)",)))
    assert [page.id for page in sample.pages] == ["fog", "rain", "snow"]
    assert [(page.id, page.reason) for page in sample.failed] == [("bad", "not HTML: gzip")]
    names = [scorer.canonical_name for scorer in model_free_scorers(["links(count=tokens)"])]
    assert [scorer.canonical_name for scorer in sample.scorers] == names
    page = sample.pages[1]
    assert (page.title, page.blocks) == ("Weather", ["Weather", "Home", "rain is expected in the north tonight."])
    assert "".join(page.sentences) == page.text
    expected = thresher.score_html(RAIN.replace("Rain", "rain"), names).scores
    assert page.scores.keys() == expected.keys()
    for name, scores in expected.items():
        np.testing.assert_array_equal(page.scores[name], scores)
    assert '<x-block data-block="2">' in page.original
    named = sample_collection(open_collection(tmp_path), SampleOptions(ids=("snow", "fog")))
    assert [page.id for page in named.pages] == ["snow", "fog"]


def test_a_collection_without_a_page_to_show_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_bytes(b"\x1f\x8b" + bytes(100))
    with pytest.raises(InputError, match="not HTML: gzip"):
        sample_collection(open_collection(tmp_path), SampleOptions())
    with pytest.raises(ConfigError, match="whole collection"):
        model_free_scorers(["perplexity(lm=self)"])


@dataclass(frozen=True)
class Troublesome(Scorer):
    """Does to its process what a page asks for."""

    name = "troublesome"
    segment = BLOCK

    def score(self, segments: Segments) -> Scores:
        """Hang, crash, fail, or score 1."""
        if "hang" in segments.text:
            while True:
                time.sleep(0.01)
        if "crash" in segments.text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "fail" in segments.text:
            raise ValueError("no such page")
        return np.ones(len(segments.block_ends), dtype=np.float32)


@pytest.mark.slow
def test_a_page_that_hangs_crashes_or_fails_costs_only_itself() -> None:
    contents = ["good", "hang", "good", "crash", "fail", "x" * 2000, "good"]
    sources = [Source(f"{at}", "f", len(text), content=text.encode()) for at, text in enumerate(contents)]
    sources.append(Source("", "file.warc", 0, offset=7, problem="HTTP status 404"))
    pages = [*score_sources(sources, [Troublesome()], PageOptions(), Limits(seconds=5, mib=0.001))]
    reasons = {page.id: page.reason for page in pages if isinstance(page, FailedPage)}
    assert [page.id for page in pages] == [*map(str, range(7)), "file.warc at byte 7"]
    assert reasons.keys() == {"1", "3", "4", "5", "file.warc at byte 7"}
    for name, fact in (("1", "5 s"), ("3", "-9"), ("4", "ValueError: no such page"), ("5", "too large")):
        assert fact in reasons[name]
