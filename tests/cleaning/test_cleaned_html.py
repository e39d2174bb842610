"""Cleaned HTML: whoever reads it gets the cleaned text, and the rest of the tree is the page's own. Markdown is made of it."""

from __future__ import annotations

import random
from pathlib import Path

import lxml.html
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher
from thresher.base.errors import ConfigError
from thresher.base.streams import open_stream
from thresher.collections import Page
from thresher.evaluation.cleaneval.gold import read_gold
from thresher.pages import DEFAULT_OPTIONS, PageOptions, read_html, read_page
from thresher.scores.cleaning.cleaned_html import CleanedHtml, PageToCut, cleaned_html
from thresher.scores.cutting import kept_text


def cut(content: bytes, seed: int, options: PageOptions = DEFAULT_OPTIONS) -> tuple[str, CleanedHtml]:
    """Return a random half of a page's sentences as text, and as HTML."""
    segments, decoded = read_page(Page("x", content), options)
    mask = np.random.default_rng(seed).random(len(segments.sentence_ends)) < 0.5
    ends = segments.sentence_ends.tolist()
    text = kept_text(segments.text, ends, segments.block_of_sentence.tolist(), mask)
    html = decoded.utf8.decode()
    page = PageToCut(html, segments.text, segments.block_ends.tolist(), ends, segments.levels.tolist())
    return text, cleaned_html(page, text, np.flatnonzero(mask).tolist(), options)


@pytest.mark.slow
def test_real_pages_are_read_back_with_the_cleaned_text(shared_data: Path) -> None:
    pages = found = 0
    for name in ("wcxb-dev", "dragnet-300", "cleaneval-dev"):
        for seed, gold in enumerate(read_gold(shared_data / "cleaning" / name).pages[:15]):
            with open_stream(gold.path) as stream:
                text, cleaned = cut(stream.read(), seed)
            assert read_html(cleaned.html).text == text
            pages += 1
            found += cleaned.blocks_found
    assert (pages, found >= 41) == (45, True)


TAGS = st.sampled_from("p li ul ol pre code a td tr table h2 blockquote th br div b title script noscript img".split())
ATTRIBUTES = st.sampled_from(["class=x", "hidden", "style='visibility:hidden'", "style='visibility:visible'"])
PIECES = st.lists(st.tuples(TAGS, ATTRIBUTES, st.text("ab. \n&<é\u3000。", max_size=20), st.booleans()), max_size=12)


@given(PIECES, st.integers(0, 9), st.sampled_from(["join", "split"]))
def test_any_page_is_read_back_with_the_cleaned_text(
    pieces: list[tuple[str, str, str, bool]], seed: int, rule: str
) -> None:
    html = ""
    for tag, attribute, text, ends in pieces:
        html += f"<{tag} {attribute}>{text.replace('<', '&lt;')}{f'</{tag}>' if ends else ''}"
    options = PageOptions(rule)
    text, cleaned = cut(html.encode(), seed, options)
    assert read_html(cleaned.html, options).text == text


PAGE = """<!DOCTYPE html><html lang=en><head><title>Sorts</title><meta name=description content="All about sorting">
<script>f()</script></head><body class=wide><ul id=menu><li><a href=/>Home</a><img src=logo.png></li><li>About</ul>
<p id=k>See <a href="/k_(x)">this <code>sorted</code></a> of a_b and <img src=i.png alt=pic>. Ads? <b>More is here.</b></p>
<table><tr><th>name<th>price of it<tr><td>Buy now<td>merge sort costs <b>n</b> log n</table>Left alone<div>x</div>by x"""


def test_the_tree_is_the_page_without_what_is_dropped() -> None:
    html = thresher.clean_html(PAGE, "words@2", as_html=True)
    assert html == (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"></head><body class="wide">\n<p id="k">'
        'See <a href="/k_(x)">this '
        '<code>sorted</code></a> of a_b and <img src="i.png" alt="pic">. Ads? <b>More is here.</b></p>\n'
        "<table><tr><th></th><th>price of it</th></tr><tr><td>Buy now</td><td>merge sort costs <b>n</b> log n</td></tr>"
        "</table>Left alone<br>by x</body></html>"
    )
    assert read_html(html).text == thresher.clean_html(PAGE, "words@2")


