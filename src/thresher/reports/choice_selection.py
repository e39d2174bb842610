"""Which decisions and candidates a report shows together: scorers with their cutoffs in order, cleaners that have none."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.choosing.records import Choice, Decision, GroupPick

SINGLES = "cleaners without a sweep"
"""What candidates are called that have no cutoff, or are the only one of their scorer."""


@dataclass(frozen=True)
class Judged:
    """One retrieval model: the decision by the main measure, and those by the other ones, in the order of the choice."""

    main: Decision
    others: tuple[Decision, ...]


@dataclass(frozen=True)
class Sweep:
    """The candidates of one scorer by ascending cutoff, as places in the decision; `pick` is what rules pick of them."""

    name: str
    places: tuple[int, ...]
    cutoffs: tuple[float, ...]
    pick: GroupPick


def judged(choice: Choice) -> tuple[Judged, ...]:
    """Return the decisions by retrieval model, in the order of the choice."""
    mains = [decision for decision in choice.decisions if decision.measure == choice.measure]
    return tuple(
        Judged(
            main,
            tuple(
                other
                for other in choice.decisions
                if other.measure != choice.measure and other.retrieval == main.retrieval
            ),
        )
        for main in mains
    )


def sweeps_of(decision: Decision) -> tuple[Sweep, ...]:
    """Return the scorers with at least two cutoffs, in the order of the decision."""
    found = []
    for pick in decision.groups:
        numbers = [
            (candidate.cutoff, place)
            for place, candidate in enumerate(decision.candidates)
            if candidate.group == pick.group and candidate.cutoff is not None
        ]
        if len(numbers) > 1:
            ordered = sorted(numbers)
            found.append(
                Sweep(pick.group, tuple(place for _, place in ordered), tuple(cutoff for cutoff, _ in ordered), pick)
            )
    return tuple(found)


def singles_of(decision: Decision) -> tuple[int, ...]:
    """Return the places of candidates that are in no sweep, the largest index first."""
    swept = {place for sweep in sweeps_of(decision) for place in sweep.places}
    left = [place for place in range(len(decision.candidates)) if place not in swept]
    return tuple(sorted(left, key=lambda place: (-decision.candidates[place].size, place)))


def laxest_first(decision: Decision, sweep: Sweep) -> tuple[int, ...]:
    """Return the places of a sweep from the cutoff that keeps most to the one that keeps least."""
    first, last = (decision.candidates[sweep.places[end]].size for end in (0, -1))
    return sweep.places if first >= last else sweep.places[::-1]
