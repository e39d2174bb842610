"""Bytes of an index before it is built, by the types of its files, from its counts.

Lucene's bytes for each posting, term, document or token are nearly equal in all collections. `scripts/index_bytes.py`
fits these bytes to built indexes, and compares the estimates with the indexes (scripts/pages/index-bytes.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log2

from thresher.indexes.indexing import IndexOptions
from thresher.indexes.work import IndexStatistics

BYTES_OF_AMOUNTS: Mapping[str, tuple[float, ...]] = {
    ".doc": (1.737, 0.712, -0.162, 1.113, 0.25, 1.0),
    ".tim": (1.074, 0.893),
    ".dvd": (1.389, 1.009),
    ".fdt": (4.050, 0.710, 3.3),
    ".nvd": (1.0,),
    ".pos": (0.12, 0.139, 1.2),
    ".tvd": (2.1, 2.2),
    ".npy": (4.0,),
    ".parquet": (4100.0, 0.515),
    "segments": (1740.0,),
}
"""The bytes for each amount that a type of file grows with; see `amounts`."""
_ONCE = 0.45
"""A share of about (tokens / postings)^−0.45 of all postings has a tf of 1."""
_OF_A_TERM = 6
"""A term's counts and address take about as many bytes as six of its letters."""
_OF_AN_ID = 3
"""An id's counts and address take about as many bytes as this number of its letters."""
_SHARED = 0.35
"""With twice as many terms, neighbours share about this many letters more."""
_BLOCK = 128
"""Lucene packs this many postings of a term into a block, and writes the postings behind the last full block one by
one.
"""
_LONGEST = 8
"""Postings take no fewer bytes if lists are longer than 2^8 on average."""
NEARLY_ALL = 0.95
"""A term in this share of the pages belongs to navigation: the distances between its documents are equal, and take no
bytes.
"""


@dataclass(frozen=True)
class IndexContents:
    """The properties that all indexes of an experiment share.

    Args:
        id_bytes: the mean length of an id in bytes of UTF-8.
        id_letters: of an id, the mean number of bytes that it does not share with the id before it in alphabetical order.
        term_letters: of a distinct term in a sample of the pages, the mean number of bytes that it does not share with
            the term before it.
        common_terms: the number of a page's terms that nearly all pages of the sample have, as navigation has.
        sample_terms: the number of these terms.
        options: positions, texts, vectors and exact lengths.
        original_statistics: whether a pruned index keeps the statistics of the unpruned collection.
    """

    id_bytes: float = 16.0
    id_letters: float = 8.0
    term_letters: float = 3.5
    common_terms: float = 0.0
    sample_terms: int = 10_000
    options: IndexOptions = IndexOptions()
    original_statistics: bool = True


def own_letters(names: Iterable[str]) -> float:
    """Return the mean number of bytes that a name does not share with the name before it in alphabetical order.

    >>> own_letters(["rain", "raincoat", "sun"])
    3.6666666666666665
    """
    ordered = sorted(name.encode() for name in names)
    if not ordered:
        return 0.0
    total = len(ordered[0])
    for before, name in pairwise(ordered):
        total += len(name) - _shared(before, name)
    return total / len(ordered)


def _shared(before: bytes, name: bytes) -> int:
    """Return the number of bytes that two names have in common at their beginnings."""
    for place, (left, right) in enumerate(zip(before, name, strict=False)):
        if left != right:
            return place
    return min(len(before), len(name))


@dataclass(frozen=True)
class CountedIndex:
    """The counts that an index's bytes are estimated from.

    Args:
        statistics: of the index.
        words: left by cleaning.
        pruned: whether postings were pruned.
        removed: the number of postings of the baseline that it lacks.
    """

    statistics: IndexStatistics
    words: int
    pruned: bool
    removed: int = 0


