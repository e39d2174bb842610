"""Ranks of documents in the baseline's run and in a variant's run, and the documents that overtook another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf


def by_rank(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Return the documents of a topic in a run, best first; equal scores by id, descending, as trec_eval does."""
    return tuple(sorted(scores, key=lambda document: (scores[document], document), reverse=True))


@dataclass(frozen=True)
class RankChanges:
    """The documents of a topic by rank, best first, in the baseline's run and in a variant's run."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """All documents that one of the runs retrieved, by id."""
        return tuple(sorted(set(self.before).union(self.after)))

    def rank_before(self, document: str) -> int | None:
        """Return the document's rank in the baseline's run, from 1; None if it was not retrieved."""
        return self._ranks_before.get(document)

    def rank_after(self, document: str) -> int | None:
        """Return the document's rank in the variant's run, from 1; None if it was not retrieved."""
        return self._ranks_after.get(document)

    def fell(self, document: str) -> bool:
        """Return whether the document's rank is worse than before, or it is no longer retrieved."""
        return self._ranks_before.get(document, inf) < self._ranks_after.get(document, inf)

    def rose(self, document: str) -> bool:
        """Return whether the document's rank is better than before, or it is retrieved now."""
        return self._ranks_after.get(document, inf) < self._ranks_before.get(document, inf)

    def overtakers(self, document: str) -> tuple[str, ...]:
        """Return the documents that were behind this document and are before it, by their rank in the variant's run."""
        rank_before = self._ranks_before.get(document, inf)
        rank_after = self._ranks_after.get(document, inf)
        overtakers: list[str] = []
        for rank, candidate in enumerate(self.after, 1):
            was_behind = self._ranks_before.get(candidate, inf) > rank_before
            if candidate != document and rank < rank_after and was_behind:
                overtakers.append(candidate)
        return tuple(overtakers)

    def overtaken(self, document: str) -> tuple[str, ...]:
        """Return the documents that were before this document and are behind it, by their rank in the baseline's run."""
        return RankChanges(self.after, self.before).overtakers(document)

    def put_back(self, document: str) -> tuple[str, ...]:
        """Return the variant's ranking with only this document moved, to its rank in the baseline's run."""
        ranking = list(self.after)
        if document in self._ranks_after:
            ranking.remove(document)
        rank = self._ranks_before.get(document)
        if rank is not None:
            ranking.insert(rank - 1, document)
        return tuple(ranking)

    @cached_property
    def _ranks_before(self) -> Mapping[str, int]:
        return _ranks(self.before)

    @cached_property
    def _ranks_after(self) -> Mapping[str, int]:
        return _ranks(self.after)


def _ranks(ranking: Sequence[str]) -> dict[str, int]:
    """Return the rank of each document, from 1."""
    return dict(zip(ranking, range(1, len(ranking) + 1), strict=True))
