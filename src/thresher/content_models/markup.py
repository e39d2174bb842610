"""What elements say of themselves: their tags, and words of their classes, ids and roles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from thresher.pages.parsing import HIDDEN, INLINE_TAGS

# Families of words that sites name parts of pages by. They are the vocabulary of templates, not of a page's language.
_FAMILIES: Mapping[str, str] = {
    "article": "article|story|essay",
    "post": "post(?!er|al|code)",
    "blog": "blog(?!roll)",
    "entry": "entry",
    "content": "content(?!s)",
    "body": "body",
    "text": "text|txt",
    "main": "main(?!tain)|primary",
    "page": "page(?!r)",
    "single": "single|permalink",
    "description": "desc",
    "summary": "summary|excerpt|abstract|intro|lede|standfirst|dek",
    "teaser": "teaser|preview|snippet",
    "title": "title|headline|heading",
    "subtitle": "subtitle|subhead|tagline|kicker",
    "comment": "comment|disqus|repl(?:y|ies)|respond|responses",
    "review": "review|rating|stars|testimonial",
    "forum": "forum|thread|topic|discussion|bbs",
    "message": "message|bubble|chat",
    "quote": "quote|signature",
    "user": "user|profile|avatar|member",
    "author": "author|byline|contributor|writer|bio(?![a-z])",
    "date": "date|time(?!line)|publish",
    "meta": "meta",
    "tags": "(?<![a-z])tags?(?![a-z])|categor|keyword",
    "breadcrumb": "crumb",
    "navigation": "(?<![a-z])nav|navig|menu|navbar",
    "header": "header|masthead|topbar",
    "footer": "foot(?!note)|bottom|colophon",
    "sidebar": "sidebar|side(?![a-z])|(?<![a-z])rail|aside",
    "widget": "widget|module",
    "related": "related|recommend|similar|more|popular|trending|latest|recent|upnext",
    "share": "shar(?:e|ing)|social|facebook|twitter|follow|linkedin|instagram|whatsapp",
    "advertising": "(?<![a-z])ads?(?![a-z])|advert|sponsor|promo|adsense|dfp|outbrain|taboola|banner",
    "newsletter": "newsletter|subscri|signup|mailing|optin",
    "login": "login|signin|register|account",
    "cookie": "cookie|consent|gdpr|privacy|onetrust",
    "dialog": "modal|popup|overlay|lightbox|dialog|tooltip|dropdown|drawer|offcanvas",
    "legal": "copyright|legal|disclaimer|terms|credits",
    "search": "search|filter|facet|sort",
    "pagination": "pagin|pager|(?<![a-z])(?:prev|next)(?![a-z])|older|newer",
    "carousel": "gallery|slider|carousel|slick|swiper|slide",
    "media": "image|img|photo|picture|media|video|audio|player|thumb",
    "caption": "caption|credit",
    "product": "product|(?<![a-z])sku|catalog",
    "item": "(?<![a-z])items?(?![a-z])",
    "card": "card|tile",
    "price": "price|cart|basket|checkout|stock|(?<![a-z])buy|(?<![a-z])shop|offer|deal|delivery|shipping",
    "specification": "spec(?!ial)|attribute|feature|detail|propert",
    "list": "list",
    "table": "table(?!t)|grid",
    "tabs": "(?<![a-z])tabs?(?![a-z])|panel|accordion|collaps|toggle|expand",
    "faq": "faq|question|answer",
    "button": "button|btn|(?<![a-z])cta",
    "form": "form(?!at)|input|field",
    "invisible": "hidden|(?<![a-z])hide|visually|(?<![a-z])sr(?![a-z])|screenreader|skip|invisible|noprint",
    "toc": "(?<![a-z])toc|contents|outline",
    "code": "code|highlight|syntax|(?<![a-z])pre(?![a-z])",
    "documentation": "(?<![a-z])docs?(?![a-z])|document|markdown|wiki|(?<![a-z])mw(?![a-z])|rst",
    "hero": "hero|jumbotron|cover",
    "contact": "contact|address|phone|location|(?<![a-z])map(?![a-z])",
    "event": "event|calendar|schedule",
    "job": "(?<![a-z])job|career|vacanc|apply",
    "links": "links|blogroll|archive",
    "reference": "infobox|navbox|reference|footnote|citation|bibliograph",
    "notice": "notice|alert|warning|(?<![a-z])info(?![a-z])|(?<![a-z])note(?![a-z])|disclosure",
    "language": "lang|locale|translat",
    "tools": "tool|action|option|control",
    "logo": "logo|brand|site",
    "wrapper": "wrap|container|inner|section",
    "prose": "richtext|rich|rte|wysiwyg|prose|copy(?!right)|editor|formatted|typography",
    "recipe": "recipe|ingredient|instruction|directions|nutrition",
    "lyrics": "lyric|poem|verse",
}
FAMILIES = tuple(_FAMILIES)
TAGS = tuple(
    (
        "article main section header footer nav aside ul ol li dl dt dd table tr td th thead p blockquote figure figcaption"
        " pre form fieldset label button details summary h1 h2 h3 h4 h5 h6 a address center font dialog div span strong em"
        " time code small title body"
    ).split()
)
"""Tags that are features where they are around a block."""
COUNTED = ("p", "img", "a", "li", "input", "button", "br", "tr", "td")
"""Tags that are counted in the elements around a block."""
_TAG_BITS = {tag: 1 << (len(FAMILIES) + number) for number, tag in enumerate(TAGS)}
_HIDDEN_BIT = 1 << (len(FAMILIES) + len(TAGS))
BYTES = -(-_HIDDEN_BIT.bit_length() // 64) * 8
"""Of what a description says: whole numbers of 64 bits."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PATTERNS = tuple((1 << number, re.compile(words)) for number, words in enumerate(_FAMILIES.values()))


def is_inline(tag: str) -> bool:
    """Return whether a tag is of words in a sentence."""
    return tag in INLINE_TAGS or tag == "a"


@lru_cache(maxsize=10_000)
def describe(description: str) -> bytes:
    """Return what the description of an element says, as `BYTES` of bits from the lowest up.

    There is one bit for each of `FAMILIES` that its words are of, then for each of `TAGS`, then whether it is hidden.
    Sites repeat descriptions, so they are kept.
    """
    tag, _, words = description.partition(" ")
    bits = _TAG_BITS.get(tag, 0)
    for word in _WORD.findall(words):
        bits |= _families(word)
    if HIDDEN in words:
        bits |= _HIDDEN_BIT
    return bits.to_bytes(BYTES, "little")


@lru_cache(maxsize=20_000)
def _families(word: str) -> int:
    """Return a bit for each family that a word belongs to."""
    word = word.lower()
    return sum(bit for bit, pattern in _PATTERNS if pattern.search(word))
