"""Measures of cleaned pages that papers report and `thresher cleaneval` does not: segments, bags of words, snippets, t-tests.

**Segments**, as in Evert's evaluation of CleanEval (`cleaneval.py`, 2008; NCleaner, LREC 2008, Table 4). In both texts a tag
`<h>`, `<p>` or `<l>` precedes each segment, and the words and tags of both are aligned as `difflib` does. The tags in matching
blocks are right; precision is their share of the cleaned page's tags, recall of the gold text's. Unlabelled, every tag is
`<p>`. Raw text has no tags, so that its segmentation scores 0, as in that table. Three things differ from that script:
difflib's heuristic for long texts, `autojunk`, is off, as for words; a text's words cannot pass for tags; and gold text before
the first tag, which has no label, counts as a paragraph with its tag.

**Bags of words**: Kohlschütter et al. (2010), section 4.3.2. **Snippets**: the evaluation of Trafilatura (Barbaresi 2021, ACL
demonstrations, section 4) and WCXB (Foley 2026, arXiv:2605.21097), whose gold has snippets besides whole texts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from statistics import stdev
from typing import NamedTuple

from mpmath import betainc

from thresher import Agreement, GoldPage, LabelledText, MeanInterval, agreement, matching_blocks, mean_interval
from thresher.evaluation.cleaneval.cleaning_measures import TOKEN
from thresher.pages.marked_text import PARAGRAPH


class SegmentCounts(NamedTuple):
    """Segments of a cleaned page and of its gold text; `right` are aligned with their labels, `right_unlabelled` without.

    Labels change the alignment, so either may be larger.
    """

    cleaned: int
    gold: int
    right: int
    right_unlabelled: int


class Snippets(NamedTuple):
    """How many of a page's `required` snippets are `kept`, and how many of its `forbidden` ones `leaked`."""

    required: int
    kept: int
    forbidden: int
    leaked: int


class TTest(NamedTuple):
    """A paired t-test: the mean difference with its 95 % interval, t, the degrees of freedom and the two-sided p."""

    difference: MeanInterval
    t: float
    df: int
    p: float


def segments(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> SegmentCounts | None:
    """Compare segments; None if no segment of a gold text with any has a label. Of a page without labels nothing is right."""
    if gold and not any(part.label for part in gold):
        return None
    if not any(part.label for part in cleaned):
        return SegmentCounts(len(cleaned), len(gold), 0, 0)
    plain = ([LabelledText(PARAGRAPH, part.text) for part in parts] for parts in (cleaned, gold))
    return SegmentCounts(len(cleaned), len(gold), _aligned_tags(cleaned, gold), _aligned_tags(*plain))


def pooled(counts: Sequence[SegmentCounts], labelled: bool) -> Agreement:
    """Return precision, recall and F1 over the segments of some pages together."""
    right = sum(page.right if labelled else page.right_unlabelled for page in counts)
    return agreement(right, sum(page.cleaned for page in counts), sum(page.gold for page in counts))


def _aligned_tags(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> int:
    tokens = _tagged(cleaned)
    blocks = matching_blocks(tokens, _tagged(gold))
    return sum(isinstance(token, tuple) for block in blocks for token in tokens[block.a : block.a + block.size])


def _tagged(parts: Iterable[LabelledText]) -> list[Hashable]:
    """Return the words of each segment after its tag, a tuple, which no word equals."""
    tokens: list[Hashable] = []
    for part in parts:
        tokens.append((part.label or PARAGRAPH,))
        tokens += part.text.split()
    return tokens


def bag(cleaned: str, gold: str) -> Agreement:
    """Compare words without regard to their order."""
    words, wanted = Counter(cleaned.split()), Counter(gold.split())
    return agreement((words & wanted).total(), words.total(), wanted.total())


def snippets(cleaned: str, gold: GoldPage) -> Snippets | None:
    """Return how many snippets a cleaned page has; None if its gold names none.

    A snippet is there if its tokens occur in the text one after another, with their case: gold often has other quotation marks
    than the page, and a snippet may reach over lines and blocks. The first and the last may be parts of words. A snippet
    without any token must occur as it is, but for white space.
    """
    if not gold.required and not gold.forbidden:
        return None
    words, text = _tokens(cleaned), " ".join(cleaned.split())

    def found(snippet: str) -> bool:
        inner = _tokens(snippet)
        return inner in words if inner else " ".join(snippet.split()) in text

    kept, leaked = (sum(map(found, wanted)) for wanted in (gold.required, gold.forbidden))
    return Snippets(len(gold.required), kept, len(gold.forbidden), leaked)


def _tokens(text: str) -> str:
    return " ".join(TOKEN.findall(text))


def paired_t_test(values: Sequence[float], baseline: Sequence[float]) -> TTest:
    """Test whether the mean of paired differences is zero (Student 1908; NCleaner, section 4, over pages).

    Where all differences are equal, t = 0 and p = 1 if they are zero, else t is infinite and p = 0. One pair has no
    variance: t = 0, p = 1.
    """
    differences = [value - base for value, base in zip(values, baseline, strict=True)]
    df, interval = len(differences) - 1, mean_interval(differences)
    if not df or interval == MeanInterval(0, 0, 0):
        return TTest(interval, 0.0, df, 1.0)
    if interval.low == interval.high:
        return TTest(interval, math.copysign(math.inf, interval.mean), df, 0.0)
    t = interval.mean / (stdev(differences) / math.sqrt(len(differences)))
    return TTest(interval, t, df, float(betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True)))
