"""A page as a browser gets it: its sentences, blocks and scores, of which the browser cuts what any cleaner does; and the HTML
page around them, for `thresher play` or as a file that needs nothing else.

Arrays are base64 of little-endian numbers: exact, infinities and NaN included, and short.

Text of pages is JSON in it, and only ever becomes text nodes. Scripts and styles are allowed by their digests alone, and
trusted types forbid making markup from text.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from jinja2.environment import TemplateStream
from markupsafe import Markup

from thresher.base.errors import ConfigError
from thresher.base.files import read_text
from thresher.base.tables import Table
from thresher.cleaners.cleaner import Cleaner, middle_cutoff, parse_cleaner, parse_scorer
from thresher.cleaners.registry import scorers
from thresher.cleaners.scorer import KEEP_HIGH, Scorer
from thresher.pages.segments import find_headline
from thresher.reports.html_parts import TEMPLATES, digest, templates
from thresher.scores.store import FAILED, PageScores, read_shard, shards

View = dict[str, Any]
"""Values for JSON."""
STARTS = ("content@0.5", "words@11")
"""The cleaners that are shown at first; a single one is shown beside the first of these that it is not."""
MOST_BYTES = 64 * 2**20
"""JSON of pages in a file: browsers are slow with more."""
_OWN = Path(__file__).with_name("templates")
_PALETTE = re.compile(r"^(?:@media \(prefers-color-scheme: dark\) \{\s*)?:root\s*\{[^}]*\}(?:\s*\})?", re.MULTILINE)


def shown_scorers(more: Iterable[str] = ()) -> tuple[Scorer, ...]:
    """Return the scorers whose scores are shown: each that can score a page by itself, as its defaults are, and `more`."""
    every = [kind() for kind in scorers().values()]
    # Other packages may not be there, and take their time.
    chosen = {scorer.canonical_name: scorer for scorer in every if not (scorer.learns or scorer.required_texts)}
    for name in more:
        cut = parse_scorer(name).checked()
        if cut.scorer.learns:
            fix = "leave it out, or play with the results of an experiment that has it"
            raise ConfigError("the scorer must be trained on a collection", fix, name)
        chosen[cut.scorer.canonical_name] = cut.scorer
    return tuple(chosen.values())


def scorer_view(scorer: Scorer) -> View:
    """Return what the browser must know of a scorer; `start` is the cutoff of a new cut."""
    kind = type(scorer)
    return {
        "name": scorer.canonical_name,
        "segment": kind.segment,
        "keep": "high" if kind.keep == KEEP_HIGH else "low",
        "decides": kind.decides,
        "headings": kind.headings,
        "unit": "" if kind.decides else kind.unit,
        "low": kind.low,
        "high": kind.high,
        "start": 0.5 if kind.decides else float(middle_cutoff(kind)),
        "about": " ".join((kind.__doc__ or "").split()),
    }


def cuts_view(cleaner: Cleaner) -> list[View]:
    """Return a cleaner's cuts of the page's own blocks."""
    return [
        {
            "scorer": cut.scorer.canonical_name,
            "cutoff": cut.threshold,
            "quota": cut.quota,
            "headings": cut.headings,
            "floor": cut.floor,
        }
        for cut in cleaner.on_page.cuts
    ]


def page_view(page: PageScores) -> View:
    """Return a scored page, or the reason why it failed."""
    segments = page.segments
    if segments is None:
        return {"id": page.id, "problem": page.reason or "the page failed"}
    return _view(
        page.id,
        segments.text,
        segments.sentence_ends,
        segments.block_of_sentence,
        segments.words_in_sentences,
        segments.levels,
        page.scores,
    )


def stored_view(table: Table, row: int) -> View:
    """Return a page of a shard of scores that was read with all its columns."""
    page_id = table.texts("id")[row]
    if table.texts("status")[row] == FAILED:
        return {"id": page_id, "problem": table.texts("reason")[row] or "the page failed"}

    ends = table.lists("sentence_ends")[row]
    return _view(
        page_id,
        table.texts("text")[row],
        ends,
        np.searchsorted(table.lists("block_ends")[row], ends),
        table.lists("words")[row],
        table.lists("levels")[row],
        {name.removeprefix("score:"): table.lists(name)[row] for name in table.columns if name.startswith("score:")},
    )


def stored_views(folder: Path) -> Iterator[View]:
    """Give every page of a score store that did not fail, in the collection's order."""
    for path in shards(folder):
        table = read_shard(path)
        for row in range(len(table)):
            if table.texts("status")[row] != FAILED:
                yield stored_view(table, row)


