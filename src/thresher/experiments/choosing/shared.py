"""One setting for several collections, and for others that are like them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from thresher.base.columns import Declared, Show
from thresher.base.errors import ConfigError, StateError
from thresher.base.numbers import Floats
from thresher.base.records import RecordFile
from thresher.base.shown import Shown
from thresher.evaluation.non_inferiority import t_quantile
from thresher.evaluation.significance import TOLERANCE
from thresher.experiments.choosing.walks import Terms
from thresher.experiments.table import VariantTable

FEWEST_COLLECTIONS = 3
"""One is left out, and the spread of the others takes two."""


@dataclass(frozen=True)
class Tried:
    """A setting on a collection.

    Args:
        collection: the experiment's name.
        topics: how many.
        variant: the setting; None for no cleaning.
        share: its postings over the baseline's.
        losses: by deciding measure; shares of the baseline's mean if the margin is one, or else in units of the measure.
    """

    collection: Annotated[str, Declared("The experiment's name.", Show.TEXT)]
    topics: Annotated[int, Declared("How many topics it has.", Show.COUNT)]
    variant: Annotated[str | None, Declared("The setting; empty for no cleaning.", Show.TEXT)]
    share: Annotated[
        float, Declared("Its postings over the baseline's.", Show.PERCENT, "% of baseline", "index", "postings_share")
    ]
    losses: tuple[float, ...]

    @property
    def worst(self) -> float:
        """What it loses in the deciding measure that it loses most of."""
        return max(self.losses)


@dataclass(frozen=True, repr=False)
class SharedChoice(Shown):
    """One setting for several collections.

    Args:
        retrieval: the retrieval model.
        measures: the deciding ones, the main one first.
        terms: the margin, alpha and the most pages that may be emptied; families have no part.
        settings: how many were explored in all collections.
        variant: the smallest on average of those whose bounds are within the margin; None for no cleaning.
        bounds: by measure, what one more collection like these loses at most, with confidence 1 − alpha; 0 for no cleaning.
        tried: that setting on each collection.
        left_out: of each collection, the setting that the others alone recommend.
        commands: lines for a shell that apply the setting to a collection PAGES.
    """

    retrieval: str
    measures: tuple[str, ...]
    terms: Terms
    settings: int
    variant: str | None
    bounds: tuple[float, ...]
    tried: tuple[Tried, ...]
    left_out: tuple[Tried, ...]
    commands: tuple[str, ...]

    @property
    def mean_shares(self) -> tuple[float, float]:
        """The mean size of that setting, and of those that the other collections recommend."""
        both = (np.mean([one.share for one in every]) for every in (self.tried, self.left_out))
        own, without = map(float, both)
        return own, without

    @property
    def failed(self) -> tuple[Tried, ...]:
        """What lost the margin or more on the collection that was left out."""
        return tuple(one for one in self.left_out if one.worst >= self.terms.margin.value - TOLERANCE)


def prediction_bounds(losses: Floats, alpha: float) -> Floats:
    """Return what one more collection loses at most, with confidence 1 − alpha, by losses whose last dimension is collections.

    mean + T⁻¹(1 − alpha; k − 1)·s·√(1 + 1/k): the prediction interval of one more draw of normal losses (Hahn & Meeker 1991).
    It holds for a setting that was not picked by these losses, and for a collection like the k, at least two, that there are.
    """
    count = losses.shape[-1]
    spread = losses.std(axis=-1, ddof=1) * math.sqrt(1 + 1 / count)
    bounds: Floats = losses.mean(axis=-1) + t_quantile(alpha, count - 1) * spread
    return bounds


@dataclass(frozen=True)
class _Settings:
    """The settings that all collections have: losses [measure, setting, collection], size and `kept` [setting, collection]."""

    names: tuple[str, ...]
    losses: Floats
    shares: Floats
    kept: NDArray[np.bool_]

    def pick(self, among: Sequence[int], terms: Terms) -> int | None:
        """Return the smallest setting by mean size on some collections that is within the margin there, by its bounds."""
        bounds = prediction_bounds(self.losses[..., among], terms.alpha)
        within = (bounds < terms.margin.value - TOLERANCE).all(axis=0) & self.kept[:, among].all(axis=1)
        sizes = self.shares[:, among].mean(axis=1)
        known = [index for index in np.flatnonzero(within).tolist() if sizes[index] < 1]
        return min(known, key=lambda index: (sizes[index], len(self.names[index]), self.names[index]), default=None)


def choose_shared(tables: Mapping[str, VariantTable], measures: Sequence[str], terms: Terms) -> SharedChoice:
    """Return one setting for all collections, tested by leaving out one after the other; its `commands` are empty.

    A setting is the whole name of a variant, with its cutoffs. The order of tables changes nothing but the order of lines.

    Args:
        tables: of explored or run variants, by collection, of one retrieval model.
        measures: the deciding ones, the main one first.
        terms: see `SharedChoice`.
    """
    if len(tables) < FEWEST_COLLECTIONS:
        what = f"{len(tables)} collections are too few to leave one out"
        raise ConfigError(what, f"name {FEWEST_COLLECTIONS} experiments or more, or one", "choose")
    settings = _settings(tables, measures, terms)
    every = range(len(tables))
    pick = settings.pick(every, terms)

    def tried(place: int, index: int | None) -> Tried:
        name, table = [*tables.items()][place]
        if index is None:
            return Tried(name, len(table.topics), None, 1.0, (0.0,) * len(measures))
        losses = tuple(settings.losses[:, index, place].tolist())
        return Tried(name, len(table.topics), settings.names[index], float(settings.shares[index, place]), losses)

    bounds = (0.0,) * len(measures) if pick is None else prediction_bounds(settings.losses[:, pick], terms.alpha)
    return SharedChoice(
        retrieval=next(iter(tables.values())).retrieval,
        measures=tuple(measures),
        terms=terms,
        settings=len(settings.names),
        variant=None if pick is None else settings.names[pick],
        bounds=tuple(map(float, bounds)),
        tried=tuple(tried(place, pick) for place in every),
        left_out=tuple(
            tried(place, settings.pick([other for other in every if other != place], terms)) for place in every
        ),
        commands=(),
    )


def _settings(tables: Mapping[str, VariantTable], measures: Sequence[str], terms: Terms) -> _Settings:
    common = set.intersection(*({table.rows[index].name for index in table.candidates} for table in tables.values()))
    if not common:
        fix = "explore the same families in all of them: `thresher explore`"
        raise StateError("no variant was explored in all of these collections", fix, ", ".join(tables))
    names = tuple(sorted(common))
    losses, shares, kept = [], [], []
    for table in tables.values():
        rows = [table.position[name] for name in names]
        for measure in measures:
            terms.margin.checked(measure, table.of(measure)[0])
        means = [table.mean(measure) for measure in measures]
        losses.append([(mean[0] - mean[rows]) / (mean[0] if terms.margin.relative else 1.0) for mean in means])
        shares.append(table.shares[rows])
        kept.append(table.emptied_shares[rows] <= terms.emptied + TOLERANCE)
    return _Settings(names, np.moveaxis(np.array(losses), 0, -1), np.array(shares).T, np.array(kept).T)


SHARED_FILE = "shared-choice.json"
_FILE = RecordFile(SharedChoice, "a choice", "run `thresher choose` again", "thresher-shared-choice", 1, StateError)


def write_shared(choice: SharedChoice, folder: Path) -> None:
    """Write `shared-choice.json` into a folder, whole or not at all."""
    _FILE.write(folder / SHARED_FILE, choice)
