"""Hidden elements of a page, by their tags and attributes.

Pages come with panels, answers and whole articles that a click or a script opens, and readers read them. So an element that
an attribute hides is left out only if it is short and nothing opens it.

Source: the HTML standard, 15.3.1 and 15.4, and CSS's DISPLAY and VISIBILITY for text that is not displayed; Readability, as in
Firefox's reader view, for ARIA-HIDDEN. The limits are this project's: scripts/pages/content.md reports how much text they
leave out of pages with gold texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

# Elements that browsers never display, or only without scripts, frames or objects; and the source of formulas. EMBED is not
# among them: libxml2 puts the text behind EMBED into it.
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
# VISIBILITY is inherited, so an element inside an invisible element may be visible. An element inside an element that is not
# displayed is never visible (CSS 2.2, 11.2).
_INVISIBLE_STYLE = re.compile(r"(?<![\w-])visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_VISIBLE_STYLE = re.compile(r"(?<![\w-])visibility\s*:\s*visible", re.IGNORECASE)
# Elements that are shown whatever their attributes say: a script removes the attributes that hide them.
_SHOWN_TAGS = frozenset(("html", "head", "body", "title"))
_SHADOW_ROOT = "shadowrootmode"
_OPENED_ROLES = frozenset(("tabpanel", "region"))
# The pattern searches classes in lower case: ignoring case takes five times as long.
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
    return name != "style" or _HIDING_STYLE.search(value) is not None


def is_invisible(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether VISIBILITY alone hides a hidden element, so that elements in it may be visible.

    >>> is_invisible("p", {"style": "visibility: hidden"}), is_invisible("p", {"style": "visibility:hidden", "hidden": ""})
    (True, False)
    """
    style = _INVISIBLE_STYLE.sub("", attributes.get("style", ""))
    return not _is_hidden(tag, {**attributes, "style": style})


def is_visible(attributes: Mapping[str, str]) -> bool:
    """Return whether the style of an element makes it visible inside an invisible element."""
    return _VISIBLE_STYLE.search(attributes.get("style", "")) is not None


def shown_style(style: str) -> str:
    """Return the value of an attribute STYLE without the declarations that hide the element."""
    return _HIDING_STYLE.sub("", style)


def is_dropped(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element's tag says that no reader sees it. A TEMPLATE may be a shadow root, which is displayed."""
    return tag in DROPPED_TAGS and not (tag == "template" and _SHADOW_ROOT in attributes)


@dataclass(frozen=True)
class Version:
    """A version of a page to read segments from; it decides which elements are left out.

    Attributes:
        utf8: the page in UTF-8.
        keeps_hidden: whether hidden elements stay, in a page that has little else.
    """

    utf8: bytes
    keeps_hidden: bool = False

    def most_characters(self, tag: str, attributes: Mapping[str, str]) -> int:
        """Return up to which length an element is left out, in characters without white space; -1 if it is shown."""
        if is_dropped(tag, attributes):
            return LEFT_OUT
        if self.keeps_hidden or tag in _SHOWN_TAGS or not _is_hidden(tag, attributes):
            return -1
        if self._may_be_opened(attributes):
            return -1
        return _MOST_CHARACTERS

    def _may_be_opened(self, attributes: Mapping[str, str]) -> bool:
        """Return whether a hidden element is a panel, or the page names its id elsewhere: in a link, a button or a script."""
        if attributes.get("role") in _OPENED_ROLES or _OPENED_CLASS.search(attributes.get("class", "").lower()):
            return True
        if attributes.get("hidden", "").lower() == "until-found":
            return True
        name = attributes.get("id", "")
        if not name:
            return False
        quoted = self._quoted
        return sum(quoted[form.format(name).encode()] for form in _NAMED) > 1

    @cached_property
    def _quoted(self) -> Counter[bytes]:
        """How often each stretch of the page stands between two quotes of any kind."""
        return Counter(self.utf8.replace(b"'", b'"').split(b'"')[1:-1])


def _is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag == CLOSED_TAG and "open" not in attributes:
        return True
    for name in HIDING:
        value = attributes.get(name)
        if value is not None and hides(name, value):
            return True
    return False
