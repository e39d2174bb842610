"""What exploring gives back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Size:
    """What an index holds, as counts: `documents` that are not blank, `tokens`, `postings` (pairs of a document and a term
    that it has), and different terms.
    """

    documents: int
    tokens: int
    postings: int
    vocabulary: int


@dataclass(frozen=True)
class SizeErrors:
    """How far off the estimates of `indexes` built indexes are, each from the others alone: shares of the true bytes.

    Of the indexes with at least a tenth of the largest one's bytes.
    """

    indexes: int
    mean: float
    largest: float


@dataclass(frozen=True)
class Curve:
    """A family of cleaners, the strictest first: the cutoffs of one scorer, or a single cleaner.

    `values` holds measures by retrieval model, measure, point and topic, in the order of `Exploration`'s lists; shape
    (models, measures, points, topics). `held_out` holds the same of the held-out topics, and is None if there are none.
    `bytes` are estimated, or None where nothing is known to estimate them by.

    Args:
        name: the scorer's canonical name with headings kept or not, or the cleaner's.
        cleaners: the canonical name of each point.
        cutoffs: of a sweep, as numbers; None for a single cleaner.
        words: kept of the collection, by point.
        sizes: by point.
        bytes: of the index, by point.
        values, held_out: see above.
    """

    name: str
    cleaners: tuple[str, ...]
    cutoffs: tuple[float, ...] | None
    words: tuple[int, ...]
    sizes: tuple[Size, ...]
    bytes: tuple[int, ...] | None
    values: npt.NDArray[np.float64]
    held_out: npt.NDArray[np.float64] | None = None

    def means(self, model: int, measure: int) -> npt.NDArray[np.float64]:
        """Return the mean over topics of a measure at each point; shape (points,)."""
        return _means(self.values, model, measure)

    def held_out_means(self, model: int, measure: int) -> npt.NDArray[np.float64] | None:
        """Return the mean over the held-out topics of a measure at each point, shape (points,); None if there are none."""
        return None if self.held_out is None else _means(self.held_out, model, measure)


@dataclass(frozen=True)
class Exploration:
    """Curves over all that was asked for, the baseline among them.

    `documents` are those with text and `words` what they hold before cleaning. `size_errors` are those of the estimated index
    bytes; None if too few indexes were built to estimate any. `held_out` are the topics held out, an id of which may be one
    of `topics` too. `key` stands for all that the values rest on: see `thresher.experiments.evidence`.
    """

    retrieval: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    documents: int
    words: int
    depth: int
    curves: tuple[Curve, ...]
    size_errors: SizeErrors | None
    held_out: tuple[str, ...] = ()
    key: str = ""

    def curve(self, name: str) -> Curve:
        """Return the curve of that name.

        Raises:
            KeyError: if there is none.
        """
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise KeyError(name)


def _means(values: npt.NDArray[np.float64], model: int, measure: int) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = values[model, measure].mean(axis=1)
    return found
