"""The side-by-side page: what it shows, that it needs nothing else, and that no text of a page becomes markup."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lxml import html

from thresher.reports.side_by_side import write_side_by_side
from thresher.scorers.bte import BodyText
from thresher.scorers.cleaners import Cut
from thresher.scorers.words import Words
from thresher.scoring.removed import DROPPED, FLOORED, PASSED, JudgedPage, JudgedSegment, SegmentVerdict

WORDS, BTE = Cut(Words(), 5), Cut(BodyText(), 0.5)
EVIL = '</del><script>alert("x")</script><img src=http://x.example/ onerror=x> &amp; \'"'


def segment(block: int, text: str, words: float, bte: float = 1.0) -> JudgedSegment:
    return JudgedSegment(
        block,
        text,
        (
            SegmentVerdict(WORDS, words, PASSED if words >= 5 else DROPPED),
            SegmentVerdict(BTE, bte, PASSED if bte else DROPPED),
        ),
    )


PAGES = (
    JudgedPage(
        "one",
        (
            segment(0, "Home", 1, 0),
            segment(1, "Rain is expected in the north tonight.", 7),
            segment(1, "Bring", 1),
            segment(2, "Five words of a menu", 5, 0),
        ),
    ),
    JudgedPage("two", ()),
    JudgedPage(EVIL, (segment(0, EVIL, 2), segment(1, EVIL, 9))),
)


def written(tmp_path: Path) -> html.HtmlElement:
    path = tmp_path / "side.html"
    write_side_by_side(iter(PAGES), "words@5+bte", path)
    return html.document_fromstring(path.read_text(encoding="utf-8"))


def texts(elements: list[html.HtmlElement]) -> list[str]:
    return [" ".join(element.text_content().split()) for element in elements]


def test_what_the_floor_keeps_is_marked(tmp_path: Path) -> None:
    cut = Cut(Words(), 5, floor=2)
    outcomes = ((7, PASSED), (2, FLOORED), (1, DROPPED))
    segments = tuple(
        JudgedSegment(block, f"text {block}", (SegmentVerdict(cut, words, outcome),))
        for block, (words, outcome) in enumerate(outcomes)
    )
    path = tmp_path / "side.html"
    write_side_by_side([JudgedPage("one", segments)], cut.name, path)
    rows = html.document_fromstring(path.read_text(encoding="utf-8")).xpath("//div[@class='row']")
    assert [texts(row.xpath("./p")) for row in rows] == [
        ["text 0", "text 0"],
        ["text 1kept by the floor", "text 1"],
        ["text 2words 1", ""],
    ]


def test_left_is_all_right_is_what_is_left(tmp_path: Path) -> None:
    page = written(tmp_path)
    assert page.findtext(".//title") == "What words@5+bte removes"
    sections = page.xpath("//section")
    assert texts(page.xpath("//section/header")) == [
        "one 1 of 4 segments kept",
        "two 0 of 0 segments kept",
        f"{EVIL} 1 of 2 segments kept",
    ]
    rows = sections[0].xpath("./div[@class='row']")
    assert [texts(row.xpath("./p")) for row in rows] == [
        ["Homewords 1, bte", ""],
        ["Rain is expected in the north tonight. Bringwords 1", "Rain is expected in the north tonight."],
        ["Five words of a menubte", ""],
    ]
    assert [(gone.text, gone.get("title")) for gone in sections[0].xpath(".//del")] == [
        ("Home", "words@5: 1 is below 5; bte: dropped"),
        ("Bring", "words@5: 1 is below 5"),
        ("Five words of a menu", "bte: dropped"),
    ]
    assert texts(sections[1].xpath("./p")) == ["There is no text on this page."]


def test_text_stays_text_and_nothing_is_fetched(tmp_path: Path) -> None:
    page = written(tmp_path)
    assert not page.xpath("//script | //img | //link | //iframe | //object | //embed | //base | //@src | //@href")
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    assert page.xpath("//section[3]//del/text()") == [EVIL]
    assert page.xpath("//section[3]/div[2]/p[2]")[0].text_content().strip() == EVIL
    style = page.findtext(".//style") or ""
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style


def test_pages_are_read_one_by_one(tmp_path: Path) -> None:
    """What has been read is written soon: memory does not hold the collection."""
    path = tmp_path / "side.html"
    sizes = []

    def pages() -> Iterator[JudgedPage]:
        for number in range(200):
            sizes.append(path.stat().st_size)
            yield JudgedPage(f"page{number}", (segment(0, "word " * 2000, 2000),))

    write_side_by_side(pages(), "words@5+bte", path)
    assert path.stat().st_size - sizes[-1] < path.stat().st_size / 10
    assert html.document_fromstring(path.read_text(encoding="utf-8")).xpath("count(//section)") == 200
