"""What kind of content gold says that texts are: the classes of Kohlschütter et al. (2010), section 4.2."""

from __future__ import annotations

from thresher.cleaneval.annotated_gold import parse_marks
from thresher.cleaneval.gold import GoldPage
from thresher.cleaneval.gold_texts import decode_gold, split_comments
from thresher.files import read_bytes
from thresher.pages.marked_text import HEADING

CLASSES = ("boilerplate", "full text", "headline", "supplemental", "comments", "related")
BOILERPLATE, FULL_TEXT, HEADLINE, SUPPLEMENTAL, COMMENTS, RELATED = range(len(CLASSES))

ClassedText = tuple[int, str]
"""A class, by its place in `CLASSES`, and a text of it."""


def classed_texts(page: GoldPage) -> tuple[ClassedText, ...]:
    """Return a page's texts that are not boilerplate, in order, with their classes, as far as the gold has any.

    L3S-GN1 marks all of them, CleanEval headlines (`<h>`), Dragnet readers' comments; all other content is full text.

    Raises:
        InputError: if the file of the gold cannot be read any more.
        lxml.etree.LxmlError: if libxml2 cannot parse an annotated page.
    """
    if page.gold is not None and page.gold.suffix.lower() != ".txt":
        return parse_marks(read_bytes(page.gold))
    texts = [(HEADLINE if part.label == HEADING else FULL_TEXT, part.text) for part in page.segments]
    if page.gold is not None:
        below = split_comments(decode_gold(read_bytes(page.gold)))[1]
        texts += [(COMMENTS, below)] * bool(below.strip())
    return tuple(texts)
