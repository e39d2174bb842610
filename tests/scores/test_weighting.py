"""Weighted text against text repeated by hand, and the decisions that its copies share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from odd_pages import score_odd_pages

from thresher.base.errors import StateError
from thresher.base.processes import Backend
from thresher.base.tables import Lists, Table, Texts, write_table
from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import open_collection
from thresher.evaluation.topics import About
from thresher.experiments.inputs import link_notices
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores.cutting import CleanedDocument, cleaned_documents
from thresher.scores.percentiles import resolved
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import LINKS, read_report, read_shard, shards
from thresher.scores.weighting import Weights, weighted_store

PAGES = {
    "a": "<title>Rain. A manual</title><h1>Rain falls. It is wet.</h1><p>Rain is water.</p><h2>Why</h2><p>Clouds cool.</p>",
    "b": "<p>No title here.</p><h3>Rain</h3><p>Some. More.</p>",
    "c": "<title>Only a title</title>",
    "d": "",
    "é": "<title>Ça</title><p>où</p><h2>日本。文</h2>",
}
ODD_CLEANERS = (
    "words@2",
    "words(headings=headline)@9",
    "words(headings=drop,floor=12)@30",
    "words(headings=keep)@doc70",
    "words@p1",
    "bte(floor=5)",
    "perplexity(lm=books,floor=9)@10",
    "words@1+perplexity(lm=books,headings=headline)@doc60",
)


def scored(folder: Path, pages: Mapping[str, str], *cleaners: str, links: bool = False) -> Path:
    (folder / "pages").mkdir(parents=True)
    for name, content in pages.items():
        (folder / "pages" / f"{name}.html").write_text(content, encoding="utf-8")
    scorers = tuple({cut.scorer for name in cleaners for cut in parse_cleaner(name).cuts})
    plan = ScorePlan(open_collection(folder / "pages"), scorers, further=(LINKS,) if links else (), sites=links)
    score_collection(plan, folder / "scores", Backend(workers=1))
    return folder / "scores"


def documents(store: Path, cleaner: str = "none") -> dict[str, CleanedDocument]:
    return {document.id: document for document in cleaned_documents(store, parse_cleaner(cleaner))}


def write_site(store: Path, own_titles: Mapping[str, str], anchors: Mapping[str, Sequence[tuple[str, float]]]) -> None:
    """Write what the site says of pages, by id: their titles without what repeats, texts of links and their weights."""
    for path in shards(store):
        ids = read_shard(path, ["id"]).texts("id").tolist()
        of_pages = [anchors.get(name, ()) for name in ids]
        columns = {
            "own_title": Texts.of([own_titles.get(name, "") for name in ids]),
            "anchor_texts": Texts.of(["\n".join(text for text, _ in of_page) for of_page in of_pages]),
            "anchor_weights": Lists.of([[weight for _, weight in of_page] for of_page in of_pages], np.float32),
        }
        (store / "sites").mkdir(exist_ok=True)
        write_table(store / "sites" / path.name, Table(columns), "")


def test_title_and_headings_stand_behind_the_page_as_often_as_they_weigh(tmp_path: Path) -> None:
    store = scored(tmp_path, PAGES)
    weighted = weighted_store(store, Weights(title=3, headings=2, anchors=0))
    texts = {name: page.text for name, page in documents(weighted).items()}
    own = "Rain. A manual\nRain falls. It is wet.\nRain is water.\nWhy\nClouds cool."
    assert texts == {
        "a": f"{own}\nRain. A manual\nRain. A manual\nRain falls. It is wet.\nWhy",
        "b": "No title here.\nRain\nSome. More.\nRain",
        "c": "Only a title\nOnly a title\nOnly a title",
        "d": "",
        "é": "Ça\noù\n日本。文\nÇa\nÇa\n日本。文",
    }


def test_a_title_counts_without_what_repeats_and_links_by_their_rounded_weights(tmp_path: Path) -> None:
    store = scored(tmp_path, PAGES, "words@1", links=True)
    anchors = [("the rain", 1.2), ("seldom", 0.4), ("often", 2.0)]
    write_site(store, {"a": "Rain", "c": "Only a title"}, {"a": anchors, "d": anchors})
    weighted = weighted_store(store, Weights(title=2, headings=1, anchors=1))
    own = documents(store)["a"].text
    linked = "the rain\noften\noften"
    assert documents(weighted)["a"].text == f"{own}\nRain\n{linked}"
    assert documents(weighted)["c"].text == "Only a title\nOnly a title"
    # The title of this page repeats on its site, and the page without text stays without.
    assert documents(weighted)["é"].text == documents(store)["é"].text
    assert documents(weighted)["d"].text == ""
    # No cleaner drops what other pages say.
    assert documents(weighted, "words@99")["a"].text == linked
    assert documents(weighted, "words@99")["a"].words == 0
    half = weighted_store(store, Weights(title=1, headings=1, anchors=0.5))
    assert documents(half)["a"].text == f"{own}\nthe rain\noften"


def test_what_other_pages_call_a_page_stands_behind_it(tmp_path: Path) -> None:
    pages = {
        "home": "<p>All pages<a href=rain.html>Rain</a><a href=snow.html>Snow</a><a href=fog.html>Fog</a>",
        "rain": "<h1>Showers</h1><a href=home.html>Home</a><a href=snow.html>More</a>",
        "snow": "<p>Flakes</p><a href=rain.html>Rain</a><a href=home.html>Home</a><a href=fog.html>More</a>",
        "fog": "<p>Mist<a href=rain.html>Wet weather</a>",
    }
    store = scored(tmp_path, pages, links=True)
    weighted = weighted_store(store, Weights(title=1, headings=1, anchors=1))
    own = {name: page.text for name, page in documents(store).items()}
    behind = {name: page.text[len(own[name]) :].split("\n")[1:] for name, page in documents(weighted).items()}
    # log2(1 + pages) times the idf of the text over the four targets: 1.58 of two pages, 1 of one; .5 where it names two.
    assert behind == {
        "home": ["Home"] * 2,
        "rain": ["Rain", "Rain", "Wet weather"],
        "snow": ["Snow", "More"],
        "fog": ["Fog", "More"],
    }
    assert list(link_notices(store)) == []


def test_where_no_page_links_to_another_that_is_said(tmp_path: Path) -> None:
    pages = {
        "a": "<p>Text<a href=a.html>Me</a><a href='http://x.example/'>Other</a>",
        "b": "<p>Text<a href=a.html></a>",
    }
    store = scored(tmp_path, pages, links=True)
    assert [about.about for about in link_notices(store)] == [About.UNLINKED]
    assert list(link_notices(scored(tmp_path / "other", pages))) == []
    weighted = weighted_store(store, Weights(anchors=1))
    assert documents(weighted) == documents(store)


def test_anchors_need_the_texts_of_links(tmp_path: Path) -> None:
    store = scored(tmp_path, PAGES)
    with pytest.raises(StateError) as caught:
        weighted_store(store, Weights(anchors=0.5))
    assert "links" in caught.value.what
    assert "--fresh" in caught.value.fix
    assert not (store / "weights").exists()


@pytest.fixture(scope="module")
def odd_store(once: Callable[[str, Callable[[Path], object]], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the store, into which weighted ones are written."""
    folder = tmp_path_factory.mktemp("odd")
    shutil.copytree(once("odd pages", score_odd_pages) / "scores", folder / "scores")
    return folder / "scores"


