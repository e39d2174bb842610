"""A single setting for several collections, and for further collections like them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thresher.base.defaults import OTHER_ENGINE
from thresher.base.errors import ConfigError, StateError
from thresher.base.numbers import Floats
from thresher.base.records import RecordFile
from thresher.base.shown import Shown
from thresher.base.student import t_quantile
from thresher.evaluation.significance import TOLERANCE
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.table import VariantTable

FEWEST_COLLECTIONS = 3
"""The fewest collections: one is left out, and the spread of the losses needs two."""
SHARED_FILE = "shared-choice.json"


@dataclass(frozen=True)
class SettingOnCollection:
    """A setting on a collection.

    Args:
        collection: the experiment's name.
        topics: the number of topics.
        variant: the setting; None for no cleaning.
        share: its postings over the baseline's.
        bytes_share: its bytes over the baseline's, estimated where an index was not built.
        losses: the loss in each deciding measure, in the unit of the margin: a share of the baseline's mean, or units of the
            measure.
    """

    collection: str
    topics: int
    variant: str | None
    share: float
    bytes_share: float
    losses: tuple[float, ...]

    @property
    def worst(self) -> float:
        """The largest loss of all deciding measures."""
        return max(self.losses)


@dataclass(frozen=True, repr=False)
class SharedChoice(Shown):
    """A single setting for several collections.

    Args:
        retrieval: the retrieval model.
        measures: the deciding measures, the main one first.
        criteria: margin, alpha and the most pages that may be emptied; the families do not matter.
        settings: the number of settings that were explored in all collections.
        variant: the smallest setting, by mean share of the bytes, whose bounds are within the margin; None for no cleaning.
        bounds: by measure, the largest loss of a further collection like these with confidence 1 − alpha; 0 for no cleaning.
        tried: the setting on each collection.
        left_out: by collection, the setting that the other collections recommend without it.
        commands: shell lines that apply the setting to a collection PAGES.
    """

    retrieval: str
    measures: tuple[str, ...]
    criteria: ChoiceCriteria
    settings: int
    variant: str | None
    bounds: tuple[float, ...]
    tried: tuple[SettingOnCollection, ...]
    left_out: tuple[SettingOnCollection, ...]
    commands: tuple[str, ...]

    @property
    def mean_share(self) -> float:
        """The mean postings of the setting over the collections, as a share of the baseline's."""
        return _mean_share(self.tried)

    @property
    def mean_bytes_share(self) -> float:
        """The mean bytes of the setting over the collections, as a share of the baseline's."""
        return _mean_bytes_share(self.tried)

    @property
    def mean_share_left_out(self) -> float:
        """The mean postings of the settings that the other collections recommend."""
        return _mean_share(self.left_out)

    @property
    def mean_bytes_share_left_out(self) -> float:
        """The mean bytes of the settings that the other collections recommend."""
        return _mean_bytes_share(self.left_out)

    @property
    def failed(self) -> tuple[SettingOnCollection, ...]:
        """The settings that lost the margin or more on the collection that was left out."""
        margin = self.criteria.margin.value - TOLERANCE
        failed: list[SettingOnCollection] = []
        for setting in self.left_out:
            if setting.worst >= margin:
                failed.append(setting)
        return tuple(failed)


def _mean_share(settings: Sequence[SettingOnCollection]) -> float:
    return float(np.mean([setting.share for setting in settings]))


def _mean_bytes_share(settings: Sequence[SettingOnCollection]) -> float:
    return float(np.mean([setting.bytes_share for setting in settings]))


_FILE = RecordFile(SharedChoice, "a choice", "run `thresher choose` again", "thresher-shared-choice", 3, StateError)


@dataclass(frozen=True)
class _Settings:
    """The settings that all collections have.

    Args:
        names: the names of the settings.
        losses: the losses; shape (measures, settings, collections).
        shares: postings over the baselines'; shape (settings, collections).
        bytes_shares: bytes over the baselines'; shape (settings, collections).
        keeps_pages: whether few enough pages are emptied; shape (settings, collections).
        criteria: the criteria.
    """

    names: tuple[str, ...]
    losses: Floats
    shares: Floats
    bytes_shares: Floats
    keeps_pages: NDArray[np.bool_]
    criteria: ChoiceCriteria

    def smallest(self, collections: Sequence[int]) -> int | None:
        """Return the setting with the fewest bytes whose bounds on these collections are within the margin.

        Sizes are means of shares, of the bytes first and then of the postings.
        """
        bounds = prediction_bounds(self.losses[..., collections], self.criteria.alpha)
        within = np.all(bounds < self.criteria.margin.value - TOLERANCE, axis=0)
        within &= np.all(self.keeps_pages[:, collections], axis=1)
        sizes = self.bytes_shares[:, collections].mean(axis=1)
        postings = self.shares[:, collections].mean(axis=1)
        candidates = np.flatnonzero(within & (sizes < 1)).tolist()

        def preference(setting: int) -> tuple[float, float, int, str]:
            return sizes[setting], postings[setting], len(self.names[setting]), self.names[setting]

        return min(candidates, key=preference, default=None)


