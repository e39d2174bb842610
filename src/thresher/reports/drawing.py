"""Pictures of charts by vl-convert: SVG, PDF and PNG, the same bytes every time."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from thresher.base.errors import InputError, needs_extra
from thresher.base.files import atomic_path, kept_text
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable
from thresher.reports.chart_rows import answered_variants, topic_rows
from thresher.reports.charts import LOOK, Row, Spec, Variants, cutoffs, on_held_out, overview, roomy, topics
from thresher.reports.formatting import change_text, plain
from thresher.reports.html_parts import TEMPLATES
from thresher.reports.table import measure_header
from thresher.reports.variant_columns import Entry

ENDINGS = (".svg", ".pdf", ".png")
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first comes with vl-convert; the others have letters as wide. There is no bold: a PDF of two fonts differs each time."""
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ID = re.compile(r"""(?<=\bid=")[^"]+|(?<=url\(#)[^)]+|(?<=href="#)[^"]+""")
_RESOURCES = re.compile(rb"(?: +/[a-z]+\d+ \d+ 0 R\n){2,}")
_MARGIN = 80
"""Pixels beside the panels of a chart of several."""


def converter() -> Any:
    """Return the module that draws charts."""
    with needs_extra("plots", "vl-convert-python, which draws charts, is not installed"):
        import vl_convert
    return vl_convert


@functools.cache
def chart_library() -> str:
    """Return Vega-Lite with all that it needs, one script: bundled in seconds, and kept for the next command."""
    vega = converter()
    return kept_text(f"vega-{vega.__version__}.js", lambda: vega.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


@dataclass(frozen=True)
class Plot:
    """A chart, which notebooks show.

    Args:
        spec: its Vega-Lite specification, without size and look.
        rows: its data, where it has none of its own.
        width: in pixels.
    """

    spec: Spec = field(repr=False)
    rows: Sequence[Row] = field(default=(), repr=False)
    title: str = ""
    width: int = 640

    def vega_lite(self, colours: Mapping[str, str] | None = None) -> Spec:
        """Return the whole specification, for any program that reads Vega-Lite; `colours` are by their names in pages."""
        spec = {"title": self.title, **self.spec, "datasets": {"rows": self.rows}}
        spec["config"] = {**LOOK, "font": _FONT, "background": "white" if colours is None else None, "aria": False}
        if "vconcat" in spec:
            spec["vconcat"] = [{**panel, "width": self.width - _MARGIN} for panel in spec["vconcat"]]
        else:
            spec["width"] = self.width
        named: Spec = _replaced(spec, _light() if colours is None else colours)
        return named

    @functools.cached_property
    def svg(self) -> str:
        """It as an SVG file's text."""
        return self._svg(self.vega_lite(), "")

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path | str) -> None:
        """Write it on white ground, whole or not at all: as SVG, PDF or PNG, by the path's ending."""
        path, ending = Path(path), Path(path).suffix.lower()
        if ending not in ENDINGS:
            what, fix = "a plot is written as SVG, PDF or PNG", "end the file name in .svg, .pdf or .png"
            raise InputError(what, fix, str(path))
        data = self.svg.encode()
        if ending == ".pdf":
            data = converter().svg_to_pdf(self.svg)
            # They stand in the order of a hash table, which differs each time.
            data = _RESOURCES.sub(lambda found: b"".join(sorted(found[0].splitlines(True))), data)
        elif ending == ".png":
            data = converter().svg_to_png(self.svg, 2)
        with atomic_path(path) as temporary:
            temporary.write_bytes(data)

    def inside(self, name: str) -> Markup:
        """Return it for a page, whose colours it takes; the name, of letters, digits and `-`, opens its ids."""
        return Markup(self._svg(self.vega_lite({}), f"{name}-"))

    def _svg(self, spec: Spec, prefix: str) -> str:
        text: str = converter().vegalite_to_svg(spec)
        ids: dict[str, str] = {}
        text = _ID.sub(lambda found: ids.setdefault(found[0], f"{prefix}{len(ids)}"), text)
        label = html.escape(self.spec["description"])
        return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1) + "\n"


