#!/usr/bin/env python3
"""Put the navigation of an invented documentation site around the pages of scripts/pydoc_pages.py.

usage: python scripts/pydoc_site.py PAGES FOLDER     (`make collections/pydoc-site` does this)

pydoc's pages have no navigation, so cleaning gains nothing there. Documentation on the web has a header, a list of all pages,
related pages and a footer on every page. This script adds these parts to pydoc's pages. Since the site is invented, the
collection `pydoc-site` only demonstrates Thresher and is in no table of results.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from arguments import parser_of
from thresher import ThresherError
from thresher.base.files import atomic_path

HEADER = """<a class="skip" href="#main">Skip to content</a>
<header role="banner"><a class="brand" href="index.html">Python reference</a>
<nav class="top"><ul><li><a href="#">Home</a></li><li><a href="#">Tutorial</a></li><li><a href="#">Library</a></li>
<li><a href="#">Downloads</a></li><li><a href="#">Community</a></li><li><a href="#">Sign in</a></li></ul></nav>
<form role="search"><input type="search" placeholder="Search the documentation"><button>Search</button></form>
<p class="announcement">You read the documentation of the latest release. <a href="#">Read about other releases.</a></p>
</header>
"""
FOOTER = """<footer role="contentinfo">
<ul><li><a href="#">About</a></li><li><a href="#">Report a problem</a></li><li><a href="#">Edit this page</a></li>
<li><a href="#">Mailing lists</a></li><li><a href="#">Privacy policy</a></li><li><a href="#">Terms of use</a></li></ul>
<p>This site uses cookies to remember your settings and to count visits.</p>
<p>Copyright Python reference. All rights reserved. Generated from the source code of the standard library.</p>
</footer>
"""
RELATED = 6
"""The most related pages below a page, each with its first line."""

_BODY = re.compile(r"(.*?<body>)(.*)(</body>.*)", re.DOTALL)
_FIRST_LINE = re.compile(r'</table>\s*<p><span class="code">(.*?)(?:<br>|</span>)', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_LINK = re.compile(r'href="([\w.]+)\.html[#"]')


def write_site(pages: Path, folder: Path) -> int:
    """Write each page of `pages` with a site around it into `folder`, and return their number. An error writes nothing."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(pages.glob("*.html"))}
    first_lines = {name: first_line(text) for name, text in texts.items()}
    with atomic_path(folder) as temporary:
        temporary.mkdir(parents=True)
        for name, text in texts.items():
            (temporary / f"{name}.html").write_text(in_site(name, text, first_lines), encoding="utf-8")
    return len(texts)


def first_line(text: str) -> str:
    """Return the first line of a module's description as HTML without tags, or nothing."""
    match = _FIRST_LINE.search(text)
    return _TAG.sub("", match[1]).replace("&nbsp;", " ").strip() if match else ""


def in_site(name: str, text: str, first_lines: Mapping[str, str]) -> str:
    """Return a page with header, navigation, related pages and footer around its body."""
    match = _BODY.fullmatch(text)
    if match is None:
        raise ValueError(f"{name}: a page of pydoc has one body")
    head, body, end = match.groups()
    names = [*first_lines]
    parts = (
        head,
        HEADER,
        navigation(name, names),
        f'<main id="main">\n{breadcrumbs(name)}',
        body,
        related(name, body, first_lines),
        neighbours(name, names),
        "</main>\n",
        FOOTER,
        end,
    )
    return "".join(parts)


def navigation(name: str, names: Sequence[str]) -> str:
    """Return the list of all packages and modules, with the submodules of the page's own package."""
    package = name.partition(".")[0]
    shown = [other for other in names if "." not in other or other.partition(".")[0] == package]
    return f'<nav class="sidebar" aria-label="Modules"><h2>Modules</h2>{listed(shown)}</nav>\n'


def breadcrumbs(name: str) -> str:
    """Return the links to the packages above the page."""
    parts = name.split(".")
    above = [".".join(parts[:depth]) for depth in range(1, len(parts))]
    links = "".join(f"{link(other)} / " for other in above)
    return f'<nav class="breadcrumbs"><a href="index.html">Library</a> / {links}{html.escape(name)}</nav>\n'


def related(name: str, body: str, first_lines: Mapping[str, str]) -> str:
    """Return the first `RELATED` pages that the page links to, with their first lines."""
    linked = [other for other in dict.fromkeys(_LINK.findall(body)) if other in first_lines and other != name]
    rows = "".join(f"<li>{link(other)}<p>{first_lines[other]}</p></li>" for other in linked[:RELATED])
    return f'<aside class="related"><h2>Related modules</h2><ul>{rows}</ul></aside>\n' if rows else ""


def neighbours(name: str, names: Sequence[str]) -> str:
    """Return the links to the page before and the page after this one."""
    links = [*neighbour_links(name, names)]
    return f'<nav class="pager">{" ".join(links)}</nav>\n<p class="helpful">Was this page helpful? Yes No</p>\n'


def neighbour_links(name: str, names: Sequence[str]) -> Iterator[str]:
    for before, after in pairwise(names):
        if after == name:
            yield f"Previous: {link(before)}"
        if before == name:
            yield f"Next: {link(after)}"


def listed(names: Sequence[str]) -> str:
    items = "".join(f"<li>{link(name)}</li>" for name in names)
    return f"<ul>{items}</ul>"


def link(name: str) -> str:
    return f'<a href="{html.escape(name)}.html">{html.escape(name)}</a>'


def main() -> None:
    """Write the site and print its number of pages."""
    parser = parser_of(__doc__)
    parser.add_argument("pages", type=Path, help="folder that scripts/pydoc_pages.py wrote")
    parser.add_argument("folder", type=Path, help="folder to write")
    arguments = parser.parse_args()
    try:
        count = write_site(arguments.pages, arguments.folder)
    except ThresherError as error:
        sys.exit(f"error: {error}")
    print(f"{arguments.folder}: {count} pages of pydoc in an invented site")


if __name__ == "__main__":
    main()
