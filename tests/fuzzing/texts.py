"""What must hold of any page, and of any file of topics, judgments, runs, experiments, gold or models."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import numpy as np
import seeds
from watching import watched

from thresher.base.defaults import GRADES
from thresher.base.errors import ThresherError
from thresher.base.files import safe_name
from thresher.cleaners.cleaner import parse_scorer
from thresher.cleaners.registry import scorers
from thresher.cleaners.scorer import BLOCK, Scorer
from thresher.cleaners.words.importing import import_model
from thresher.collections import Page
from thresher.evaluation.cleaneval.gold import parse_gold, read_gold
from thresher.evaluation.cleaneval.gold_files import decode_gold
from thresher.evaluation.topics import TOPIC_FORMATS, read_topics
from thresher.evaluation.trec_files import MAX_GRADE, read_qrels, read_run
from thresher.experiments.config import load_experiment
from thresher.pages import Detail, PageOptions, Segments, read_page
from thresher.pages.decoding import ASSUMED, BOM, BYTES, DETECTED, META, TRANSPORT, VALID_UTF8, binary_kind, decode
from thresher.pages.links import links_of, page_address
from thresher.scores.scoring import score_page
from thresher.scores.store import FAILED

SECRET = Path(__file__).with_name("secret.txt")
_SECRET_TEXT = SECRET.read_text(encoding="utf-8").strip()
_SAYS = (BOM, TRANSPORT, META, VALID_UTF8, BYTES, DETECTED, ASSUMED)
_NAMES = (
    "boilerpipe(rules=density)",
    "boilerpipe(rules=cleaneval)",
    "boilerpipe(rules=words,filter=main)",
    "justext(lang=German)",
    "ncleaner(model=nonlexical)",
)


def read_pages(data: bytes, folder: Path) -> None:
    """A page, also as plain text, and all scorers over it."""
    scoring = all_scorers(folder.parent)
    chance = zlib.crc32(data)
    charset = seeds.CHARSETS[chance % len(seeds.CHARSETS)].decode() if chance % 3 == 0 else None
    content = data.replace(seeds.SECRET_PLACE, str(SECRET).encode())
    with watched(folder):
        if kind := binary_kind(content, charset):
            assert score_page(Page("1", content, None, charset), scoring).reason == f"not HTML: {kind}"
            return
        for is_text in (False, True):
            page = Page("1", content, None, charset, is_text)
            segments = read_page(page, detail=Detail.ELEMENTS)[0]
            assert segments.text == read_page(page)[0].text
            check_segments(segments)
            assert _SECRET_TEXT not in segments.text
            if not is_text:
                split, _ = read_page(page, PageOptions(blocks="split", language="de"), detail=Detail.HEADINGS)
                assert _letters(split) == _letters(segments)
            scored = score_page(page, scoring)
            assert scored.status != FAILED, scored.reason
            for scorer in scoring:
                scores = scored.scores[scorer.canonical_name]
                ends = segments.block_ends if scorer.segment == BLOCK else segments.sentence_ends
                assert scores.shape == ends.shape, scorer.canonical_name
                wordless = scorer.page_level and not segments.words_in_blocks.any()
                assert wordless or not np.isnan(scores).any(), scorer.canonical_name


def read_links(data: bytes, folder: Path) -> None:
    """A page's URL in the first line, then the page: what it links to."""
    url, _, content = data.partition(b"\n")
    page = Page("1", content, url.decode("utf-8", "surrogateescape"), "utf-8")
    if binary_kind(content, page.charset):
        return
    with watched(folder):
        references = read_page(page, detail=Detail.HEADINGS, with_references=True)[0].references
        assert references is not None
        found = links_of(references, page_address(page.url, None))
        assert found == links_of(references, page_address(page.url, None))
        assert len(found.links) == len({*found.links}) <= len(references.links) - found.unresolved
        for link in found.links:
            assert 0 <= link.target < 1 << 64
            assert link.text == " ".join(link.text.split())
            link.text.encode()


def check_segments(segments: Segments) -> None:
    """Check that the text of a page is clean, and that its segments cover it."""
    text = segments.text
    text.encode()
    assert not any(ord(character) < 32 and character != "\n" for character in text)
    assert "  " not in text and " \n" not in text and "\n " not in text and "\n\n" not in text  # noqa: PT018
    assert text.strip(" \n") == text
    for ends in (segments.block_ends, segments.sentence_ends):
        assert (np.diff(ends) > 0).all()
        assert (int(ends[-1]) if len(ends) else 0) == len(text)
    assert len(segments.blocks) == len(segments.levels) == len(segments.block_ends)
    assert all(segments.blocks)


def _letters(segments: Segments) -> str:
    return segments.text.replace("\n", "").replace(" ", "")