@pytest.mark.parametrize("doctype", ["", "<!DOCTYPE html>"])
def test_a_page_gets_no_doctype(doctype: str) -> None:
    html = thresher.clean_html(f"{doctype}<p>Rain is here.", "none", as_html=True)
    assert html.removeprefix(f"{doctype}\n") == (
        '<html><head><meta charset="utf-8"></head><body><p>Rain is here.</p></body></html>'
    )


def test_a_sentence_within_a_block_goes_with_its_spaces() -> None:
    html = "<p>One is here. <b>Two.</b> Three is here.</p><p>四。五。</p>"
    assert thresher.clean_html(html, "perplexity@1e9", as_html=True) == thresher.clean_html(html, "none", as_html=True)
    segments = read_html(html)
    ends = segments.sentence_ends.tolist()
    page = PageToCut(html, segments.text, segments.block_ends.tolist(), ends, segments.levels.tolist())
    cleaned = cleaned_html(page, "One is here. Three is here.\n五。", [0, 2, 4], DEFAULT_OPTIONS)
    assert cleaned.html.endswith(
        '<head><meta charset="utf-8"></head><body><p>One is here.  Three is here.</p><p> 五。</p></body></html>'
    )
    assert cleaned.blocks_found


@pytest.mark.parametrize(
    ("html", "cleaner", "wanted"),
    [
        ("", "none", ""),
        ("<p>", "none", ""),
        ("<p>few words", "words@10", ""),
        # Too deep for a tree, and a title that is no heading.
        ("<title>A &amp; B</title>" + "<div>" * 300 + "<h2>deep</h2>a < b", "none", "<h2>deep</h2>\n<p>a &lt; b</p>"),
        # Text that scripts, or the description, stand for.
        (f"<noscript>{'word ' * 250}</noscript>", "none", "<div>word"),
        (f"<title>T</title><meta name=description content='{'word ' * 30}'>", "none", "word word</p>"),
    ],
)
def test_pages_of_little_structure(html: str, cleaner: str, wanted: str) -> None:
    shown = thresher.clean_html(html, cleaner, as_html=True)
    assert (wanted in shown, bool(shown)) == (True, bool(wanted))
    assert read_html(shown).text == thresher.clean_html(html, cleaner)


def test_visible_elements_in_invisible_ones_stay_in_the_tree() -> None:
    html = (
        f"<p>{'Rain is here. ' * 20}</p><div style='visibility:hidden;color:red'>x<p style='visibility:visible'>One "
        "<i style='visibility:hidden'>y</i> two.</p>z</div>"
    )
    cleaned = thresher.clean_html(html, "none", as_html=True)
    assert cleaned.endswith('<div style=";color:red"><p style="visibility:visible">One  two.</p></div></body></html>')
    assert read_html(cleaned).text == thresher.clean_html(html, "none")


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_an_element_keeps_its_first_attributes(quote: str) -> None:
    attributes = " ".join(f"a{number}={quote}x{number}{quote}" for number in range(5_000))
    html = f"<p {attributes}>Rain is here, and the <b {attributes}/ >wind</b> is strong. <i a b c>Storm</i> and hail."
    root = lxml.html.document_fromstring(thresher.clean_html(html, "none", as_html=True))
    assert root.text_content().split() == "Rain is here, and the wind is strong. Storm and hail.".split()
    first = {f"a{number}": f"x{number}" for number in range(256)}
    assert [dict(root.find(f".//{tag}").attrib) for tag in ("p", "b", "i")] == [
        first,
        first,
        {"a": "", "b": "", "c": ""},
    ]


