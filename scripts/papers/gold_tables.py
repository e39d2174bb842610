"""Measures of cleaning that papers report and `thresher cleaneval` does not: segments, bags of words, t-tests, snippets.

usage: python scripts/papers/gold_tables.py GOLD_FOLDER [-c NAME...] -o OUT [--extractors]

GOLD_FOLDER is as for `thresher cleaneval`, or has gold of snippets in Trafilatura's `evaldata.json`, with the pages in `eval/`
and `cache/`. `gold_measures.py` defines the measures; t-tests are paired by page, against all text. Without names the
script measures the cleaners of `thresher cleaneval` and the filters of Kohlschuetter et al. (2010), Fig. 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import click
import pandas as pd

from cleaned_gold import CLEANERS, EXTRACTORS, GOLD, CleanedGold, Text, clean_gold
from content_training.snippets import SnippetPage
from gold_measures import Snippets, bag, paired_t_test, pooled, segments, snippets
from paper_files import OUTPUT, errors_in_a_line, write_table
from thresher import GoldPage, PageWords, compare_words, mean_interval
from thresher.base.progress import progress
from thresher.evaluation.cleaneval.results import ROWS

FILTERS = tuple(
    f"boilerpipe(rules={rules},filter={content})" for rules in ("words", "density") for content in ("largest", "main")
)
"""The Largest and the Main Content Filter after the rules of Algorithms 2 and 1."""
TABLES: dict[str, tuple[str, ...]] = {
    "segments": ("labelled_", "unlabelled_"),
    "bags": ("bag_",),
    "t-tests": ("t_",),
    "snippets": ("snippet_", "leak_", "micro_"),
}


def rows_of(cleaned: CleanedGold) -> pd.DataFrame:
    """Return a row for each cleaner with the measures that the gold allows. Shares are in [0, 1]."""
    pages = cleaned.pages
    is_whole = not isinstance(pages[0], SnippetPage)
    base: list[PageWords] = []
    rows = []
    for name, texts in progress(cleaned.by_cleaner.items(), "comparing", len(cleaned.by_cleaner), "cleaners"):
        joined = ["\n".join(part.text for part in text) for text in texts]
        row: dict[str, Any] = {"cleaner": name, "pages": len(pages), "emptied": sum(not text for text in joined)}
        if is_whole:
            row |= segment_measures(texts, pages)
            bags = [bag(text, page.text) for text, page in zip(joined, pages, strict=True)]
            row |= {
                f"bag_{part}": fmean(getattr(page, part) for page in bags) for part in ("precision", "recall", "f1")
            }
            row["bag_f1_median"] = median(page.f1 for page in bags)
            words = [compare_words(text, page.text) for text, page in zip(joined, pages, strict=True)]
            base = base or words
            row |= t_tests(words, base)
        row |= snippet_measures([snippets(text, page) for text, page in zip(joined, pages, strict=True)])
        rows.append(row)
    return pd.DataFrame(rows)


def segment_measures(texts: Sequence[Text], pages: Sequence[GoldPage]) -> dict[str, float]:
    """Return precision, recall and F1 of segments over all pages pooled, and the mean F1 over pages."""
    compared = [segments(text, page.segments) for text, page in zip(texts, pages, strict=True)]
    counts = [page for page in compared if page is not None]
    row: dict[str, float] = {}
    # Gold texts have labels if one of them has segments here; empty gold texts do not tell.
    for kind in ("labelled", "unlabelled") if any(page.gold for page in counts) else ():
        whole = pooled(counts, kind == "labelled")
        row |= {f"{kind}_precision": whole.precision, f"{kind}_recall": whole.recall, f"{kind}_f1": whole.f1}
        row[f"{kind}_f1_macro"] = fmean(pooled([page], kind == "labelled").f1 for page in counts)
    return row


def t_tests(words: Sequence[PageWords], base: Sequence[PageWords]) -> dict[str, float]:
    """Return the paired t-tests of F1 and of precision."""
    row: dict[str, float] = {}
    for part in ("f1", "precision"):
        test = paired_t_test(*([getattr(page.alignment, part) for page in each] for each in (words, base)))
        row |= {f"t_{part}": test.t, f"t_{part}_df": test.df, f"t_{part}_p": test.p}
        row |= {f"t_{part}_low": test.difference.low, f"t_{part}_high": test.difference.high}
    return row


def snippet_measures(by_page: Sequence[Snippets | None]) -> dict[str, float | None]:
    """Return the shares of required snippets (recall) and of forbidden snippets (leak rate) in cleaned pages.

    Each share is a mean over the pages with snippets of the kind, with Student's interval, and is also pooled.
    """
    counts = [page for page in by_page if page is not None]
    row: dict[str, float | None] = {}
    for name, kept, all_of in (("snippet_recall", "kept", "required"), ("leak_rate", "leaked", "forbidden")):
        shares = [getattr(page, kept) / getattr(page, all_of) for page in counts if getattr(page, all_of)]
        if shares:
            mean = mean_interval(shares)
            row |= {name: mean.mean, f"{name}_low": mean.low, f"{name}_high": mean.high}
            row[f"micro_{name}"] = sum(getattr(page, kept) for page in counts) / sum(
                getattr(page, all_of) for page in counts
            )
    return row


@click.command()
@GOLD
@CLEANERS
@EXTRACTORS
@OUTPUT
def main(gold_folder: Path, cleaners: tuple[str, ...], extractors: bool, output: Path) -> None:
    """Print further measures of cleaners on the pages of GOLD_FOLDER."""
    rows = rows_of(clean_gold(gold_folder, cleaners or (*ROWS, *FILTERS), extractors))
    for table, begin in TABLES.items():
        names = [name for name in rows if name.startswith(begin)]
        if names:
            caption = f"{table.capitalize()}, {gold_folder.name}: {rows.pages[0]} pages."
            write_table(output, table, caption, rows[["cleaner", *names]])


if __name__ == "__main__":
    with errors_in_a_line():
        main()
