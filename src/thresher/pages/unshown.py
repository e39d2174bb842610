"""Hidden elements of a page, by their tags and attributes.

An element that the page may show later is text for a reader, and stays: pages come with panels, answers and whole articles
that a click or a script opens. Text that an attribute hides is therefore left out only if it is short and nothing opens it.
Source: the HTML standard, 15.3.1 and 15.4, and CSS's DISPLAY and VISIBILITY for text that is not displayed; Readability, as in
Firefox's reader view, for ARIA-HIDDEN; the limits are this project's: scripts/pages/content.md says how much of pages with
gold texts they leave out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from thresher.base.numbers import Ints

# Not displayed, or only without scripts, frames or objects; of formulas, their source. Not EMBED: libxml2 puts what follows
# into it.
DROPPED_TAGS = frozenset(
    (
        "annotation annotation-xml applet audio canvas iframe noembed noframes noscript option script style svg template video"
    ).split()
)
CLOSED_TAG = "dialog"
"""An element that is hidden unless it has the attribute OPEN."""
HIDING = frozenset(("hidden", "aria-hidden", "popover", "style"))
"""The attributes that may hide an element."""
LEFT_OUT = 1 << 62
"""More characters than an element has."""
# Hidden elements with more characters than this, white space not counted, stay: some 100 English words.
_MOST_CHARACTERS = 500
_HIDING_STYLE = re.compile(
    r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden)",
    re.IGNORECASE,
)
_HIDING_VALUES = ("none", "hidden", "collapse")
# VISIBILITY is inherited, so that an element in a hidden one may be visible; what is not displayed has none (CSS 2.2, 11.2).
_INVISIBLE_STYLE = re.compile(r"(?<![\w-])visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_VISIBLE_STYLE = re.compile(r"(?<![\w-])visibility\s*:\s*visible", re.IGNORECASE)
# They are shown, whatever their attributes say: a script takes these away.
_SHOWN_TAGS = frozenset(("html", "head", "body", "title"))
_SHADOW_ROOT = "shadowrootmode"
_OPENED_ROLES = frozenset(("tabpanel", "region"))
# Of a class in lower case: to ignore case takes five times as long.
_OPENED_CLASS = re.compile(
    r"accordion|collaps|expand|tabs?(?![a-z])|panel|carousel|slide|faq|toggle|drawer|disclosure|reveal|read-?more"
)
# Forms of an id between quotes: in an attribute or a script, in a link or a selector, in a script's JSON.
_NAMED = ("{}", "#{}", "{}\\")


def hides(name: str, value: str) -> bool:
    """Return whether an attribute of `HIDING` hides its element until something shows it.

    >>> hides("style", "color: red; display: none"), hides("style", "overflow:hidden"), hides("aria-hidden", "false")
    (True, False, False)
    """
    if name == "aria-hidden":
        return value == "true"
    if name == "style":
        style = value.lower()
        return any(value in style for value in _HIDING_VALUES) and _HIDING_STYLE.search(style) is not None
    return True


def is_invisible(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether VISIBILITY alone hides a hidden element, so that elements in it may be visible.

    >>> is_invisible("p", {"style": "visibility: hidden"}), is_invisible("p", {"style": "visibility:hidden", "hidden": ""})
    (True, False)
    """
    style = _INVISIBLE_STYLE.sub("", attributes.get("style", ""))
    return not _is_hidden(tag, {**attributes, "style": style})


def is_visible(attributes: Mapping[str, str]) -> bool:
    """Return whether the style of an element makes it visible in one that is not."""
    return _VISIBLE_STYLE.search(attributes.get("style", "")) is not None


def shown_style(style: str) -> str:
    """Return the value of an attribute STYLE without what hides the element."""
    return _HIDING_STYLE.sub("", style)


def is_dropped(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element's tag says that no reader sees it. A TEMPLATE may be a shadow root, which is displayed."""
    return tag in DROPPED_TAGS and not (tag == "template" and _SHADOW_ROOT in attributes)


@dataclass(frozen=True)
class Version:
    """A version of a page that its segments may be read from, and which of its elements are left out.

    Attributes:
        utf8: the page in UTF-8.
        keeps_hidden: whether hidden elements stay, in a page that has little else.
    """

    utf8: bytes
    keeps_hidden: bool = False

    def most_characters(self, tag: str, attributes: Mapping[str, str]) -> int:
        """Return the characters, white space not counted, up to which an element is left out; -1 if it is shown."""
        if is_dropped(tag, attributes):
            return LEFT_OUT
        if self.keeps_hidden or tag in _SHOWN_TAGS or not _is_hidden(tag, attributes):
            return -1
        return -1 if self._may_be_opened(attributes) else _MOST_CHARACTERS

    def _may_be_opened(self, attributes: Mapping[str, str]) -> bool:
        """Return whether a hidden element is a panel, or the page names its id elsewhere: in a link, a button or a script."""
        if attributes.get("role") in _OPENED_ROLES or _OPENED_CLASS.search(attributes.get("class", "").lower()):
            return True
        if attributes.get("hidden", "").lower() == "until-found":
            return True
        name = attributes.get("id", "")
        return bool(name) and self._names.is_repeated(name)

    @cached_property
    def _names(self) -> _QuotedNames:
        return _QuotedNames(self.utf8)


@dataclass
class _QuotedNames:
    """The names that stand between two quotes of any kind in a page.

    Most pages ask for few. Stretches between quotes are sorted by their length, first and last byte; those that have these in
    common with a name are counted when it is asked for.
    """

    utf8: bytes
    counts: dict[int, Counter[bytes]] = field(default_factory=dict)

    def is_repeated(self, name: str) -> bool:
        """Return whether a name stands between quotes more than once, in any form."""
        return sum(self._count(form.format(name).encode()) for form in _NAMED) > 1

    def _count(self, stretch: bytes) -> int:
        """Return how often a stretch of the page, not empty, occurs between two quotes."""
        length = len(stretch)
        kind = (length << 16) | (stretch[0] << 8) | stretch[-1]
        if kind not in self.counts:
            begins, kinds = self._stretches
            first, after = kinds.searchsorted((kind, kind + 1)).tolist()
            self.counts[kind] = Counter([self.utf8[begin : begin + length] for begin in begins[first:after].tolist()])
        return self.counts[kind][stretch]

    @cached_property
    def _stretches(self) -> tuple[Ints, Ints]:
        """Where each stretch between two quotes begins, and its kind, ascending: length, first and last byte in a number."""
        codes = np.frombuffer(self.utf8, dtype=np.uint8)
        quotes = ((codes == ord('"')) | (codes == ord("'"))).nonzero()[0]
        begins, ends = quotes[:-1] + 1, quotes[1:]
        kinds = ((ends - begins) << 16) | (codes[begins].astype(np.int64) << 8) | codes[ends - 1]
        order = kinds.argsort()
        return begins[order], kinds[order]


def _is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag == CLOSED_TAG and "open" not in attributes:
        return True
    for name in HIDING:
        value = attributes.get(name)
        if value is not None and hides(name, value):
            return True
    return False
