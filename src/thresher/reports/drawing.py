"""Pictures of charts by vl-convert: SVG, PDF and PNG, the same bytes every time."""

from __future__ import annotations

import functools
import html
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from thresher.base.errors import InputError, needs_extra
from thresher.base.files import atomic_path
from thresher.base.machine import check_address_space
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable
from thresher.reports.chart_data import ChartData, chart_data
from thresher.reports.charts import LOOK, Spec, frontier_chart, topics_chart, variants_chart
from thresher.reports.formatting import plain
from thresher.reports.html_parts import TEMPLATES
from thresher.reports.topic_rows import topic_changes

ENDINGS = (".svg", ".pdf", ".png")
WIDTH = 640
"""Pixels of a plot."""
_WRITTEN = ("svg", "pdf")
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first comes with vl-convert; the others have letters as wide. There is no bold: a PDF of two fonts differs each time."""
_SPACE_GIB = 36
"""vl-convert 1.9 reserves 33 GiB at its first chart; it uses a hundredth."""
_PRINTED_DOTS = 600
"""Dots of an inch of paper."""
_SIZE = re.compile(r"""(?<= )(width|height)="([\d.]+)\"""")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ID = re.compile(r"""(?<=\bid=")[^"]+|(?<=url\(#)[^)]+|(?<=href="#)[^"]+""")
_RESOURCES = re.compile(rb"(?: +/[a-z]+\d+ \d+ 0 R\n){2,}")


def converter() -> Any:
    """Return the module that draws charts.

    Raises:
        ResourceError: a limit of address space leaves less than its JavaScript engine reserves; that would end the process.
    """
    if "vl_convert" not in sys.modules:
        check_address_space("charts need", _SPACE_GIB, "and write the report again with `thresher report`")
    with needs_extra("plots", "vl-convert-python, which draws charts, is not installed"):
        import vl_convert
    return vl_convert


@dataclass(frozen=True)
class Plot:
    """A chart, which notebooks show.

    Args:
        spec: the Vega-Lite specification, without width and look.
        title: the title above the chart; empty for none.
        width: the width in pixels.
        printed: whether it is for paper: its pixels are points, and its width is that of the area of the chart.
    """

    spec: Spec = field(repr=False)
    title: str = ""
    width: float = WIDTH
    printed: bool = False

    def vega_lite(self, colours: Mapping[str, str] | None = None) -> Spec:
        """Return the whole specification, for any program that reads Vega-Lite.

        Args:
            colours: the colours by their names in pages; None for the colours of a light page, on white ground.
        """
        config = {**LOOK, "font": _FONT, "background": None}
        if colours is None:
            config["background"] = "white"
        spec = {"title": self.title, **self.spec, "config": config}
        if "layer" in spec:
            spec["width"] = self.width
        if colours is None:
            colours = _light_colours()
        drawn: Spec = _with_colours(spec, colours)
        return drawn

    @functools.cached_property
    def svg(self) -> str:
        """The text of its SVG file."""
        return self._svg(self.vega_lite(), "")

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path | str) -> None:
        """Write it on white ground, whole or not at all: as SVG, PDF or PNG, by the path's ending."""
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in ENDINGS:
            fix = "end the file name in .svg, .pdf or .png"
            raise InputError("a plot is written as SVG, PDF or PNG", fix, str(path))
        data = self.svg.encode()
        if ending == ".pdf":
            data = _RESOURCES.sub(_sorted_lines, converter().svg_to_pdf(self.svg))
        elif ending == ".png" and self.printed:
            data = converter().svg_to_png(self.svg, ppi=_PRINTED_DOTS)
        elif ending == ".png":
            data = converter().svg_to_png(self.svg, 2)
        elif self.printed:
            data = _SIZE.sub(r'\1="\2pt"', self.svg, count=2).encode()
        with atomic_path(path) as temporary:
            temporary.write_bytes(data)

    def inside(self, name: str) -> Markup:
        """Return the plot for a page, in the page's colours; its ids begin with the name, of letters, digits and `-`."""
        return Markup(self._svg(self.vega_lite({}), f"{name}-"))

    def _svg(self, spec: Spec, prefix: str) -> str:
        text: str = converter().vegalite_to_svg(spec)
        ids: dict[str, str] = {}
        text = _ID.sub(lambda match: ids.setdefault(match[0], f"{prefix}{len(ids)}"), text)
        label = html.escape(self.spec["description"])
        return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1) + "\n"


