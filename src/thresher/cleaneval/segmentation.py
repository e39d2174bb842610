"""How well a page was cut into segments: where headings, paragraphs and list items begin, and what they are called.

Source: Evert's evaluation of CleanEval (`cleaneval.py`, 2008; NCleaner, LREC 2008, Table 4). In both texts a tag `<h>`, `<p>`
or `<l>` stands before each segment, and the words and tags of both are aligned as `difflib` does it. The tags in equal blocks
are right; precision is their share of the cleaned page's tags, recall of the gold text's. Unlabelled, every tag is `<p>`.

Three things differ from that script: difflib's heuristic for long texts, `autojunk`, is off here, as for words; a text's words
cannot pass for tags; and text before the first tag of a gold text, which has no label, counts as a paragraph with its tag.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from thresher.cleaneval.alignment import matching_blocks
from thresher.cleaneval.gold import LabelledText
from thresher.cleaneval.measures import Agreement, agreement
from thresher.pages.marked_text import PARAGRAPH

Tag = tuple[str]
"""A tag among words: no text is equal to it."""


@dataclass(frozen=True)
class SegmentCounts:
    """The segments of a cleaned page (`found`) and its gold text (`wanted`), and how many begin at the same place.

    `right` are those with the same label; `right_unlabelled` are aligned without labels. As labels steer the alignment,
    neither need be the larger.
    """

    found: int
    wanted: int
    right: int
    right_unlabelled: int

    @property
    def labelled(self) -> Agreement:
        """Precision, recall and F of segments with their labels."""
        return agreement(self.right, self.found, self.wanted)

    @property
    def unlabelled(self) -> Agreement:
        """Precision, recall and F of where segments begin."""
        return agreement(self.right_unlabelled, self.found, self.wanted)


def compare_segments(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> SegmentCounts | None:
    """Compare the segments of a cleaned page with those of its gold text.

    Returns:
        the counts; None if no segment of the gold text has a label, since plain text is not cut into segments. A gold text
        without any segment wants none.
    """
    if gold and not any(segment.label for segment in gold):
        return None
    right = _right(cleaned, gold)
    one, other = _without_labels(cleaned), _without_labels(gold)
    return SegmentCounts(len(cleaned), len(gold), right, _right(one, other))


def _right(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> int:
    """Return how many tags of both are aligned."""
    tokens = _tagged(cleaned)
    blocks = matching_blocks(tokens, _tagged(gold))
    return sum(isinstance(token, tuple) for block in blocks for token in tokens[block.a : block.a + block.size])


def _tagged(segments: Iterable[LabelledText]) -> list[Hashable]:
    """Return the words of each segment after its tag."""
    tokens: list[Hashable] = []
    for segment in segments:
        tokens.append((segment.label or PARAGRAPH,))
        tokens += segment.text.split()
    return tokens


def _without_labels(segments: Iterable[LabelledText]) -> list[LabelledText]:
    return [LabelledText(PARAGRAPH, segment.text) for segment in segments]
