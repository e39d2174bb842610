"""Scores of whole pages: every block of a page has the page's score, so that a cutoff keeps the page or drops it.

Behind a cleaner or another text they score what that leaves: `content@0.5+pages(perplexity)@1000`. A page without words passes
no cutoff.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import file_digest, read_text
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, KEEP_LOW, Parameter, Scorer, Scores, check_range
from thresher.cleaners.scorers.content import Content
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.prior import Prior, probabilities_of, words_of
from thresher.cleaners.words.models import SELF, checked_model
from thresher.pages import Detail, Segments

_MIX = 0.9
_MOST = 1e38  # of 32 bits
_FEWEST_SENTENCES, _FEWEST_WORDS = 3, 5
_ENDS = (".", "!", "?", '"', "”")
_PHRASES = "javascript|terms of use|privacy policy|cookie policy|uses cookies|use of cookies|use cookies".split("|")
_STOP_WORDS = frozenset("the be to of and that have with".split())
_BULLETS = ("•", "‣", "▪", "●", "-", "*")


class _Whole(Scorer):
    """A score that all blocks of a page have; NaN for a page without words."""

    name = "pages"
    listed = False
    segment = BLOCK
    keep = KEEP_HIGH
    whole = True

    def score(self, segments: Segments) -> Scores:
        value = self.of_page(segments) if segments.words_in_blocks.any() else math.nan
        return np.full(len(segments.block_ends), value, dtype=np.float32)

    @abstractmethod
    def of_page(self, page: Segments) -> float:
        """Return the score of a page with words."""


def _of(name: str) -> Parameter:
    return Parameter("of", str, name, f"the page's score: {_LISTED}, or file=PATH with one by id", bare=True)


_LISTED = "content-share, perplexity, distinct, divergence, c4, gopher"


class Pages(_Whole):
    """Keeps or drops whole pages; by default by the share of their words in blocks that `content` takes for content. Of
    `perplexity` and `divergence` low values are kept."""

    listed = True
    detail = Detail.ELEMENTS
    unit = "share of words"
    low, high = 0.0, 1.0
    grid = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    source = "this project's"
    parameters = (_of("content-share"),)

    @classmethod
    def chosen(cls, inside: str, where: str) -> type[Scorer]:
        """Return the kind of page score that a name asks for."""
        items = [item.strip() for item in inside.split(",")]
        if any(item.replace(" ", "").startswith("file=") for item in items):
            return LowPagesOfFile if "keep=low" in (item.replace(" ", "") for item in items) else PagesOfFile
        name = next((item for item in items if item and "=" not in item), "content-share")
        if name not in _KINDS:
            raise ConfigError(
                f"there is no score of pages {name!r}", f"use one of {', '.join(_KINDS)}, file=PATH", where
            )
        return _KINDS[name]

    @property
    def fingerprint(self) -> str:
        """That of the model."""
        return Content().fingerprint

    def prepare(self) -> None:
        """Read the model, as a check."""
        Content().prepare()

    def of_page(self, page: Segments) -> float:
        """Return the share of the page's words in blocks of a probability of at least .5, in [0, 1]."""
        words = page.words_in_blocks
        return float(words[Content().score(page) >= 0.5].sum() / words.sum())


class PagesByPerplexity(_Whole, Perplexity):
    """Perplexity of the page as one sentence, by which corpora are filtered (Wenzek et al., CCNet, LREC 2020)."""

    keep = KEEP_LOW
    grid = (100, 200, 300, 500, 1000, 2000, 5000, 10000)
    usual = None
    source = "Wenzek et al.: CCNet: Extracting high quality monolingual datasets from web crawl data, LREC 2020"
    parameters = (_of("perplexity"), Perplexity.parameters[0])

    def of_page(self, page: Segments) -> float:
        """Return 2^(-(1/n) Σ log2 P(w_i | history)) over the n words of the page."""
        end = np.array([len(page.plain.text)], dtype=np.int64)
        return float(checked_model(self._model).perplexities(page.plain, end)[0])


class PagesByDistinct(_Whole):
    """Share of distinct words among all: low where a page repeats itself."""

    unit = "distinct over all words"
    low, high = 0.0, 1.0
    grid = (0.1, 0.2, 0.3, 0.4, 0.5)
    source = "the type-token ratio: Johnson, Studies in language behavior, Psychological Monographs 1944"
    parameters = (_of("distinct"),)

    def of_page(self, page: Segments) -> float:
        """Return the ratio of distinct words to words, case apart, in (0, 1]."""
        words = page.text.lower().split()
        return len(set(words)) / len(words)


class PagesByDivergence(_Whole, Prior):
    """Divergence of the page's words from those of the collection (collection-document distance)."""

    keep = KEEP_LOW
    unit = "bits"
    low, high = 0.0, None
    grid = (1.0, 1.5, 2.0, 2.5, 3.0)
    source = "Zhou, Croft: Document quality models for web ad hoc retrieval, CIKM 2005"
    parameters = (
        _of("divergence"),
        Parameter("counts", str, SELF, Prior.parameters[0].description, choices=("books", SELF)),
    )

    def of_page(self, page: Segments) -> float:
        """Return Σ_w P(w|C) log2(P(w|C) / (λ P(w|D) + (1 − λ) P(w|C))) over the collection's words, with λ = .9.

        P(w|D) are relative frequencies in the page D, P(w|C) those of `prior` in the collection's long, dense blocks.
        """
        known, all_known = _of_collection(self._file)
        words, _ = words_of(page.plain, np.array([len(page.plain.text)], dtype=np.int64))
        held = {word: count for word, count in Counter(words).items() if word in known}
        # What the page lacks has P(w|D) = 0.
        total = (all_known - sum(known[word] for word in held)) * math.log2(1 / (1 - _MIX))
        for word, count in held.items():
            mixed = _MIX * count / len(words) + (1 - _MIX) * known[word]
            total += known[word] * math.log2(known[word] / mixed)
        return total


