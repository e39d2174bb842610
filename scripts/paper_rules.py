#!/usr/bin/env python3
"""Measure cleaners by the rules of released code and by the papers' rules, for the table in docs/results/papers.md.

usage: scripts/paper_rules.py GOLD_FOLDER...     (such as $THRESHER_DATA/cleaning/cleaneval-dev)

Figures are F1 over bags of tokens, as means over pages, with blocks joined and with blocks split.
"""

import argparse
from pathlib import Path
from statistics import fmean

from fill import put, table
from thresher import GoldPage, Page, clean_pages, compare_tokens, read_gold, read_page_bytes

PAGE = Path(__file__).parents[1] / "docs" / "results" / "papers.md"
RULES = ("words", "density", "cleaneval")
CLEANERS = (
    "none",
    "words@10",
    *(f"density{count}@10.5" for count in ("", "(count=tokens)")),
    *(f"links{count}@0.33" for count in ("", "(count=tokens)")),
    *(f"boilerpipe(rules={rules}{count})" for rules in RULES for count in ("", ",count=tokens")),
    *(
        f"boilerpipe(rules={rules},filter={filter})"
        for rules in RULES
        for filter in ("largest", "largest-block", "main", "main-block")
    ),
    "bte",
    "justext",
    "justext(rules=document)",
    "ncleaner@0",
    "perplexity(lm=books)@8000",
    "perplexity(lm=books,sentences=page)@8000",
)


def quality(pages: tuple[GoldPage, ...], cleaner: str, blocks: str) -> str:
    html = (Page(page.stem, read_page_bytes(page), page.url or None) for page in pages)
    cleaned = clean_pages(html, cleaner, blocks=blocks)
    f1 = fmean(compare_tokens(document.text, page.text).bag.f1 for document, page in zip(cleaned, pages, strict=True))
    return f"{f1:.3f}".removeprefix("0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    golds = [(folder.name, read_gold(folder).pages) for folder in parser.parse_args().folders]
    rows = []
    for cleaner in CLEANERS:
        rows.append(
            (cleaner, *(" / ".join(quality(pages, cleaner, rule) for rule in ("join", "split")) for _, pages in golds))
        )
        print(*rows[-1], flush=True)
    put(PAGE, "rules", table(("cleaner", *(name for name, _ in golds)), rows))


if __name__ == "__main__":
    main()
