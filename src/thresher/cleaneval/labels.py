"""Text with what it is: a heading, a paragraph, a list item."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LabelledText:
    """A part of a page's text: its label `h` (heading), `p` (paragraph), `l` (list item) or None, and its text."""

    label: str | None
    text: str
