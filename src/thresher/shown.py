"""How records look in Python and notebooks; `thresher.reports.notebook_views` declares it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class View:
    """How records of a class are shown, each a function of the record.

    Args:
        line: a few words.
        html: a short answer.
        frame: all of it as a `pandas.DataFrame`.
        plot: a chart for one retrieval model, None for the first.
    """

    line: Callable[[Any], str]
    html: Callable[[Any], str]
    frame: Callable[[Any], Any]
    plot: Callable[[Any, str | None], Any] | None = None


VIEWS: dict[str, View] = {}
"""By the name of the class; filled by any import of a name of `thresher`."""


class Shown:
    """A record that notebooks show as a table."""

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name}: {VIEWS[name].line(self)}>" if name in VIEWS else object.__repr__(self)

    def _repr_html_(self) -> str:
        return VIEWS[type(self).__name__].html(self)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with the lines of its CSV file, whose columns docs/results/columns.md explains."""
        return VIEWS[type(self).__name__].frame(self)


class Plotted(Shown):
    """A record of which there is a chart."""

    def plot(self, retrieval: str | None = None) -> Any:
        """Return index size against the main measure, which notebooks show and `save` writes as SVG, PDF or PNG.

        Its `vega_lite()` is the specification, for other programs to change.

        Args:
            retrieval: the retrieval model; None for the first.
        """
        draw = VIEWS[type(self).__name__].plot
        assert draw is not None
        return draw(self, retrieval)
