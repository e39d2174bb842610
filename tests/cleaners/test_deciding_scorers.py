"""What holds of every scorer that decides: any bytes in, 0 or 1 out, always the same, and only text of the page."""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from thresher.cleaners.cleaner import Cleaner, parse_cleaner
from thresher.cleaners.registry import scorers
from thresher.cleaners.scorer import BLOCK, Scorer, TextMaker
from thresher.collections import Page
from thresher.pages import PageOptions, Segments
from thresher.pages.decoding import binary_kind
from thresher.scores.cutting import CleanedDocument, clean_page
from thresher.scores.scoring import score_page
from thresher.scores.store import PageScores

DECIDING = sorted(name for name, kind in scorers().items() if kind.decides and not issubclass(kind, TextMaker))


def variants(name: str) -> list[str]:
    """The scorer as it is, and with each choice of each of its first parameters' values."""
    kind = scorers()[name]
    values = [
        f"{parameter.name}={value}"
        for parameter in kind.parameters
        for value in (parameter.choices or (("true", "false") if parameter.type is bool else ()))[:3]
    ]
    return [name, f"{name}(headings=keep)", *(f"{name}({value})" for value in values)]


NAMES = [name for scorer in DECIDING for name in variants(scorer)]
PIECES = (
    "<title>Storms in the north - The Daily</title>",
    "<title>",
    "</title>",
    "<body>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<br>",
    "<br><br>",
    "<a href=x>",
    "</a>",
    "<h1>",
    "</h1>",
    "<li>",
    "<select><option>",
    "</select>",
    "<b>",
    "</b>",
    "<!-- ",
    "-->",
    "<script>",
    "</script>",
    "<table><tr><td>",
    "</table>",
    "Rain is expected in the north tonight, and it will not stop before the day after tomorrow. ",
    "Storms in the north",
    "Comments (12)",
    "&copy; 2020",
    "home ",
    "| ",
    "• ",
    "中文。",
    "\ud7ff\u0301",
    "&#0;&#xD800;",
    "\x00\x0b",
    " ",
)
HTML = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=40).map(
    lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")
)


@cache
def cleaner(name: str) -> Cleaner:
    """One cleaner for all pages, as a pass has it."""
    result = parse_cleaner(name)
    result.scorers[0].prepare()
    return result


def run(content: bytes, name: str, rule: str = "join") -> tuple[PageScores, Segments, CleanedDocument]:
    scored = score_page(Page("x", content), cleaner(name).scorers, PageOptions(rule))
    assert scored.segments is not None
    return scored, scored.segments, clean_page(scored, cleaner(name))


def fresh(scorer: Scorer) -> Scorer:
    return type(scorer)(**scorer.values)


def check(content: bytes, name: str, rule: str = "join") -> None:
    scored, segments, document = run(content, name, rule)
    (scorer,) = cleaner(name).scorers
    scores = scored.scores[scorer.canonical_name]
    ends = segments.block_ends if scorer.segment == BLOCK else segments.sentence_ends
    assert scores.dtype == np.float32
    assert scores.shape == ends.shape
    assert set(scores.tolist()) <= {0, 1}
    # Whatever the scorer has seen before, a new one says the same.
    assert fresh(scorer).score(segments).tolist() == scores.tolist()
    left = iter(segments.text.split())
    assert all(word in left for word in document.text.split())


def test_there_are_some():
    assert {"boilerpipe", "bte"} <= set(DECIDING)


@settings(max_examples=60)
@given(HTML | st.binary(max_size=200), st.sampled_from(NAMES), st.sampled_from(["join", "split"]))
def test_any_bytes(content, name, rule):
    assume(not binary_kind(content))
    check(content, name, rule)


@pytest.mark.slow
def test_real_pages(shared_data):
    for path in sorted((shared_data / "cleaning" / "dragnet-300" / "input").iterdir())[::50]:
        for name in NAMES:
            check(path.read_bytes(), name)


def test_the_order_of_pages_does_not_matter():
    pages = [
        b"",
        b"<title>Storms</title><p>" + b"Rain is expected in the north tonight. " * 9 + b"<p><a href=x>Home</a>",
        b"<ul><li><a href=x>Home</a><li>" + b"word " * 50,
        b"<p>Comments<p>" + "Der Regen soll morgen im Norden nicht aufhören. ".encode() * 12,
    ]
    for name in NAMES:
        forwards = [run(page, name)[2] for page in pages]
        assert [run(page, name)[2] for page in reversed(pages)] == forwards[::-1], name