def two_sides(cleaner: Cleaner) -> list[list[View]]:
    """Return the cuts of a cleaner, and of another one to compare it with."""
    other = next(name for name in STARTS if name != cleaner.name)
    return [cuts_view(cleaner), cuts_view(parse_cleaner(other))]


def _view(
    page_id: str,
    text: str,
    ends: npt.NDArray[Any],
    blocks: npt.NDArray[Any],
    words: npt.NDArray[Any],
    levels: npt.NDArray[Any],
    scores: Mapping[str, npt.NDArray[Any]],
) -> View:
    edges: Sequence[int] = [0, *ends.tolist()]
    return {
        "id": page_id,
        # With the spaces and line feeds between them, so that they add up to the text.
        "sentences": [text[begin:end] for begin, end in itertools.pairwise(edges)],
        "block": _base64(blocks, "<i4"),
        "words": _base64(words, "<i4"),
        "levels": _base64(levels, "i1"),
        "headline": find_headline(text.split("\n"), levels.tolist()),
        "scores": {name: _base64(values, "<f4") for name, values in scores.items()},
    }


def _base64(values: npt.NDArray[Any], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


@cache
def _assets() -> tuple[str, str]:
    """Return style and script; the colours are those of reports."""
    report = read_text(TEMPLATES / "report.css")
    names = ("colours.css", "play.css", "cutting.js", "play.js")
    colours, own, cutting, play = (read_text(_OWN / name).strip() for name in names)
    palette = "\n".join(_PALETTE.findall(report.strip()))
    return f"{palette}\n{colours}\n{own}", f"{cutting}\n{play}"


def policy(connect: str, served: bool = False) -> str:
    """Return the content security policy; `connect` is 'none', or 'self' of a server.

    If it is `served`, it is a header, which alone can forbid frames around the page.
    """
    style, script = (f"'sha256-{digest(text)}'" for text in _assets())
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; connect-src {connect}; frame-src {connect}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        + ("; frame-ancestors 'none'" if served else "")
    )


def served_page(data: View) -> str:
    """Return the page that a server sends; `data` is what its script starts with."""
    return "".join(_stream("Try a page", data, (), "'self'"))


def write_side_by_side(
    pages: Iterable[View], scorers: Sequence[View], sides: Sequence[Sequence[View]], title: str, path: Path
) -> None:
    """Write a page with other pages inside to `path`, one after another, so that memory holds only one.

    After `MOST_BYTES` the rest of the pages is only counted; `sides` are the cuts of the two cleaners that are shown at first.
    """
    data = {"scorers": scorers, "sides": sides, "server": False, "variants": [], "topics": False}
    stream = _stream(title, data, pages, "'none'")
    stream.enable_buffering(20)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(stream)


def _stream(title: str, data: View, pages: Iterable[View], connect: str) -> TemplateStream:
    style, script = _assets()
    left: Counter[str] = Counter()
    return (
        templates(_OWN)
        .get_template("play.html.j2")
        .stream(
            title=title,
            served=connect == "'self'",
            # Quotes stand in a policy, not at the ends of the attribute.
            policy=Markup(policy(connect)),
            style=Markup(style),
            script=Markup(script),
            data=_json(data),
            pages=_within(pages, left),
            left=left,
        )
    )


def _within(pages: Iterable[View], left: Counter[str]) -> Iterator[tuple[str, Markup]]:
    size = 0
    for page in pages:
        text = _json(page) if size < MOST_BYTES else ""
        size += len(text)
        if not text or (size > MOST_BYTES and size > len(text)):
            left["pages"] += 1
        else:
            yield page["id"], Markup(text)


def _json(value: View) -> Markup:
    # No tag and no comment can begin in it.
    return Markup(json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))
