"""The results of an experiment, which `run`, `explore` and `choose` share: facts, and a table for each retrieval model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from thresher.columns import Declared, Show
from thresher.costs.machine import Power
from thresher.defaults import ALPHA, HOLM
from thresher.errors import ConfigError
from thresher.evaluation.significance import Comparison
from thresher.evaluation.topics import Notice
from thresher.records import NestedLists
from thresher.shown import Plotted
from thresher.variants.table import Floats, NoiseFloor, VariantTable


@dataclass(frozen=True)
class TitleBias:
    """How many relevant pages have all words of their topic in the title (`title`), and in title or headings (`headings`).

    A page counts once for each topic that it is relevant for (`relevant`).
    """

    relevant: int
    title: int
    headings: int

    @property
    def share(self) -> float:
        """The share of relevant pages with all words in title or headings; 0 if there are none."""
        return self.headings / self.relevant if self.relevant else 0.0


@dataclass(frozen=True)
class Pages:
    """Pages of the collection, and what became of them: `documents` = `scored` + `emptied` + `failed`.

    Args:
        emptied: without text before any cleaning.
        words: of all pages.
        reasons: (document, reason) pairs of the failed, as many as are listed.
    """

    documents: int
    scored: int
    emptied: int
    failed: int
    words: int
    reasons: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Setup:
    """How everything was measured: the values behind the report's section on methods.

    Args:
        mib, seconds: of a page, at most.
        holds: what the index has beside postings with frequencies.
        depth: hits for a topic.
        timed: seconds that timing was allowed; 0 where nothing was timed.
        power: the factors of Eq. 9.
    """

    blocks: str
    language: str
    mib: float
    seconds: float
    scorers: tuple[str, ...]
    stemmer: str
    stopwords: bool
    holds: tuple[str, ...]
    depth: int
    seed: int
    workers: int
    timed: float
    power: Power


@dataclass(frozen=True)
class BaselineRun:
    """A run of another system on the same topics and judgments, compared with the baseline of the first retrieval model.

    Args:
        values: by measure and topic; shape (measures, topics).
        comparisons: by measure, corrected together with the variants'.
    """

    name: Annotated[str, Declared("The system, as the experiment names it.", Show.TEXT, name="system")]
    values: Annotated[Floats, NestedLists(2)]
    comparisons: Mapping[str, Comparison]
    retrieved: Annotated[int, Declared("Topics with a document.", Show.COUNT, "topics")]
    index_bytes: Annotated[int | None, Declared("Size of its index in bytes, if known.", Show.MEGABYTES, "MB", "index")]

    @property
    def means(self) -> Floats:
        """Means over the topics; shape (measures,)."""
        means: Floats = self.values.mean(axis=-1)
        return means


@dataclass(frozen=True)
class Facts:
    """The facts that hold for all variants.

    Args:
        key: of all that values rest on, whichever variants there are; see `thresher.experiments.stages.evidence_key`.
        topics, held_out_topics: queries by id, in order.
        notices: what readers must know before the numbers.
        test, alpha, correction: of the comparisons.
        noise: how times were measured, one for each retrieval model and one for indexing; empty where nothing was timed.
        title_bias, held_out_title_bias: of the topics; None where nothing was run.
        systems: baseline runs of other systems.
    """

    experiment: str
    title: str
    key: str
    topics: Mapping[str, str]
    held_out_topics: Mapping[str, str]
    pages: Pages
    setup: Setup
    notices: tuple[Notice, ...] = ()
    test: str = "Two-sided Wilcoxon signed-rank test"
    alpha: float = ALPHA
    correction: str = HOLM
    noise: tuple[NoiseFloor, ...] = ()
    title_bias: TitleBias | None = None
    held_out_title_bias: TitleBias | None = None
    systems: tuple[BaselineRun, ...] = field(default=())


@dataclass(frozen=True, repr=False)
class Results(Plotted):
    """An experiment as far as it was explored and run: the same variants in a table for each retrieval model."""

    facts: Facts
    tables: tuple[VariantTable, ...]

    @property
    def retrievals(self) -> tuple[str, ...]:
        """The retrieval models, in order."""
        return tuple(table.retrieval for table in self.tables)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, by canonical name."""
        return self.tables[0].measures

    @property
    def was_run(self) -> bool:
        """Whether any index was built and searched."""
        return bool(self.tables[0].built)

    @property
    def was_explored(self) -> bool:
        """Whether any variant was explored without an index."""
        return any(row.explored for row in self.tables[0].rows)

    def table(self, retrieval: str | None = None) -> VariantTable:
        """Return the table of a retrieval model; None for the first."""
        for table in self.tables:
            if retrieval in (None, table.retrieval):
                return table
        known = ", ".join(self.retrievals)
        raise ConfigError(f"there is no retrieval model {retrieval!r}", f"use one of {known}", "retrieval")

    def with_built(self, before: Results) -> Results:
        """Return these results with what was built before of the same evidence: costs, bytes, and variants that these lack."""
        tables = []
        for table, old in zip(self.tables, before.tables, strict=True):
            known = {row.name: row for row in old.rows if row.built}
            rows = [
                replace(row, bytes=same.bytes, built=same.built) if (same := known.get(row.name)) else row
                for row in table.rows
            ]
            tables.append(table.with_rows(rows).joined(old.only(old.built or (0,))))
        return replace(self, tables=tuple(tables))

    def with_explored(self, before: Results) -> Results:
        """Return these results with the variants that were explored before of the same evidence, and their verdicts."""
        tables = []
        for table, old in zip(self.tables, before.tables, strict=True):
            known = {row.name: row for row in old.rows}
            rows = [
                replace(row, variant=same.variant, explored=same.explored, bounds=same.bounds)
                if (same := known.get(row.name))
                else row
                for row in table.rows
            ]
            unbuilt = [replace(row, bytes=None, built=None) if row.built else row for row in old.rows]
            explored = (0, *(index for index, row in enumerate(old.rows) if index and row.explored))
            tables.append(table.with_rows(rows).joined(old.with_rows(unbuilt).only(explored)))
        return replace(self, tables=tuple(tables))

    def only_built(self) -> Results:
        """Return the results of the variants whose indexes were built, alone."""
        return replace(self, tables=tuple(table.only(table.built or (0,)) for table in self.tables))
