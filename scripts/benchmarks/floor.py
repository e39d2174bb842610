"""The floor of a pass over pages: the work that every pass needs, bare parsing and the language model's scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import lxml.html

from thresher import Page, read_page
from thresher.cleaners.words.models import load_model
from thresher.cleaners.words.tokenisers import tokenise


def floor_of(pages: Sequence[Page]) -> Callable[[Page], None]:
    """Return a function that does the least work for a page.

    It parses by `lxml.html.document_fromstring` and scores each sentence by `kenlm.Model.score`.
    """
    score = load_model("books")._score
    tokens = {}
    for page in pages:
        segments, _ = read_page(page)
        # Pages are told apart by their bytes, since files in several folders may share a name.
        tokens[page.content] = tokenise(segments.plain, segments.sentence_ends)[0]

    def floor(page: Page) -> None:
        lxml.html.document_fromstring(page.content)
        for sentence in tokens[page.content]:
            score(sentence, True, False)

    return floor
