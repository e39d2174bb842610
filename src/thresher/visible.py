"""Text from elsewhere, on its way to a terminal or log: it steers nothing, forges no lines and does not flood."""

from __future__ import annotations

import re

MOST = 1500
"""Characters of a message."""

# Controls (C0, DEL, C1), separators of lines and paragraphs, bidirectional marks, overrides and isolates, lone surrogates.
_STEERING = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str, most: int | None = MOST) -> str:
    r"""Return `text` on one line, with characters that steer a terminal as `\u` and four digits, its middle left out if long.

    JSON keeps its meaning, if it is not clipped.

    Args:
        text: of a page, topic, id, file name or argument.
        most: characters that are kept, two thirds of them from the beginning; None for all.

    >>> visible("a\x1b[2J\nb")
    'a\\u001b[2J\\u000ab'
    """
    seen = _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    if most is None or len(seen) <= most:
        return seen
    tail = most // 3
    return f"{seen[: most - tail]} … ({len(seen):,} characters) … {seen[-tail:]}"
