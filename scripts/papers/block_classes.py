"""Classes of a page's blocks by its gold: L3S-GN1 marks all classes, CleanEval headlines (`<h>`), Dragnet comments."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher import GoldPage, read_html
from thresher.base.files import read_bytes
from thresher.evaluation.cleaneval.gold import MarkRewriter, parse_gold, rewritten
from thresher.evaluation.cleaneval.gold_files import decode_gold
from thresher.pages.marked_text import HEADING

# scripts/, for the package content_training.
sys.path.append(str(Path(__file__).parents[1]))
from content_training.training_pages import align_words, tokens

CLASSES = ("boilerplate", "full text", "headline", "supplemental", "comments", "related")
_FULL_TEXT, _HEADLINE, _COMMENTS = (CLASSES.index(name) for name in ("full text", "headline", "comments"))
# L3S-GN1's marks of the classes after boilerplate, in their order.
_MARKS = ("x-nc-sel2", "x-nc-sel1", "x-nc-sel3", "x-nc-sel5", "x-nc-sel4")
# Private characters that precede text without a class and text of each class in `_MARKS`. A page's own are removed first.
_SIGNS = "".join(map(chr, range(0xE000, 0xE001 + len(_MARKS))))
_SIGNED = re.compile(f"([{_SIGNS}])")


class _Signed(MarkRewriter):
    """A writer of gold that puts a sign before text whose class differs from that of the text before it."""

    _last = ""

    def written(self, text: str, mark: str) -> str:
        """See `MarkRewriter`."""
        sign = _SIGNS[_MARKS.index(mark) + 1 if mark in _MARKS else 0]
        new = "" if sign == self._last else sign
        self._last = sign
        return new + escape(_SIGNED.sub(" ", text), quote=False)


def classed_texts(page: GoldPage) -> list[tuple[int, str]]:
    """Return a page's texts that are not boilerplate, in order, each with the number of its class.

    A class that the gold does not mark counts as full text.

    Raises:
        InputError: the file of the gold can no longer be read.
        lxml.etree.LxmlError: libxml2 cannot parse an annotated page.
    """
    if page.gold is not None and page.gold.suffix.lower() != ".txt":
        _, *pieces = _SIGNED.split(read_html(rewritten(read_bytes(page.gold), _Signed())).text)
        pairs = ((_SIGNS.index(sign), piece.strip()) for sign, piece in zip(pieces[::2], pieces[1::2], strict=True))
        return [(number, piece) for number, piece in pairs if number and piece]
    texts = [(_HEADLINE if part.label == HEADING else _FULL_TEXT, part.text) for part in page.segments]
    if page.gold is not None:
        text = decode_gold(read_bytes(page.gold))
        texts += [(_COMMENTS, part.text) for part in parse_gold(text, comments=True)[len(parse_gold(text)) :]]
    return texts


def classes_of_text(blocks: Sequence[str], gold: Sequence[tuple[int, str]]) -> npt.NDArray[np.int64]:
    """Return the class of each block: that of most of its aligned words, 0 if less than half are aligned; shape (blocks,)."""
    words = [(kind, word) for kind, text in gold for word in tokens(text)]
    indices, block_of_word, counts = align_words(blocks, [word for _, word in words])
    kinds = np.array([kind for kind, _ in words] or [0])
    inside = indices >= 0
    size = int(kinds.max()) + 1
    cells = block_of_word[inside] * size + kinds[indices[inside]]
    aligned = np.bincount(cells, minlength=len(blocks) * size).reshape(len(blocks), size)
    shares = aligned.sum(axis=1) / np.maximum(counts, 1)
    return np.where(shares >= 0.5, aligned.argmax(axis=1), 0)
