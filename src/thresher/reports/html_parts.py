"""Parts of every HTML page that reports write: templates, plots inside the page, the script's digest."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from thresher.reports.plot_style import INK, figure_svg


@dataclass(frozen=True)
class Picture:
    """A plot inside the page and the words below it."""

    svg: Markup
    caption: str


def render_template(name: str, *, parts: Sequence[str] = (), **values: object) -> str:
    """Return a template's page with the style and the script of all reports inside: the same bytes for the same values.

    Args:
        name: of the template.
        parts: files of further styles (.css) and scripts (.js) that this page needs.
        values: what the template shows.
    """
    loader = PackageLoader("thresher.reports", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

    def joined(first: str, ending: str) -> str:
        files = [first, *(part for part in parts if part.endswith(ending))]
        return "\n".join(loader.get_source(environment, file)[0].strip() for file in files)

    script, css = joined("sort.js", ".js"), joined("report.css", ".css")
    return environment.get_template(name).render(
        style=Markup(css),
        script=Markup(script),
        script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        **values,
    )


def picture(figure: Figure, name: str, label: str, caption: str = "") -> Picture:
    """Return the figure for a page, in the page's text colour, with words for screen readers.

    Args:
        figure: the plot.
        name: what makes the ids inside it unique on the page.
        label: the words.
        caption: what stands below it.
    """
    svg = re.sub(re.escape(INK), "currentColor", figure_svg(figure, name), flags=re.IGNORECASE)
    return Picture(Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(label)}" ', 1)), caption)
