"""Folds by domain: pages of one site are never on both sides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from urllib.parse import urlsplit

import numpy as np

from thresher.pages.plain import Ints

FOLDS = 5
# Second-level domains under which names are registered, such as co.uk, are short.
_SHORT = 3


def domain(url: str) -> str:
    """Return the registered domain of an address, by length of its labels; the host itself if it has no dot.

    A public-suffix list would be exact; folds need only that a site is not split, and joining two sites does no harm.

    >>> domain("https://www.example.co.uk/a"), domain("http://blog.example.com:80/"), domain("")
    ('example.co.uk', 'example.com', '')
    """
    try:
        host = (urlsplit(url if "//" in url else f"//{url}").hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    labels = host.split(".")
    keep = 3 if len(labels) > 2 and len(labels[-2]) <= _SHORT and len(labels[-1]) == 2 else 2
    return ".".join(labels[-keep:])


def folds_of(domains: Sequence[str], folds: int = FOLDS) -> Ints:
    """Return the fold of each page, from 0, by a hash of its domain: the same whatever other pages there are."""
    digests = (hashlib.sha256(name.encode("utf-8", "replace")).digest() for name in domains)
    return np.array([int.from_bytes(digest[:8], "big") % folds for digest in digests], dtype=np.int64)
