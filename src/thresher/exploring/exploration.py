"""What exploring returns, and `explored.json`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt

from thresher.errors import StateError
from thresher.lucene.work import IndexStatistics
from thresher.records import NestedLists, RecordFile
from thresher.scorers.cleaners import BASELINE
from thresher.shown import Shown

Values = Annotated[npt.NDArray[np.float64], NestedLists(4)]
"""Of a measure; shape (models, measures, variants, topics)."""


@dataclass(frozen=True)
class SizeErrors:
    """Errors of estimating each of `indexes` built indexes from the others, as shares of its bytes.

    Only of indexes with at least a tenth of the largest one's bytes.
    """

    indexes: int
    mean: float
    largest: float


@dataclass(frozen=True)
class ExploredSweep:
    """Variants, the strictest first: the cutoffs of one scorer, or a single variant.

    Args:
        name: the scorer's canonical name with the options of the cut, or the single variant's.
        variants: canonical names.
        cutoffs: by variant; None for a single variant.
        words: kept of the collection, by variant.
        sizes: by variant.
        query_postings: of a query's terms, Σ df, by variant and topic; shape (variants, topics).
        bytes: of the index, estimated, by variant; None where there is nothing to estimate them by.
        values: in the order of `Exploration`'s lists.
        held_out: the same on the held-out topics; None if there are none.

    Raises:
        ValueError: if there is not one of each for every variant.
    """

    name: str
    variants: tuple[str, ...]
    cutoffs: tuple[float, ...] | None
    words: tuple[int, ...]
    sizes: tuple[IndexStatistics, ...]
    query_postings: Annotated[npt.NDArray[np.float64], NestedLists(2)]
    bytes: tuple[int, ...] | None
    values: Values
    held_out: Values | None = None

    def __post_init__(self) -> None:
        lists = (self.cutoffs, self.words, self.sizes, self.bytes)
        lengths = {len(values) for values in lists if values is not None}
        lengths |= {values.shape[2] for values in (self.values, self.held_out) if values is not None}
        lengths.add(len(self.query_postings))
        if lengths != {len(self.variants)}:
            raise ValueError("its lists differ in length")

    def mean_query_postings(self, index: int) -> float:
        """Return the mean over topics of a query's postings for the variant at `index`."""
        return float(self.query_postings[index].mean())

    def means(self, model: int, measure: int) -> npt.NDArray[np.float64]:
        """Return the mean over topics of a measure by variant; shape (variants,)."""
        return _means(self.values, model, measure)

    def held_out_means(self, model: int, measure: int) -> npt.NDArray[np.float64] | None:
        """Return the mean over the held-out topics of a measure by variant, shape (variants,); None if there are none."""
        return None if self.held_out is None else _means(self.held_out, model, measure)


@dataclass(frozen=True)
class ExploredVariant:
    """A variant of an exploration, ranked by one retrieval model.

    Args:
        siblings: variants of its sweep.
        means, held_out: by measure; the latter empty without held-out topics.
        words, bytes: of the variant; bytes are estimated, None where unknown.
        words_share, bytes_share, postings_share: of the baseline's; None where that is 0 or unknown.
        words_total: of the collection.
        query_postings: of a query's terms, mean over the topics.
    """

    retrieval: str
    sweep: str
    name: str
    cutoff: float | None
    siblings: int
    means: tuple[float, ...]
    held_out: tuple[float, ...]
    words: int
    words_total: int
    words_share: float | None
    size: IndexStatistics
    postings_share: float | None
    query_postings: float
    bytes: int | None
    bytes_share: float | None


@dataclass(frozen=True)
class Exploration(Shown):
    """All sweeps and single variants that were asked for, the baseline among them.

    Args:
        documents: with text before cleaning.
        words: of those.
        depth: of the rankings.
        size_errors: None if too few indexes were built to estimate bytes.
        held_out: topics; their ids may be among `topics` too.
        key: of all that the values rest on, see `thresher.experiments.stages`.

    Raises:
        ValueError: if a sweep's values do not have the shape of these lists.
    """

    retrieval: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    documents: int
    words: int
    depth: int
    sweeps: tuple[ExploredSweep, ...]
    size_errors: SizeErrors | None
    held_out: tuple[str, ...] = ()
    key: str = ""

    def __post_init__(self) -> None:
        models, measures = len(self.retrieval), len(self.measures)
        for sweep in self.sweeps:
            for values, topics in ((sweep.values, self.topics), (sweep.held_out, self.held_out)):
                if values is not None and values.shape != (models, measures, len(sweep.variants), len(topics)):
                    raise ValueError(f"the values of {sweep.name} are not one per model, measure, variant and topic")

    def sweep(self, name: str) -> ExploredSweep:
        """Return the sweep of that name.

        Raises:
            KeyError: if there is none.
        """
        for sweep in self.sweeps:
            if sweep.name == name:
                return sweep
        raise KeyError(name)

    @property
    def cleaned_variants(self) -> int:
        """How many variants there are beside the baseline."""
        return sum(len(sweep.variants) for sweep in self.sweeps) - 1

    def variants(self, model: int) -> Iterator[list[ExploredVariant]]:
        """Give the variants of each sweep, the strictest first, as the retrieval model of that number ranks them."""
        base = self.sweep(BASELINE)
        for sweep in self.sweeps:
            measures = range(len(self.measures))
            means = [sweep.means(model, measure) for measure in measures]
            held_out = [values for measure in measures if (values := sweep.held_out_means(model, measure)) is not None]
            yield [
                ExploredVariant(
                    self.retrieval[model],
                    sweep.name,
                    name,
                    sweep.cutoffs[index] if sweep.cutoffs else None,
                    len(sweep.variants),
                    tuple(float(values[index]) for values in means),
                    tuple(float(values[index]) for values in held_out),
                    sweep.words[index],
                    self.words,
                    _share(sweep.words[index], self.words),
                    sweep.sizes[index],
                    _share(sweep.sizes[index].postings, base.sizes[0].postings),
                    sweep.mean_query_postings(index),
                    sweep.bytes[index] if sweep.bytes else None,
                    _share(sweep.bytes[index], base.bytes[0]) if sweep.bytes and base.bytes else None,
                )
                for index, name in enumerate(sweep.variants)
            ]

    def best(self, model: int, measure: int) -> ExploredVariant:
        """Return the variant with the highest mean of a measure; of equals the first."""
        return max((row for rows in self.variants(model) for row in rows), key=lambda row: row.means[measure])


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _means(values: npt.NDArray[np.float64], model: int, measure: int) -> npt.NDArray[np.float64]:
    means: npt.NDArray[np.float64] = values[model, measure].mean(axis=1)
    return means


FILE = "explored.json"
_RECORDS = RecordFile(
    Exploration, "an exploration", "run `thresher explore` again", "thresher-exploration", 6, StateError
)


def write_exploration(exploration: Exploration, folder: Path) -> None:
    """Write an exploration to `explored.json` in a folder, whole or not at all."""
    _RECORDS.write(folder / FILE, exploration)


def read_exploration(folder: Path) -> Exploration:
    """Read what `write_exploration` wrote.

    Raises:
        StateError: if it is missing, damaged, or of another version.
    """
    path = folder / FILE
    if not path.exists():
        raise StateError("nothing was explored yet", "run `thresher explore` first", str(path))
    return _RECORDS.read(path)
