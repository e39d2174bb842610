"""The fields of a cleaned page, for engines that weigh fields: each word that the cleaner keeps stands in one of them.

Title: the title without the parts that repeat on the site. Headings: H1 to H6. Repeated: blocks whose text repeats on
the site, also headings. Text: all other blocks. Anchors: the texts of links from other pages, each repeated by its
rounded weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher.base.errors import ConfigError
from thresher.base.tables import Table
from thresher.cleaners.cleaner import Cleaner
from thresher.cleaners.scorer import Scorer
from thresher.cleaners.scorers.repeated import REPEATED_SHARE, RepeatedShare
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores.cleaning.output_formats import JSON_LINES, PARQUET, OutputFormat
from thresher.scores.cutting import CutPage, Mask, kept_text
from thresher.scores.sites import read_site_shard
from thresher.scores.weighting import Weights, weighted_anchors

_REPEATED = RepeatedShare()
REPEATED_COLUMN = f"score:{_REPEATED.canonical_name}"


@dataclass(frozen=True)
class PageFields:
    """The texts of a page's fields, a block a line; `FIELDS` of `output_formats` are the names of members."""

    title: str
    headings: str
    text: str
    repeated: str
    anchors: str


def field_scorers(cleaner: Cleaner) -> tuple[Scorer, ...]:
    """Return the scorers that the fields of pages cleaned by a cleaner need."""
    scorers = {scorer.canonical_name: scorer for scorer in cleaner.scorers}
    scorers[_REPEATED.canonical_name] = _REPEATED
    return tuple(scorers.values())


def check_fields(cleaner: Cleaner, written: OutputFormat) -> None:
    """Check that a cleaner cuts the page's own text, whose blocks are known, and that the format to write has members."""
    if cleaner.input_name:
        raise ConfigError("only the page's own blocks have fields", "leave --fields out", cleaner.name)
    if written.kind not in (JSON_LINES, PARQUET):
        raise ConfigError(f"{written.name} has no fields", "write JSON lines or Parquet", "--fields")


def boosts(text_name: str) -> dict[str, float]:
    """Return the usual weight of each field, by its name: the weights of the default index's text, and 0 for repeated text."""
    usual = Weights()
    return {
        "title": usual.times("title"),
        "headings": usual.times("headings"),
        text_name: 1,
        "repeated": 0,
        "anchors": usual.anchors,
    }


class FieldReader:
    """Parts the pages of a shard into fields; the table has the columns of cutting, and `REPEATED_COLUMN`."""

    def __init__(self, path: Path, table: Table) -> None:
        self._table = table
        self._site = read_site_shard(path)
        self._repeats = table.lists(REPEATED_COLUMN).values > REPEATED_SHARE

    def fields(self, cut: CutPage) -> PageFields:
        """Return the fields of a page that is cut."""
        table = self._table
        row = cut.row
        sentence_ends = table.lists("sentence_ends")[row]
        block_ends = table.lists("block_ends")[row]
        first = int(table.lists("block_ends").offsets[row])
        blocks = np.searchsorted(block_ends, sentence_ends)
        levels = table.lists("levels")[row][blocks]
        is_kept = np.zeros(len(sentence_ends), dtype=np.bool_)
        is_kept[list(cut.document.sentences)] = True
        is_kept &= levels != TITLE_LEVEL
        repeats = self._repeats[first + blocks]

        def text_of(mask: Mask) -> str:
            return kept_text(table.texts("text")[row], sentence_ends.tolist(), blocks.tolist(), mask)

        return PageFields(
            self._site.texts("own_title")[row],
            headings=text_of(is_kept & ~repeats & (levels > 0)),
            text=text_of(is_kept & ~repeats & (levels == 0)),
            repeated=text_of(is_kept & repeats),
            anchors="\n".join(weighted_anchors(self._site, row, factor=1)),
        )