@functools.cache
def _light() -> dict[str, str]:
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8").partition("@media")[0]
    colours = {f"var(--{name})": colour for name, colour in re.findall(r"--([\w-]+): (#\w+)", css)}
    return {**colours, "currentColor": colours["var(--ink)"]}


def _replaced(part: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(part, Mapping):
        return {key: _replaced(value, texts) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_replaced(value, texts) for value in part]
    if isinstance(part, str):
        # What XML cannot hold makes vl-convert end the process.
        return texts.get(part) or _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", part)
    return part


_ENDINGS = ("svg", "pdf")
_LEFT, _WHOLE = 4, 99
"""Sizes, in % of the baseline's, beyond which cutoffs would only stretch the axis."""
_MOST_TOPICS = 6
"""Variants whose topics are drawn."""


def all_plot(model: Variants, field: str = "sweep", title: str = "") -> Plot:
    """Return all variants by size, a line for each sweep or, with the `field` `family`, the best of each family."""
    return Plot(overview(model, field, legend=True), model.rows, title)


def sweep_plot(model: Variants, sweep: str) -> Plot:
    """Return a sweep by its cutoffs, without those that leave next to nothing or all.

    A combination is drawn by size, a line for each cutoff of the scorer.
    """
    rows = [row for row in model.rows if row["sweep"] == sweep]
    if rows[0]["pair"]:
        named = {"line": True, "drawn": True, "marked": True, "front": False}
        lines = [{**row, **named, "sweep": row["cleaner"]} for row in rows]
        return all_plot(replace(model, rows=tuple(lines)), title=plain(sweep))
    inside = [number for number, row in enumerate(rows) if _LEFT <= row["share"] <= _WHOLE or row["recommended"]]
    # With the neighbours, so that the line reaches both ends.
    shown = rows[max(0, min(inside) - 1) : max(inside) + 2] if inside else rows
    return Plot(cutoffs(replace(model, rows=tuple(shown)), sweep), shown, plain(sweep))


def topic_plots(table: VariantTable, main: str) -> Iterator[tuple[str, Plot]]:
    """Give the topics of the best variant of each sweep and of singles, of those that were built, by variant, on one scale."""
    built = set(table.built)
    sweeps = [[index for index in members if index in built] for members in table.sweeps.values()]
    best = [table.best(main, members) for members in sweeps if members]
    best += [index for index in table.singles if index in built]
    means = table.mean(main)
    shown = sorted(best, key=lambda index: (-means[index], table.sizes[index], index))[:_MOST_TOPICS]
    rows = {index: topic_rows(table, main, index) for index in shown}
    ends = roomy([0.0, *(one["difference"] for of_one in rows.values() for one in of_one)])
    for index, of_one in rows.items():
        name, found = table.rows[index].name, Entry(table, index).comparison(main)
        said = f": {change_text(found.difference)}, W/T/L {found.wins}/{found.ties}/{found.losses}" if found else ""
        yield name, Plot(topics(measure_header(main)[0], 220, ends), of_one, plain(name) + said)


def write_plots(results: Results, choice: Choice | None, folder: Path) -> list[Path]:
    """Write every plot as SVG and as PDF, each file whole or not at all; return the files."""
    written = []
    for table in results.tables:
        for names, plot in _of_table(table, choice):
            for ending in _ENDINGS:
                # Characters with a meaning to file systems or shells become hyphens.
                stems = (re.sub(r"[^\w.@=]+", "-", name).strip("-") for name in names)
                written.append(folder / f"{'-'.join(stems)}.{ending}")
                plot.save(written[-1])
    return written


def _of_table(table: VariantTable, choice: Choice | None) -> Iterator[tuple[tuple[str, ...], Plot]]:
    main, model = answered_variants(table, choice)
    yield ("variants", table.retrieval), all_plot(model)
    if table.held_out_topics:
        yield ("variants", table.retrieval, "held-out"), all_plot(on_held_out(model))
    if len(table.families) > 1:
        yield ("families", table.retrieval), all_plot(model, "family")
    for sweep in table.sweeps:
        yield ("sweep", table.retrieval, sweep), sweep_plot(model, sweep)
    for name, plot in topic_plots(table, main):
        yield ("topics", table.retrieval, name), plot
