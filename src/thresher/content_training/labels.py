"""Labels of a page's blocks from its gold text, or from snippets that must stay or must go."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.cleaneval.alignment import matching_blocks

Labels = npt.NDArray[np.float64]

# In scripts without spaces each character is a token, so that blocks with other line breaks align.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def tokens(text: str) -> list[str]:
    """Return the words of a text without case and punctuation.

    >>> tokens("It's 3.5 kg, 東京")
    ['it', 's', '3', '5', 'kg', '東', '京']
    """
    return _TOKEN.findall(text.lower())


def labels_of_text(blocks: Sequence[str], gold: str) -> Labels:
    """Return the share of each block's words that are aligned with the gold text; shape (blocks,), range 0 to 1.

    The alignment is by longest matching runs of words, as `thresher.cleaneval.alignment`. Blocks without words have 0.
    """
    places, block_of_word, counts = _aligned(blocks, tokens(gold))
    shares: Labels = np.bincount(block_of_word[places >= 0], minlength=len(blocks)) / np.maximum(counts, 1)
    return shares


def classes_of_text(blocks: Sequence[str], gold: Sequence[tuple[int, str]]) -> npt.NDArray[np.int64]:
    """Return the class of each block: that of most of its aligned words, 0 where less than half are; shape (blocks,).

    Args:
        blocks: of the page.
        gold: its texts in order, each with its class, from 1.
    """
    words = [(kind, word) for kind, text in gold for word in tokens(text)]
    places, block_of_word, counts = _aligned(blocks, [word for _, word in words])
    kinds = np.array([kind for kind, _ in words] or [0])
    inside = places >= 0
    size = int(kinds.max()) + 1
    cells = block_of_word[inside] * size + kinds[places[inside]]
    found = np.bincount(cells, minlength=len(blocks) * size).reshape(len(blocks), size)
    shares = found.sum(axis=1) / np.maximum(counts, 1)
    return np.where(shares >= 0.5, found.argmax(axis=1), 0)


def _aligned(
    blocks: Sequence[str], gold: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return for each word of the blocks its place in the gold's words, -1 if none, and its block; the blocks' words."""
    words = [tokens(block) for block in blocks]
    counts = np.array([len(each) for each in words], dtype=np.int64)
    block_of_word = np.repeat(np.arange(len(blocks)), counts)
    places = np.full(len(block_of_word), -1)
    for match in matching_blocks([word for each in words for word in each], gold):
        places[match.a : match.a + match.size] = np.arange(match.b, match.b + match.size)
    return places, block_of_word, counts


def labels_of_snippets(blocks: Sequence[str], required: Sequence[str], forbidden: Sequence[str]) -> Labels:
    """Return 1 for blocks that hold a required snippet, 0 for those that hold a forbidden one, NaN for the others.

    Case, punctuation and spacing do not count. A block with both is required. Shape (blocks,).
    """
    texts = [_padded(block) for block in blocks]
    labels = np.full(len(blocks), np.nan)
    for snippets, label in ((forbidden, 0.0), (required, 1.0)):
        for snippet in map(_padded, snippets):
            if snippet.strip():
                labels[[snippet in text for text in texts]] = label
    return labels


def _padded(text: str) -> str:
    # Spaces at both ends, so that snippets are whole words.
    return f" {' '.join(tokens(text))} "
