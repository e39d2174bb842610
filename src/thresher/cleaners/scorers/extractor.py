"""Other packages' extractors: their texts as cleaners.

They get the page as our decoder reads it, without what would disadvantage them through no fault of their method. Options keep
the package's defaults unless stated below. Each package is imported by the function that calls it.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from thresher.base.errors import ConfigError, InputError, MissingDependencyError, install_command
from thresher.base.files import file_digest, plugins
from thresher.cleaners.languages import languages
from thresher.cleaners.scorer import PageText, Parameter
from thresher.collections import ReadOptions, open_collection
from thresher.collections.interface import JsonFields, unique
from thresher.collections.isolated import documents_apart
from thresher.collections.sources import Page, PageError
from thresher.pages import Segments, read_html

# The encoding of an XML declaration no longer applies, and lxml refuses text that declares one. CleanEval wrapped every page
# in an element TEXT, because of which Trafilatura does not recognise some pages as HTML.
_BEFORE = re.compile(r"""\s*<(?:\?xml|text)\b(?:"[^"]*"|[^">])*>""")
_AFTER = re.compile(r"</text>\s*\Z")
_BODY = re.compile(r"<body\b", re.IGNORECASE)
_HEAD_END = re.compile(r"</head\s*>", re.IGNORECASE)


def unwrapped(page: str) -> str:
    """Return a decoded page without an XML declaration or CleanEval's TEXT element."""
    while before := _BEFORE.match(page):
        page = page[before.end() :]
    return _AFTER.sub("", page)


def by_justext(page: str, language: str = "English") -> list[str]:
    """Return the paragraphs that jusText classifies as good with the stop list of a language."""
    import justext

    paragraphs = justext.justext(page, justext.get_stoplist(language))
    return [paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate]


def by_trafilatura(page: str, favor: str = "none") -> list[str]:
    """Return Trafilatura's text without readers' comments; if that is short, it falls back on jusText and readability.

    `favor` is precision, recall or none.
    """
    import trafilatura

    precision, recall = favor == "precision", favor == "recall"
    text = trafilatura.extract(page, include_comments=False, favor_precision=precision, favor_recall=recall)
    return (text or "").splitlines()


def by_resiliparse(page: str) -> list[str]:
    """Return Resiliparse's main content, without the bullets and image descriptions that it would add to the text."""
    from resiliparse.extract.html2text import extract_plain_text

    text: Any = extract_plain_text(page, main_content=True, list_bullets=False, alt_texts=False)
    return str(text).splitlines()


def by_readability(page: str) -> list[str]:
    """Return the text of what readability keeps, parsed like our cleaners' pages, so that only the selection differs."""
    from readability import Document

    return read_html(Document(page).summary()).blocks


_BOILERPY3 = {
    "default": "DefaultExtractor",
    "words": "NumWordsRulesExtractor",
    "density": "DensityRules",
    "article": "ArticleExtractor",
}


def by_boilerpy3(page: str, rules: str = "default") -> list[str]:
    """Apply an extractor of boilerpy3: Algorithm 1 of Kohlschuetter et al. (2010) on blocks that were fused before (default),
    Algorithm 2 (words), Algorithm 1 alone, which the package has no extractor of (density), or Algorithm 2, then the title and
    the largest block (article).

    It does not raise on pages with mismatched tags, but keeps some of their text. It only reads text after a BODY tag,
    which is optional in HTML.
    """
    from boilerpy3 import extractors
    from boilerpy3.filters import DensityRulesClassifier

    if rules == "density":
        chosen: Any = extractors.Extractor(DensityRulesClassifier(), raise_on_failure=False)
    else:
        chosen = getattr(extractors, _BOILERPY3[rules])(raise_on_failure=False)
    if not _BODY.search(page):
        head = _HEAD_END.search(page)
        at = head.end() if head else 0
        page = f"{page[:at]}<html><body>{page[at:]}"
    return str(chosen.get_content(page)).splitlines()


@dataclass(frozen=True)
class Package:
    """An extractor: distribution, module, what maps a decoded page (and an option, by its name) to lines, and that name."""

    distribution: str
    module: str
    extract: Callable[..., Sequence[str]]
    option: str = ""


_PACKAGES = {
    "boilerpy3": Package("boilerpy3", "boilerpy3", by_boilerpy3, "rules"),
    "justext": Package("justext", "justext", by_justext, "language"),
    "readability": Package("readability-lxml", "readability", by_readability),
    "resiliparse": Package("resiliparse", "resiliparse", by_resiliparse),
    "trafilatura": Package("trafilatura", "trafilatura", by_trafilatura, "favor"),
}
EXTRACTORS = (
    "extractor(justext)",
    "extractor(boilerpy3)",
    *(f"extractor(boilerpy3,rules={rules})" for rules in ("words", "density", "article")),
    "extractor(trafilatura)",
    "extractor(resiliparse)",
    "extractor(readability)",
)
"""The cleaners that `thresher cleaneval --extractors` adds, in the order of tables."""


