"""WARC files: the archives of web crawls."""

from __future__ import annotations

from thresher.collections.warc.reading import Warc

__all__ = ["Warc"]
