"""Measures of a cleaned page against its gold text, over words, tokens and segments; and snippets that must stay or go.

Words are separated by white space and compared as they are, with case and punctuation; tokens are runs of letters, digits and
underscores in lower case. If the cleaned page is empty, precision
is 1 if the gold text is empty too, else 0; if the gold text is empty, recall likewise.

Segments are measured as in Evert's evaluation of CleanEval (`cleaneval.py`, 2008; NCleaner, LREC 2008, Table 4). In both texts
a tag `<h>`, `<p>` or `<l>` precedes each segment, and the words and tags of both are aligned as `difflib` does. The tags
in matching blocks are right; precision is their share of the cleaned page's tags, recall of the gold text's. Unlabelled, every
tag is `<p>`. Raw text has no tags, so that its segmentation scores 0, as in that table. Three things differ from that script:
difflib's heuristic for long texts, `autojunk`, is off, as for words; a text's words cannot pass for tags; and gold text before
the first tag, which has no label, counts as a paragraph with its tag.

Sources: the evaluation of Trafilatura (Barbaresi 2021, ACL demonstrations, section 4), which counts snippets in the extracted
text, punctuation included; WCXB (Foley 2026, arXiv:2605.21097), whose gold has snippets besides whole texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev

from rapidfuzz.distance import Levenshtein

from thresher.cleaneval.alignment import matching_blocks
from thresher.cleaneval.gold_texts import LabelledText
from thresher.pages.marked_text import PARAGRAPH

TOKEN = re.compile(r"\w+")
"""A run of letters, digits and underscores."""


@dataclass(frozen=True)
class Agreement:
    """How much two texts agree: `precision`, `recall` and their harmonic mean `f1`, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class PageWords:
    """Word counts of a cleaned page (`words`) and its gold text (`gold`).

    `aligned` words lie in the longest matching blocks, `shared` words are common to both bags of words; `distance` is the
    Levenshtein distance.
    """

    words: int
    gold: int
    aligned: int
    shared: int
    distance: int

    @property
    def alignment(self) -> Agreement:
        """Word precision, recall and F by alignment (Evert 2008, NCleaner, section 4)."""
        return agreement(self.aligned, self.words, self.gold)

    @property
    def bag(self) -> Agreement:
        """Precision, recall and F1 over bags of tokens (Kohlschütter et al. 2010, section 4.3.2)."""
        return agreement(self.shared, self.words, self.gold)

    @property
    def similarity(self) -> float:
        """Levenshtein similarity in per cent: 100 · (1 - distance / words of the longer text); 100 if both are empty.

        CleanEval's measure over tokens, in the form of the perplexity paper's Table 7 (section 4.2). Neither gives the
        divisor; the words of the longer text are the largest possible distance.
        """
        longer = max(self.words, self.gold)
        return 100 * (1 - self.distance / longer) if longer else 100.0


@dataclass(frozen=True)
class TokenCounts:
    """Token counts of a cleaned page (`cleaned`) and its gold text (`gold`); `shared` are common to both bags."""

    cleaned: int
    gold: int
    shared: int

    @property
    def bag(self) -> Agreement:
        """Precision, recall and F1 over bags of tokens (Foley 2026, WCXB, where F1 is called word F1)."""
        return agreement(self.shared, self.cleaned, self.gold)


@dataclass(frozen=True)
class SegmentCounts:
    """Numbers of segments of a cleaned page (`cleaned`) and of its gold text (`gold`), and of aligned segment starts.

    `right` are aligned with their labels, `right_unlabelled` without. Labels change the alignment, so either may be larger.
    """

    cleaned: int
    gold: int
    right: int
    right_unlabelled: int

    @property
    def labelled(self) -> Agreement:
        """Precision, recall and F of segments with their labels."""
        return agreement(self.right, self.cleaned, self.gold)

    @property
    def unlabelled(self) -> Agreement:
        """Precision, recall and F of segment starts."""
        return agreement(self.right_unlabelled, self.cleaned, self.gold)


@dataclass(frozen=True)
class Summary:
    """A measure over pages: mean, standard deviation of the sample (0 for one page) and median."""

    mean: float
    sd: float
    median: float


@dataclass(frozen=True)
class CleaningSummary:
    """A cleaner's measures over pages: shares in [0, 1], `similarity` in per cent.

    `micro` and `micro_bag` pool the words of all pages; all others average over pages (macro).
    """

    pages: int
    emptied: int
    micro: Agreement
    micro_bag: Agreement
    precision: Summary
    recall: Summary
    f1: Summary
    bag_precision: Summary
    bag_recall: Summary
    bag_f1: Summary
    similarity: Summary


def compare_words(cleaned: str, gold: str) -> PageWords:
    """Compare the words of a cleaned page with those of its gold text.

    The alignment is that of `difflib.SequenceMatcher(None, cleaned, gold, autojunk=False)` over words, with which NCleaner
    was evaluated. The Levenshtein distance is over words too; insertion, deletion and substitution cost 1.
    """
    words, wanted = cleaned.split(), gold.split()
    numbers: dict[str, int] = {}
    return PageWords(
        len(words),
        len(wanted),
        sum(block.size for block in matching_blocks(words, wanted)),
        (Counter(words) & Counter(wanted)).total(),
        # Numbers, since rapidfuzz compares words by their hash.
        Levenshtein.distance(*([numbers.setdefault(word, len(numbers)) for word in text] for text in (words, wanted))),
    )