def amounts(index: CountedIndex, contents: IndexContents) -> Mapping[str, tuple[float, ...]]:
    """Return the amounts that the files of an index grow with, by type.

    - `.doc`, postings: the distance to the document before it, in fewer bits where lists are long; the tf, unless it is
      1; in a pruned index a posting for the lost tokens of each document. Postings of terms that nearly all pages have
      take fewer bytes, since only their tf differs, except for postings behind the last full block. Cleaning and
      pruning are taken to remove these terms first.
    - `.tim`, the dictionary: the letters of every term that it does not share with its neighbours, its counts and an
      address; and every id, which is a term of its own field.
    - `.dvd`: every id as it is, and its place. `.fdt`: the ids once more, compressed, and texts if asked for.
    - `.nvd`: a byte for the length of each document. `.npy`: four of them, for exact lengths.
    - `.pos`: the distance of each token to the one before it, in more bits in long documents; an address for each term.
    - `.tvd`: terms and tokens of each document.
    - `.parquet`: the losses of each term by pruning.
    - `segments`: the bytes that do not grow.
    """
    options = contents.options
    documents = float(index.statistics.documents)
    tokens = float(index.statistics.tokens)
    postings = float(index.statistics.postings)
    terms = float(index.statistics.vocabulary)
    ids = documents * contents.id_bytes
    keeps_losses = index.pruned and contents.original_statistics
    common = min(max(documents * contents.common_terms - index.removed, 0.0), postings)
    behind_blocks = common * (documents % _BLOCK) / max(documents, 1.0)
    further = postings - common
    several = further * (1 - _ratio(tokens, postings) ** -_ONCE)
    in_long_lists = further * min(log2(_ratio(further, terms)), _LONGEST)
    letters = contents.term_letters - _SHARED * log2(_ratio(terms, contents.sample_terms))
    sizes: dict[str, tuple[float, ...]] = {
        ".doc": (further, several, in_long_lists, documents if keeps_losses else 0.0, common, behind_blocks),
        ".tim": (terms * (_OF_A_TERM + letters), documents * (_OF_AN_ID + contents.id_letters)),
        ".dvd": (documents, ids),
        ".fdt": (documents, documents * contents.id_letters, float(index.words) if options.stored else 0.0),
        ".nvd": (documents,),
        "segments": (1.0,),
    }
    if options.positions:
        sizes[".pos"] = (tokens, tokens * log2(max(_ratio(tokens, documents), 1.0)), terms)
    if options.vectors:
        sizes[".tvd"] = (postings, tokens)
    if options.lengths:
        sizes[".npy"] = (documents,)
    if keeps_losses:
        sizes[".parquet"] = (1.0, terms)
    return sizes


def _ratio(whole: float, parts: float) -> float:
    """Return a ratio; a count of 0 counts as 1."""
    return max(whole, 1.0) / max(parts, 1.0)


def estimated_bytes(index: CountedIndex, contents: IndexContents) -> Mapping[str, float]:
    """Return the bytes of an index by the types of its files; types that hold little count to `segments`."""
    estimate = {}
    for kind, of_kind in amounts(index, contents).items():
        estimate[kind] = sum(size * amount for size, amount in zip(BYTES_OF_AMOUNTS[kind], of_kind, strict=True))
    return estimate


def scaled_bytes(
    estimate: Mapping[str, float], of_baseline: Mapping[str, float], built: Mapping[str, int]
) -> Mapping[str, float]:
    """Return an estimate, each type of file times the ratio of the baseline's measured bytes to its estimated ones.

    Args:
        estimate: of an index that was not built.
        of_baseline: of the baseline's index.
        built: the bytes of the baseline's index, which was built.
    """
    scaled = {}
    for kind, size in estimate.items():
        measured, estimated = built.get(kind, 0), of_baseline.get(kind, 0.0)
        is_comparable = measured and estimated and kind != "segments"
        scaled[kind] = size * measured / estimated if is_comparable else size
    return scaled
