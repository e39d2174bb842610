"""A page itself, shown by blocks: it keeps its looks, and runs, loads and links nothing."""

from __future__ import annotations

from lxml import html

from thresher.collections import Page
from thresher.pages import PageOptions, read_html, shown_page

SHOWN = """<!DOCTYPE html><html><head><title>A storm</title><style>nav { color: #fff }</style></head><body class="wide">
<nav id="top"><a href="/">Home</a> | <a href="/s">Sport</a></nav><p style="color: red">Rain <b>is</b> expected.
<script>a</script> It falls.<p>Snow
<select><option>One</select><div><textarea>Some text</textarea></div><noscript>Menu</noscript>
<img src="data:image/gif;base64,R0lGODlhAQAB" alt="x">
</body>"""
ONE = "<!DOCTYPE html>\n<html><head><title>A storm</title><style>nav { color: #fff }</style></head>"


def test_a_page_itself_is_shown_by_blocks_with_its_looks_alone() -> None:
    shown = shown_page(Page("", SHOWN.encode()), PageOptions())
    tree = html.document_fromstring(shown)
    assert shown.startswith(ONE)
    blocks = read_html(SHOWN).blocks
    marked = {}
    for mark in tree.iter("x-block"):
        marked.setdefault(int(mark.get("data-block")), []).append(mark.text)
    texts = {number: " ".join("".join(parts).split()) for number, parts in marked.items()}
    # All but the title and the text in a field.
    assert texts == {number: block for number, block in enumerate(blocks) if block not in ("A storm", "Some text")}
    assert texts[2] == "Rain is expected. It falls."
    attributes = {name: value for element in tree.iter() for name, value in element.items() if name != "data-block"}
    source = "data:image/gif;base64,R0lGODlhAQAB"
    assert attributes == {"class": "wide", "id": "top", "style": "color: red", "src": source, "alt": "x"}
    assert "Menu" not in shown
    assert shown_page(Page("", b"a <b> & c", is_text=True), PageOptions()) == "<pre>a &lt;b&gt; &amp; c</pre>"
    assert shown_page(Page("", b""), PageOptions()) == ""
