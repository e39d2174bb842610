"""The tree of a page's elements, against a walk over lxml's tree."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from page_oracle import DROPPED, tree_of, without_hidden

from thresher.pages import BLOCK_RULES, Detail, PageOptions, Segments, read_html, read_text_page
from thresher.pages.parsing import HIDDEN

TAGS = "p div a b span h1 title svg noscript td table li br img option ul article nav".split()
ATTRIBUTES = (
    "",
    ' class="post main" id=x1',
    " role=navigation",
    " hidden",
    " aria-hidden=true",
    " aria-hidden=false",
    " popover",
    ' style="color:red; Display : none"',
    ' style="color:red"',
    ' style="color:yellow; VISIBILITY:Hidden"',
    ' style="overflow:hidden; display:block"',
    ' style="Visibility:HIDDEN"',
    ' style="visibility : collapse"',
    ' style="border-collapse:collapse"',
    ' style="content-visibility:hidden"',
    ' style="visibility: Visible"',
    ' style="visibility:visible" hidden',
    ' style="vertical-align:top; float:none; display:inline"',
    ' class="a&#9;b&lt;" data-x=1',
    " rel=tag itemprop=name",
)
PIECES = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
    st.sampled_from([f"</{tag}>" for tag in TAGS]),
    st.sampled_from([" ", "\n", "a", "b c", "é", "<!-- x -->", "&amp;", '<meta property="og:type" content="article">']),
)


@dataclass
class Walk:
    """The displayed elements in order, and around each visible character those it is in."""

    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    characters: list[str] = field(default_factory=list)
    inside: list[tuple[int, ...]] = field(default_factory=list)

    def element(self, element: etree._Element, around: tuple[int, ...]) -> None:
        if not isinstance(element.tag, str):
            return
        if element.tag in DROPPED or element.get("left-out") is not None:
            return
        self.tags.append(element.tag)
        self.parents.append(around[-1])
        around = (*around, len(self.tags))
        self.text(element.text, around)
        for child in element:
            self.element(child, around)
            self.text(child.tail, around)

    def text(self, text: str | None, around: tuple[int, ...]) -> None:
        for character in text or "":
            if not character.isspace() and ord(character) >= 32 and ord(character) != 127:
                self.characters.append(character)
                self.inside.append(around)


def walked(html: str, keeps_hidden: bool) -> Walk:
    walk = Walk()
    utf8 = html.encode("utf-8", "replace").replace(b"&#9;", b" ")
    try:
        root = tree_of(utf8)
    except etree.ParserError:
        return walk
    if root is not None:
        if not keeps_hidden:
            without_hidden(root, utf8)
        # What stands behind the end of HTML may become a second root.
        for one in (root, *root.itersiblings()):
            walk.element(one, (0,))
    return walk


def check(html: str, options: PageOptions) -> Segments:
    segments = read_html(html, options, Detail.ELEMENTS)
    elements = segments.elements
    walk = walked(html, keeps_hidden=False)
    if "".join(walk.characters) != "".join(segments.text.split()):
        # Pages of few words are read with what is hidden.
        walk = walked(html, keeps_hidden=True)
    assert [description.split(" ")[0] for description in elements.descriptions] == ["", *walk.tags]
    assert elements.parents.tolist() == [-1, *walk.parents]
    visible = "".join(walk.characters)
    assert visible == segments.text.replace(" ", "").replace("\n", "")
    offset, around_blocks = 0, []
    for block in segments.blocks:
        around_blocks.append(walk.inside[offset])
        offset += len(block.replace(" ", ""))
    assert elements.innermost.tolist() == [around[-1] for around in around_blocks]
    for number in range(len(elements.parents)):
        inside = [block for block, around in enumerate(around_blocks) if number in around]
        assert [*range(elements.first_blocks[number], elements.after_blocks[number])] == inside
        descendants = [other for other in range(number, len(elements.parents)) if number in ancestors(elements, other)]
        assert [*range(number, elements.after_elements[number])] == descendants
    return segments


def ancestors(elements, number: int) -> list[int]:
    path = [number]
    while elements.parents[path[-1]] >= 0:
        path.append(elements.parents[path[-1]])
    return path


@given(st.lists(PIECES, max_size=25).map("".join), st.sampled_from(BLOCK_RULES))
def test_random_pages_against_the_tree(html, rule):
    check(html, PageOptions(rule))


@given(st.lists(PIECES, max_size=25).map("".join), st.sampled_from(BLOCK_RULES))
def test_blocks_are_the_same_with_any_detail(html, rule):
    less, tags, elements = (read_html(html, PageOptions(rule), detail) for detail in Detail)
    assert less.text == tags.text == elements.text
    assert less.levels.tolist() == tags.levels.tolist() == elements.levels.tolist()
    assert tags.marks.paragraphs.tolist() == elements.marks.paragraphs.tolist()
    assert tags.marks.tags_before.tolist() == elements.marks.tags_before.tolist()
    assert tags.linked_words_in_blocks.tolist() == elements.linked_words_in_blocks.tolist()


def test_descriptions():
    html = (
        '<meta property="og:type" content="article"><meta name="x" content="no"><div class="Post  main" id="x" title="no">a'
        '<p hidden>b</p><p style="DISPLAY : none">c</p><p aria-hidden="true" role="note">d</p></div>'
    )
    elements = read_html(html, detail=Detail.ELEMENTS).elements
    assert elements.descriptions[3:] == [
        "meta article",
        "meta",
        "body",
        "div Post  main x",
        f"p {HIDDEN}",
        f"p {HIDDEN}",
        f"p {HIDDEN} note",
    ]


def test_elements_without_content_are_described_by_their_tag():
    html = '<p class="x">a<br class="x"><img id="y" class="z"><input role="z"><hr class="x">'
    elements = read_html(html, detail=Detail.ELEMENTS).elements
    assert elements.descriptions[3:] == ["p x", "br", "img", "input", "hr"]


def test_a_text_is_in_no_element_but_the_page():
    elements = read_text_page("one\ntwo").elements
    assert elements.descriptions == [""]
    assert elements.innermost.tolist() == [0, 0]
    assert elements.after_blocks.tolist() == [2]


def test_elements_need_to_be_read():
    with pytest.raises(RuntimeError, match=r"declares `detail = Detail\.ELEMENTS`"):
        read_html("<p>a", detail=Detail.TAGS).elements.descriptions  # noqa: B018


def test_real_pages_against_the_tree(shared_data):
    pages = sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::30]
    assert len(pages) == 10
    for path in pages:
        segments = read_html(path.read_bytes(), detail=Detail.ELEMENTS)
        assert len(segments.elements.parents) > 50
        assert (segments.elements.innermost > 0).all()
