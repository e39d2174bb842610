"""The time of cleaning pages by Boilerpipe's rules, against boilerpy3."""

from __future__ import annotations

import logging
from pathlib import Path

from measurements import Measurement, interleaved, ratio
from thresher import Page, clean_page, decode, parse_cleaner, score_page

BAR = 1 / 6
CLEANER = parse_cleaner("boilerpipe(rules=words)")


def measure(folder: Path, rounds: int = 3) -> list[Measurement]:
    """Return the ratio of Thresher's Algorithm 2 to boilerpy3's `NumWordsRulesExtractor`, in seconds from page to text.

    Both skip the pages on which boilerpy3 raises; the measurement's name counts them. Thresher reads bytes; boilerpy3
    gets decoded text, and decoding does not count for it.
    """
    from boilerpy3.exceptions import HTMLExtractionError
    from boilerpy3.extractors import NumWordsRulesExtractor

    logging.getLogger("boilerpy3").setLevel(logging.CRITICAL + 1)
    extractor = NumWordsRulesExtractor()
    pages, texts = [], []
    raised = 0
    for path in sorted(folder.rglob("*.html")):
        page = Page(path.stem, path.read_bytes())
        text = decode(page.content, None).utf8.decode()
        try:
            extractor.get_content(text)
        except HTMLExtractionError:
            raised += 1
            continue
        pages.append(page)
        texts.append(text)

    def ours() -> None:
        for page in pages:
            clean_page(score_page(page, CLEANER.scorers), CLEANER)

    def theirs() -> None:
        for text in texts:
            extractor.get_content(text)

    best = interleaved({"ours": ours, "theirs": theirs}, rounds)
    name = f"{CLEANER.name} over {len(pages)} pages / boilerpy3 (which raises on {raised} more)"
    return [ratio(name, best["ours"], best["theirs"], BAR)]
