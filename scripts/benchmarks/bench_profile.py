"""Milliseconds of a page in each step of the pass, with all scorers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from lxml import etree

from measurements import Measurement, all_scorers
from thresher import Detail, decode, read_html
from thresher.base.letters import outside_ascii
from thresher.pages import ParsedText, segment
from thresher.pages.marks import lines, one_space
from thresher.pages.parsing import flatten


def measure(folder: Path, rounds: int = 5) -> list[Measurement]:
    """Time each step by itself on every page. Flattening includes parsing; work that scorers share has its own steps."""
    pages = [path.read_bytes() for path in sorted(folder.rglob("*.html"))]
    everything = {scorer.name: scorer for scorer in all_scorers()}
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    for scorer in everything.values():
        scorer.prepare()
    best: dict[str, float] = {}
    for _ in range(rounds):
        spent: dict[str, float] = defaultdict(float)

        def timed(name: str, work: Callable[[], Any], spent: dict[str, float] = spent) -> Any:
            began = perf_counter()
            result = work()
            spent[name] += perf_counter() - began
            return result

        for page in pages:
            utf8 = timed("decode", lambda page=page: decode(page).utf8)
            timed(
                "parse, of flatten", lambda utf8=utf8: etree.fromstring(utf8, parser) is None if utf8.strip() else None
            )
            flat = timed("flatten", lambda utf8=utf8: flatten(utf8))
            text, levels, _ = timed("lines", lambda flat=flat: lines(one_space(flat, outside_ascii(flat))))
            timed("blocks", lambda text=text, levels=levels: segment(ParsedText(text, levels)))
            segments = read_html(page, detail=Detail.ELEMENTS)
            timed(
                "words and links, for all",
                lambda actual=segments: (actual.words_in_blocks, actual.linked_words_in_blocks),
            )
            timed("sentences, for all", lambda actual=segments: actual.sentence_ends)
            timed("elements, for content", lambda actual=segments: actual.elements)
            for name, scorer in everything.items():
                timed(name, lambda scorer=scorer, actual=segments: scorer.score(actual))
        for name, seconds in spent.items():
            best[name] = min(best.get(name, seconds), seconds)
    heading = Measurement(f"milliseconds a page over {len(pages)} pages, by step:")
    steps = (Measurement(f"    {name}", f"{1e3 * seconds / len(pages):.2f}") for name, seconds in best.items())
    return [heading, *steps]
