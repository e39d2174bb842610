"""Other packages' extractors, measured on the same pages as our cleaners.

They get the page as our decoder reads it, without what would disadvantage them through no fault of their method. Options keep
the package's defaults unless stated below. Each package is imported by the function that calls it.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from thresher.cleaneval.gold import GoldPage
from thresher.errors import MissingDependencyError
from thresher.files import fit_text, user_error
from thresher.pages import read_html
from thresher.pages.decoding import decode
from thresher.passes.workers import alarm, exit_reason, run_watched
from thresher.streams import open_stream

# The encoding of an XML declaration no longer applies, and lxml refuses text that declares one. CleanEval wrapped every page
# in an element TEXT, because of which Trafilatura does not recognise some pages as HTML.
_BEFORE = re.compile(r"""\s*<(?:\?xml|text)\b(?:"[^"]*"|[^">])*>""")
_AFTER = re.compile(r"</text>\s*\Z")
_BODY = re.compile(r"<body\b", re.IGNORECASE)
_HEAD_END = re.compile(r"</head\s*>", re.IGNORECASE)


@dataclass(frozen=True)
class Extractor:
    """An extractor: its name in tables, its distribution and the module to import.

    `extract` maps a decoded page to the paragraphs that it keeps, in the page's order. It is a top-level function, so that it
    can be sent to other processes.
    """

    name: str
    distribution: str
    module: str
    extract: Callable[[str], list[str]]


def find_extractors() -> tuple[Extractor, ...]:
    """Return all extractors; the error names all packages that are missing."""
    missing = {extractor.distribution for extractor in EXTRACTORS if not find_spec(extractor.module.partition(".")[0])}
    if missing:
        raise MissingDependencyError(
            f"the extractors need packages that are not installed: {', '.join(sorted(missing))}",
            "install the extra: pip install 'thresher[extractors]'",
        )
    return EXTRACTORS


def decode_for_extractors(content: bytes) -> str:
    """Decode a page for the extractors, without an XML declaration or CleanEval's TEXT element."""
    page = decode(content).utf8.decode()
    while before := _BEFORE.match(page):
        page = page[before.end() :]
    return _AFTER.sub("", page)


def by_justext(page: str) -> list[str]:
    """Return the paragraphs that jusText classifies as good with its English stop list."""
    import justext

    paragraphs = justext.justext(page, justext.get_stoplist("English"))
    return [paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate]


def by_trafilatura(page: str) -> list[str]:
    """Return Trafilatura's text without readers' comments; if that is short, it falls back on jusText and readability."""
    import trafilatura

    return _lines(trafilatura.extract(page, include_comments=False) or "")


def by_resiliparse(page: str) -> list[str]:
    """Return Resiliparse's main content, without the bullets and image descriptions that it would add to the text."""
    from resiliparse.extract.html2text import extract_plain_text

    text: Any = extract_plain_text(page, main_content=True, list_bullets=False, alt_texts=False)
    return _lines(str(text))


def by_readability(page: str) -> list[str]:
    """Return the text of what readability keeps, parsed like our cleaners' pages, so that only the selection differs."""
    from readability import Document

    return read_html(Document(page).summary()).blocks


def by_boilerpy3(page: str, extractor: str) -> list[str]:
    """Apply an extractor of boilerpy3; `DensityRules` is the tree over text density alone, which the package has no
    extractor of.

    It does not raise on pages with mismatched tags, but keeps some of their text. It only reads text after a BODY tag,
    which is optional in HTML.
    """
    from boilerpy3 import extractors
    from boilerpy3.filters import DensityRulesClassifier

    if extractor == "DensityRules":
        chosen: Any = extractors.Extractor(DensityRulesClassifier(), raise_on_failure=False)
    else:
        chosen = getattr(extractors, extractor)(raise_on_failure=False)
    if not _BODY.search(page):
        head = _HEAD_END.search(page)
        at = head.end() if head else 0
        page = f"{page[:at]}<html><body>{page[at:]}"
    return _lines(chosen.get_content(page))


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.splitlines()) if line]


