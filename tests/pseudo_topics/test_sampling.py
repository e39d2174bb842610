"""Samples by site, and pages without what their topics are made of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from in_process import write_lines

from thresher.collections import documents, open_collection
from thresher.pseudo_topics.link_tables import Store
from thresher.pseudo_topics.sampling import PAGES, sample_by_site, without_topics, write_sample


def test_each_site_has_its_share_of_a_sample() -> None:
    sites = np.repeat(np.array([7, 3, 9], dtype=np.uint64), [500, 300, 200])
    keys = np.random.default_rng(0).permutation(1000).astype(np.uint64)
    good = np.arange(1000) != 999
    store = Store(Path(), (), np.array([0, 1000]), good, keys, sites, {}, {}, {})
    always = np.arange(1000) == 0
    mask = sample_by_site(store, 100, always)
    assert not mask[999]
    assert mask[0]
    shares = Counter(sites[mask & ~always].tolist())
    assert all(abs(shares[site] - size) <= 1 for site, size in ((7, 50), (3, 30), (9, 20)))
    # The order of pages does not matter.
    order = np.random.default_rng(1).permutation(1000)
    mixed = Store(Path(), (), np.array([0, 1000]), good[order], keys[order], sites[order], {}, {}, {})
    assert set(keys[order][sample_by_site(mixed, 100)]) == set(keys[sample_by_site(store, 100)])
    assert sample_by_site(store, 5000).tolist() == good.tolist()


@pytest.mark.parametrize(
    ("source", "topics", "left"),
    [
        ("<TITLE>Rye &amp; oats | Mill</TITLE><h1 id=a>Rye &amp; <i>Oats</i></h1><h2>Wheat</h2>", [], "<h2>Wheat</h2>"),
        ("<title>Rye</title><h3>Rye\nand bread</h3><h3>Ryes</h3>", [], "<h3>Ryes</h3>"),
        ("<title></title><h1>Rye</h1>", [], "<h1>Rye</h1>"),
        ("<li><a>Rye bread</a><p>Rye bread rises.", ["rye BREAD"], "<li><a></a><p>Rye bread rises."),
        ("<p>It rises. Rye bread\n rises well. Yes.", ["Rye bread rises well."], "<p>It rises.  Yes."),
    ],
)
def test_what_topics_are_made_of_is_removed(source: str, topics: list[str], left: str) -> None:
    assert without_topics(source, topics) == left


@pytest.mark.parametrize(
    ("topics", "left"),
    [
        (None, {name: f"<title>{name} é</title><p>About {name}." for name in "ac"}),
        ({"c": ["About c."]}, {"a": "<p>About a.", "c": "<p>"}),
    ],
)
def test_a_sample_is_written(tmp_path: Path, topics: dict[str, list[str]] | None, left: dict[str, str]) -> None:
    pages = {name: (f"http://x.org/{name}", f"<title>{name} é</title><p>About {name}.") for name in "abc"}
    write_lines(tmp_path / "pages.jsonl", pages)
    write_sample(open_collection(tmp_path / "pages.jsonl"), {"a", "c"}, tmp_path / PAGES, topics)
    # Neither a name nor a time: the same pages are the same bytes.
    assert (tmp_path / PAGES).read_bytes()[3:8] == bytes(5)
    found = {one.id: (one.url, (one.content or b"").decode()) for one in documents(open_collection(tmp_path / PAGES))}
    assert found == {name: (f"http://x.org/{name}", html) for name, html in left.items()}