def compare_tokens(cleaned: str, gold: str) -> TokenCounts:
    r"""Compare the tokens of a cleaned page with those of its gold text: the matches of `\w+` in the lower-cased text."""
    tokens, wanted = (Counter(TOKEN.findall(text.lower())) for text in (cleaned, gold))
    return TokenCounts(tokens.total(), wanted.total(), (tokens & wanted).total())


def compare_segments(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> SegmentCounts | None:
    """Compare the segments of a cleaned page with those of its gold text.

    Args:
        cleaned: without any label it is raw text, of which nothing is right.
        gold: the gold text.

    Returns:
        the counts; None if no segment of a gold text with any has a label: plain text is not cut into segments.
    """
    if gold and not any(segment.label for segment in gold):
        return None
    if not any(segment.label for segment in cleaned):
        return SegmentCounts(len(cleaned), len(gold), 0, 0)
    return SegmentCounts(
        len(cleaned), len(gold), _aligned_tags(cleaned, gold), _aligned_tags(_unlabelled(cleaned), _unlabelled(gold))
    )


def _aligned_tags(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> int:
    tokens = _tagged(cleaned)
    blocks = matching_blocks(tokens, _tagged(gold))
    return sum(isinstance(token, tuple) for block in blocks for token in tokens[block.a : block.a + block.size])


def _tagged(segments: Iterable[LabelledText]) -> list[Hashable]:
    """Return the words of each segment after its tag, a tuple, which no word equals."""
    tokens: list[Hashable] = []
    for segment in segments:
        tokens.append((segment.label or PARAGRAPH,))
        tokens += segment.text.split()
    return tokens


def _unlabelled(segments: Iterable[LabelledText]) -> list[LabelledText]:
    return [LabelledText(PARAGRAPH, segment.text) for segment in segments]


def agreement(common: int, cleaned: int, gold: int) -> Agreement:
    """Return precision = common/cleaned, recall = common/gold and F1 = 2·common/(cleaned + gold).

    If one of `cleaned` and `gold` is 0, all three are 0; if both are, all three are 1.

    Args:
        common: how many units of the cleaned page are right, at most the smaller of the other two.
        cleaned: units of the cleaned page.
        gold: units of the gold text.
    """
    if not cleaned or not gold:
        value = float(cleaned == gold)
        return Agreement(value, value, value)
    return Agreement(common / cleaned, common / gold, 2 * common / (cleaned + gold))


def summarize(values: Sequence[float]) -> Summary:
    """Return mean, standard deviation (n - 1) and median of at least one value."""
    return Summary(fmean(values), stdev(values) if len(values) > 1 else 0.0, float(median(values)))


def summarize_pages(pages: Sequence[PageWords]) -> CleaningSummary:
    """Return a cleaner's measures over at least one page, micro and macro (NCleaner, section 4, Table 2)."""
    words, gold = sum(page.words for page in pages), sum(page.gold for page in pages)
    aligned = [page.alignment for page in pages]
    bags = [page.bag for page in pages]
    return CleaningSummary(
        pages=len(pages),
        emptied=sum(page.words == 0 for page in pages),
        micro=agreement(sum(page.aligned for page in pages), words, gold),
        micro_bag=agreement(sum(page.shared for page in pages), words, gold),
        precision=summarize([page.precision for page in aligned]),
        recall=summarize([page.recall for page in aligned]),
        f1=summarize([page.f1 for page in aligned]),
        bag_precision=summarize([page.precision for page in bags]),
        bag_recall=summarize([page.recall for page in bags]),
        bag_f1=summarize([page.f1 for page in bags]),
        similarity=summarize([page.similarity for page in pages]),
    )


@dataclass(frozen=True)
class SnippetCounts:
    """How many of a page's `required` snippets are `kept`, and how many of its `forbidden` ones `leaked`."""

    required: int
    kept: int
    forbidden: int
    leaked: int

    @property
    def recall(self) -> float | None:
        """The share of required snippets that are kept; None without any."""
        return share(self.kept, self.required)

    @property
    def leak_rate(self) -> float | None:
        """The share of forbidden snippets that are kept; None without any."""
        return share(self.leaked, self.forbidden)


def share(part: int, whole: int) -> float | None:
    """Return the share of a part, in [0, 1]; None of nothing."""
    return part / whole if whole else None


def count_snippets(cleaned: str, required: Sequence[str], forbidden: Sequence[str]) -> SnippetCounts | None:
    """Return how many snippets a cleaned page has; None if its gold names none.

    A snippet is there if its tokens occur in the text one after another, with their case: gold often has other quotation marks
    than the page, and a snippet may reach over lines and blocks. The first and the last may be parts of words. A snippet
    without any token must occur as it is, but for white space.
    """
    if not required and not forbidden:
        return None
    words, text = _words(cleaned), _spaced(cleaned)

    def found(snippet: str) -> bool:
        inner = _words(snippet)
        return inner in words if inner else _spaced(snippet) in text

    kept, leaked = (sum(map(found, snippets)) for snippets in (required, forbidden))
    return SnippetCounts(len(required), kept, len(forbidden), leaked)


def _words(text: str) -> str:
    return " ".join(TOKEN.findall(text))


def _spaced(text: str) -> str:
    return " ".join(text.split())