def _sorted_lines(match: re.Match[bytes]) -> bytes:
    """Return a PDF's resources in a fixed order: vl-convert's hash table gives them another order each time."""
    return b"".join(sorted(match[0].splitlines(keepends=True)))


@functools.cache
def _light_colours() -> dict[str, str]:
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8").partition("@media")[0]
    colours: dict[str, str] = {}
    for declaration in re.finditer(r"--([\w-]+): (#\w+)", css):
        colours[f"var(--{declaration[1]})"] = declaration[2]
    colours["currentColor"] = colours["var(--ink)"]
    return colours


def _with_colours(part: Any, colours: Mapping[str, str]) -> Any:
    """Return a part of a specification with colours instead of their names."""
    if isinstance(part, Mapping):
        return {key: _with_colours(value, colours) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_with_colours(value, colours) for value in part]
    if isinstance(part, str):
        # vl-convert ends the process at characters that XML cannot hold.
        return colours.get(part) or _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", part)
    return part


def variants_plot(data: ChartData, title: str = "", width: int = WIDTH) -> Plot:
    """Return all variants by size, a line for each sweep."""
    return Plot(variants_chart(data, width), title, width)


def frontier_plot(data: ChartData, title: str = "", width: int = WIDTH) -> Plot:
    """Return the frontier of all variants."""
    return Plot(frontier_chart(data, width), title, width)


class NamedPlot(NamedTuple):
    """A plot and the parts of its file name."""

    name: tuple[str, ...]
    plot: Plot


def write_plots(results: Results, choice: Choice | None, folder: Path) -> list[Path]:
    """Write every plot as SVG and as PDF, each file whole or not at all; return the files."""
    written: list[Path] = []
    for table in results.tables:
        for named in _plots(results, table, choice):
            for ending in _WRITTEN:
                path = folder / f"{_stem(named.name)}.{ending}"
                named.plot.save(path)
                written.append(path)
    return written


def _stem(parts: Iterable[str]) -> str:
    """Return the parts of a file name with hyphens for characters with a meaning to file systems or shells."""
    words: list[str] = []
    for part in parts:
        words.append(re.sub(r"[^\w.@=]+", "-", part).strip("-"))
    return "-".join(words)


def _plots(results: Results, table: VariantTable, choice: Choice | None) -> Iterator[NamedPlot]:
    data = chart_data(table, choice)
    measure = shown_measure(table, choice)
    yield NamedPlot(("frontier", table.retrieval), frontier_plot(data))
    yield NamedPlot(("variants", table.retrieval), variants_plot(data))
    index = shown_variant(table, choice)
    if index:
        name = table.rows[index].name
        changes = topic_changes(results, table, measure, index)
        yield NamedPlot(("topics", table.retrieval, name), Plot(topics_chart(changes, measure), plain(name)))


def shown_variant(table: VariantTable, choice: Choice | None) -> int:
    """Return the variant whose topics are shown: the recommended, or else the best; 0 where only the baseline was run."""
    if choice:
        model = choice.of(table.retrieval)
        if model and model.first and model.first.variant in table.position:
            return table.position[model.first.variant]
    if not table.candidates:
        return 0
    return table.best(shown_measure(table, choice), table.candidates)


def shown_measure(table: VariantTable, choice: Choice | None) -> str:
    """Return the main measure of the choice, or else of the table."""
    if choice:
        return choice.measure
    return table.main