@pytest.mark.parametrize("cleaner", ODD_CLEANERS)
def test_copies_share_the_decision_on_their_block(odd_store: Path, cleaner: str) -> None:
    """Title and headings of what the cleaner keeps of the page, repeated by hand, are the weighted text."""
    weights = Weights(title=3, headings=2, anchors=0)
    own = resolved(odd_store, parse_cleaner(cleaner))
    unweighted = list(cleaned_documents(odd_store, own))
    weighted = {document.id: document for document in cleaned_documents(weighted_store(odd_store, weights), own)}
    compared = 0
    for path in shards(odd_store):
        table = read_shard(path)
        rows = {name: row for row, name in enumerate(table.texts("id").tolist())}
        for document in unweighted:
            if document.id not in rows:
                continue
            row = rows[document.id]
            copies = copied_lines(table, row, document.sentences)
            expected = "\n".join(filter(None, [document.text, *copies]))
            assert weighted[document.id].text == expected
            assert (weighted[document.id].words, weighted[document.id].title) == (document.words, document.title)
            compared += bool(copies)
    assert len(weighted) == len(unweighted)
    assert compared > 20 or "headings=drop" in cleaner, compared


def copied_lines(table: Table, row: int, sentences: Sequence[int]) -> list[str]:
    """The kept sentences of the title twice, then those of each heading once, each a line."""
    text, ends = table.texts("text")[row], [0, *table.lists("sentence_ends")[row].tolist()]
    lines: list[str] = []
    begin = 0
    for end, level in zip(table.lists("block_ends")[row].tolist(), table.lists("levels")[row].tolist(), strict=True):
        inside = [number for number in sentences if begin <= ends[number] < end]
        line = " ".join(text[ends[number] : ends[number + 1]].strip() for number in inside)
        if level and line:
            lines += [line] * (2 if level == TITLE_LEVEL else 1)
        begin = end
    return lines


@pytest.mark.parametrize("cleaner", ["none", "words@4", "words@doc40", "perplexity(lm=books)@3000"])
def test_a_cut_is_the_case_of_weights_0_and_1(odd_store: Path, cleaner: str) -> None:
    weighted = weighted_store(odd_store, Weights(title=1, headings=1, anchors=0))
    assert documents(weighted, cleaner) == documents(odd_store, cleaner)


def test_percentiles_are_those_of_the_page_itself(odd_store: Path) -> None:
    weighted = weighted_store(odd_store, Weights(title=9, headings=9, anchors=0))
    for name in ("words@p30", "perplexity(lm=books)@p70"):
        assert resolved(weighted, parse_cleaner(name)) == resolved(odd_store, parse_cleaner(name))


def test_bytes_are_the_same_in_whatever_order_and_however_often(odd_store: Path, tmp_path: Path) -> None:
    shutil.copytree(odd_store, tmp_path / "scores")
    store, weights = tmp_path / "scores", Weights(anchors=0)
    before = {path.name: path.read_bytes() for path in shards(store)}
    folder = weighted_store(store, weights)
    first = {path.name: path.read_bytes() for path in shards(folder)}
    assert first.keys() == before.keys()
    assert len(first) > 1
    last = max(folder.iterdir())
    changed = last.stat().st_mtime_ns
    for path in shards(folder)[:-1]:
        path.unlink()
    assert weighted_store(store, weights) == folder
    assert {path.name: path.read_bytes() for path in shards(folder)} == first
    assert last.stat().st_mtime_ns == changed
    assert [read_report(path) for path in shards(folder)] == [read_report(path) for path in shards(store)]
    # What people see is cut from the page's own store, which stays as it is.
    assert weighted_store(store, None) == store
    assert {path.name: path.read_bytes() for path in shards(store)} == before
