"""What blocks are: of a page with all kinds, and of pages that are gone or have changed."""

from __future__ import annotations

from pathlib import Path

from thresher.collections import open_collection
from thresher.explaining.explanations import BlockKind
from thresher.explaining.passages import block_kinds, kinds_of
from thresher.pages import Detail, read_html, read_text_page
from thresher.passes.backends import Backend
from thresher.scorers.cleaners import parse_cleaner
from thresher.scoring.score_pass import ScorePlan, score_collection

PAGE = """<title>Oats</title><h2>Rye</h2><p>Some text.</p>
<ul><li>an item <li><a href="x">all of it a link</a> <li><p>a paragraph in an item</p></ul>
<table><caption>of grain</caption><tr><th>name<td>price <a href="y">more</a> here<td><p>a paragraph in a cell</p>
<tr><td><ul><li>an item in a cell</ul></table>
<dl><dt>oat<dd>a cereal</dl><div>a <a href="z">b</a></div><pre>code</pre>bare"""
KINDS = {
    "Oats": BlockKind.TITLE,
    "Rye": BlockKind.HEADING,
    "Some text.": BlockKind.TEXT,
    "an item": BlockKind.LIST,
    "all of it a link": BlockKind.LINK,
    "a paragraph in an item": BlockKind.TEXT,
    "of grain": BlockKind.TABLE,
    "name": BlockKind.TABLE,
    "price more here": BlockKind.TABLE,
    "a paragraph in a cell": BlockKind.TEXT,
    "an item in a cell": BlockKind.LIST,
    "oat": BlockKind.LIST,
    "a cereal": BlockKind.LIST,
    "a b": BlockKind.TEXT,
    "code": BlockKind.TEXT,
    "bare": BlockKind.TEXT,
}


def test_kinds_of_the_blocks_of_a_page() -> None:
    segments = read_html(PAGE, detail=Detail.ELEMENTS)
    assert dict(zip(segments.blocks, kinds_of(segments), strict=True)) == KINDS
    text = read_text_page("one\ntwo")
    assert kinds_of(text) == (BlockKind.TEXT, BlockKind.TEXT)


def test_pages_are_read_again_and_what_cannot_be_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b", "c", "empty"):
        (folder / f"{name}.html").write_text("" if name == "empty" else PAGE)
    plan = ScorePlan(open_collection(folder), (parse_cleaner("words@1").cuts[0].scorer,), most_pages=2)
    score_collection(plan, tmp_path / "scores", Backend(workers=1))
    wanted = {"a", "b", "c", "empty", "nowhere"}
    found, unread = block_kinds(tmp_path / "scores", plan, wanted)
    assert found == dict.fromkeys("abc", tuple(KINDS.values()))
    assert unread == set()
    (folder / "b.html").write_text(PAGE.replace("Rye", "Barley"))
    (folder / "c.html").unlink()
    found, unread = block_kinds(tmp_path / "scores", plan, wanted)
    assert unread == {"b", "c"}
    assert found["a"] == tuple(KINDS.values())
    assert found["b"] == found["c"]
    assert found["b"] == (BlockKind.TITLE, BlockKind.HEADING, *[BlockKind.TEXT] * (len(KINDS) - 2))
    assert block_kinds(tmp_path / "scores", plan, set()) == ({}, set())