def test_blocks_that_are_not_found_stand_as_paragraphs() -> None:
    page = PageToCut("<p>other", "Title\nA < b. C.\nd", (6, 16, 17), (6, 13, 16, 17), (7, 2, 0))
    cleaned = cleaned_html(page, "Title\nC.\nd", [0, 2, 3], DEFAULT_OPTIONS)
    assert not cleaned.blocks_found
    head = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>Title</title></head>'
    assert cleaned.html == f"{head}<body>\n<h2>C.</h2>\n<p>d</p>\n</body></html>"
    text = PageToCut("", page.text, page.block_ends, page.sentence_ends, page.levels)
    assert cleaned_html(text, "d", [3], DEFAULT_OPTIONS).blocks_found, "plain text has no tree"


@pytest.mark.parametrize("form", ["as_html", "markdown"])
def test_another_text_has_no_tree(form: str) -> None:
    with pytest.raises(ConfigError, match="only the page's own blocks"):
        thresher.clean_html(PAGE, "extractor(resiliparse)", **{form: True})  # type: ignore[arg-type]


MARKED = """<title>Sorts</title><base href=http://e.org/d/><h2>Sorting</h2><p>See <a href="k">this <code>sorted</code></a> of
a_b and *c* <img src=/i.png alt="a pic"></p><pre class="language-python">
def f(xs):
    return [x for x in xs]
</pre><ul><li>one<ul><li>two</ul><li>three</ul><ol start=3><li>four<li>five</ol>
<table><tr><th colspan=2>name<th>a|b<tr><td rowspan=2>merge<td><b>n</b> log n<td>1<tr><td>x<td>y</table><p>- 1. x"""


def test_markdown_has_the_structure_of_the_tags() -> None:
    shown = thresher.clean_html(MARKED, "none", markdown=True)
    for part in (
        "## Sorting\n\n",
        "[this `sorted`](http://e.org/d/k)",
        r"*c\*" if r"*c\*" in shown else "*c*",
        "![a pic](http://e.org/i.png)",
        "def f(xs):\n    return [x for x in xs]\n```",
        "- one\n",
        "3. four\n4. five",
        r"| a\|b |",
        "**n** log n",
        r"\- 1. x",
    ):
        assert part in shown, part
    rows = [line.count(" |") for line in shown.splitlines() if line.startswith("|")]
    assert len({*rows}) == 1, "cells that span others keep the columns"


def test_links_of_markdown_are_absolute_if_the_address_is_known(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "a", "url": "http://e.org/x/y", "html": "<p>go <a href=z>there</a>"}\n')
    thresher.clean_collection(tmp_path / "p.jsonl", "none", tmp_path / "o.md")
    assert (tmp_path / "o.md").read_text().endswith("---\n\ngo [there](http://e.org/x/z)\n\n")


def test_markdown_leaves_out_permalinks_and_keeps_raised_letters() -> None:
    html = "<h2>Rows<a href='#rows'>¶</a></h2><p>x<sup>2</sup> of H<sub>2</sub>O <a href='n#1'>#1</a>, <a href='p#'>#</a> all."
    assert thresher.clean_html(html, "none", markdown=True) == (
        "## Rows\n\nx<sup>2</sup> of H<sub>2</sub>O [#1](n#1), all."
    )


def test_code_keeps_its_tabs() -> None:
    html = "<p>A\trule:<pre>all: main.o\n\tcc -o main\n\t\tdeep</pre>"
    for feed in ("\n", "\r\n", "\r"):
        shown = thresher.clean_html(html.replace("\n", feed), "none", as_html=True)
        assert "<pre>all: main.o\n\tcc -o main\n\t\tdeep</pre>" in shown


def test_whatever_is_kept_of_a_page_is_read_back() -> None:
    rng = random.Random(2)
    for _ in range(20):
        text, cleaned = cut(PAGE.encode(), rng.randrange(10**6))
        assert (read_html(cleaned.html).text, cleaned.blocks_found) == (text, True)
