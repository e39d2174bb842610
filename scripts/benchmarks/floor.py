"""What no pass over pages can do without: bare parsing, and the language model's score of the same tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import lxml.html

from thresher import Page, read_page
from thresher.cleaners.words.models import load_model
from thresher.cleaners.words.tokenisers import tokenise


def floor_of(pages: Sequence[Page]) -> Callable[[Page], None]:
    """Return what does the least for a page: `lxml.html.document_fromstring` and `kenlm.Model.score` of its sentences."""
    score = load_model("books")._score
    tokens = {}
    for page in pages:
        segments, _ = read_page(page)
        # Files in several folders may have one name.
        tokens[page.content] = tokenise(segments.plain, segments.sentence_ends)[0]

    def floor(page: Page) -> None:
        lxml.html.document_fromstring(page.content)
        for sentence in tokens[page.content]:
            score(sentence, True, False)

    return floor
