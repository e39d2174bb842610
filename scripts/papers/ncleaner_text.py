"""Print a page as text to clean by hand, for `thresher ncleaner train`. With --lynx, convert it by Lynx as NCleaner does.

usage: python scripts/papers/ncleaner_text.py PAGE [--lynx]

Blank lines separate segments, `# ` marks headings, `* ` marks list items. Source: Evert, NCleaner, LREC 2008, section 2 (first
and second module). Regular expressions delete images, comments and inline scripts, mark headings and list items, and turn
line breaks into paragraph breaks. Then `lynx -dump` converts the page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import click

from paper_files import errors_in_a_line
from thresher import InputError, MissingDependencyError, decode
from thresher.base.files import read_bytes
from thresher.cleaners.characters.training import read_page_file
from thresher.pages.marked_text import HEADING, LIST_ITEM, PARAGRAPH, MarkedSegment, read_marked_text

# The width is larger than any line, so that Lynx wraps no paragraph.
_COMMAND = (
    "-dump -nolist -nomargins -force_html -stdin -width=1000 -assume_charset=utf-8 -display_charset=utf-8".split()
)
_SECONDS = 60
_DELETED = re.compile(r"<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1\s*>|$)|<img\b[^>]*>", re.IGNORECASE | re.DOTALL)
_LINE_BREAK = re.compile(r"<br\b[^>]*>", re.IGNORECASE)
_MARKED = re.compile(r"<(?:(h)[1-6]|(l)i)\b[^>]*>", re.IGNORECASE)


def lynx_dump(content: bytes) -> str:
    """Return Lynx's dump of a page with marks for `read_marked_text`. The page may have any encoding."""
    program = shutil.which("lynx")
    if not program:
        fix = "install it (apt install lynx, brew install lynx) or leave out --lynx"
        raise MissingDependencyError("Lynx is not installed", fix, "lynx")
    page = prepared(decode(content, None).utf8.decode()).encode()
    try:
        completed = subprocess.run([program, *_COMMAND], input=page, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise InputError(f"Lynx took longer than {_SECONDS} s over a page", "leave the page out", "lynx") from error
    if completed.returncode:
        reason = " ".join(completed.stderr.decode("utf-8", "replace").split()) or f"exit code {completed.returncode}"
        raise InputError(f"Lynx cannot convert a page ({reason})", "leave the page out", "lynx")
    return completed.stdout.decode("utf-8", "replace")


def prepared(html: str) -> str:
    """Return a page's HTML without images, comments, scripts and styles, with marks that remain in Lynx's dump."""
    html = _LINE_BREAK.sub("<p>", _DELETED.sub("", html))
    return _MARKED.sub(lambda tag: f"{tag[0]}&lt;{(tag[1] or tag[2]).lower()}&gt; ", html)


def marked_text(segments: Sequence[MarkedSegment]) -> str:
    """Return marked text for `read_marked_text`. Blank lines separate segments, except two list items in a row."""
    marks = {PARAGRAPH: "", HEADING: "# ", LIST_ITEM: "* "}
    lines = [marks[segment.label] + segment.text for segment in segments]
    for index, (before, after) in enumerate(pairwise(segments)):
        lines[index] += "\n" if before.label == after.label == LIST_ITEM else "\n\n"
    return "".join(lines) + "\n" if lines else ""


@click.command()
@click.argument("page", type=click.Path(path_type=Path))
@click.option("--lynx", is_flag=True, help="Convert HTML by `lynx -dump`, which must be installed.")
def main(page: Path, lynx: bool) -> None:
    """Print a PAGE as text to clean by hand."""
    marked = read_marked_text(lynx_dump(read_bytes(page))) if lynx else read_page_file(page)
    click.echo(marked_text(marked), nl=False)


if __name__ == "__main__":
    with errors_in_a_line():
        main()
