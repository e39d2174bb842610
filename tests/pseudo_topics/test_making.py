"""Pseudo-topics of small collections, against topics worked out by hand."""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from dask_cluster import dask_cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import check_counts, made_of, write_lines

from thresher.collections import IdRule, ReadOptions
from thresher.evaluation import read_qrels, read_topics
from thresher.pseudo_topics import ANCHORS, SOURCES, TITLES, Made, PseudoOptions, make_pseudo_topics
from thresher.pseudo_topics.candidates import shares
from thresher.pseudo_topics.extracting import LINK_REASONS
from thresher.scores.backends import Backend
from thresher.scores.parts import Limits

ODD_LINKS = """<html><head><base target=x><title>  Barley &amp;
 wheat </title><script>document.write('<a href="rye.html">Scripted rye bread</a>')</script></head><body>
<a href="rye.html">Rye <b>and</b> its\tbread</a> <A HREF='rye.html#top'>RYE, and its bread!</A>
<a href="sub/../%72ye.html?">rye and its bread</a>
<a href=" /sub/oats%20porridge.html ">Porridge
 of oats</a>
<a href="./sub/">Folder of grain</a> <a href="sub/index.html">Folder of grain</a> <a href=sub>Folder of grain</a>
<a href="#here">A place on this page</a> <a href="">The page itself</a> <a href="barley.html?">Barley again here</a>
<a href="mailto:x@y.org">Write a letter</a> <a href="javascript:go()">Go there now</a> <a href="ftp://x.org/">Fetch files</a>
<a href="rye.html"><img src=x alt="Rye picture"></a> <a href="rye.html"> </a> <a href="rye.html">&raquo;</a>
<a href="rye.html">http://example.org/rye.html</a> <a href="rye.html">the rye</a> <a name="rye">No link at all</a>
<a href="rye.html">one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
 seventeen eighteen nineteen twenty</a>
<a href="https://example.org/">Another bakery</a> <a href="gone.html">A page that is gone</a>
<a href="rye.html">Read this page</a> <a href="sub/">Read this page</a>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    (pages / "sub").mkdir(parents=True)
    (pages / "barley.html").write_text(ODD_LINKS, encoding="utf-8")
    (pages / "rye.html").write_text("<title>Rye bread</title><a href=barley.html>Malted barley</a>")
    (pages / "sub" / "index.html").write_text("<title>rye - BREAD</title><a href=../barley.html>Brewing malt</a>")
    (pages / "sub" / "oats porridge.html").write_text(
        '<base href="../"><base href="/nowhere/"><title>404 Not Found</title><a href=barley.html>Brewing malt</a>'
    )
    return pages


ODD_COUNTS = {
    "all": 26,
    **dict(zip(LINK_REASONS, (3, 3, 3, 1, 1, 1, 4), strict=True)),
    "out of the collection": 2,
    "to several pages": 2,
    "navigation": 0,
    "with fewer votes than another text": 1,
    "used": 5,
}


def queries_of(made: Made) -> dict[str, tuple[str, ...]]:
    return {f"{topic.source}: {topic.query}": topic.documents for topic in made.topics}


def some(counts: Mapping[str, int]) -> dict[str, int]:
    return {reason: count for reason, count in counts.items() if count}


def test_a_folder_with_odd_links(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "out" / "topics"
    made = make_pseudo_topics(folder, output, reading=ReadOptions(IdRule(escape=True)), backend=Backend(workers=1))
    check_counts(made)
    assert queries_of(made) == {
        # The titles of rye and sub/index are one, but for case and punctuation, and so name no page.
        "titles: Barley & wheat": ("barley",),
        # More pages call it so than `Malted barley`.
        "anchors: Brewing malt": ("barley",),
        "anchors: RYE, and its bread!": ("rye",),
        "anchors: Folder of grain": ("sub/index",),
        "anchors: Porridge of oats": ("sub/oats%20porridge",),
    }
    assert some(made.counts["titles"]) == {"all": 4, "an error page": 1, "shared by several pages": 2, "topics": 1}
    assert made.counts["links"] == ODD_COUNTS
    assert [topic.id for topic in made.topics] == ["title-1", *(f"anchor-{number}" for number in range(1, 5))]
    topics, qrels = read_topics(output / "topics.tsv"), read_qrels(output / "qrels.txt")
    assert {topic.id: topic.query for topic in made.topics} == {topic.id: topic.query for topic in topics.values()}
    assert qrels == {topic.id: dict.fromkeys(topic.documents, 1) for topic in made.topics}
    about = json.loads((output / "pseudo-topics.json").read_text(encoding="utf-8"))
    assert about["counts"] == made.counts
    assert about["options"] == {"sources": ["titles", "anchors"], "topics": 500, "seed": 0, "stop_list": "English"}
    assert about["failures"] == {}
    assert sorted(path.name for path in output.parent.iterdir()) == ["topics"]
    # What is its own may be replaced.
    make_pseudo_topics(folder, output, PseudoOptions((TITLES,)), backend=Backend(workers=1))
    assert (output / "topics.tsv").read_text(encoding="utf-8") == "title-1\tBarley & wheat\n"


def test_pages_that_fail_are_counted_and_their_links_are_not(folder: Path) -> None:
    made = made_of(folder, PseudoOptions())
    check_counts(made)
    # The id holds a space.
    assert some(made.counts["documents"]) == {"all": 4, "with HTML": 3, "failed": 1}
    assert made.counts["links"]["all"] == 25
    assert "anchors: Porridge of oats" not in queries_of(made)


WEB = {
    "a": ("http://www.grain.org/", "<title>All the grain</title><a href=/rye?x=1>Rye with butter</a>"),
    "b": ("https://grain.org/rye?x=1", "<title>Rye | Grain</title><a href='//grain.org/index.html'>The grain page</a>"),
    "c": ("http://grain.org/rye/?x=1", "<title>Rye | Grain</title><a href=http://GRAIN.org:80>The Grain Page</a>"),
    "d": ("http://oats.org/x/", "<title>Oats | Grain</title><a href=../x/y>Oats\u2003全文</a>"),
    "e": ("http://oats.org/x/y", "<title>全文検索</title>"),
}


def write_warc(path: Path, pages: Mapping[str, tuple[str | None, str]]) -> None:
    blocks = []
    for document_id, (url, html) in pages.items():
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html.encode()
        fields = {
            "WARC-Type": "response",
            "WARC-TREC-ID": document_id,
            "WARC-Target-URI": url,
            "Content-Length": len(http),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        blocks.append(b"WARC/1.0\r\n" + head.encode() + b"\r\n" + http + b"\r\n\r\n")
    path.write_bytes(b"".join(blocks))


def test_a_dask_cluster_makes_the_same(tmp_path: Path) -> None:
    write_lines(tmp_path / "web.jsonl", WEB)
    options = PseudoOptions(SOURCES)
    with dask_cluster(tmp_path, 2, Path(__file__).parent, nannies=False) as cluster:
        there = make_pseudo_topics(tmp_path / "web.jsonl", tmp_path / "there", options, backend=cluster.backend)
    assert there == make_pseudo_topics(tmp_path / "web.jsonl", tmp_path / "here", options, backend=Backend(workers=1))
    for name in ("topics.tsv", "qrels.txt", "pseudo-topics.json"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_warc_and_json_lines_of_the_same_pages_give_the_same(tmp_path: Path) -> None:
    write_lines(tmp_path / "web.jsonl", WEB)
    write_warc(tmp_path / "web.warc", WEB)
    made = [
        make_pseudo_topics(tmp_path / name, tmp_path / f"{name}-topics", backend=Backend(workers=workers))
        for name, workers in (("web.jsonl", 1), ("web.warc", 2))
    ]
    assert made[0] == made[1]
    for name in ("topics.tsv", "qrels.txt"):
        assert len({(tmp_path / f"{kind}-topics" / name).read_bytes() for kind in ("web.jsonl", "web.warc")}) == 1
    assert queries_of(made[0]) == {
        "titles: All the grain": ("a",),
        # Two documents with one address are one page; what their site calls itself is of too few titles to be known.
        "titles: Rye | Grain": ("b", "c"),
        "titles: Oats | Grain": ("d",),
        "titles: 全文検索": ("e",),
        "anchors: Rye with butter": ("b", "c"),
        "anchors: The Grain Page": ("a",),
        "anchors: Oats 全文": ("e",),
    }


def test_navigation_and_texts_with_several_targets_find_nothing(tmp_path: Path) -> None:
    pages = {
        str(number): (
            f"http://x.org/{number}",
            f"<a href=0>Main menu</a><a href={(number + 1) % 6}>Turn the leaf</a>"
            f"<a href=http://y.org/>Bakery of oats</a><a href={number // 2}>Half of {'ABCDEF'[number // 2]} words</a>",
        )
        for number in range(6)
    }
    # Its five readers are on another site: what they call it is no navigation of its own.
    pages |= {f"y{number}": (f"http://z.org/{number}", "<a href=//y.org>Bakery of oats</a>") for number in range(5)}
    pages["y"] = ("http://y.org", "")
    write_lines(tmp_path / "web.jsonl", pages)
    made = made_of(tmp_path / "web.jsonl", PseudoOptions((ANCHORS,)))
    check_counts(made)
    assert queries_of(made) == {
        "anchors: Half of A words": ("0",),
        "anchors: Half of B words": ("1",),
        "anchors: Half of C words": ("2",),
        "anchors: Bakery of oats": ("y",),
    }
    links = some(made.counts["links"])
    assert links == {"all": 29, "to the page itself": 2, "to several pages": 6, "navigation": 5, "used": 16}


TEXTS = ("Barley field", "BARLEY: FIELD", "Rye", "the", "Wheat", "全文", "")
LONG_ENOUGH = {"Barley field": "barley", "BARLEY: FIELD": "barley", "Wheat": "wheat", "全文": "全文"}
LINKS = st.lists(st.tuples(st.integers(0, 7), st.sampled_from(TEXTS)), max_size=6)
GRAPHS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(TEXTS), LINKS), min_size=1, max_size=8)


@settings(deadline=None, max_examples=40)
@given(GRAPHS, st.integers(0, 3), st.integers(1, 20))
def test_topics_are_what_counting_in_dictionaries_gives_in_any_order(
    graph: list[tuple[int, str, list[tuple[int, str]]]], seed: int, most: int
) -> None:
    addresses = [f"http://host{site}.org/{number}" for number, (site, _, _) in enumerate(graph)]
    addresses += [f"http://host0.org/outside{number}" for number in range(len(graph), 8)]
    pages = {
        str(number): (
            addresses[number],
            f"<title>{title}</title>" + "".join(f"<a href={addresses[target]}>{text}</a>" for target, text in links),
        )
        for number, (_, title, links) in enumerate(graph)
    }
    both = []
    with TemporaryDirectory() as folder:
        for name, order in (("one", None), ("two", seed)):
            write_lines(Path(folder) / f"{name}.jsonl", pages, order)
            both.append(made_of(Path(folder) / f"{name}.jsonl", PseudoOptions(topics=most, seed=seed), 1 + seed))
        anchors = made_of(Path(folder) / "two.jsonl", PseudoOptions((ANCHORS,), 1000))
        titles = made_of(Path(folder) / "two.jsonl", PseudoOptions((TITLES,), 1000))
    assert both[0] == both[1]
    assert len(both[0].topics) <= most
    for made in (both[0], anchors, titles):
        check_counts(made)
    holders = [LONG_ENOUGH[title] for _, title, _ in graph if title in LONG_ENOUGH]
    assert queries_of(titles) == {
        f"titles: {title}": (str(number),)
        for number, (_, title, _) in enumerate(graph)
        if title in LONG_ENOUGH and holders.count(LONG_ENOUGH[title]) == 1
    }
    readers: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, (_, _, links) in enumerate(graph):
        for target, text in links:
            if text in LONG_ENOUGH and target != number:
                readers[LONG_ENOUGH[text]][target].add(number)
    best: dict[str, int] = {}
    for targets in readers.values():
        ((target, pages_with_it), *others) = targets.items()
        inside = not others and target < len(graph)
        if inside and sum(graph[number][0] == graph[target][0] for number in pages_with_it) < 5:
            best[str(target)] = max(best.get(str(target), 0), len(pages_with_it))
    assert {
        topic.documents[0]: len(readers[LONG_ENOUGH[topic.query]][int(topic.documents[0])]) for topic in anchors.topics
    } == best


def test_the_sample_is_drawn_at_random(tmp_path: Path) -> None:
    pages = {str(number): (f"http://x.org/{number}", f"<title>{number:03}grain</title>") for number in range(40)}
    write_lines(tmp_path / "web.jsonl", pages)
    drawn = {
        seed: {topic.documents for topic in made_of(tmp_path / "web.jsonl", PseudoOptions(topics=10, seed=seed)).topics}
        for seed in (0, 1)
    }
    assert [len(documents) for documents in drawn.values()] == [10, 10]
    assert drawn[0] != drawn[1]
    # A smaller sample is part of a larger one.
    assert {topic.documents for topic in made_of(tmp_path / "web.jsonl", PseudoOptions(topics=4)).topics} < drawn[0]


def test_a_page_that_takes_too_long_is_counted(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "long.html").write_text("<a href=x>word</a>" * 800_000)
    (pages / "short.html").write_text("<title>Short and sweet</title>")
    made = make_pseudo_topics(pages, tmp_path / "out", limits=Limits(seconds=0.5), backend=Backend(workers=2))
    assert queries_of(made) == {"titles: Short and sweet": ("short",)}
    assert some(made.counts["documents"]) == {"all": 2, "with HTML": 1, "failed": 1}
    about = json.loads((tmp_path / "out" / "pseudo-topics.json").read_text(encoding="utf-8"))
    assert about["failures"] == {"took longer than 0.5 s": 1}


def test_ranges_of_files_are_joined(tmp_path: Path) -> None:
    # Larger than a part: three ranges.
    filler = "<p>" + "x" * 9000
    pages = {str(n): (f"http://x.org/{n}", f"<title>{n:03}grain</title>{filler}") for n in range(600)}
    write_lines(tmp_path / "web.jsonl", pages)
    made = make_pseudo_topics(
        tmp_path / "web.jsonl", tmp_path / "out", PseudoOptions((TITLES,), 1000), backend=Backend(workers=2)
    )
    assert queries_of(made) == {f"titles: {n:03}grain": (str(n),) for n in range(600)}
    assert made.counts["documents"]["with HTML"] == 600


def test_an_archive_gives_what_its_folder_does(folder: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "pages.tar.gz", "w:gz") as archive:
        archive.add(folder, "deep")
    reading = ReadOptions(IdRule(escape=True))
    from_folder = make_pseudo_topics(folder, tmp_path / "one", reading=reading, backend=Backend(workers=1))
    reading = ReadOptions(IdRule(escape=True, prefix="deep"))
    from_archive = make_pseudo_topics(
        tmp_path / "pages.tar.gz", tmp_path / "two", reading=reading, backend=Backend(workers=1)
    )
    assert queries_of(from_archive) == queries_of(from_folder)
    assert from_archive.counts == from_folder.counts


@given(st.lists(st.integers(0, 9), min_size=1, max_size=3), st.integers(0, 40))
def test_shares(sizes: list[int], most: int) -> None:
    split = shares(sizes, most)
    assert sum(split) == min(most, sum(sizes))
    assert all(own <= size for own, size in zip(split, sizes, strict=True))
    # A source with less than another has used all its candidates.
    assert all(own == size or own >= max(split) - 1 for own, size in zip(split, sizes, strict=True))
