"""Anchor texts of a small site, by hand, and of random links, by brute force."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from troublesome import Listed

from thresher.base.processes import Backend
from thresher.collections import Source, open_collection
from thresher.collections.interface import IdRule, ReadOptions
from thresher.pages.links import Link, PageLinks
from thresher.scores import anchors as anchors_module
from thresher.scores.anchors import LinkReport, text_weights
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.sites import read_link_report, read_site_shard, write_sites
from thresher.scores.store import (
    LINKS,
    NO_COST,
    SCORED,
    PageScores,
    ShardReport,
    count,
    read_shard,
    shard_path,
    shards,
    write_shard,
)

HOST = "http://x.example/"


def page(url: str, html: str) -> Source:
    content = html.encode()
    return Source(url.rpartition("/")[2] or "home", "listed", len(content), 0, content=content, url=url)


def anchors_of(store: Path) -> dict[str, dict[str, float]]:
    """Return the anchors of each page that has any, with their weights."""
    anchors: dict[str, dict[str, float]] = {}
    for path in shards(store):
        ids, site = read_shard(path, ["id"]).texts("id").tolist(), read_site_shard(path)
        for document_id, texts, weights in zip(
            ids, site.texts("anchor_texts").tolist(), site.lists("anchor_weights").tolist(), strict=True
        ):
            if texts:
                assert weights == sorted(weights, reverse=True)
                anchors[document_id] = dict(zip(texts.split("\n"), weights, strict=True))
    return anchors


def gathered(sources: Sequence[Source], store: Path, workers: int = 1) -> dict[str, dict[str, float]]:
    plan = ScorePlan(Listed(tuple(sources)), (), most_pages=2, sites=True, further=(LINKS,))
    score_collection(plan, store, Backend(workers=workers))
    return anchors_of(store)


SITE = [
    page(HOST, "<a href=a.html>About us</a><a href=b.html>Blog</a><a href=c.html>next</a><a href=/>Home</a>"),
    page(
        f"{HOST}a.html",
        "<a href=index.html>Home</a><a href=b.html?>the blog</a><a href=b.html>Blog</a><a href=#x>up</a>",
    ),
    page(
        f"{HOST}b.html", "<a href=/>Home</a><a href=a.html>next</a><a href='http://y.example/'>Y</a><a href=a.html></a>"
    ),
    page(
        f"{HOST}c.html", "<a href=/>Home</a><a href=b.html#y>Blog</a><a href=b.html>next</a><a href=mailto:x>Mail</a>"
    ),
    page(
        f"{HOST}print",
        "<link rel=canonical href=b.html><a href=b.html>Web</a><a href=b.html>Blog</a><a href=c.html>C</a>",
    ),
    page(
        f"{HOST}d.html",
        "<link rel=canonical href=/gone><a href=print>Print</a><a href=d.html>D</a><a href=gone>D too</a>",
    ),
    page(f"{HOST}e.html", "<a href=gone>D gone</a><a href=http://www.x.example/b.html>Blog</a>"),
]


def test_anchors_of_a_small_site(tmp_path: Path) -> None:
    # Linked to: home, a, b, c, d.
    targets = 5

    def weight(pages: int, named: int) -> float:
        return float(np.float32(log2(1 + pages) * log(targets / named) / log(targets)))

    expected = {
        # "next" names three pages, more than 1 % of five.
        "home": {"Home": weight(3, 1)},
        "a.html": {"About us": weight(1, 1)},
        # The print version's links to its canonical page are its own; links to the print version count for that page.
        "b.html": {"Blog": weight(4, 1), "Print": weight(1, 1), "the blog": weight(1, 1)},
        "c.html": {"C": weight(1, 1)},
        # It names a page that is not there.
        "d.html": {"D gone": weight(1, 1)},
    }
    assert gathered(SITE, tmp_path / "one") == expected
    report = LinkReport(inside=16, own=6, outside=1, unresolved=1, targets=targets)
    assert read_link_report(tmp_path / "one") == report
    assert gathered(SITE, tmp_path / "two", workers=2) == expected
    for path in shards(tmp_path / "one"):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
        other = tmp_path / "two" / "sites" / path.name
        assert (tmp_path / "one" / "sites" / path.name).read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("canonicals", "counts_for"),
    [
        # One page names another, names itself, names a page that is not there.
        ({"a": "b"}, {"a": "b", "b": "b"}),
        ({"a": "b", "b": "b"}, {"a": "b", "b": "b"}),
        ({"a": "gone"}, {"a": "a", "b": "b"}),
        # Two pages name each other; a chain; a ring.
        ({"a": "b", "b": "a"}, {"a": "a", "b": "b"}),
        ({"a": "b", "b": "c"}, {"a": "a", "b": "c", "c": "c"}),
        ({"a": "b", "b": "c", "c": "a"}, {"a": "a", "b": "b", "c": "c"}),
        # The canonical page names one that is not there.
        ({"a": "b", "b": "gone"}, {"a": "b", "b": "b"}),
    ],
)
def test_the_page_that_links_count_for(canonicals: dict[str, str], counts_for: dict[str, str], tmp_path: Path) -> None:
    links = "".join(f"<a href={name}>to {name}</a>" for name in counts_for)
    sources = [page(f"{HOST}index.html", links)]
    for name in ("a", "b", "c"):
        head = f"<link rel=canonical href={canonicals[name]}>" if name in canonicals else ""
        sources.append(page(f"{HOST}{name}", head))
    expected: dict[str, set[str]] = {}
    for name, target in counts_for.items():
        expected.setdefault(target, set()).add(f"to {name}")
    anchors = gathered(sources, tmp_path / "store")
    assert {target: {*texts} for target, texts in anchors.items()} == expected


@pytest.mark.parametrize("packed", [False, True])
def test_files_link_to_each_other_by_their_paths(packed: bool, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    (folder / "site" / "a-b").mkdir(parents=True)
    (folder / "site" / "index.html").write_text("<a href='a%2Db/c.html'>C</a><a href=/a%2Db/c.html>see C</a>")
    (folder / "site" / "a-b" / "c.html").write_text("<a href=../>Up</a><a href=c.html>C</a><a href=../../site/>no</a>")
    path = folder
    if packed:
        path = tmp_path / "pages.tar"
        with tarfile.open(path, "w") as archive:
            archive.add(folder, ".")
    collection = open_collection(path, ReadOptions(rule=IdRule(prefix="site")))
    score_collection(ScorePlan(collection, (), sites=True, further=(LINKS,)), tmp_path / "store", Backend(workers=1))
    assert anchors_of(tmp_path / "store") == {"index": {"Up": 1}, "a-b/c": {"C": 1, "see C": 1}}


def test_failed_pages_neither_link_nor_are_linked_to(tmp_path: Path) -> None:
    again = page(f"{HOST}a.html", "<a href=b.html>B again</a>")
    sources = [
        page(f"{HOST}a.html", "<a href=b.html>B</a>"),
        page(f"{HOST}b.html", "<a href=a.html>A</a><a href=c.html>C</a>"),
        replace(again, url=f"{HOST}c.html"),
    ]
    assert gathered(sources, tmp_path / "store") == {"a.html": {"A": 1}, "b.html": {"B": 1}}
    report = read_link_report(tmp_path / "store")
    assert report is not None
    assert report.outside == 1


def test_a_store_without_links_has_no_anchors(tmp_path: Path) -> None:
    score_collection(ScorePlan(Listed(tuple(SITE)), (), sites=True), tmp_path / "store", Backend(workers=1))
    assert anchors_of(tmp_path / "store") == {}
    assert read_link_report(tmp_path / "store") is None


@pytest.mark.parametrize(
    ("pages", "named", "all_targets", "weight"),
    [
        (1, 1, 1, 1),
        (3, 1, 1, 2),
        (1, 1, 1000, 1),
        (7, 1, 1000, 3),
        (1, 10, 1000, 2 / 3),
        (1, 10, 999, 0),
        (1, 2, 4, 0.5),
        (1, 3, 4, 0),
    ],
)
def test_weights(pages: int, named: int, all_targets: int, weight: float) -> None:
    assert text_weights(np.array([pages]), np.array([named]), all_targets).tolist() == [pytest.approx(weight)]


@dataclass(frozen=True)
class Linking:
    """A page: its address, the address that it names as canonical, and its links."""

    address: int | None
    canonical: int | None
    links: Sequence[tuple[int, str]]


ADDRESS = st.none() | st.integers(1, 6)
LINK = st.tuples(st.integers(1, 8), st.sampled_from(["", "a", "b", "c d", "é"]))
PAGES = st.lists(st.builds(Linking, ADDRESS, ADDRESS, st.lists(LINK, max_size=5, unique=True)), min_size=1, max_size=9)


def target_of(address: int, pages: Sequence[Linking]) -> int | None:
    """Return the number of the page that a link to an address counts for."""
    for number, linking in enumerate(pages):
        if linking.address == address:
            return identity_of(number, pages)
    for number, linking in enumerate(pages):
        if linking.canonical == address:
            return number
    return None


def identity_of(number: int, pages: Sequence[Linking]) -> int:
    """Return the number of the canonical page of a page if that names no other, else of the first page of its address."""
    canonical = named_page(number, pages)
    if canonical is not None and named_page(canonical, pages) in (None, canonical):
        return canonical
    return first_of_address(number, pages)


def named_page(number: int, pages: Sequence[Linking]) -> int | None:
    """Return the number of the page of the collection that a page names as canonical."""
    addresses = [linking.address for linking in pages]
    canonical = pages[number].canonical
    return addresses.index(canonical) if canonical is not None and canonical in addresses else None


def first_of_address(number: int, pages: Sequence[Linking]) -> int:
    """Return the number of the first page of a page's address, or its own."""
    if pages[number].address is None:
        return number
    return [linking.address for linking in pages].index(pages[number].address)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pages=PAGES, in_shard=st.integers(1, 4), partitions=st.integers(1, 5))