def choose_shared(
    tables: Mapping[str, VariantTable], measures: Sequence[str], criteria: ChoiceCriteria
) -> SharedChoice:
    """Return one setting for all collections, tested by leaving out each collection in turn; its `commands` are empty.

    A setting is the whole name of a variant, with its cutoffs. The order of tables changes only the order of lines.

    Args:
        tables: explored or run variants by collection, all of one retrieval model.
        measures: the deciding measures, the main one first.
        criteria: see `SharedChoice`.

    Raises:
        ConfigError: if there are fewer than `FEWEST_COLLECTIONS`.
        StateError: if no variant was explored in all collections.
    """
    if len(tables) < FEWEST_COLLECTIONS:
        what = f"{len(tables)} collections are too few to leave one out"
        raise ConfigError(what, f"name {FEWEST_COLLECTIONS} experiments or more, or one", "choose")
    settings = _common_settings(tables, measures, criteria)
    collections = range(len(tables))
    shared = settings.smallest(collections)
    bounds = [0.0] * len(measures)
    if shared is not None:
        bounds = prediction_bounds(settings.losses[:, shared], criteria.alpha).tolist()
    tried: list[SettingOnCollection] = []
    left_out: list[SettingOnCollection] = []
    for place, (name, table) in enumerate(tables.items()):
        other_places = list(collections)
        other_places.remove(place)
        tried.append(_on_collection(settings, shared, place, name, table))
        left_out.append(_on_collection(settings, settings.smallest(other_places), place, name, table))
    first = next(iter(tables.values()))
    return SharedChoice(
        retrieval=first.retrieval,
        measures=tuple(measures),
        criteria=criteria,
        settings=len(settings.names),
        variant=None if shared is None else settings.names[shared],
        bounds=tuple(bounds),
        tried=tuple(tried),
        left_out=tuple(left_out),
        commands=(),
    )


def prediction_bounds(losses: Floats, alpha: float) -> Floats:
    """Return the largest loss of a further collection with confidence 1 − alpha; losses have collections last.

    mean + T⁻¹(1 − alpha; k − 1)·s·√(1 + 1/k): the prediction interval of one more draw of normal losses (Hahn & Meeker
    1991). The bound holds for a setting that was not picked by these losses, and for a collection like the k ≥ 2 given
    ones.
    """
    count = losses.shape[-1]
    spread = losses.std(axis=-1, ddof=1) * math.sqrt(1 + 1 / count)
    bounds: Floats = losses.mean(axis=-1) + t_quantile(alpha, count - 1) * spread
    return bounds


def write_shared(choice: SharedChoice, folder: Path) -> None:
    """Write `shared-choice.json` into a folder, whole or not at all."""
    _FILE.write(folder / SHARED_FILE, choice)


def _on_collection(
    settings: _Settings, setting: int | None, place: int, name: str, table: VariantTable
) -> SettingOnCollection:
    """Return a setting, None for no cleaning, on the collection at a place among the tables."""
    topics = len(table.topics)
    if setting is None:
        return SettingOnCollection(name, topics, None, 1.0, 1.0, (0.0,) * len(settings.losses))
    losses = tuple(settings.losses[:, setting, place].tolist())
    share = float(settings.shares[setting, place])
    bytes_share = float(settings.bytes_shares[setting, place])
    return SettingOnCollection(name, topics, settings.names[setting], share, bytes_share, losses)


def _common_settings(
    tables: Mapping[str, VariantTable], measures: Sequence[str], criteria: ChoiceCriteria
) -> _Settings:
    candidates = [_candidates(table, criteria.engine) for table in tables.values()]
    common = set.intersection(*candidates)
    if not common:
        fix = "explore the same families in all collections: `thresher explore`"
        raise StateError("no variant was explored in all of these collections", fix, ", ".join(tables))
    names = tuple(sorted(common))
    losses: list[list[Floats]] = []
    shares: list[Floats] = []
    bytes_shares: list[Floats] = []
    keeps_pages: list[NDArray[np.bool_]] = []
    for table in tables.values():
        rows = [table.position[name] for name in names]
        losses_of_table: list[Floats] = []
        for measure in measures:
            losses_of_table.append(_losses(table, measure, rows, criteria))
        losses.append(losses_of_table)
        shares.append(table.shares[rows])
        bytes_shares.append(table.bytes_shares[rows])
        keeps_pages.append(table.emptied_shares[rows] <= criteria.emptied + TOLERANCE)
    return _Settings(
        names=names,
        losses=np.moveaxis(np.array(losses), 0, -1),
        shares=np.array(shares).T,
        bytes_shares=np.array(bytes_shares).T,
        keeps_pages=np.array(keeps_pages).T,
        criteria=criteria,
    )


def _candidates(table: VariantTable, engine: str) -> set[str]:
    """Return the names of the variants to choose from that an engine can take."""
    names: set[str] = set()
    for index in table.candidates:
        row = table.rows[index]
        if engine != OTHER_ENGINE or row.variant.pruning is None:
            names.add(row.name)
    return names


def _losses(table: VariantTable, measure: str, rows: Sequence[int], criteria: ChoiceCriteria) -> Floats:
    """Return the losses of variants in the margin's unit; shape (variants,)."""
    criteria.margin.checked(measure, table.of(measure)[0])
    means = table.mean(measure)
    losses: Floats = means[0] - means[list(rows)]
    if criteria.margin.relative:
        losses = losses / means[0]
    return losses
