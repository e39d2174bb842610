"""Scores of whole pages: perplexity, or the numbers of a file. Other packages add further ones: see `PageScorer`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from thresher.base import removed
from thresher.base.errors import ConfigError, InputError
from thresher.base.files import file_digest, read_text
from thresher.cleaners.scorer import KEEP_LOW, PageScorer, Parameter, Scorer, check_range
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.words.models import checked_model
from thresher.pages import Segments

_LARGEST_SCORE = 1e38
"""Scores are floats of 32 bits."""
_FIX = "use pages(perplexity) or pages(file=PATH)"


class Pages(PageScorer, Perplexity):
    """Keeps or drops whole pages by the perplexity of the page as one sentence, or by your own numbers in `pages(file=PATH)`:
    lines of an id, a tab and a number (`keep=low` if low numbers are good)."""

    name = "pages"
    keep = KEEP_LOW
    grid = (100, 200, 300, 500, 1000, 2000, 5000, 10000)
    usual = None
    source = "Wenzek et al.: CCNet: Extracting high quality monolingual datasets from web crawl data, LREC 2020"
    parameters = (
        Parameter("of", str, "perplexity", "the page's score: perplexity, or file=PATH with one by id", bare=True),
        Perplexity.parameters[0],
    )

    @classmethod
    def variant_for(cls, arguments: str, where: str) -> type[Scorer]:
        """Return the class of a page score that the parentheses name: perplexity, or the scores of a file."""
        items = arguments.replace(" ", "").split(",")
        is_file = any(item.startswith("file=") for item in items)
        if is_file and "keep=low" in items:
            return LowPagesOfFile
        if is_file:
            return PagesOfFile
        for item in items:
            if item and "=" not in item:
                return cls._of_kind(item, where)
        return cls

    @classmethod
    def _of_kind(cls, kind: str, where: str) -> type[Scorer]:
        if kind == "perplexity":
            return cls
        name = f"pages({kind})"
        if name in removed.SCORERS:
            raise ConfigError(removed.removed_text(repr(name)), removed.SCORERS[name], where)
        raise ConfigError(f"there is no score of pages {kind!r}", _FIX, where)

    def score_page(self, page: Segments) -> float:
        """Return 2^(-(1/n) Σ log2 P(w_i | history)) over the n words of the page."""
        end = np.array([len(page.plain.text)], dtype=np.int64)
        return float(checked_model(self._model).perplexities(page.plain, end)[0])


class PagesOfFile(PageScorer):
    """A score of each page from a file, by any model; pages without a score pass no cutoff."""

    name = "pages"
    in_registry = False
    unit = "score"
    source = "the file"
    parameters = (
        Parameter("file", str, "", "lines of an id, a tab and a number"),
        Parameter("keep", str, "high", "which scores are good", choices=("high", "low"), terse=True),
    )
    _score_by_id: Mapping[str, float] | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return Path(str(self.values["file"]))

    def check(self, where: str) -> None:
        """Check that the file is there, and has scores."""
        if not self.path.is_file():
            raise ConfigError(f"there is no {self.path}", "correct the path", where)
        read_scores(self.path)

    @property
    def fingerprint(self) -> str:
        """The digest of the file."""
        return file_digest(self.path)

    def score_page(self, page: Segments) -> float:
        """Return the number of the page's id; NaN without one."""
        if self._score_by_id is None:
            self._score_by_id = read_scores(self.path)
        return self._score_by_id.get(page.page_id, math.nan)


class LowPagesOfFile(PagesOfFile):
    """A score of each page from a file, if low scores are good."""

    keep = KEEP_LOW


def read_scores(path: Path) -> dict[str, float]:
    """Return the scores in a file by the pages' ids.

    Raises:
        InputError: if a line is not an id, a tab and a number that 32 bits hold; it names the line.
    """
    scores = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        page_id, _, text = line.partition("\t")
        try:
            scores[page_id] = check_range(float(text), -_LARGEST_SCORE, _LARGEST_SCORE, "score", "")
        except (ValueError, ConfigError) as error:
            fix = "write an id, a tab and a number"
            raise InputError(f"this is no score: {line!r}", fix, f"{path}:{number}") from error
    return scores
