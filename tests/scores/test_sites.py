"""What repeats on a site: on how many pages each block's text stands, as scores and in titles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shard_rows import rows_of, store_rows
from troublesome import Listed

from thresher.api import clean_html
from thresher.base.errors import ConfigError
from thresher.base.processes import Backend
from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import Source
from thresher.experiments.page_samples import model_free_scorers
from thresher.pages import read_html
from thresher.scores.cutting import cleaned_documents
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.sites import compare_pages, read_site_shard, write_sites
from thresher.scores.store import (
    EMPTIED,
    FAILED,
    NO_COST,
    SCORED,
    PageScores,
    ShardReport,
    count,
    read_cost,
    read_shard,
    shard_path,
    shards,
    text_store,
    write_shard,
)

NAMES = ("repeated@3", "repeated(share)")


@dataclass(frozen=True)
class Web:
    """A page with its address, and what is expected of it: pages by block, and its own title."""

    html: str
    pages: Sequence[int]
    url: str = ""
    own_title: str = ""


def listed(pages: Sequence[tuple[str, str]]) -> Listed:
    """Return a collection of pages, each given by its address and its HTML."""
    sources: list[Source] = []
    for number, (url, html) in enumerate(pages):
        sources.append(Source(f"d{number}", "listed", len(html), number, content=html.encode(), url=url or None))
    return Listed(tuple(sources))


def scored(
    pages: Listed, store: Path, names: Sequence[str] = NAMES, workers: int = 1, sites: bool = True, shard_pages: int = 2
) -> None:
    scorers = tuple(scorer for name in names for scorer in parse_cleaner(name).scorers)
    plan = ScorePlan(pages, scorers, most_pages=shard_pages, sites=sites)
    score_collection(plan, store, Backend(workers=workers))


MENU = "<p>Menu"
CASES = {
    "a text counts once a page, whatever its case and white space": [
        Web("<p>Menu<p>a<p>MENU", [3, 1, 3]),
        Web("<p>me&#110;u<p>b", [3, 1]),
        Web("<p>\n Menu<!-- no --><p>c", [3, 1]),
    ],
    "blocks are whole": [Web("<p>Menu two<p>Menu", [1, 1]), Web("<p>Menu 2", [1])],
    "a site is a host": [
        Web(MENU, [2], "http://a.example/1"),
        Web(MENU, [2], "https://WWW.A.example:443/2"),
        Web(MENU, [1], "http://b.a.example/2"),
        Web(MENU, [1], "http://a.example:8080/"),
    ],
    "pages without an address are one site": [Web(MENU, [2]), Web(MENU, [1], "http://a.example/1"), Web(MENU, [2])],
    "pages without text are pages": [Web(MENU, [1]), Web("<script>1</script>", [])],
    "titles count by their parts": [
        Web("<title>Install | Guide - Site 2.1</title><p>Site 2.1", [1, 2], own_title="Install"),
        Web("<title>Run | Guide - Site 2.1</title>", [1], own_title="Run"),
        Web("<title>Guide - Site 2.1</title>", [3], own_title="Guide"),
        Web("<title>site 2.1</title>", [5], own_title="site 2.1"),
        Web("<title>Up: Down :: Site 2.1</title><p>Up", [1, 1], own_title="Up: Down"),
        Web("<p>Site 2.1", [2]),
    ],
    "a part between others repeats": [
        Web(f"<title>{name} · API · {name} of it</title>", [1], own_title=f"{name} · {name} of it") for name in "abc"
    ],
    "what stands on two pages does not repeat": [
        Web("<title>A - Site</title>", [1], own_title="A - Site"),
        Web("<title>Site - B</title>", [1], own_title="Site - B"),
        Web("<title>C</title>", [1], own_title="C"),
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_pages_that_have_a_block_and_own_titles(case: str, tmp_path: Path) -> None:
    webs = CASES[case]
    scored(listed([(web.url, web.html) for web in webs]), tmp_path / "store")
    rows = store_rows(tmp_path / "store")
    assert [row["score:repeated"] for row in rows] == [web.pages for web in webs]
    hosts = [web.url.casefold().replace("https://www.", "http://").replace(":443", "").split("/")[2:3] for web in webs]
    shares = []
    for web, host in zip(webs, hosts, strict=True):
        site_pages = hosts.count(host)
        shares.append([np.float32(pages / site_pages) if pages >= 3 else 0 for pages in web.pages])
    assert [row["score:repeated(share)"] for row in rows] == shares
    sites = [row for path in shards(tmp_path / "store") for row in rows_of(read_site_shard(path))]
    assert [row["own_title"] for row in sites] == [web.own_title for web in webs]


def test_pages_that_fail_do_not_count(tmp_path: Path) -> None:
    pages = listed([("", MENU)] * 4)
    sources = [*pages.items[:3], Source("d0", "listed", 9, 9, content=MENU.encode())]
    sources.append(Source("d9", "listed", 9, 10, problem="the record is broken"))
    scored(Listed(tuple(sources)), tmp_path / "store")
    rows = store_rows(tmp_path / "store")
    assert [row["score:repeated(share)"] for row in rows] == [[1], [1], [1], [], []]
    assert [row["status"] for row in rows] == [SCORED] * 3 + [FAILED] * 2


@pytest.mark.slow
def test_a_killed_pass_goes_on_and_bytes_do_not_depend_on_workers(tmp_path: Path) -> None:
    pages = listed([("", f"<title>{number} | Site</title>{MENU}<p>{number % 3}") for number in range(9)])
    names = [*NAMES, "words@2"]
    scored(pages, tmp_path / "one", names)
    scored(pages, tmp_path / "two", names, workers=2)
    expected = {path.name: path.read_bytes() for path in shards(tmp_path / "one")}
    assert {path.name: path.read_bytes() for path in shards(tmp_path / "two")} == expected
    # As if killed while the scores were written: some shards have them, and a folder of counts is left.
    (tmp_path / "two" / "complete.json").unlink()
    last = shards(tmp_path / "two")[-1]
    last.unlink()
    scored(pages, tmp_path / "two", names)
    assert {path.name: path.read_bytes() for path in shards(tmp_path / "two")} == expected
    assert {path.name for path in (tmp_path / "two").iterdir()} == {path.name for path in (tmp_path / "one").iterdir()}
    sites = [
        (tmp_path / name / "sites" / path.name).read_bytes()
        for name in ("one", "two")
        for path in shards(tmp_path / "one")
    ]
    assert sites[: len(expected)] == sites[len(expected) :]


def test_the_pass_tells_the_cost_of_comparing(tmp_path: Path) -> None:
    pages = listed([("", MENU)])
    scorers = parse_cleaner("repeated@3+words@2").scorers
    report = score_collection(ScorePlan(pages, scorers), tmp_path / "store", Backend(workers=1))
    costs = [read_cost(path) for path in shards(tmp_path / "store")]
    assert [set(cost.seconds) for cost in costs] == [{"pages", "words"}]
    assert set(report.seconds) == {"pages", "words", "repeated"}
    assert report.seconds["repeated"] > 0
    assert report.times.cpu > costs[0].times.cpu


def test_texts_of_other_packages_are_compared_with_each_other(plugin: Path, tmp_path: Path) -> None:
    # The extractor leaves the last paragraph out, which all pages have.
    page = "<title>T</title><p>line of {0}<p>a second line<p>the last"
    name = "extractor(first-lines)+repeated"
    scored(listed([("", page.format(name)) for name in "abc"]), tmp_path / "store", [f"{name}@2", "repeated@2"])
    rows = [
        row
        for path in shards(text_store(tmp_path / "store", "extractor(first-lines)"))
        for row in rows_of(read_shard(path))
    ]
    assert [row[f"score:{name}"] for row in rows] == [[1, 3]] * 3
    assert [row["score:repeated"] for row in store_rows(tmp_path / "store")] == [[3, 1, 3, 3]] * 3
    cleaned = {page.id: page.text for page in cleaned_documents(tmp_path / "store", parse_cleaner(f"{name}@2"))}
    assert cleaned == {"d0": "line of a", "d1": "line of b", "d2": "line of c"}


BLOCKS = st.sampled_from(["a", "B", "b", "ß", "SS", "c d"])
SITES = st.sampled_from(["", "http://x.example/1", "http://y.example/"])
PAGES = st.lists(
    st.tuples(SITES, st.sampled_from([SCORED, FAILED]), st.lists(BLOCKS, max_size=4)), min_size=1, max_size=12
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pages=PAGES, in_shard=st.integers(1, 5))
def test_counts_are_those_of_brute_force(
    pages: list[tuple[str, str, list[str]]], in_shard: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = tmp_path_factory.mktemp("store")
    stored: list[PageScores] = []
    for url, status, blocks in pages:
        segments = None if status == FAILED else read_html("".join(f"<p>{block}" for block in blocks))
        status = EMPTIED if segments and not segments.text else status
        stored.append(PageScores("d", status, url=url, segments=segments))
    for number in range(0, len(stored), in_shard):
        shard = stored[number : number + in_shard]
        report = ShardReport(len(shard), **count(shard), words=0, bytes=0, begin=None, first=None, after=0)
        part = next(Listed((Source("d", "listed", 1, 1),)).parts(1))
        write_shard(
            shard_path(store, replace(part, number=number)), shard, ["repeated", "repeated(share)"], report, NO_COST
        )
    compare_pages(store, parse_cleaner("repeated@3+repeated(share)@1").scorers, False, Backend(workers=1))
    rows = store_rows(store)
    sites = [page for page in pages if page[1] != FAILED]
    for (url, status, blocks), row in zip(pages, rows, strict=True):
        same_site = [{block.casefold() for block in others} for other_url, _, others in sites if other_url == url]
        expected = [sum(block.casefold() in others for others in same_site) for block in blocks]
        if status == FAILED:
            expected = []
        assert row["score:repeated"] == expected
        shares = [np.float32(pages / len(same_site)) if pages >= 3 else 0 for pages in expected]
        assert row["score:repeated(share)"] == shares


def test_a_single_page_is_no_site() -> None:
    with pytest.raises(ConfigError) as caught:
        clean_html("<p>Menu", "content@0.3+repeated@3")
    assert (caught.value.where, "clean a collection" in caught.value.fix) == ("repeated", True)
    with pytest.raises(ConfigError) as caught:
        parse_cleaner("repeated@3+pages(perplexity)@1000")
    assert "collection" in caught.value.what
    with pytest.raises(ConfigError) as caught:
        model_free_scorers(["repeated"])
    assert "collection" in caught.value.what
    assert "repeated" not in {scorer.name for scorer in model_free_scorers()}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("repeated@3", "repeated@3"),
        ("repeated(pages)@3", "repeated@3"),
        ("repeated(share)", "repeated(share)@0.01"),
        ("repeated( of = share , floor=5)@0.5", "repeated(share,floor=5)@0.5"),
        ("content@0.3+repeated@3", "content(headings=headline)@0.3+repeated@3"),
    ],
)
def test_names(written: str, name: str) -> None:
    assert parse_cleaner(written).name == name == parse_cleaner(name).name


def test_site_files_of_a_finished_store(tmp_path: Path) -> None:
    pages = listed([("", f"<title>{number} | Site</title>") for number in range(3)])
    scored(pages, tmp_path / "store", ["words@1"], sites=False)
    assert not (tmp_path / "store" / "sites").exists()
    write_sites(tmp_path / "store", Backend(workers=1))
    titles = [
        title for path in shards(tmp_path / "store") for title in read_site_shard(path).texts("own_title").tolist()
    ]
    assert titles == ["0", "1", "2"]
