"""The HTML page of `thresher play`, and the same as a file with pages inside that needs nothing else.

Text of pages is JSON in it, and only ever becomes text nodes. Scripts and styles are allowed by their digests alone, and
trusted types forbid to make markup from text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from jinja2.environment import TemplateStream
from markupsafe import Markup

from thresher.files import read_text
from thresher.playing.page_views import View
from thresher.reports.html_parts import TEMPLATES, digest, templates

MOST_BYTES = 64 * 2**20
"""JSON of pages in a file: browsers are slow with more."""
_OWN = Path(__file__).with_name("templates")
_PALETTE = re.compile(r"^(?:@media \(prefers-color-scheme: dark\) \{\s*)?:root\s*\{[^}]*\}(?:\s*\})?", re.MULTILINE)


@cache
def _assets() -> tuple[str, str]:
    """Return style and script; the colours are those of reports."""
    report = read_text(TEMPLATES / "report.css")
    colours, own, cutting, play = (
        read_text(_OWN / name).strip() for name in ("colours.css", "play.css", "cutting.js", "play.js")
    )
    palette = "\n".join(_PALETTE.findall(report.strip()))
    return f"{palette}\n{colours}\n{own}", f"{cutting}\n{play}"


def policy(connect: str, served: bool = False) -> str:
    """Return the content security policy.

    Args:
        connect: what the script may talk to: 'none', or 'self' of a server.
        served: whether it is a header, which alone can forbid frames around the page.
    """
    style, script = (f"'sha256-{digest(text)}'" for text in _assets())
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; connect-src {connect}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        + ("; frame-ancestors 'none'" if served else "")
    )


def served_page(data: View) -> str:
    """Return the page that a server sends; `data` is what its script starts with."""
    return "".join(_stream("Try a page", data, (), "'self'"))


def write_side_by_side(
    pages: Iterable[View], scorers: Sequence[View], sides: Sequence[Sequence[View]], title: str, path: Path
) -> None:
    """Write a page with other pages inside to `path`, one after another, so that memory holds only one.

    Args:
        pages: as by `thresher.playing.page_views`; after `MOST_BYTES` the rest is only counted.
        scorers: by which they are scored.
        sides: the cuts of the two cleaners that are shown at first.
        title: its heading.
        path: the file.
    """
    data = {"scorers": scorers, "sides": sides, "server": False, "ids": [], "count": 0, "variants": [], "topics": False}
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
