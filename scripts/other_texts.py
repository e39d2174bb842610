#!/usr/bin/env python3
"""Extract texts by packages that the extra `extractors` does not install, for scripts/extractors.py.

usage: scripts/other_texts.py [--only NAME] [COLLECTION...]

Some packages need versions of libraries that conflict with Thresher's, so run the script in a separate environment:

    python -m venv build/other
    build/other/bin/pip install --upgrade pip          # 23.3 or later
    build/other/bin/pip install '.[evaluate]' newspaper4k==0.9.6 goose3==3.1.22
    build/other/bin/pip install --no-deps --ignore-requires-python magic-html==0.1.8
    build/other/bin/pip install brotli chardet charset-normalizer lxml-html-clean py-asciimath urllib3
    build/other/bin/python scripts/other_texts.py

(magic-html declares Python 3.12; it works with 3.11.) For each package the script writes the texts of all pages into
results/texts/PACKAGE VERSION/COLLECTION.jsonl. It writes the package's CPU time over that of `content` into times.json; both
extract each page in turn. A page on which a package fails has no text. Existing files are not written again.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version

from arguments import parser_of
from fill import ROOT, SEVEN
from thresher import clean_html, decode, documents, load_experiment, read_html
from thresher.cleaners.scorers.extractor import unwrapped
from thresher.collections.interface import unique

TEXTS = ROOT / "results" / "texts"
TIMES = "times.json"


def by_magic_html(page: str) -> str:
    """Return the text of magic-html's main content. magic-html guesses the page's type; Thresher turns its HTML into text."""
    from magic_html import GeneralExtractor

    return read_html(GeneralExtractor().extract(page, base_url="")["html"]).text


def by_newspaper(page: str) -> str:
    """Return the text of Newspaper's article."""
    import newspaper

    article = newspaper.Article("https://example.org/", fetch_images=False)
    article.download(input_html=page)
    article.parse()
    return str(article.text)


def by_goose(page: str) -> str:
    """Return Goose's cleaned text."""
    from goose3 import Goose

    with Goose({"enable_image_fetching": False}) as goose:
        return str(goose.extract(raw_html=page).cleaned_text)


PACKAGES: Mapping[str, Callable[[str], str]] = {
    "magic-html": by_magic_html,
    "newspaper4k": by_newspaper,
    "goose3": by_goose,
}


def pages_of(name: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the decoded HTML of each page of a collection."""
    collection = load_experiment(ROOT / "experiments" / f"{name}.toml").collection.open()
    for source in unique(documents(collection)):
        if source.problem:
            continue
        page = source.page()
        yield page.id, unwrapped(decode(page.content, page.charset).utf8.decode())


def write(name: str, package: str) -> None:
    """Write a package's texts of a collection, and its time over that of `content`."""
    folder = TEXTS / f"{package} {version(package)}"
    path, partial = folder / f"{name}.jsonl", folder / f"{name}.partial"
    if path.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    own = content = 0.0
    failed = 0
    with partial.open("w", encoding="utf-8") as file:
        for page_id, page in pages_of(name):
            begin = time.process_time()
            try:
                text = PACKAGES[package](page)
            except Exception:
                text = ""
                failed += 1
            middle = time.process_time()
            clean_html(page, "content(headings=keep)@0.3")
            own, content = own + middle - begin, content + time.process_time() - middle
            file.write(json.dumps({"id": page_id, "contents": text}) + "\n")
    times_path = folder / TIMES
    times = json.loads(times_path.read_text(encoding="utf-8")) if times_path.exists() else {}
    times_path.write_text(json.dumps({**times, name: own / content}) + "\n", encoding="utf-8")
    partial.rename(path)
    print(f"{name}: {package} takes {own / content:.1f} times content, {failed} pages failed", file=sys.stderr)


def main() -> None:
    """Write the texts of the chosen packages and collections."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="COLLECTION", choices=[*SEVEN, []], help=", ".join(SEVEN))
    parser.add_argument("--only", choices=PACKAGES, help="extract by this package only")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    for package in [arguments.only] if arguments.only else PACKAGES:
        for name in arguments.names or SEVEN:
            write(name, package)


if __name__ == "__main__":
    main()
