#!/usr/bin/env python3
"""Measure cleaners and other packages on five gold standards.

usage: scripts/cleaner_table.py GOLD_FOLDERS

Writes the table of docs/which-cleaner.md, and the tables of headlines and comments in scripts/pages/content.md. GOLD_FOLDERS
has the five gold standards. Each cleaner and each package of the extra `extractors` cleans every page. Pages a second are
by the CPU time of one process, from the page's bytes or, for packages, from its decoded text. `content` was trained on the
first two sets; its figures there are by cross-validation, from scripts/pages/content.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from time import process_time

import thresher
from arguments import parser_of
from fill import put, table
from thresher import GoldPage, ThresherError, compare_tokens, decode, read_gold, read_page_bytes
from thresher.cleaners.scorers.extractor import by_justext, by_readability, by_resiliparse, by_trafilatura, unwrapped

ROOT = Path(__file__).parents[1]
CONTENT = ROOT / "scripts" / "pages" / "content.md"
SETS = ("wcxb-dev", "aeb", "cleaneval-dev", "cleanportaleval", "dragnet-300")
TRAINED_ON = SETS[:2]
SCORED, HEADLINE, KEPT = (f"content(headings={choice})@0.5" for choice in ("score", "headline", "keep"))
COMMENTS = "content(comments=keep,headings=score)@0.5"
CLEANERS = (SCORED, HEADLINE, KEPT, COMMENTS, "boilerpipe(rules=words)")
# Sets whose gold has comments, with the argument `comments` of `read_gold` that counts them.
WITH_COMMENTS = {"cleaneval-dev": False, "dragnet-300": True}
RATES = "Rates are of one process's CPU time, all in one run on one machine: compare them with each other."


PACKAGES: dict[str, Callable[[str], list[str]]] = {
    "Trafilatura": by_trafilatura,
    "Trafilatura, for precision": partial(by_trafilatura, favor="precision"),
    "Trafilatura, for recall": partial(by_trafilatura, favor="recall"),
    "Resiliparse": by_resiliparse,
    "readability": by_readability,
    "jusText": by_justext,
}


def _extracted(extract: Callable[[str], Iterable[str]], page: str) -> str:
    return "\n".join(extract(page))


def measured(page: GoldPage) -> list[tuple[float, float]]:
    """Return the word F1 and the CPU seconds of each cleaner and package on a page."""
    content = read_page_bytes(page)
    decoded = unwrapped(decode(content).utf8.decode())
    cleaners = (partial(thresher.clean_html, content, cleaner) for cleaner in CLEANERS)
    packages = (partial(_extracted, extract, decoded) for extract in PACKAGES.values())
    results = []
    for clean in (*cleaners, *packages):
        begin = process_time()
        try:
            text = clean()
        except (ThresherError, ValueError, TypeError, AttributeError, ArithmeticError, LookupError, AssertionError):
            text = ""
        seconds = process_time() - begin
        results.append((compare_tokens(text, page.text).bag.f1, seconds))
    return results


def word_f1(cleaner: str, page: GoldPage) -> float:
    """Return the word F1 of one of Thresher's cleaners on a page."""
    return float(compare_tokens(thresher.clean_html(read_page_bytes(page), cleaner), page.text).bag.f1)


def cross_validated() -> dict[str, float]:
    """Return the word F1 of `content` with headings scored, by set, from scripts/pages/content.md."""
    text = CONTENT.read_text(encoding="utf-8")
    row = r"\*\*{}\*\*, by cross-validation.*?\| content\S* \| [\d,]+ \| ([\d.]+) \|"
    matches = {name: re.search(row.format(name), text, re.DOTALL) for name in TRAINED_ON}
    return {name: float(match[1]) for name, match in matches.items() if match}


def rows(f1: dict[str, Sequence[float]], rates: Sequence[float]) -> Iterator[list[str]]:
    """Yield the rows of the table of cleaners."""
    validated = cross_validated()
    names = [f"`{name}`" for name in CLEANERS] + [*PACKAGES]
    for at, name in enumerate(names):
        if CLEANERS[at : at + 1] == (KEPT,):
            continue
        cells = [f"{f1[gold][at]:.3f}" for gold in SETS]
        if CLEANERS[at : at + 1] in ((SCORED,), (HEADLINE,), (COMMENTS,)):
            cells[:2] = [f"{validated[gold]:.3f}" if name == f"`{SCORED}`" else "–" for gold in TRAINED_ON]
        yield [name, *cells, f"{rates[at]:,.0f}"]


def main() -> None:
    """Measure and fill the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("gold_folders", type=Path)
    gold_folders = parser.parse_args().gold_folders
    f1: dict[str, Sequence[float]] = {}
    counts: dict[str, int] = {}
    seconds = [0.0] * (len(CLEANERS) + len(PACKAGES))
    with get_context("spawn").Pool(os.cpu_count()) as pool:
        for name in SETS:
            pages = [page for page in read_gold(gold_folders / name).pages if page.text]
            done = pool.map(measured, pages, chunksize=8)
            f1[name] = [fmean(page[at][0] for page in done) for at in range(len(seconds))]
            seconds = [total + sum(page[at][1] for page in done) for at, total in enumerate(seconds)]
            counts[name] = len(pages)
        comment_rows = []
        for name, comments in WITH_COMMENTS.items():
            pages = [page for page in read_gold(gold_folders / name, comments=comments).pages if page.text]
            by_cleaner = (pool.map(partial(word_f1, cleaner), pages, chunksize=8) for cleaner in (SCORED, COMMENTS))
            comment_rows.append([name, f"{len(pages):,}", *(f"{fmean(values):.4f}" for values in by_cleaner)])
    rates = [sum(counts.values()) / total for total in seconds]
    heads = ["cleaner", *(f"{name} ({count:,})" for name, count in counts.items()), "pages a second"]
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("trafilatura", "resiliparse", "readability-lxml", "justext")
    )
    put(
        ROOT / "docs" / "which-cleaner.md",
        "word f1",
        table(heads, rows(f1, rates)) + f"\nPackages: {packages}. {RATES}\n",
    )
    put(
        CONTENT,
        "headlines",
        table(
            ["set", "pages", *(f"`{name}`" for name in CLEANERS[:3])],
            ([name, f"{counts[name]:,}", *(f"{value:.4f}" for value in f1[name][:3])] for name in SETS),
        ),
    )
    put(CONTENT, "comments", table(["set", "pages", f"`{SCORED}`", f"`{COMMENTS}`"], comment_rows))


if __name__ == "__main__":
    main()
