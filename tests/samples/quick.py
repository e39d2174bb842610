"""What costs tests time and is not what they look at: how well Java compiles, and drawing plots."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from thresher.lucene import jvm

NO_PLOTS = "THRESHER_TESTS_DRAW_NOTHING"
"""Set in the environment of commands whose reports need no plots."""

_options = jvm._options


def _quick_options(heap_mib: int | None) -> list[str]:
    return [*_options(heap_mib), "-XX:TieredStopAtLevel=1"]


def quick_java() -> None:
    """Let Java compile quickly rather than well, for it does not live long; JAVA_TOOL_OPTIONS would print that."""
    jvm._options = _quick_options


@contextmanager
def no_plots() -> Iterator[None]:
    """Leave the plots out of the reports that are written within the block, here and by commands begun here."""
    # Matplotlib takes half a second to import.
    from thresher.reports import cleaning_plots, plot_style

    drawn, placed = plot_style.figure_svg, cleaning_plots.place_labels
    plot_style.figure_svg = lambda figure, name: "<svg></svg>\n"  # type: ignore[attr-defined]
    cleaning_plots.place_labels = lambda *_, **__: 0  # type: ignore[attr-defined]
    os.environ[NO_PLOTS] = "1"
    try:
        yield
    finally:
        del os.environ[NO_PLOTS]
        plot_style.figure_svg = drawn  # type: ignore[attr-defined]
        cleaning_plots.place_labels = placed  # type: ignore[attr-defined]
