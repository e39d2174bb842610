"""How well a page was cleaned: its words against those of a gold text.

Words are what white space separates, as they stand: case and punctuation count. Where a page keeps nothing, its precision
is 1 if the gold text is empty too, else 0; where the gold text is empty, recall likewise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev

from rapidfuzz.distance import Levenshtein

from thresher.cleaneval.alignment import matching_blocks


@dataclass(frozen=True)
class Agreement:
    """How much two texts agree: `precision`, `recall` and their harmonic mean `f1`, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class PageWords:
    """What one cleaned page and its gold text come to, in words.

    `words` are the cleaned page's, `gold` the gold text's; `aligned` are those of the longest matching blocks, `shared`
    those of the bags, and `distance` is the Levenshtein distance.
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

        The measure of CleanEval's task at the level of tokens, in the form that the perplexity paper's Table 7 prints
        (section 4.2); neither prints the divisor. The longer text's words are the most that the distance can be.
        """
        longer = max(self.words, self.gold)
        return 100 * (1 - self.distance / longer) if longer else 100.0


@dataclass(frozen=True)
class Summary:
    """A measure over pages: mean, standard deviation of the sample (0 for one page) and median."""

    mean: float
    sd: float
    median: float


@dataclass(frozen=True)
class CleaningSummary:
    """A cleaner's measures over pages: shares in [0, 1], `similarity` in per cent.

    `micro` and `micro_bag` pool the words of all pages; all others are over pages, each page counting alike (macro).
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

    The alignment is that of `difflib.SequenceMatcher(None, cleaned, gold, autojunk=False)` over words, the package that
    NCleaner was evaluated with. The Levenshtein distance is over words too, each insertion, deletion and substitution
    costing 1.
    """
    numbers: dict[str, int] = {}
    # Numbers, since rapidfuzz compares words by their hash.
    words = [numbers.setdefault(word, len(numbers)) for word in cleaned.split()]
    wanted = [numbers.setdefault(word, len(numbers)) for word in gold.split()]
    return PageWords(
        len(words),
        len(wanted),
        sum(block.size for block in matching_blocks(words, wanted)),
        (Counter(words) & Counter(wanted)).total(),
        Levenshtein.distance(words, wanted),
    )


def agreement(common: int, found: int, wanted: int) -> Agreement:
    """Return precision = common/found, recall = common/wanted and F1 = 2·common/(found + wanted).

    Args:
        common: how many of `found` are right, at most the smaller of the other two.
        found: how many there are.
        wanted: how many there should be.

    Returns:
        Without anything found, precision is 1 if nothing was wanted, else 0; without anything wanted, recall is 1 if
        nothing was found, else 0. F1 is the harmonic mean, 1 if there is nothing at all.
    """
    if not found or not wanted:
        nothing = float(found == wanted)
        return Agreement(nothing, nothing, nothing)
    return Agreement(common / found, common / wanted, 2 * common / (found + wanted))


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
