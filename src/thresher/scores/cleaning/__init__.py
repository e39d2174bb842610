"""Cleaning whole collections, pipes of JSON lines and iterables of pages."""

from __future__ import annotations

from thresher.scores.cleaning.clean_counts import CleanCounts
from thresher.scores.cleaning.output_formats import Output
from thresher.scores.cleaning.page_streams import clean_pages
from thresher.scores.cleaning.whole_collections import Extras, begun_outputs, clean_collection

__all__ = ["CleanCounts", "Extras", "Output", "begun_outputs", "clean_collection", "clean_pages"]
