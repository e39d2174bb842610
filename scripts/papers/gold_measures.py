"""Measures of cleaned pages that papers report and `thresher cleaneval` does not: segments, bags of words, snippets, t-tests.

**Segments**, as in Evert's evaluation of CleanEval (`cleaneval.py`, 2008; NCleaner, LREC 2008, Table 4). In both texts a tag
`<h>`, `<p>` or `<l>` precedes each segment, and `difflib` aligns words and tags. The tags in matching blocks are right.
Precision is their share of the cleaned page's tags, recall their share of the gold text's tags. In the unlabelled measure
every tag is `<p>`. Raw text has no tags, so its segmentation scores 0, as in Table 4. There are three differences from
`cleaneval.py`: difflib's heuristic for long texts, `autojunk`, is off, as for words; a text's words cannot pass for tags; gold
text before the first tag, which has no label, counts as a paragraph with its tag.

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
    """Numbers of segments: of a cleaned page, of its gold text, aligned with labels (`right`) and aligned without labels.

    Labels change the alignment, so either of the last two may be larger.
    """

    cleaned: int
    gold: int
    right: int
    right_unlabelled: int


class Snippets(NamedTuple):
    """Numbers of a page's snippets: `required`, of these `kept`; `forbidden`, of these `leaked`."""

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
    """Compare segments. Return None if the gold text has segments but no labels. A cleaned page without labels scores 0."""
    if gold and not any(part.label for part in gold):
        return None
    if not any(part.label for part in cleaned):
        return SegmentCounts(len(cleaned), len(gold), 0, 0)
    plain = ([LabelledText(PARAGRAPH, part.text) for part in parts] for parts in (cleaned, gold))
    return SegmentCounts(len(cleaned), len(gold), _aligned_tags(cleaned, gold), _aligned_tags(*plain))


def pooled(counts: Sequence[SegmentCounts], labelled: bool) -> Agreement:
    """Return precision, recall and F1 over the pooled segments of pages."""
    right = sum(page.right if labelled else page.right_unlabelled for page in counts)
    return agreement(right, sum(page.cleaned for page in counts), sum(page.gold for page in counts))


def _aligned_tags(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> int:
    tokens = _tagged(cleaned)
    blocks = matching_blocks(tokens, _tagged(gold))
    return sum(isinstance(token, tuple) for block in blocks for token in tokens[block.a : block.a + block.size])


def _tagged(parts: Iterable[LabelledText]) -> list[Hashable]:
    """Return the tag and the words of each segment. A tag is a tuple, so it equals no word."""
    tokens: list[Hashable] = []
    for part in parts:
        tokens.append((part.label or PARAGRAPH,))
        tokens += part.text.split()
    return tokens


def bag(cleaned: str, gold: str) -> Agreement:
    """Return the agreement of two texts' words, without regard to their order."""
    words, gold_words = Counter(cleaned.split()), Counter(gold.split())
    return agreement((words & gold_words).total(), words.total(), gold_words.total())


def snippets(cleaned: str, gold: GoldPage) -> Snippets | None:
    """Return the numbers of snippets in a cleaned page; None if its gold has no snippets.

    A text contains a snippet if the snippet's tokens occur in it one after another, with their case. Tokens are compared since
    gold often has other quotation marks than the page, and a snippet may extend over lines and blocks. The first and last
    token may match parts of words. A snippet without tokens must occur literally, except for white space.
    """
    if not gold.required and not gold.forbidden:
        return None
    words, text = _tokens(cleaned), " ".join(cleaned.split())

    def occurs(snippet: str) -> bool:
        inner = _tokens(snippet)
        return inner in words if inner else " ".join(snippet.split()) in text

    kept, leaked = (sum(map(occurs, group)) for group in (gold.required, gold.forbidden))
    return Snippets(len(gold.required), kept, len(gold.forbidden), leaked)


def _tokens(text: str) -> str:
    return " ".join(TOKEN.findall(text))


def paired_t_test(values: Sequence[float], baseline: Sequence[float]) -> TTest:
    """Test whether the mean of paired differences is zero (Student 1908; NCleaner, section 4, over pages).

    If all differences are zero, or there is only one pair, t = 0 and p = 1. If all are equal and not zero, t is infinite and
    p = 0.
    """
    differences = [value - base for value, base in zip(values, baseline, strict=True)]
    df, interval = len(differences) - 1, mean_interval(differences)
    if not df or interval == MeanInterval(0, 0, 0):
        return TTest(interval, 0.0, df, 1.0)
    if interval.low == interval.high:
        return TTest(interval, math.copysign(math.inf, interval.mean), df, 0.0)
    t = interval.mean / (stdev(differences) / math.sqrt(len(differences)))
    return TTest(interval, t, df, float(betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True)))