@cache
def all_scorers(folder: Path) -> tuple[Scorer, ...]:
    """Return every scorer, ready to score; their language models may have to be built, which takes a while."""
    model = folder / "small.arpa"
    model.write_bytes(seeds.ARPAS[0])
    names: list[str] = []
    for name, kind in scorers().items():
        if name != "perplexity" and not kind().required_texts and not kind().needs_collection:
            names.append(name)
    result = tuple(
        parse_scorer(name).scorer for name in (*names, *_NAMES, f"perplexity(lm={model},context=0.7,prior=3)")
    )
    page = read_page(Page("", seeds.PAGES[0]), detail=Detail.ELEMENTS)[0]
    for scorer in result:
        scorer.prepare()
        scorer.score(page)  # some read their word lists only then
    return result


def read_charsets(data: bytes, folder: Path) -> None:
    """The bytes of a page behind the label of a charset."""
    label, _, content = data.partition(b"\n")
    for charset in (None, label.decode("latin-1")):
        with watched(folder):
            decoded = decode(content, charset)
        decoded.utf8.decode()
        assert decoded.source in _SAYS
        assert 0 <= decoded.replaced <= len(content)


def read_topic_files(data: bytes, folder: Path) -> None:
    """A file of topics in each format."""
    path = folder / "input"
    path.write_bytes(data.replace(seeds.SECRET_PLACE, str(SECRET).encode()))
    for format in (None, *TOPIC_FORMATS):
        for field in ("title", "description"):
            with watched(path), Refused(path):
                for id, topic in read_topics(path, format, field).items():
                    assert id == topic.id == "".join(id.split()) != ""
                    assert topic.query == " ".join(topic.query.split()) != ""
                    assert _SECRET_TEXT not in topic.query


def read_qrel_files(data: bytes, folder: Path) -> None:
    """A file of judgments."""
    path = folder / "input"
    path.write_bytes(data)
    for column in GRADES:
        with watched(path), Refused(path):
            grades = read_qrels(path, column)
            assert all(abs(grade) <= MAX_GRADE for documents in grades.values() for grade in documents.values())
            assert all(grades.values())


def read_run_files(data: bytes, folder: Path) -> None:
    """A run."""
    path = folder / "input"
    path.write_bytes(data)
    with watched(path), Refused(path):
        run = read_run(path)
        assert np.isfinite([score for documents in run.values() for score in documents.values()]).all()
        lines = sum(bool(line.split()) for line in data.decode("utf-8-sig").replace("\r", "\n").split("\n"))
        assert sum(map(len, run.values())) == lines


def read_experiments(data: bytes, folder: Path) -> None:
    """An experiment file beside a collection, topics and qrels."""
    (folder / "pages").mkdir(exist_ok=True)
    for name in ("topics.tsv", "qrels.txt", "other.txt"):
        (folder / name).touch()
    path = folder / "input.toml"
    path.write_bytes(data)
    with watched(path), Refused(path):
        experiment = load_experiment(path)
        assert experiment.name == safe_name(experiment.name)
        names = [variant.name for variant in experiment.variants]
        assert len(set(names)) == len(names) == len(set(map(safe_name, names))) >= 1
        assert experiment.retrieval.depth >= 1
        assert experiment.collection.reading.max_bytes > 0


def read_gold_files(data: bytes, folder: Path) -> None:
    """A gold text, an annotated page, a JSON file of texts, the JSON file of a page."""
    with watched(folder):
        for segment in (*parse_gold(decode_gold(data)), *parse_gold(decode_gold(data), comments=True)):
            assert segment.text == segment.text.strip() != ""
    for name in ("pages", "annotated"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "pages" / "1.html").touch()
    (folder / "annotated" / "1.html").write_bytes(data)
    path = folder / "input.json"
    path.write_bytes(data)
    (folder / "ground-truth").mkdir(exist_ok=True)
    (folder / "ground-truth" / "1.json").write_bytes(data)
    for gold in (folder / "annotated", path, folder / "ground-truth"):
        with watched(folder), Refused(folder):
            assert [page.stem for page in read_gold(folder / "pages", gold).pages] == ["1"]


def import_models(data: bytes, folder: Path) -> None:
    """A language model in ARPA's format."""
    source, model = folder / "input", folder / "model"
    source.write_bytes(data)
    with watched(folder), Refused(folder):
        card = import_model(source, model)
        assert card.order == len(card.ngrams)
        assert {path.name for path in model.iterdir()} >= {"card.json"}
    assert not [path for path in folder.iterdir() if path.name.endswith(".tmp")]


class Refused:
    """Let errors for the user pass that say in one line what is wrong, and in which file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, ThresherError):
            return False
        for line in error.lines():
            assert line.startswith((str(self._path), self._path.name)), line
            assert " Fix: " in line, line
            line.encode()
        return True
