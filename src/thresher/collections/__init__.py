"""Documents, one after the other, and the damage between them."""

from __future__ import annotations

from thresher.base.defaults import FORMATS, ID_RULES
from thresher.collections.file_collection import open_collection
from thresher.collections.interface import Collection, IdRule, JsonFields, ReadOptions, documents
from thresher.collections.sources import Page, Part, Source

__all__ = [
    "FORMATS",
    "ID_RULES",
    "Collection",
    "IdRule",
    "JsonFields",
    "Page",
    "Part",
    "ReadOptions",
    "Source",
    "documents",
    "open_collection",
]
