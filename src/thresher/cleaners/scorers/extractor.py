"""Other packages' extractors: their texts as cleaners.

They get the page as our decoder reads it, without markup that would disadvantage them through no fault of their method.
Options keep the package's defaults unless stated below. Each package is imported by the function that calls it.
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
# in an element TEXT: with it, Trafilatura does not recognise some pages as HTML.
_BEFORE = re.compile(r"""\s*<(?:\?xml|text)\b(?:"[^"]*"|[^">])*>""")
_AFTER = re.compile(r"</text>\s*\Z")
_BODY = re.compile(r"<body\b", re.IGNORECASE)
_HEAD_END = re.compile(r"</head\s*>", re.IGNORECASE)
# The classes of boilerpy3 by rules; it has no extractor of Algorithm 1 alone.
_BOILERPY3 = {
    "default": "DefaultExtractor",
    "words": "NumWordsRulesExtractor",
    "density": "",
    "article": "ArticleExtractor",
}
EXTRACTORS = (
    "extractor(justext)",
    "extractor(boilerpy3)",
    "extractor(boilerpy3,rules=words)",
    "extractor(boilerpy3,rules=density)",
    "extractor(boilerpy3,rules=article)",
    "extractor(trafilatura)",
    "extractor(resiliparse)",
    "extractor(readability)",
)
"""The cleaners that `thresher cleaneval --extractors` adds, in the order of tables."""


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

    text = trafilatura.extract(
        page,
        include_comments=False,
        favor_precision=favor == "precision",
        favor_recall=favor == "recall",
    )
    return (text or "").splitlines()


def by_resiliparse(page: str) -> list[str]:
    """Return Resiliparse's main content, without the bullets and image descriptions that it would add to the text."""
    from resiliparse.extract.html2text import extract_plain_text

    text: Any = extract_plain_text(page, main_content=True, list_bullets=False, alt_texts=False)
    return str(text).splitlines()


def by_readability(page: str) -> list[str]:
    """Return readability's text, read from its HTML like our cleaners' pages, so that only the selection differs."""
    from readability import Document

    return read_html(Document(page).summary()).blocks


def by_boilerpy3(page: str, rules: str = "default") -> list[str]:
    """Return the text of an extractor of boilerpy3.

    The extractor does not raise on pages with mismatched tags, but keeps some of their text. It only reads text after a BODY
    tag, which is optional in HTML, so one is added if there is none.

    Args:
        page: the decoded page.
        rules: `default` for Algorithm 1 of Kohlschuetter et al. (2010) on blocks that were fused before, `words` for
            Algorithm 2, `density` for Algorithm 1 alone, `article` for Algorithm 2, then the title and the largest block.
    """
    from boilerpy3 import extractors
    from boilerpy3.filters import DensityRulesClassifier

    if rules == "density":
        extractor: Any = extractors.Extractor(DensityRulesClassifier(), raise_on_failure=False)
    else:
        extractor = getattr(extractors, _BOILERPY3[rules])(raise_on_failure=False)
    if not _BODY.search(page):
        head = _HEAD_END.search(page)
        head_end = head.end() if head else 0
        page = f"{page[:head_end]}<html><body>{page[head_end:]}"
    return str(extractor.get_content(page)).splitlines()


@dataclass(frozen=True)
class Package:
    """An extractor of another package.

    Attributes:
        distribution: the name under which the package is installed.
        module: the name under which it is imported.
        extract: a function from a decoded page, and perhaps an option by its name, to lines of text.
        option: the name of the option; empty for none.
    """

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


def packages() -> dict[str, Package]:
    """Return the extractors by name, with the entry points of other packages for `thresher.extractors`.

    An entry point's function takes a decoded page and returns text or lines.
    """
    by_name: dict[str, Package] = {}
    for name, entry in plugins("thresher.extractors").items():
        distribution = entry.dist.name if entry.dist else ""
        by_name[name] = Package(distribution, entry.module, partial(_by_entry, entry=entry))
    return {**by_name, **_PACKAGES}


def _by_entry(page: str, entry: EntryPoint) -> Sequence[str]:
    text: str | Sequence[str] = entry.load()(page)
    if isinstance(text, str):
        return text.splitlines()
    return text


class ExtractedText(PageText):
    """Takes another package's text of the page. A scorer behind it cuts that text."""

    name = "extractor"
    in_registry = True
    source = "the packages, each with its own; see docs/other-tools.md"
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
            if parameter.name == package.option:
                allowed = list(map(str, parameter.choices or languages()))
                fix = f"use one of {', '.join(allowed)}"
            else:
                allowed = [str(parameter.default)]
                fix = f"write {package.option}=…" if package.option else "leave it out"
            value = self.values[parameter.name]
            if value not in allowed:
                raise ConfigError(f"{self.values['by']} has no option {parameter.name}={value}", fix, where)

    def package(self, where: str | None = None) -> Package:
        """Return the package that extracts."""
        by_name = packages()
        name = str(self.values["by"])
        if name not in by_name:
            raise ConfigError(f"unknown extractor {name!r}", f"use one of {', '.join(by_name)}", where)
        return by_name[name]

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
    """Takes the page's text, by id, from a file that an experiment names. A scorer behind it cuts that text."""

    name = "text"
    in_registry = True
    source = "the file"
    parameters = (Parameter("name", str, "mine", "the name of a table [[text]] of the experiment", bare=True),)
    path: Path | None = None
    _text_by_id: Mapping[str, str] | None = None

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
        """Read the file, so that its errors show before workers start."""
        if self.path is not None:
            self.by_id()

    def by_id(self) -> Mapping[str, str]:
        """Return the texts by id; they stay in memory."""
        return _texts(self.located(), self.fingerprint)

    def make(self, page: Page, html: str, segments: Segments) -> str:  # noqa: ARG002
        """Return the text of the page's id."""
        if self._text_by_id is None:
            self._text_by_id = self.by_id()
        if page.id not in self._text_by_id:
            raise PageError("the file has no text of this id", "add one")
        return self._text_by_id[page.id]


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
