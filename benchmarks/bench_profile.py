"""Where a page's time goes, step by step, with all scorers at work."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from lxml import etree
from passages import PAGES

from thresher.pages import read_html, segment
from thresher.pages.decoding import decode
from thresher.pages.parsing import flatten, lines, one_space, outside_ascii
from thresher.scorers.registry import scorers


@dataclass(frozen=True)
class Profile:
    """Milliseconds a page by step, the best of several rounds for each."""

    pages: int
    steps: dict[str, float]

    def line(self) -> str:
        """Return the measurement in lines."""
        rows = [f"    {name}: {milliseconds:.2f}" for name, milliseconds in self.steps.items()]
        return "\n".join((f"milliseconds a page over {self.pages} pages, by step:", *rows))


def measure(folder: Path, rounds: int = 5) -> list[Profile]:
    """Do each step by itself on every page. Parsing is part of flattening; what several scorers share has steps of its own."""
    pages = [path.read_bytes() for path in sorted(folder.rglob("*.html"))]
    everything = {name: kind() for name, kind in scorers().items()}
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
            text, levels = timed("lines", lambda flat=flat: lines(one_space(flat, outside_ascii(flat))))
            timed("blocks", lambda text=text, levels=levels: segment(text, levels))
            segments = read_html(page)
            timed(
                "words and links, for all", lambda found=segments: (found.words_in_blocks, found.linked_words_in_blocks)
            )
            timed("sentences, for all", lambda found=segments: found.sentence_ends)
            for name, scorer in everything.items():
                timed(name, lambda scorer=scorer, found=segments: scorer.score(found))
        for name, seconds in spent.items():
            best[name] = min(best.get(name, seconds), seconds)
    return [Profile(len(pages), {name: 1e3 * seconds / len(pages) for name, seconds in best.items()})]


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pages", type=Path, default=PAGES, help="a folder of HTML files")
    for profile in measure(arguments.parse_args().pages):
        print(profile.line())
