"""Reading and writing text with marked headings and list items, like a text browser's dump.

Source: Evert, NCleaner, LREC 2008, section 2 (second and third module): segments are classified as `<p>` (general paragraph),
`<h>` (heading) or `<l>` (list item), and navigation bars, whose fields are separated by `|`, are deleted. The paper does not
publish its regular expressions; these rules are this project's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from thresher.pages.segments import Segments

PARAGRAPH = "p"
HEADING = "h"
LIST_ITEM = "l"

# Lynx's bullets, by depth, and numbers. Characters that may begin prose are bullets only if Lynx would indent them as far.
_BULLET = re.compile(r"(?:\s*\*|\s{5,}[+o#@=-]|\s{2,}\d{1,3}[.)])(?:\s+|$)")
_LABEL = re.compile(r"\s*(?:(?:[*+o#@=-]|\d{1,3}[.)])\s+)?<([hlp])>\s*")
_HEADING = re.compile(r"#{1,6}(?:\s+|$)")
# The first line of a text in CleanEval's gold standard.
_ADDRESS = re.compile(r"\s*URL:\s*\w+://\S+[ \t]*(?:\r?\n|$)")

_FIELDS = 3
_FIELD_WORDS = 5


@dataclass(frozen=True)
class MarkedSegment:
    """A piece of text between paragraph breaks, labelled `p`, `h` or `l`."""

    label: str
    text: str


def marked_segments(segments: Segments) -> list[MarkedSegment]:
    """Return a page's blocks with labels; the title is a heading, as is a heading inside a list item."""
    marked: list[MarkedSegment] = []
    headings = segments.is_heading.tolist()
    items = segments.is_list_item.tolist()
    for text, is_heading, is_item in zip(segments.blocks, headings, items, strict=True):
        label = PARAGRAPH
        if is_heading:
            label = HEADING
        elif is_item:
            label = LIST_ITEM
        marked.append(MarkedSegment(label, text))
    return marked


def read_marked_text(text: str) -> list[MarkedSegment]:
    """Return the segments of a text dump.

    A blank line ends a segment, and a mark at the beginning of a line begins a segment. `* ` and Lynx's other bullets and
    numbers mark a list item, `# ` marks a heading, and `<p>`, `<h>` and `<l>` are the marks of the CleanEval guidelines. A
    mark alone in its line applies to the next line with text. A first line `URL: http://…` is left out.
    """
    result: list[MarkedSegment] = []
    label = PARAGRAPH
    words: list[str] = []

    def finish() -> None:
        nonlocal label
        if words:
            result.append(MarkedSegment(label, " ".join(words)))
            words.clear()
            label = PARAGRAPH

    if address := _ADDRESS.match(text):
        text = text[address.end() :]
    for line in text.splitlines():
        mark, rest = split_mark(line)
        if mark or not rest:
            finish()
        label = mark or label
        words.extend(rest.split())
    finish()
    return result


def dump_blocks(lines: Sequence[str]) -> list[list[str]]:
    """Return the lines of each block of a text dump: blank lines end blocks, marks of headings and list items begin them.

    A text with no blank line between others has one block per line, as cleaned texts have.

    >>> dump_blocks(["One", "two.", "", "* three", "* four"]), dump_blocks(["", "One", "two."])
    ([['One', 'two.'], ['* three'], ['* four']], [['One'], ['two.']])
    """
    with_text = [number for number, line in enumerate(lines) if line.split()]
    if not with_text:
        return []
    if with_text[-1] - with_text[0] + 1 == len(with_text):
        return [[lines[number]] for number in with_text]
    blocks: list[list[str]] = []
    follows_text = False
    for line in lines:
        has_text = bool(line.split())
        if has_text and follows_text and not split_mark(line).label:
            blocks[-1].append(line)
        elif has_text:
            blocks.append([line])
        follows_text = has_text
    return blocks


class LevelledLine(NamedTuple):
    """The heading level of the mark at the beginning of a line, 0 for none; and the line without the mark."""

    level: int
    text: str


class LabelledLine(NamedTuple):
    """The label of the mark at the beginning of a line, empty for none; and the line without the mark."""

    label: str
    text: str


def heading_mark(line: str) -> LevelledLine:
    """Read the mark of a heading or paragraph at the beginning of a line. Bullets and numbers stay: they are text.

    >>> heading_mark("## Storms"), heading_mark("<p>Rain")
    (LevelledLine(level=2, text='Storms'), LevelledLine(level=0, text='Rain'))
    >>> heading_mark("<h>Storms").level, heading_mark("* Rain").text
    (1, '* Rain')
    """
    if tag := _LABEL.match(line):
        level = 1 if tag[1] == HEADING else 0
        return LevelledLine(level, line[tag.end() :])
    if heading := _HEADING.match(line):
        return LevelledLine(heading[0].count("#"), line[heading.end() :])
    return LevelledLine(0, line)


def is_bar(text: str) -> bool:
    """Return whether a segment is a navigation bar or footer: three or more fields of at most five words, separated by `|`.

    Two fields are not enough, since titles have them.

    >>> is_bar("Home | News | Contact us"), is_bar("Storms | News"), is_bar("cat x | sort | uniq -c tells how often each came")
    (True, False, False)
    """
    fields = [field.split() for field in text.strip("| ").split("|")]
    return len(fields) >= _FIELDS and all(len(field) <= _FIELD_WORDS for field in fields)


def split_mark(line: str) -> LabelledLine:
    """Read the mark of a heading, paragraph or list item at the beginning of a line."""
    if tag := _LABEL.match(line):
        rest = line[tag.end() :].rstrip()
        # Some bullets count only if they are indented.
        if tag[1] == LIST_ITEM and (bullet := _BULLET.match(f"  {rest}")):
            rest = rest[bullet.end() - 2 :]
        return LabelledLine(tag[1], rest)
    if heading := _HEADING.match(line):
        return LabelledLine(HEADING, line[heading.end() :].strip())
    if bullet := _BULLET.match(line):
        return LabelledLine(LIST_ITEM, line[bullet.end() :].strip())
    return LabelledLine("", line.strip())
