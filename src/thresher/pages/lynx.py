"""Pages to text by the text browser Lynx, as in NCleaner.

Source: Evert, NCleaner, LREC 2008, section 2 (first and second module): regular expressions delete images, comments and inline
scripts, mark headings and list items, and turn line breaks into paragraph breaks; then `lynx -dump`.
"""

from __future__ import annotations

import re
import shutil
import subprocess

from thresher.errors import InputError, MissingDependencyError
from thresher.pages.decoding import decode

# Wider than any line, so that no paragraph is wrapped.
_COMMAND = (
    "-dump -nolist -nomargins -force_html -stdin -width=1000 -assume_charset=utf-8 -display_charset=utf-8".split()
)
_SECONDS = 60
_DELETED = re.compile(r"<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1\s*>|$)|<img\b[^>]*>", re.IGNORECASE | re.DOTALL)
_LINE_BREAK = re.compile(r"<br\b[^>]*>", re.IGNORECASE)
_HEADING = re.compile(r"<h[1-6]\b[^>]*>", re.IGNORECASE)
_LIST_ITEM = re.compile(r"<li\b[^>]*>", re.IGNORECASE)


def lynx_dump(content: bytes) -> str:
    """Return Lynx's dump of a page (in any encoding, which `decode` detects), with marks for `marked_text.read_marked_text`.

    Raises:
        MissingDependencyError: if Lynx is not installed.
        InputError: if it fails on this page, or takes longer than a minute.
    """
    program = shutil.which("lynx")
    if not program:
        raise MissingDependencyError(
            "Lynx is not installed",
            "install it (apt install lynx, brew install lynx) or leave out --lynx: pages are then converted without it",
            "lynx",
        )
    page = prepared(decode(content, None).utf8.decode())
    try:
        done = subprocess.run(
            [program, *_COMMAND], input=page.encode(), capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"Lynx took longer than {_SECONDS} s over a page", "leave the page out", "lynx") from error
    if done.returncode:
        reason = " ".join(done.stderr.decode("utf-8", "replace").split()) or f"exit code {done.returncode}"
        raise InputError(f"Lynx cannot convert a page ({reason})", "leave the page out", "lynx")
    return done.stdout.decode("utf-8", "replace")


def prepared(html: str) -> str:
    """Return a page's markup without images, comments, scripts and styles, and with marks that remain in a dump."""
    html = _LINE_BREAK.sub("<p>", _DELETED.sub("", html))
    html = _HEADING.sub(lambda tag: f"{tag[0]}&lt;h&gt; ", html)
    return _LIST_ITEM.sub(lambda tag: f"{tag[0]}&lt;l&gt; ", html)
