"""The page of `thresher play`: one HTML file with a sample of pages, in which a browser cuts them as any cleaner does.

Arrays are base64 of little-endian numbers: exact and short, infinities and NaN included. Text of pages is JSON, and the
script makes text nodes of it alone. Each page itself stands in a frame without scripts. The policy allows the script by its
digest, forbids to make markup from text, and forbids every load.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt
from markupsafe import Markup

from thresher.base.files import remove_left, write_text
from thresher.cleaners.cleaner import Cleaner, middle_cutoff
from thresher.cleaners.scorer import KEEP_HIGH, Scorer
from thresher.experiments.page_samples import FailedPage, PageSample, ScoredPage
from thresher.reports.html_parts import TEMPLATES, digest, templates

View = dict[str, Any]
"""Values for JSON."""
MOST_BYTES = 64 * 2**20
"""Bytes of pages in a file: browsers are slow with more."""
_TOO_LARGE = f"left out: with it, the file would have more than {MOST_BYTES >> 20} MiB"
# A scorer that decides by itself gives 0 or 1.
_DECISION = 0.5
_PALETTE = re.compile(r"^(?:@media \(prefers-color-scheme: dark\) \{\s*)?:root\s*\{[^}]*\}(?:\s*\})?", re.MULTILINE)
_FRAME_STYLE = """<style>:root { color-scheme: light; background: #fff; --a: 0 2px #1a73d9; --b: 0 2px #b0359f; }
x-block { transition: opacity .15s; cursor: pointer; } x-block[data-kept=""] { opacity: .28 !important; }
x-block[data-kept="A"] { box-shadow: var(--a) !important; } x-block[data-kept="B"] { box-shadow: var(--b) !important; }
x-block[data-here] { outline: 2px solid #1a73d9 !important; outline-offset: 2px; }</style>"""


@dataclass(frozen=True)
class TryPageFile:
    """The written file: its bytes, the pages in it, and the pages of the sample that are not, with reasons."""

    size: int
    pages: int
    failed: tuple[FailedPage, ...]


@dataclass(frozen=True)
class _PageParts:
    """The inputs of a page's template: JSON for the script, and HTML for the frame."""

    data: Markup
    original: str


def write_try_page(sample: PageSample, path: Path) -> TryPageFile:
    """Write the page of a sample; the pages after `MOST_BYTES` are listed as left out."""
    shown: list[ScoredPage] = []
    parts: list[_PageParts] = []
    failed = list(sample.failed)
    size = 0
    for page in sample.pages:
        page_parts = _page_parts(page)
        page_size = len(page_parts.data) + len(page_parts.original)
        if shown and size + page_size > MOST_BYTES:
            failed.append(FailedPage(page.id, _TOO_LARGE))
            continue
        size += page_size
        shown.append(page)
        parts.append(page_parts)
    text = _render(sample, shown, parts, failed)
    remove_left([path])
    # An id may have half of a surrogate pair, which UTF-8 cannot hold.
    write_text(path, text.encode("utf-8", "replace").decode())
    return TryPageFile(path.stat().st_size, len(shown), tuple(failed))


def page_view(page: ScoredPage) -> View:
    """Return the data of a page for the script."""
    encoded_scores: dict[str, str] = {}
    for name, scores in page.scores.items():
        encoded_scores[name] = _base64(scores, "<f4")
    return {
        "id": page.id,
        "sentences": page.sentences,
        "block": _base64(page.block_of_sentence, "<i4"),
        "words": _base64(page.words, "<i4"),
        "levels": _base64(page.levels, "i1"),
        "headline": page.headline,
        "scores": encoded_scores,
        "originalProblem": page.original_problem,
        "ranks": page.ranks,
    }


def scorer_view(scorer: Scorer) -> View:
    """Return the data of a scorer for the script; `start` is the cutoff of a new cut."""
    kind = type(scorer)
    view = {
        "name": scorer.canonical_name,
        "segment": kind.segment,
        "keep": "low",
        "decides": kind.decides,
        "headings": kind.headings,
        "unit": kind.unit,
        "low": kind.low,
        "high": kind.high,
        "start": float(middle_cutoff(kind)),
        "about": " ".join((kind.__doc__ or "").split()),
    }
    if kind.keep == KEEP_HIGH:
        view["keep"] = "high"
    if kind.decides:
        view |= {"unit": "", "start": _DECISION}
    return view


def cuts_view(cleaner: Cleaner) -> list[View]:
    """Return a cleaner's cuts of the page's own blocks."""
    views: list[View] = []
    for cut in cleaner.on_page.cuts:
        view: View = {
            "scorer": cut.scorer.canonical_name,
            "cutoff": cut.threshold,
            "quota": cut.quota,
            "headings": cut.headings,
            "floor": cut.floor,
        }
        views.append(view)
    return views


def _render(
    sample: PageSample, shown: Sequence[ScoredPage], parts: Sequence[_PageParts], failed: Sequence[FailedPage]
) -> str:
    style, script = _assets()
    pages: list[View] = []
    for page in shown:
        pages.append({"id": page.id, "title": page.title})
    variants: list[View] = []
    for name, cleaner in sample.variants.items():
        variants.append({"name": name, "cuts": cuts_view(cleaner)})
    data = {
        "pages": pages,
        "scorers": list(map(scorer_view, sample.scorers)),
        "sides": list(map(cuts_view, sample.sides)),
        "variants": variants,
        "topics": sample.queries,
    }
    return (
        templates(TEMPLATES)
        .get_template("try.html.j2")
        .render(
            source=sample.source,
            # Quotes stand in a policy, not at the ends of the attribute.
            policy=Markup(page_policy()),
            style=Markup(style),
            script=Markup(script),
            data=_json(data),
            pages=parts,
            failed=failed,
        )
    )


def page_policy() -> str:
    """Return the content security policy, which the frames of the pages themselves inherit."""
    _, script = _assets()
    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


class _Assets(NamedTuple):
    """The style of the page, in the colours of reports, and its script."""

    style: str
    script: str


@cache
def _assets() -> _Assets:
    palette = "\n".join(_PALETTE.findall(_template_text("report.css")))
    style = f"{palette}\n{_template_text('try.css')}"
    script = f"{_template_text('cutting.js')}\n{_template_text('try.js')}"
    return _Assets(style, script)


def _template_text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8").strip()


def _page_parts(page: ScoredPage) -> _PageParts:
    original = page.original and page.original + _FRAME_STYLE
    return _PageParts(_json(page_view(page)), original)


def _base64(values: npt.NDArray[Any], kind: str) -> str:
    return base64.b64encode(values.astype(kind).tobytes()).decode()


def _json(value: Mapping[str, Any]) -> Markup:
    # No tag and no comment can begin in it.
    return Markup(json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))
