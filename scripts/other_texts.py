#!/usr/bin/env python3
"""Write the texts of further extractors for scripts/extractors.py, which the extra `extractors` does not install.

usage: scripts/other_texts.py [--only NAME] [COLLECTION...]

Run it in an environment of its own with Thresher and the packages, some of which need other versions than Thresher's:

    python -m venv build/other
    build/other/bin/pip install --upgrade pip          # 23.3 or later
    build/other/bin/pip install '.[evaluate]' newspaper4k==0.9.6 goose3==3.1.22
    build/other/bin/pip install --no-deps --ignore-requires-python magic-html==0.1.8
    build/other/bin/pip install brotli chardet charset-normalizer lxml-html-clean py-asciimath urllib3
    build/other/bin/python scripts/other_texts.py

(magic-html declares Python 3.12; it works with 3.11.) Each package writes results/texts/PACKAGE VERSION/COLLECTION.jsonl, a
text of each page, and times.json, its CPU time by that of `content` on the same pages, one after the other. A page on which a
package fails, or takes longer than a minute, has no text. Files that are there are not written again.
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
    """Return the text of magic-html's main content, read like our cleaners' pages, with its own guess of the page's type."""
    from magic_html import GeneralExtractor

    return read_html(GeneralExtractor().extract(page, base_url="")["html"]).text


def by_newspaper(page: str) -> str:
    """Return the title and text of Newspaper's article."""
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
    """Give the id and the decoded text of each page of a collection."""
    collection = load_experiment(ROOT / "experiments" / f"{name}.toml").collection.open()
    for source in unique(documents(collection)):
        if source.problem:
            continue
        page = source.page()
        yield page.id, unwrapped(decode(page.content, page.charset).utf8.decode())


def write(name: str, package: str) -> None:
    """Write the texts of a collection and the time by that of `content`."""
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
    """Write the texts."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="COLLECTION", choices=[*SEVEN, []], help=", ".join(SEVEN))
    parser.add_argument("--only", choices=PACKAGES, help="one of the packages")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    for package in [arguments.only] if arguments.only else PACKAGES:
        for name in arguments.names or SEVEN:
            write(name, package)


if __name__ == "__main__":
    main()