def packages() -> dict[str, Package]:
    """Return the extractors by name; of other packages those in `thresher.extractors`, which return text or lines."""
    others = {
        name: Package(entry.dist.name if entry.dist else "", entry.module, partial(_by_entry, entry=entry))
        for name, entry in plugins("thresher.extractors").items()
    }
    return {**others, **_PACKAGES}


def _by_entry(page: str, entry: EntryPoint) -> Sequence[str]:
    made: str | Sequence[str] = entry.load()(page)
    return made.splitlines() if isinstance(made, str) else made


class ExtractedText(PageText):
    """Another package's text of the page, indexed as it is; a scorer or page filter behind it cuts that text."""

    name = "extractor"
    in_registry = True
    source = "the packages, each with its own; see docs/cleaners.md"
    parameters = (
        Parameter("by", str, "trafilatura", f"the package: {', '.join(_PACKAGES)}", bare=True),
        Parameter("favor", str, "none", "of Trafilatura", choices=("none", "precision", "recall"), terse=True),
        Parameter("rules", str, "default", "of boilerpy3", choices=tuple(_BOILERPY3), terse=True),
        Parameter("language", str, "English", "of jusText's stop list", terse=True),
    )

    def check(self, where: str) -> None:
        """Check that the package is known and installed, and has the option."""
        package = self.package(where)
        if not find_spec(package.module.partition(".")[0]):
            what = f"the extractor needs a package that is not installed: {package.distribution}"
            raise MissingDependencyError(what, f"install the extra: {install_command(str(self.values['by']))}", where)
        for parameter in self.parameters[1:]:
            name, known = parameter.name, [str(parameter.default)]
            fix = f"write {package.option}=…" if package.option else "leave it out"
            if name == package.option:
                known = [*map(str, parameter.choices or languages())]
                fix = f"use one of {', '.join(known)}"
            if (value := self.values[name]) not in known:
                raise ConfigError(f"{self.values['by']} has no option {name}={value}", fix, where)

    def package(self, where: str | None = None) -> Package:
        """Return what extracts."""
        known = packages()
        name = str(self.values["by"])
        if name not in known:
            raise ConfigError(f"unknown extractor {name!r}", f"use one of {', '.join(known)}", where)
        return known[name]

    @property
    def fingerprint(self) -> str:
        """The package's version."""
        distribution = self.package().distribution
        return f"{distribution} {version(distribution)}"

    def make(self, page: Page, html: str, segments: Segments) -> str:
        """Return the text that the package extracts; a page of plain text stays as it is."""
        if page.is_text:
            return segments.text
        package = self.package()
        option = {package.option: self.values[package.option]} if package.option else {}
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            return "\n".join(package.extract(unwrapped(html), **option))


class FileText(PageText):
    """The page's text by its id in a file that an experiment names, made by whatever extractor; what stands behind cuts it."""

    name = "text"
    in_registry = True
    source = "the file"
    parameters = (Parameter("name", str, "mine", "the name of a table [[text]] of the experiment", bare=True),)
    path: Path | None = None

    @property
    def fingerprint(self) -> str:
        """The digest of the file."""
        return file_digest(self.located())

    def located(self) -> Path:
        """Return the file, JSON lines or Parquet with `id` and `contents`."""
        if self.path is None:
            fix = "name it in a table [[text]] of an experiment file"
            raise ConfigError(f"no file is known as {self.values['name']!r}", fix, self.canonical_name)
        return self.path

    def prepare(self) -> None:
        """Read the file, so that what is wrong with it shows before workers start."""
        if self.path is not None:
            self.by_id()

    def by_id(self) -> Mapping[str, str]:
        """Return the texts by id; they stay in memory."""
        return _texts(self.located(), self.fingerprint)

    def make(self, page: Page, html: str, segments: Segments) -> str:  # noqa: ARG002
        """Return the text of the page's id."""
        if self._known is None:
            self._known = self.by_id()
        if page.id not in self._known:
            raise PageError("the file has no text of this id", "add one")
        return self._known[page.id]

    _known: Mapping[str, str] | None = None


@lru_cache(maxsize=4)
def _texts(path: Path, _digest: str) -> Mapping[str, str]:
    collection = open_collection(path, ReadOptions(fields=JsonFields(html=())))
    texts = {}
    for source in unique(documents_apart(collection)):
        if source.problem or not source.is_text:
            what = source.problem or "there is no text but a page"
            raise InputError(what, "give JSON lines or Parquet with `id` and `contents`", source.where)
        texts[source.id] = (source.content or b"").decode("utf-8", "replace")
    return texts
