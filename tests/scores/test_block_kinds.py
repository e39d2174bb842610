"""What blocks are: of a page with all kinds, and by walking up from every block of random and of real pages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.processes import Backend
from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import open_collection
from thresher.pages import Detail, Segments, read_html, read_text_page
from thresher.scores.block_kinds import KINDS, BlockKind, kinds_of
from thresher.scores.removed import explained_pages
from thresher.scores.score_pass import ScorePlan, score_collection

PAGE = """<html class="comments"><title>Oats</title>
<body class="footer"><nav><h2>Parts</h2><p>Start here</nav><h2>Rye</h2><p>Some text.</p>
<ul><li>an item <li><a href="x">all of it a link</a> <li><p>a paragraph in an item</p></ul>
<table><caption>of grain</caption><tr><th>name<td>price <a href="y">more</a> here<td><p>a paragraph in a cell</p>
<tr><td><ul><li><blockquote><p>an item in a cell</blockquote></ul><td><pre><a href="z">linked code</a></pre></table>
<dl><dt>oat<dd>a cereal</dl><div>a <a href="z">b</a></div><pre>code <b>bold</b></pre>
<div class="leftSidebar"><h3>See</h3><a href="1">one two</a><p>three</p></div>
<div id="side-bar sidebar"><p>text beside</p></div>
<div class="page has_footer"><h1>Bran</h1><p>wrapped</p></div>
<div role="contentinfo"><p>legal</p><div class="comment-list">a reply</div></div>
<footer><nav>links below</nav></footer><div class="menus">a plain menu</div>bare"""
KINDS_OF_PAGE = {
    "Oats": BlockKind.TITLE,
    "Parts": BlockKind.MENU,
    "Start here": BlockKind.MENU,
    "Rye": BlockKind.HEADING,
    "Some text.": BlockKind.TEXT,
    "an item": BlockKind.LIST,
    "all of it a link": BlockKind.LINK,
    "a paragraph in an item": BlockKind.LIST,
    "of grain": BlockKind.TABLE,
    "name": BlockKind.TABLE,
    "price more here": BlockKind.TABLE,
    "a paragraph in a cell": BlockKind.TEXT,
    "an item in a cell": BlockKind.LIST,
    "linked code": BlockKind.CODE,
    "oat": BlockKind.LIST,
    "a cereal": BlockKind.LIST,
    "a b": BlockKind.TEXT,
    "code bold": BlockKind.CODE,
    # Two of four words are in links.
    "See": BlockKind.MENU,
    "one two": BlockKind.MENU,
    "three": BlockKind.MENU,
    # None is.
    "text beside": BlockKind.TEXT,
    # An H1 is in it.
    "Bran": BlockKind.HEADING,
    "wrapped": BlockKind.TEXT,
    "legal": BlockKind.FOOTER,
    "a reply": BlockKind.COMMENT,
    "links below": BlockKind.FOOTER,
    "a plain menu": BlockKind.TEXT,
    "bare": BlockKind.TEXT,
}
INNERMOST = {
    **dict.fromkeys(("pre", "xmp"), BlockKind.CODE),
    **dict.fromkeys(("td", "th", "caption"), BlockKind.TABLE),
    **dict.fromkeys(("li", "dt", "dd"), BlockKind.LIST),
}
TAGS = ("p", "td", "li", "pre", "div", "nav", "footer", "h1", "h2", "blockquote", "a")


def kinds(segments: Segments) -> list[BlockKind]:
    return [KINDS[number] for number in kinds_of(segments).tolist()]


def walked(segments: Segments) -> list[BlockKind]:
    """The kinds by walking up from each block; of names, those that `named` makes."""
    elements = segments.elements
    found = []
    for block, innermost in enumerate(elements.innermost.tolist()):
        around = []
        while innermost > 0:
            around.append(innermost)
            innermost = int(elements.parents[innermost])
        tags = [elements.descriptions[element].split(" ")[0] for element in around]
        regions = {{"nav": BlockKind.MENU, "footer": BlockKind.FOOTER}.get(tag) for tag in tags}
        for element in around:
            words = elements.descriptions[element].split(" ")[1:]
            inside = slice(elements.first_blocks[element], elements.after_blocks[element])
            if "comment" in words and not (segments.levels[inside] == 1).any():
                regions.add(BlockKind.COMMENT)
        level = int(segments.levels[block])
        structure = next((INNERMOST[tag] for tag in tags if tag in INNERMOST), BlockKind.TEXT)
        first = next((tag for tag in tags if tag in (*INNERMOST, "p", "blockquote")), "")
        if structure is BlockKind.TABLE and first in ("p", "blockquote"):
            structure = BlockKind.TEXT
        linked = 2 * segments.linked_words_in_blocks[block] > segments.words_in_blocks[block]
        choices = [
            (BlockKind.TITLE, level == 7),
            *((kind, kind in regions) for kind in (BlockKind.COMMENT, BlockKind.FOOTER, BlockKind.MENU)),
            (BlockKind.HEADING, level > 0),
            (BlockKind.CODE, structure is BlockKind.CODE),
            (BlockKind.LINK, linked),
            (structure, True),
        ]
        found.append(next(kind for kind, holds in choices if holds))
    return found


def test_kinds_of_the_blocks_of_a_page() -> None:
    segments = read_html(PAGE, detail=Detail.ELEMENTS)
    assert dict(zip(segments.blocks, kinds(segments), strict=True)) == KINDS_OF_PAGE
    assert set(KINDS_OF_PAGE.values()) == set(BlockKind)
    assert kinds(read_text_page("one\ntwo")) == [BlockKind.TEXT, BlockKind.TEXT]
    assert kinds(read_html("", detail=Detail.ELEMENTS)) == []


@given(st.lists(st.tuples(st.sampled_from(TAGS), st.booleans(), st.booleans(), st.sampled_from(("", "w", "1.")))))
def test_kinds_are_those_of_walking_up_from_each_block(steps: list[tuple[str, bool, bool, str]]) -> None:
    html = "".join(
        f"<{'' if begun else '/'}{tag}{' class=comment' * named * begun}>{text}" for tag, begun, named, text in steps
    )
    segments = read_html(f"<table><tr><td>{html}", detail=Detail.ELEMENTS)
    assert kinds(segments) == walked(segments)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            BlockKind.MENU,
            "nav navbar navigation menu menus crumb crumbs breadcrumb breadcrumbs sidebar toc toctree pagination pager",
        ),
        (BlockKind.FOOTER, "footer contentinfo colophon"),
        (BlockKind.COMMENT, "comment comments commentlist disqus reply replies"),
    ],
)
def test_regions_by_words_of_attributes(kind: BlockKind, words: str) -> None:
    for word in words.split():
        for value in (word, f"the{word.title()}", f"left_{word.upper()}", f"x {word}-2"):
            link = f"<div class='{value}'><a>go</a></div>"
            assert kinds(read_html(link, detail=Detail.ELEMENTS)) == [kind], value
    for word in ("unavailable", "menuetto", "pageant", "foot", "replica"):
        link = f"<div class='{word}'><a>go</a></div>"
        assert kinds(read_html(link, detail=Detail.ELEMENTS)) == [BlockKind.LINK]


def test_the_store_has_the_kinds_of_every_block(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text(PAGE)
    (tmp_path / "pages" / "b.html").write_text("")
    cleaner = parse_cleaner("words@1")
    # A scorer that needs neither marks nor elements of the page.
    score_collection(
        ScorePlan(open_collection(tmp_path / "pages"), cleaner.scorers), tmp_path / "scores", Backend(workers=1)
    )
    assert {page.id: page.kinds for page in explained_pages(tmp_path / "scores", cleaner)} == {
        "a": tuple(KINDS_OF_PAGE.values()),
        "b": (),
    }


@pytest.mark.slow
def test_menus_and_footers_of_real_pages_are_rarely_content(shared_data: Path) -> None:
    """Of the words in menus and footers, fewer than one in twenty are in the gold standard's text."""
    folder = shared_data / "cleaning" / "aeb"
    gold = json.loads((folder / "ground-truth.json").read_text())
    counts = np.zeros((2, len(KINDS)), dtype=np.int64)
    for path in sorted((folder / "html").glob("*.html.gz"))[:60]:
        segments = read_html(gzip.decompress(path.read_bytes()), detail=Detail.ELEMENTS)
        body = " ".join(gold[path.name.removesuffix(".html.gz")]["articleBody"].split())
        for text, kind, words in zip(
            segments.blocks, kinds_of(segments).tolist(), segments.words_in_blocks.tolist(), strict=True
        ):
            counts[:, kind] += words, words * (words >= 3 and text in body)
    share = dict(zip(KINDS, (counts[1] / np.maximum(counts[0], 1)).tolist(), strict=True))
    assert share[BlockKind.MENU] < 0.05
    assert share[BlockKind.FOOTER] < 0.05
    assert share[BlockKind.TEXT] > 0.5
