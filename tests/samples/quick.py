"""What costs tests time and is not what they look at: how well Java compiles, bundling the library of charts again, and
drawing plots."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from thresher.files import write_text
from thresher.lucene import jvm

NO_PLOTS = "THRESHER_TESTS_DRAW_NOTHING"
"""Set in the environment of commands whose reports need no plots."""

_options = jvm._options


def _quick_options(heap_mib: int | None, left: int | None) -> list[str]:
    return [*_options(heap_mib, left), "-XX:TieredStopAtLevel=1"]


def quick_java() -> None:
    """Let Java compile quickly rather than well, for it does not live long; JAVA_TOOL_OPTIONS would print that."""
    jvm._options = _quick_options


def bundle_charts_once() -> None:
    """Let all processes of the session share the script that vl-convert makes, which takes it more than a second."""
    with suppress(ImportError):
        import vl_convert

        bundle = vl_convert.javascript_bundle

        def kept(snippet: str) -> str:
            path = Path(os.environ["THRESHER_CACHE"]) / "charts.js"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, bundle(snippet))
            return path.read_text(encoding="utf-8")

        vl_convert.javascript_bundle = kept


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