@lru_cache(maxsize=2)
def _of_collection(counts: Path | None) -> tuple[Mapping[bytes, float], float]:
    known = probabilities_of(counts)
    return known, sum(known.values())


class PagesByC4(_Whole):
    """C4's rules of pages; what they remove of a page only counts here, and language, bad words and duplicates do not."""

    source = (
        "Raffel et al.: Exploring the limits of transfer learning with a unified text-to-text transformer, JMLR 2020"
    )
    decides = True
    unit = "decision"
    parameters = (_of("c4"),)

    def of_page(self, page: Segments) -> float:
        """Return 1 for a page without `{` and "lorem ipsum" of at least three sentences in lines that C4 keeps, else 0.

        Those (arXiv 1910.10683v4 and the code; JMLR prints 5 sentences and 3 words) end in a terminal punctuation mark or a
        quotation mark, have at least 5 words, and hold neither "javascript" nor a phrase such as "terms of use".
        """
        text = page.text.lower()
        held = [
            line.endswith(_ENDS)
            and len(line.split()) >= _FEWEST_WORDS
            and not any(phrase in line.lower() for phrase in _PHRASES)
            for line in page.blocks
        ]
        sentences = np.bincount(page.block_of_sentence, minlength=len(held))[np.array(held, dtype=np.bool_)].sum()
        return float("{" not in text and "lorem ipsum" not in text and sentences >= _FEWEST_SENTENCES)


class PagesByGopher(_Whole):
    """Gopher's rules of quality, without those of repetition; a block is a line."""

    source = (
        "Rae et al.: Scaling language models: Methods, analysis & insights from training Gopher, arXiv 2112.11446, A1.1"
    )
    decides = True
    unit = "decision"
    parameters = (_of("gopher"),)

    def of_page(self, page: Segments) -> float:
        """Return 1 for a page that passes, else 0.

        It has 50 to 100,000 words of a mean length of 3 to 10 characters; at most .1 hashes and at most .1 ellipses a word; at
        most 90 % of lines begin with a bullet, and 30 % end with an ellipsis; 80 % of words have a letter; two are among the,
        be, to, of, and, that, have, with.
        """
        words, lines = page.text.split(), page.blocks
        count = len(words)
        return float(
            50 <= count <= 100_000
            and 3 <= sum(map(len, words)) / count <= 10
            and page.text.count("#") <= 0.1 * count
            and len(re.findall(r"\.\.\.|…", page.text)) <= 0.1 * count
            and sum(line.startswith(_BULLETS) for line in lines) <= 0.9 * len(lines)
            and sum(line.endswith(("...", "…")) for line in lines) <= 0.3 * len(lines)
            and sum(any(map(str.isalpha, word)) for word in words) >= 0.8 * count
            and len(_STOP_WORDS & {word.lower() for word in words}) >= 2
        )


class PagesOfFile(_Whole):
    """A score of each page from a file, of whatever model; pages without one pass no cutoff."""

    unit = "score"
    source = "the file"
    parameters = (
        Parameter("file", str, "", "lines of an id, a tab and a number"),
        Parameter("keep", str, "high", "which scores are good", choices=("high", "low"), terse=True),
    )

    _known: Mapping[str, float] | None = None

    def check(self, where: str) -> None:
        """Check that the file is there, and has scores."""
        path = Path(str(self.values["file"]))
        if not path.is_file():
            raise ConfigError(f"there is no {path}", "correct the path", where)
        _scores_of(path)

    @property
    def fingerprint(self) -> str:
        """The digest of the file."""
        return file_digest(Path(str(self.values["file"])))

    def of_page(self, page: Segments) -> float:
        """Return the number of the page's id; NaN without one."""
        if self._known is None:
            self._known = _scores_of(Path(str(self.values["file"])))
        return self._known.get(page.page_id, math.nan)


class LowPagesOfFile(PagesOfFile):
    """A score of each page from a file, where low ones are good."""

    keep = KEEP_LOW


def _scores_of(path: Path) -> Mapping[str, float]:
    scores = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        name, _, value = line.partition("\t")
        try:
            scores[name] = check_range(float(value), -_MOST, _MOST, "score", "")
        except (ValueError, ConfigError) as error:
            fix = "write an id, a tab and a number"
            raise InputError(f"this is no score: {line!r}", fix, f"{path}:{number}") from error
    return scores


_KINDS: dict[str, type[Scorer]] = {
    "content-share": Pages,
    "perplexity": PagesByPerplexity,
    "distinct": PagesByDistinct,
    "divergence": PagesByDivergence,
    "c4": PagesByC4,
    "gopher": PagesByGopher,
}
