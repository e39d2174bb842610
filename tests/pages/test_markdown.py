"""Markdown: real pages are read back by a Markdown parser with the same words, and structure is what the page's tags say."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import thresher
from thresher.base.errors import ConfigError
from thresher.base.streams import open_stream
from thresher.collections import Page
from thresher.evaluation.cleaneval.gold import read_gold
from thresher.pages import DEFAULT_OPTIONS, Segments, read_page, read_structure
from thresher.pages.structure import Structure, escaped, kept_blocks, markdown

PARSER = MarkdownIt("commonmark").enable("table")
SHOWN = {"text": str, "code_inline": str, "html_inline": str, "softbreak": lambda _: " ", "hardbreak": lambda _: " "}


def words_of(text: str) -> list[str]:
    """The words that a reader of the rendered Markdown sees, and the tags that must not be there."""
    seen = []
    for token in PARSER.parse(text):
        assert token.type not in ("html_block", "hr", "code_block")
        if token.type == "fence":
            seen.append(token.content)
        elif token.type == "inline":
            seen.append("".join(SHOWN[one.type](one.content) for one in token.children or () if one.type in SHOWN))
            assert not any(one.type in ("image", "em_open", "strong_open") for one in token.children or ())
    return " ".join(seen).split()


def read(html: bytes) -> tuple[Segments, Structure]:
    segments, decoded = read_page(Page("x", html))
    structure = read_structure(decoded.utf8, segments, DEFAULT_OPTIONS, None)
    assert Structure.of_json(structure.json()) == structure
    return segments, structure


def check(segments: Segments, structure: Structure, seed: int, which: slice = slice(None)) -> None:
    """Whatever is kept, all blocks or some, also of a part of the blocks' words, is read back."""
    rng = random.Random(seed)
    numbers = range(len(segments.blocks))
    for kept in (numbers, [at for at in numbers if rng.random() < 0.5])[which]:
        lines = [segments.blocks[at] for at in kept]
        lines = [" ".join(line.split()[1:]) or line if rng.random() < 0.1 else line for line in lines]
        parts = kept_blocks(segments.blocks, "\n".join(lines), kept)
        assert words_of(markdown(structure.shapes, parts)) == " ".join(lines).split()


def test_a_hundred_real_pages_are_read_back_with_the_same_words(shared_data: Path) -> None:
    found = 0
    for name in ("wcxb-dev", "dragnet-300", "cleaneval-dev"):
        for number, gold in enumerate(read_gold(shared_data / "cleaning" / name).pages[:40]):
            with open_stream(gold.path) as stream:
                segments, structure = read(stream.read())
            # All blocks of one page, some of the next.
            check(segments, structure, number, slice(number % 2, number % 2 + 1))
            found += any(shape.boxes for shape in structure.shapes)
    # Most have lists, tables, quotes or code, so blocks were found again.
    assert found >= 100


BROKEN = st.text("ab`*_[]()<>#|-+=!&~\\.1 \n\t", max_size=30)
TAGS = st.sampled_from("p li ul ol pre code a td tr table h2 blockquote th br div b title".split())


@given(st.lists(st.tuples(TAGS, BROKEN, st.booleans()), max_size=12))
def test_any_page_is_read_back(pieces: list[tuple[str, str, bool]]) -> None:
    html = "".join(
        f"<{tag} href='/a b'>{text.replace('<', '&lt;')}{f'</{tag}>' if ends else ''}" for tag, text, ends in pieces
    )
    check(*read(html.encode()), seed=len(html))


@given(BROKEN)
def test_escaped_text_is_text(text: str) -> None:
    line = " ".join(text.split())
    assert words_of(f"a {escaped(line)}") == f"a {line}".split()


PAGE = """<title>Sorts</title><h2>Sorting</h2><p>See <a href="/k_(x)">this <code>sorted</code></a> of a_b and *c*</p><pre>
def f(xs):
    return [x for x in xs]
</pre><ul><li>one<ul><li>two</ul><li>three<p>more</ul><ol start=3><li>four<li>five</ol>
<table><tr><th>name<th>a|b<tr><td>merge<td><b>n</b> log n</table><blockquote><p>six<p>seven</blockquote><p>- 1. x
<table><tr><td>menu<td><h3>News</h3><tr><td>left<td>right</table><p>2) y"""


def test_the_structure_is_that_of_the_tags() -> None:
    assert thresher.clean_html(PAGE, "none", markdown=True) == (
        "# Sorts\n\n## Sorting\n\nSee [this `sorted`](/k_%28x%29) of a_b and \\*c\\*\n\n"
        "```\ndef f(xs):\n    return [x for x in xs]\n```\n\n"
        "- one\n  - two\n- three\n\n  more\n\n3. four\n\n4. five\n\n"
        "| name | a\\|b |\n| --- | --- |\n| merge | n log n |\n\n> six\n>\n> seven\n\n\\- 1. x\n\n"
        "menu\n\n### News\n\nleft\n\nright\n\n2\\) y"
    )
    # What is left of a list is a list; of a table, its rows.
    assert thresher.clean_html(PAGE, "words@2", markdown=True).endswith(
        "|  | n log n |\n| --- | --- |\n\n\\- 1. x\n\n2\\) y"
    )


@pytest.mark.parametrize("cleaner", ["extractor(resiliparse)", "words@2+pages(perplexity)@1e9"])
def test_another_text_has_no_structure(cleaner: str) -> None:
    with pytest.raises(ConfigError, match="only the page's own blocks become Markdown"):
        thresher.clean_html(PAGE, cleaner, markdown=True)


@pytest.mark.parametrize("target", ["#T", "javascript:f()", ""])
def test_a_link_that_leads_nowhere_does_not_take_code_apart(target: str) -> None:
    html = f'<p><code>fn new(<a href="{target}">T</a>) -&gt; Self</code>, <code>a</code><a href="{target}"><code>b</code></a>'
    assert thresher.clean_html(html, "none", markdown=True) == "`fn new(T) -> Self`, `ab`"


def test_what_an_address_must_not_hold_is_in_it_as_utf_8() -> None:
    html = '<p><a href="http://e.org/a\u3000b c\u00a0(d)">x</a>'
    shown = thresher.clean_html(html, "none", markdown=True)
    assert shown == "[x](http://e.org/a%E3%80%80b%20c%C2%A0%28d%29)"


def test_a_list_may_begin_with_any_number() -> None:
    for start, first in (("7", "7."), ("x", "1."), ("9" * 5000, "1.")):
        assert thresher.clean_html(f"<ol start={start}><li>a", "none", markdown=True) == f"{first} a"


def test_code_keeps_its_tabs() -> None:
    html = "<p>A\trule:<pre>all: main.o\n\tcc -o main\n\t\tdeep</pre>"
    for feed in ("\n", "\r\n", "\r"):
        shown = thresher.clean_html(html.replace("\n", feed), "none", markdown=True)
        assert shown == "A rule:\n\n```\nall: main.o\n\tcc -o main\n\t\tdeep\n```"


@pytest.mark.parametrize("html", ["", "<p>", "plain", "<p>" + "<div>" * 300 + "deep *text*"])
def test_pages_without_structure(html: str) -> None:
    assert words_of(thresher.clean_html(html, "none", markdown=True)) == thresher.clean_html(html, "none").split()
