"""Title bias, against comparing sets of words page by page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.collections.sources import Part
from thresher.evaluation.topics import Topic
from thresher.experiments.inputs import TopicSet
from thresher.experiments.locations import TopicSource
from thresher.experiments.outcome import title_bias
from thresher.experiments.results import TitleBias
from thresher.indexes.indexing import IndexOptions
from thresher.pages import read_html
from thresher.scores.store import (
    EMPTIED,
    FAILED,
    NO_COST,
    SCORED,
    PageScores,
    ShardReport,
    shard_path,
    write_shard,
)

PORTER = IndexOptions(stemmer="porter", stopwords=True)


def store(folder: Path, *shards: Mapping[str, str | None]) -> Path:
    """Write a store: HTML by id, None for a page that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, pages in enumerate(shards):
        scored = [
            PageScores(name, FAILED, "too large")
            if html is None
            else PageScores(name, SCORED if html else EMPTIED, segments=read_html(html))
            for name, html in pages.items()
        ]
        report = ShardReport(len(scored), len(scored), 0, 0, 7, 0, None, None, 0)
        write_shard(shard_path(folder, Part(number, 0, folder, "x")), scored, [], report, NO_COST)
    return folder


def topics(queries: Mapping[str, str], qrels: Mapping[str, Mapping[str, int]]) -> TopicSet:
    return TopicSet(
        {topic: Topic(topic, query) for topic, query in queries.items()},
        qrels,
        tuple(topic for topic in queries if topic in qrels),
        (),
        TopicSource(Path("t"), Path("q"), "title"),
        {},
    )


PAGES = {
    "title": "<title>Rivers and floods</title><p>Text.",
    "heading": "<title>Home</title><h3>The river's</h3><p>flood<h1>A flooding</h1>",
    "text": "<title>A river</title><p>flood",
    "empty": "",
    "failed": None,
}


def test_by_hand(tmp_path: Path) -> None:
    folder = store(tmp_path / "s", PAGES, {}, {"late": "<h6>flood, river"})
    judged = dict.fromkeys((*PAGES, "late", "elsewhere"), 1)
    asked = topics({"1": "river floods", "2": "the", "3": "home", "4": "text"}, {"1": judged, "2": judged, "3": judged})
    # "river floods" is in the title of one page and in headings of two, "home" in one title; "the" is no word.
    assert title_bias(folder, asked, PORTER) == TitleBias(15, 2, 4)
    graded = topics({"1": "river floods"}, {"1": {"title": 0, "heading": -1, "text": 1, "late": 2}})
    assert title_bias(folder, graded, PORTER) == TitleBias(2, 0, 1)
    assert title_bias(folder, asked, IndexOptions(stemmer="none", stopwords=True)) == TitleBias(15, 1, 1)
    nothing = topics({"2": "the"}, {"2": judged})
    assert title_bias(folder, nothing, PORTER) == TitleBias(5, 0, 0)
    assert title_bias(folder, nothing, PORTER).share == 0
    assert title_bias(folder, asked, PORTER).share == pytest.approx(4 / 15)


WORDS = st.lists(st.sampled_from(["oslo", "rain", "north", "Rain,"]), max_size=3).map(" ".join)
PAGE = st.tuples(WORDS, WORDS, WORDS)


@settings(max_examples=30)
@given(st.lists(PAGE, max_size=4), st.lists(WORDS.filter(bool), min_size=1, max_size=3), st.data())
def test_any_pages(tmp_path_factory: pytest.TempPathFactory, pages, queries, data) -> None:
    """Stemming changes none of these words."""
    names = [f"p{number}" for number in range(len(pages))]
    html = [f"<title>{title}</title><h2>{heading}</h2><p>{text}" for title, heading, text in pages]
    folder = store(tmp_path_factory.mktemp("s"), dict(zip(names, html, strict=True)))
    grades = {str(number): {name: data.draw(st.integers(-1, 2)) for name in names} for number in range(len(queries))}
    expected = [0, 0, 0]
    for topic, query in enumerate(queries):
        wanted = set(query.lower().replace(",", "").split())
        for name, (title, heading, _) in zip(names, pages, strict=True):
            if grades[str(topic)][name] > 0:
                of_title, of_heading = (set(text.lower().replace(",", "").split()) for text in (title, heading))
                expected[0] += 1
                expected[1] += wanted <= of_title
                expected[2] += wanted <= of_title | of_heading
    asked = topics({str(number): query for number, query in enumerate(queries)}, grades)
    assert title_bias(folder, asked, PORTER) == TitleBias(*expected)
