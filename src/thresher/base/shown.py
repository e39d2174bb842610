"""How records look in Python and notebooks; `thresher.reports.notebook_views` declares it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LOADERS: list[Callable[[], object]] = []
"""Functions that fill `VIEWS` when a record is first shown. `thresher.api` adds a function that imports the reports."""


@dataclass(frozen=True)
class View:
    """Functions that show a record.

    Attributes:
        line: returns the record in a few words.
        html: returns a short answer in HTML.
        frame: returns the whole record as a `pandas.DataFrame`.
        plot: returns a chart for a retrieval model (None for the first) and a measure (None for the main measure); None if
            there is no chart of the record.
    """

    line: Callable[[Any], str]
    html: Callable[[Any], str]
    frame: Callable[[Any], Any]
    plot: Callable[[Any, str | None, str | None], Any] | None = None


VIEWS: dict[str, View] = {}
"""The view of each class of records, by the name of the class."""


class Shown:
    """A record that notebooks show as a table."""

    def _view(self) -> View:
        while LOADERS:
            LOADERS.pop()()
        return VIEWS[type(self).__name__]

    def __repr__(self) -> str:
        if not LOADERS and not VIEWS:
            return object.__repr__(self)
        return f"<{type(self).__name__}: {self._view().line(self)}>"

    def _repr_html_(self) -> str:
        return self._view().html(self)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with the lines of its CSV file, whose columns docs/results/columns.md explains."""
        return self._view().frame(self)


class Plotted(Shown):
    """A record that can be drawn as a chart."""

    def plot(self, retrieval: str | None = None, measure: str | None = None) -> Any:
        """Return a chart of index size against a measure (the main one), for a retrieval model (the first).

        Notebooks show the chart, `save` writes SVG, PDF or PNG, and `vega_lite()` is the specification for other programs.
        """
        draw = self._view().plot
        assert draw is not None
        return draw(self, retrieval, measure)