def test_anchors_are_those_of_brute_force(
    pages: list[Linking],
    in_shard: int,
    partitions: int,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(anchors_module, "_PARTITIONS", partitions)
    store = tmp_path_factory.mktemp("store")
    for number in range(0, len(pages), in_shard):
        scored = []
        for row, linking in enumerate(pages[number : number + in_shard]):
            links = PageLinks(linking.address, linking.canonical, tuple(Link(*link) for link in linking.links))
            scored.append(PageScores(str(number + row), SCORED, links=links))
        report = ShardReport(len(scored), **count(scored), words=0, bytes=0, begin=None, first=None, after=0)
        part = next(Listed((SITE[0],)).parts(1))
        write_shard(shard_path(store, replace(part, number=number)), scored, [], report, NO_COST, [LINKS])
    write_sites(store, Backend(workers=1))
    linking_pages: dict[tuple[int, str], set[int]] = {}
    for source, linking in enumerate(pages):
        for address, text in linking.links:
            target = target_of(address, pages)
            if target is not None and target not in (source, identity_of(source, pages)) and text:
                linking_pages.setdefault((target, text), set()).add(source)
    all_targets = len({target for target, _ in linking_pages})
    expected: dict[str, dict[str, float]] = {}
    for (target, text), sources in linking_pages.items():
        named = len({other for other, text_of_other in linking_pages if text_of_other == text})
        weight = text_weights(np.array([len(sources)]), np.array([named]), all_targets)
        if weight[0] > 0:
            expected.setdefault(str(target), {})[text] = float(weight[0])
    assert anchors_of(store) == expected
