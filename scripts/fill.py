"""Functions that fill marked places of documentation pages, and format the tables for them."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from thresher import Comparison

ROOT = Path(__file__).parents[1]
SEVEN = ("web", "ray-docs", "sqlite-docs", "postgresql", "pydoc", "man-pages", "cacm")
"""The experiments on seven collections that docs/results compares."""
JUDGE = (
    "A language model wrote the topics of `web` and judged each page's main text. It judged 16 topics twice (Cohen's kappa "
    ".98 between the two passes). No person has checked the topics or judgments."
)
"""A caption for all figures of the experiment `web`."""


def put(page: Path, name: str, text: str) -> None:
    """Put a text between `<!-- NAME -->` and `<!-- end -->` of a page."""
    page.write_text(filled(page, {name: text}), encoding="utf-8")


def filled(page: Path, texts: Mapping[str, str]) -> str:
    """Return a page with each text, by name, between `<!-- NAME -->` and `<!-- end -->`."""
    content = page.read_text(encoding="utf-8")
    for name, text in texts.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        places = content.count(begin)
        before, _, behind = content.partition(begin)
        if places != 1 or end not in behind:
            fix = f"write `<!-- {name} -->` and `<!-- end -->` once"
            sys.exit(f"error: {page.name} has {places} places for {name!r}. Fix: {fix}.")
        content = before + begin + text + behind[behind.index(end) :]
    return content


def collection_of(experiment: str) -> str:
    """Return the name of an experiment's collection in tables. `pydoc-full` is `pydoc` with all variants."""
    return experiment.removesuffix("-full")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], align: str = "l") -> str:
    """Return a Markdown table. `align` has `l` or `r` for the first columns; the others are aligned to the right."""
    rules = ("---" if side == "l" else "---:" for _, side in zip_longest(heads, align, fillvalue="r"))
    lines = (heads, rules, *rows)
    # Escape bars, which would end a cell even in code.
    return "".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def difference(comparison: Comparison) -> str:
    """Return a difference with its interval."""
    return f"{signed(comparison.difference)} [{signed(comparison.ci_low)}, {signed(comparison.ci_high)}]"


def interval(comparison: Comparison) -> str:
    """Return a difference with its interval, in bold type if the interval excludes zero."""
    text = difference(comparison)
    return f"**{text}**" if comparison.ci_low > 0 or comparison.ci_high < 0 else text


def signed(value: float) -> str:
    """Return a number with its sign, with a minus instead of a hyphen."""
    return f"{value:+.3f}".replace("-", "−")


def percent(share: float) -> str:
    """Return a relative change in per cent."""
    return f"{100 * share:+.1f}".replace("-", "−")


def relative(comparison: Comparison, before: float, separator: str = " ") -> str:
    """Return a change of a mean in per cent with its interval, in bold type if the interval excludes 0."""
    low, high = comparison.ci_low / before, comparison.ci_high / before
    text = f"{percent(comparison.difference / before)}{separator}[{percent(low)}, {percent(high)}]"
    return f"**{text}**" if low > 0 or high < 0 else text
