"""From the probabilities of a page's blocks to their scores: comments, footers, code, repeats, and the page's cutoff.

Readers' comments are the content of a forum, and no content of other pages. So the page's type is found before its blocks, as
in Foley's rs-trafilatura (WCXB, 2026), whose rules depend on a learned type.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from thresher.cleaners.content_model.features import THOUSAND, BlockFeatures, Floats, Wide
from thresher.cleaners.content_model.page_parts import PageParts

PAGE_RULES = 4
"""The version of `block_scores`; increase it when scores change without the model."""
_PAGE, _AROUND, _SHARE = "page_", "in_", "share_"
"""The beginnings of the names of features: of the page, of the elements around a block, and of the words in these."""
_FORUM = 0.25
"""Comments stay if the page is a forum with this probability or a higher one."""
_WORDS_BESIDES = 100
"""Comments stay if at most this many words of content are expected outside of them."""
_LONG_COMMENT = 10
"""If comments are content, a comment of this many words has a probability of at least a half."""
_LIKELY = 0.5
"""Blocks with this probability or a higher one are likely content."""
_WORDS_BESIDES_FOOTER = 5
"""A footer stays if fewer words of likely content are outside of it: malformed pages have all their text in it."""
_PROSE_WORDS = 10
"""A block of likely content with more words is prose; an ending before prose is no footer: see `PageParts`."""
_MOST_SHARE = 0.99
"""The share of content that is assumed if the whole page is content."""
_OF_HIGHEST, _MORE = 0.5, 0.1
"""The page's cutoff is this part of the highest expected F1, plus this much."""


@cache
def forum_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the features that tell forums, from the names of blocks' features."""
    names_of_page = [names[row] for row in _rows(names, _PAGE)]
    names_around = [f"{_SHARE}{names[row]}" for row in _rows(names, _AROUND)]
    return tuple(names_of_page + names_around)


def forum_features(names: tuple[str, ...], values: Floats, words: Wide) -> Floats:
    """Return the features of a page that tell forums, shape (features, 1).

    They are the features that all blocks share, and the share of the page's words in elements of each kind.

    Args:
        names: the names of the blocks' features.
        values: the blocks' features; shape (features, blocks).
        words: the number of words of each block; shape (blocks,).
    """
    weights = words + 1
    around = values.take(_rows(names, _AROUND), axis=0)
    # Sums of halves are exact, up to 2 ** 23.
    shares = np.einsum("fb,b->f", around, weights.astype(np.float32)) / weights.sum()
    return np.concatenate((values[_rows(names, _PAGE), 0], shares))[:, None].astype(np.float32)


@cache
def _rows(names: tuple[str, ...], begin: str) -> npt.NDArray[np.int64]:
    """Return the rows of the features whose names begin so."""
    return np.array([row for row, name in enumerate(names) if name.startswith(begin)])


def block_scores(probabilities: Wide, forum: float, features: BlockFeatures, comments: bool = False) -> Wide:
    """Return the scores of a page's blocks, with a half at the page's cutoff; shape (blocks,).

    Repeats, footers, and comments that are no content score 0. Code scores at least as high as the texts around it. All other
    scores follow from `with_share` and `for_page`.

    Args:
        probabilities: the probability of each block by the model.
        forum: the probability that the page is a forum's.
        features: the features of the blocks.
        comments: whether comments are content everywhere.
    """
    words, parts = features.words, features.parts
    probabilities = without_footers(probabilities, words, parts)
    if comments:
        probabilities = with_comments(probabilities, words, parts.comments)
    else:
        probabilities = without_comments(probabilities, words, parts.comments, forum)
    scores = for_page(with_share(probabilities, words), words)
    of_code = with_code(without_repeats(scores, features.alike), parts)
    # Blocks that the rules above take out stay out.
    return np.where(scores > 0, of_code, 0)


def with_comments(probabilities: Wide, words: Wide, comments: npt.NDArray[np.bool_]) -> Wide:
    """Return a page's probabilities with a half or more for comments of `_LONG_COMMENT` words or more; shape (blocks,)."""
    raised: Wide = np.where(comments, np.maximum(probabilities, words / (words + _LONG_COMMENT)), probabilities)
    return raised


def without_comments(probabilities: Wide, words: Wide, comments: npt.NDArray[np.bool_], forum: float) -> Wide:
    """Return a page's probabilities with 0 for comments that are no content.

    Comments are no content if the page is not a forum's and more than 100 words of content are expected outside of them.

    Args:
        probabilities: the probability of each block to be content; shape (blocks,).
        words: the number of words of each block; shape (blocks,).
        comments: which blocks are in an element that is called a comment; shape (blocks,).
        forum: the probability that the page is a forum's.
    """
    # Whole thousandths, so that sums over blocks are exact.
    words_of_content = words * np.rint(THOUSAND * probabilities)
    outside = float(words_of_content[~comments].sum()) / THOUSAND
    if forum < _FORUM and outside > _WORDS_BESIDES:
        return np.where(comments, 0, probabilities)
    return probabilities


