"""The plots of a choice inside a page, and where each candidate is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from thresher.choosing.records import Decision
from thresher.reports.choice_overview_plot import candidates_figure
from thresher.reports.choice_plots import curve_figure
from thresher.reports.choice_selection import Sweep
from thresher.reports.choice_tables import relative_size
from thresher.reports.html_parts import Picture, picture
from thresher.reports.svg_places import Frame, frame_of, svg_places, svg_size

Place = tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """A plot on the page: `id` of what it draws, its `size`, the `frame` of its panels together, and the `dots` of each
    candidate by its place in the decision, one a panel that shows it; all in units of its viewBox.
    """

    picture: Picture
    id: str
    size: tuple[float, float]
    frame: Frame
    dots: Mapping[int, tuple[Place, ...]]


def drawn_curve(decision: Decision, sweep: Sweep, others: Sequence[Decision], name: str) -> Drawn:
    """Draw a scorer's curve (see `curve_figure`); `name` makes its ids unique."""
    figure = curve_figure(decision, sweep, others)
    shown = picture(
        figure,
        name,
        f"{decision.measure} and index size by cutoff of {sweep.name}",
    )
    cutoffs = list(sweep.cutoffs)
    differences = [decision.verdicts[place].difference for place in sweep.places]
    sizes = [100 * relative_size(decision, place) for place in sweep.places]
    upper = svg_places(figure, figure.axes[0], cutoffs, differences)
    lower = svg_places(figure, figure.axes[-1], cutoffs, sizes)
    return _drawn(figure, shown, name, dict(zip(sweep.places, zip(upper, lower, strict=True), strict=True)))


def drawn_candidates(decision: Decision, name: str) -> Drawn:
    """Draw all candidates (see `candidates_figure`); `name` makes its ids unique."""
    figure = candidates_figure(decision)
    shown = picture(
        figure,
        name,
        f"Index size against {decision.measure} of all candidates",
        f"{decision.retrieval}: index size against {decision.measure} of all {len(decision.candidates)} candidates. On the "
        "front: those that neither another one nor the baseline beats in both.",
    )
    places = range(len(decision.candidates))
    sizes = [100 * relative_size(decision, place) for place in places]
    dots = svg_places(figure, figure.axes[0], sizes, decision.means)
    return _drawn(figure, shown, name, {place: (dot,) for place, dot in zip(places, dots, strict=True)})


def _drawn(figure: Figure, shown: Picture, name: str, dots: Mapping[int, tuple[Place, ...]]) -> Drawn:
    first, last = (frame_of(figure, figure.axes[end]) for end in (0, -1))
    frame = Frame(first.left, first.top, last.right, last.bottom)
    return Drawn(shown, f"{name}-figure_1", svg_size(figure), frame, dots)
