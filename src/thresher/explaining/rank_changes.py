"""Ranks of documents in two runs of a topic, and who overtook whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf


def by_rank(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Return the documents of a topic in a run, best first; equal scores by id, descending, as trec_eval does."""
    return tuple(sorted(scores, key=lambda document: (scores[document], document), reverse=True))


@dataclass(frozen=True)
class RankChanges:
    """The documents of a topic by rank, in the baseline's run and in a variant's."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """All documents that one of the runs has, by id."""
        return tuple(sorted({*self.before, *self.after}))

    def rank_before(self, document: str) -> int | None:
        """Return its rank in the baseline's run, from 1; None if it was not retrieved."""
        return self._before.get(document)

    def rank_after(self, document: str) -> int | None:
        """Return its rank in the variant's run, likewise."""
        return self._after.get(document)

    def fell(self, document: str) -> bool:
        """Say whether its rank is worse than before, or it is not retrieved any more."""
        return _rank(self._before, document) < _rank(self._after, document)

    def rose(self, document: str) -> bool:
        """Say whether its rank is better than before, or it is retrieved now."""
        return _rank(self._after, document) < _rank(self._before, document)

    def overtakers(self, document: str) -> tuple[str, ...]:
        """Return the documents that were behind it and are before it, by their rank in the variant's run."""
        then, now = _rank(self._before, document), _rank(self._after, document)
        return tuple(
            other
            for rank, other in enumerate(self.after, 1)
            if rank < now and other != document and _rank(self._before, other) > then
        )

    def overtaken(self, document: str) -> tuple[str, ...]:
        """Return the documents that were before it and are behind it, by their rank in the baseline's run."""
        return RankChanges(self.after, self.before).overtakers(document)

    def put_back(self, document: str) -> tuple[str, ...]:
        """Return the variant's ranking with this document alone at the rank that it had in the baseline's run."""
        rest = [other for other in self.after if other != document]
        rank = self._before.get(document)
        if rank is not None:
            rest.insert(rank - 1, document)
        return tuple(rest)

    @cached_property
    def _before(self) -> Mapping[str, int]:
        return {document: rank for rank, document in enumerate(self.before, 1)}

    @cached_property
    def _after(self) -> Mapping[str, int]:
        return {document: rank for rank, document in enumerate(self.after, 1)}


def _rank(ranks: Mapping[str, int], document: str) -> float:
    return ranks.get(document, inf)