def without_footers(probabilities: Wide, words: Wide, parts: PageParts) -> Wide:
    """Return a page's probabilities with 0 for its footer; shape (blocks,).

    On short pages the network takes all text outside of links for content, footers included. A FOOTER by HTML's rules always
    is a footer. An element that is only named a footer, or a line of copyright, is a footer if no prose of likely content
    follows.
    """
    likely = probabilities >= _LIKELY
    is_prose = likely & (words > _PROSE_WORDS) & ~parts.footers & ~parts.endings
    after_prose = int(is_prose.nonzero()[0].max(initial=-1)) + 1
    footers = parts.footers.copy()
    footers[after_prose:] |= parts.endings[after_prose:]
    if words[likely & ~footers].sum() < _WORDS_BESIDES_FOOTER:
        return probabilities
    return np.where(footers, 0, probabilities)


def with_code(scores: Wide, parts: PageParts) -> Wide:
    """Return a page's scores, raised so that no code is dropped between two kept blocks; shape (blocks,).

    Code scores at least the lower of two scores: the highest before it and the highest behind it, other code not counted. In
    the page's main part, code scores at least as high as the likeliest text there, so that the last code stays with its text.
    """
    if not parts.code.any():
        return scores
    scores_without_code = np.where(parts.without_code, scores, 0)
    highest_behind = np.maximum.accumulate(scores_without_code[::-1])[::-1]
    least = np.minimum(np.maximum.accumulate(scores_without_code), highest_behind)
    main = parts.main_part
    least[main] = np.maximum(least[main], scores_without_code[main][parts.texts[main]].max(initial=0))
    raised: Wide = np.where(parts.code, np.maximum(scores, least), scores)
    return raised


def without_repeats(probabilities: Wide, alike: npt.NDArray[np.int64]) -> Wide:
    """Return a page's probabilities with 0 for repeats: all but one of the blocks that are `alike`; shape (blocks,).

    The first block with a half or more stays, so that one copy of a passage is read whole; else the likeliest block.
    """
    backwards = (-np.minimum(probabilities, 0.5)).argsort(kind="stable")[::-1]
    # If several blocks are put in one place, the last remains.
    chosen = np.empty(len(alike), dtype=np.int64)
    chosen[alike[backwards]] = backwards
    return np.where(chosen[alike] == np.arange(len(alike)), probabilities, 0)


def with_share(probabilities: Wide, words: Wide) -> Wide:
    """Return a page's probabilities given how much of the page is content: higher if that is more than half.

    A reference page has no template: a sentence above its lists of definitions is content there, and would be a teaser
    elsewhere. So odds are multiplied by the odds of the page's expected share of content (Saerens, Latinne, Decaestecker,
    Adjusting the Outputs of a Classifier to New a Priori Probabilities, Neural Computation 14, 2002). The factor is their
    square root, because the share is estimated from the same probabilities. Shape (blocks,).
    """
    expected = float((words * np.rint(THOUSAND * probabilities)).sum()) / THOUSAND
    share = min(expected / max(float(words.sum()), 0.5), _MOST_SHARE)
    if share <= 0.5:
        return probabilities
    raised: Wide = probabilities * np.sqrt(share / (1 - share))
    return raised / (raised + 1 - probabilities)


def for_page(probabilities: Wide, words: Wide) -> Wide:
    """Return a page's probabilities with a half at the cutoff that suits the page, linear from there to 0 and to 1.

    The cutoff of highest expected F1 is half that F1 (Lipton, Elkan, Naryanaswamy, Optimal Thresholding of Classifiers
    to Maximize F1 Measure, ECML PKDD 2014): low on pages with few sure blocks. A tenth is added, because the blocks of a
    page are wrong together; cross-validation on the training sets found it best. The expected F1 of the blocks from some
    probability up is twice their expected words of content, divided by the sum of all their words and of all words of
    content that are expected on the page. Shape (blocks,), at least one.
    """
    order = (-probabilities).argsort(kind="stable")
    # Whole thousandths, so that sums over blocks are exact.
    expected = (words * np.rint(THOUSAND * probabilities))[order].cumsum() / THOUSAND
    highest = (2 * expected / np.maximum(words[order].cumsum() + expected[-1], 0.5)).max()
    return np.interp(probabilities, (0, _OF_HIGHEST * highest + _MORE, 1), (0, 0.5, 1))
