"""What notebooks show of a record, its data frame and its plot: asked for here, made by `thresher.reports.notebook_views`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from csv import reader
from io import StringIO
from typing import Any

from thresher.errors import needs_extra


class RecordView(ABC):
    """How records of a class are shown."""

    @abstractmethod
    def html(self, record: Any) -> str:
        """Return a short answer as HTML."""

    @abstractmethod
    def csv(self, record: Any) -> str:
        """Return all of it as CSV."""

    @abstractmethod
    def plot(self, record: Any, retrieval: str | None) -> Any:
        """Return a `thresher.reports.drawing.Plot`.

        Raises:
            ConfigError: if there is no such retrieval model.
        """


VIEWS: dict[str, RecordView] = {}
"""By the name of the class; filled by those who can show them, which is any import of a name of `thresher`."""


class Shown:
    """A record that notebooks show as a table."""

    def _repr_html_(self) -> str:
        return VIEWS[type(self).__name__].html(self)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with the lines of its CSV file, whose columns docs/columns.md explains."""
        return data_frame(VIEWS[type(self).__name__].csv(self))

    def plot(self, retrieval: str | None = None) -> Any:
        """Return index size against the main measure, which notebooks show and `save` writes as SVG, PDF or PNG.

        Its `vega_lite()` is the specification, for other programs to change.

        Args:
            retrieval: the retrieval model; None for the first.
        """
        return VIEWS[type(self).__name__].plot(self, retrieval)


def data_frame(text: str) -> Any:
    """Return CSV as a `pandas.DataFrame`; empty fields are missing values."""
    with needs_extra("pandas", "pandas is not installed"):
        import pandas
    header, *lines = reader(StringIO(text))
    columns = zip(*lines, strict=True) if lines else [() for _ in header]
    return pandas.DataFrame({name: _values(column) for name, column in zip(header, columns, strict=True)})


def _values(texts: Sequence[str]) -> Sequence[object]:
    """Return whole numbers, floats or texts, whatever all of them are; None for empty ones."""
    for kind in (int, float):
        try:
            return [kind(text) if text else None for text in texts]
        except ValueError:
            continue
    return [text or None for text in texts]
