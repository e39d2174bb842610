"""What tags say about blocks: by hand, and against a walk over lxml's tree on random and real pages."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from page_oracle import DROPPED, LINES, tree_of, without_hidden

from thresher.pages import BLOCK_RULES, PageOptions, Segments, read_html, read_text_page
from thresher.pages.decoding import decode
from thresher.pages.parsing import PARAGRAPH_TAGS

VOID = "area base basefont br frame hr img input link meta param".split()
CONTROLS = ("button", "select", "textarea")


@dataclass
class Walk:
    """Everything about a page in the order of its tree, one entry a character that is no space, with what precedes it."""

    rule: str
    characters: list[str] = field(default_factory=list)
    links: list[bool] = field(default_factory=list)
    controls: list[bool] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    items: list[int] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)
    block: int = 0
    paragraph: int = 0
    item: int = 0
    tag: int = 0
    in_link: int = 0
    in_control: int = 0
    after_br: bool = False

    def text(self, value: str | None) -> None:
        for character in value or "":
            if character.isspace() or ord(character) < 32 or ord(character) == 127:
                continue
            self.after_br = False
            self.characters.append(character)
            self.links.append(self.in_link > 0)
            self.controls.append(self.in_control > 0)
            self.blocks.append(self.block)
            self.paragraphs.append(self.paragraph)
            self.items.append(self.item)
            self.tags.append(self.tag)

    def element(self, element: etree._Element) -> None:
        tag = element.tag
        if not isinstance(tag, str):
            return
        left_out = tag in DROPPED or element.get("left-out") is not None
        passes = tag not in LINES or left_out if self.rule == "join" else tag == "a"
        self.block += not passes
        if not left_out:
            self.begin(tag)
            self.text(element.text)
            for child in element:
                self.element(child)
                self.text(child.tail)
            self.end(tag)
        self.block += not passes

    def begin(self, tag: str) -> None:
        self.tag += 1
        self.paragraph += tag in PARAGRAPH_TAGS or tag == "title" or (tag == "br" and self.after_br)
        self.item += tag == "li"
        self.in_link += tag == "a"
        self.in_control += tag in CONTROLS
        self.after_br = tag == "br"

    def end(self, tag: str) -> None:
        self.tag += tag not in VOID
        self.paragraph += tag in PARAGRAPH_TAGS or tag == "title"
        self.in_link -= tag == "a"
        self.in_control -= tag in CONTROLS


def walked(utf8: bytes, rule: str) -> Walk:
    walk = Walk(rule)
    try:
        tree = tree_of(utf8)
    except etree.ParserError:
        tree = None
    if tree is not None:
        without_hidden(tree, utf8)
        # What stands behind the end of HTML may become a second root.
        for root in (tree, *tree.itersiblings()):
            walk.element(root)
    return walk


def check(segments: Segments, walk: Walk) -> None:
    marks = segments.marks
    assert "".join(walk.characters) == "".join(segments.text.split())
    firsts = [index for index, block in enumerate(walk.blocks) if index == 0 or block != walk.blocks[index - 1]]
    lasts = [*(first - 1 for first in firsts[1:]), len(walk.blocks) - 1] if firsts else []
    assert len(firsts) == len(segments.blocks)
    numbers = [walk.paragraphs[first] for first in firsts]
    assert marks.paragraphs.tolist() == [sorted(set(numbers)).index(number) for number in numbers]
    before = [0, *(walk.tags[last] for last in lasts)][: len(firsts)]
    assert marks.tags_before.tolist() == [walk.tags[first] - tag for first, tag in zip(firsts, before, strict=True)]
    inside = [walk.tags[last] - walk.tags[first] for first, last in zip(firsts, lasts, strict=True)]
    assert marks.tags_inside.tolist() == inside
    since = [0, *(walk.items[last] for last in lasts)][: len(firsts)]
    assert marks.is_list_item.tolist() == [
        walk.items[first] > count for first, count in zip(firsts, since, strict=True)
    ]
    assert marks.is_control.tolist() == [walk.controls[first] for first in firsts]
    linked = np.diff(marks.linked_before(np.arange(len(segments.text) + 1))) > 0
    inked = [index for index, character in enumerate(segments.text) if not character.isspace()]
    assert linked[inked].tolist() == walk.links


TAGS = "p div a b span br img h2 title svg noscript td li ul button select option section hr script dd form".split()
PIECES = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS]),
    st.sampled_from([f"</{tag}>" for tag in TAGS]),
    st.sampled_from([" ", "\n", "&nbsp;", "a", "b c", ".", "é", "\u3000", "<!-- x -->"]),
)


@given(st.lists(PIECES, max_size=30).map("".join), st.sampled_from(BLOCK_RULES))
def test_random_pages_against_the_tree(page: str, rule: str) -> None:
    check(read_html(page, PageOptions(rule)), walked(page.encode(), rule))


@pytest.mark.slow
def test_real_pages_against_the_tree(shared_data) -> None:  # type: ignore[no-untyped-def]
    checked = 0
    for folder, step in (("dragnet-300", 30), ("cleaneval-dev", 8), ("cleanportaleval", 15)):
        for path in sorted((shared_data / "cleaning" / folder / "input").iterdir())[::step]:
            utf8 = decode(path.read_bytes()).utf8
            segments, walk = read_html(utf8.decode()), walked(utf8, "join")
            check(segments, walk)
            checked += 1
    assert checked == 10 + 8 + 5


def test_paragraphs_end_at_their_tags_and_at_two_br() -> None:
    def paragraphs(html: str) -> list[int]:
        return read_html(html).marks.paragraphs.tolist()

    assert paragraphs("<p>a<p>b") == [0, 1]
    assert paragraphs("<div>a<br>b") == [0, 0]
    assert paragraphs("<div>a<br><br>b") == [0, 1]
    assert paragraphs("<div>a<br> <br>\n<br>b<br>c") == [0, 1, 1]
    assert paragraphs("<div>a<br>x<br>b") == [0, 0, 0]
    assert paragraphs("<div>a<br><img><br>b") == [0, 0]
    assert paragraphs("<div><b>a<br></b><br>b") == [0, 1]
    assert paragraphs("<div>a<br><b><br>b</b>") == [0, 0]
    assert paragraphs("<div>a<br><script>x</script><br>b") == [0, 1]
    assert paragraphs("<section>a</section><section>b</section>") == [0, 0]
    assert paragraphs("a<img>b<hr>c<p>d") == [0, 0, 1]
    assert paragraphs("<ul><li>a<li>b</ul>c") == [0, 1, 2]


def test_lists_and_controls() -> None:
    marks = read_html("<ul><li><p>a</p><p>b</p><li>c</ul><p>d<br>e<button>f</button>g").marks
    assert marks.is_list_item.tolist() == [True, False, True, False, False]
    assert marks.is_control.tolist() == [False] * 5
    assert read_html("<button>a</button><p>b<button>c</button>").marks.is_control.tolist() == [True, False]


def test_tags_are_counted_where_they_stand() -> None:
    marks = read_html("<body><p>a <b>b</b> c</p><hr><p>d<br>e</p></body>").marks
    assert marks.tags_before.tolist() == [3, 3, 1]
    assert marks.tags_inside.tolist() == [2, 0, 0]


def test_links_in_the_text() -> None:
    marks = read_html("<p>a <a href=x>bc d</a>e<a> </a><a>f</a><p><a>g</a>").marks
    assert [*zip(*(edges.tolist() for edges in marks.links), strict=True)] == [(2, 6), (8, 9), (10, 11)]
    assert read_html("<p>a <a href=x>bc d</a>e<a> </a><a>f</a><p><a>g</a>").text == "a bc de f\ng"
    assert marks.linked_before(np.arange(12)).tolist() == [0, 0, 0, 1, 2, 3, 4, 4, 4, 5, 5, 6]


def test_plain_text_has_no_marks() -> None:
    marks = read_text_page("a b\nc").marks
    assert marks.paragraphs.tolist() == [0, 1]
    assert marks.tags_before.tolist() == marks.tags_inside.tolist() == [0, 0]
    assert marks.linked_before(np.array([0, 5])).tolist() == [0, 0]


def test_a_page_read_without_details_has_no_marks() -> None:
    segments = read_html("<p>a")
    lean = Segments(segments.text, segments.plain, segments.block_ends, segments.levels, None)
    with pytest.raises(RuntimeError, match=r"declares `detail = Detail\.TAGS`"):
        _ = lean.marks