def _boilerpy3(name: str, extractor: str) -> Extractor:
    extract = partial(by_boilerpy3, extractor=extractor)
    return Extractor(f"extractor:boilerpy3-{name}", "boilerpy3", "boilerpy3.extractors", extract)


EXTRACTORS = (
    Extractor("extractor:justext", "justext", "justext", by_justext),
    _boilerpy3("words", "NumWordsRulesExtractor"),  # Algorithm 2 of Kohlschuetter et al. (2010)
    _boilerpy3("density", "DensityRules"),  # their Algorithm 1
    _boilerpy3("default", "DefaultExtractor"),  # Algorithm 1 on blocks that were fused before
    _boilerpy3("article", "ArticleExtractor"),  # Algorithm 2, then the title and the largest block
    Extractor("extractor:trafilatura", "trafilatura", "trafilatura", by_trafilatura),
    Extractor("extractor:resiliparse", "resiliparse", "resiliparse.extract.html2text", by_resiliparse),
    Extractor("extractor:readability", "readability-lxml", "readability", by_readability),
)
"""In the order of tables."""


SECONDS = 30.0
"""Default wall time that an extractor may take over a page."""


@dataclass(frozen=True)
class ExtractedPage:
    """The paragraphs that each extractor leaves of a page, in the extractors' order.

    An extractor that raised, took too long or ended its process leaves nothing, and `problems` has the reason instead; the
    problem of an extractor that did well is empty.
    """

    stem: str
    texts: tuple[tuple[str, ...], ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class _Task:
    """A page for an extractor, both by their numbers; or the reason why there is none: it ended its process."""

    page: int
    extractor: int
    path: Path
    problem: str = ""


def run_extractors(
    pages: Sequence[GoldPage], extractors: Sequence[Extractor], workers: int = 1, seconds: float = SECONDS
) -> Iterator[ExtractedPage]:
    """Run every extractor over every page, in the order of the pages.

    Processes end with this generator, and with this process should it be killed. What packages write to standard output and
    error is lost. `seconds` is the wall time that an extractor may take over a page.
    """
    count = len(extractors)
    tasks = (_Task(number, at, page.path) for number, page in enumerate(pages) for at in range(count))
    extract = partial(_extract, extractors=extractors, seconds=seconds)

    def instead(task: _Task, code: int | None) -> _Task:
        return replace(task, problem=exit_reason(code, seconds, "process"))

    outcomes: dict[int, dict[int, tuple[tuple[str, ...], str]]] = defaultdict(dict)
    with closing(run_watched(workers, extract, tasks, instead)) as every:
        for number, page in enumerate(pages):
            found = outcomes[number]
            while len(found) < count:
                task, paragraphs, problem = next(every)
                outcomes[task.page][task.extractor] = paragraphs, problem
            texts, problems = zip(*(found[at] for at in range(count)), strict=True) if count else ((), ())
            yield ExtractedPage(page.stem, texts, problems)
            del outcomes[number]


def _extract(task: _Task, extractors: Sequence[Extractor], seconds: float) -> tuple[_Task, tuple[str, ...], str]:
    """Return the paragraphs found, or the problem why none; an extractor over its time ends this process by SIGALRM."""
    if task.problem:
        return task, (), task.problem
    _silence()
    extractor = extractors[task.extractor]
    # Before the clock runs. An extractor that cannot be imported says so of every page.
    with suppress(Exception):
        import_module(extractor.module)
    try:
        with open_stream(task.path) as stream:
            content, damage = stream.read(), stream.damage
    except OSError as error:
        raise user_error(error, task.path) from error
    if damage:
        return task, (), damage
    page = decode_for_extractors(content)
    try:
        with alarm(seconds):
            return task, tuple(fit_text(paragraph) for paragraph in extractor.extract(page)), ""
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error) or error.__cause__ or ''}"
        return task, (), fit_text(" ".join(reason.split()).removesuffix(":"))


@cache
def _silence() -> None:
    """Lose what packages print, log and warn of, also from C."""
    warnings.simplefilter("ignore")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for standard in (1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
