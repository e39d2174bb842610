"""Clean a whole collection into a file: JSON lines or WARC."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from thresher import __version__
from thresher.collections import ReadOptions, open_collection
from thresher.collections.warc.writer import WarcWriter
from thresher.errors import ConfigError
from thresher.files import atomic_path
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.passes.backends import Backend
from thresher.passes.parts import DEFAULT_LIMITS, Limits
from thresher.reports.side_by_side import write_side_by_side
from thresher.scorers.cleaners import Cleaner, parse_cleaner
from thresher.scoring.cutting import CleanedDocument, cleaned_documents
from thresher.scoring.emptied import by_count, language_of_emptied, language_warning
from thresher.scoring.failures import failures, write_failures
from thresher.scoring.percentiles import resolved
from thresher.scoring.removed import judged_pages, record
from thresher.scoring.score_pass import ScorePlan, score_collection

FAILURES_SHOWN = 1000
_WARC = (".warc", ".warc.gz")

Write = Callable[[CleanedDocument], None]


@dataclass(frozen=True)
class CleanCounts:
    """The outcome of cleaning a collection: `documents = kept + emptied + failed`.

    `emptied_languages` counts the emptied pages by language, see `thresher.scoring.emptied`; `warning` is a sentence on them
    if many are in languages that the cleaner does not know. `failures` are the first `FAILURES_SHOWN`, with names and
    reasons; `cutoffs` are the numbers that percentiles resolved to, by cuts.
    """

    documents: int
    kept: int
    emptied: int
    emptied_languages: Mapping[str, int]
    failed: int
    words: int
    failures: tuple[tuple[str, str], ...]
    cutoffs: Mapping[str, float]
    warning: str | None


@dataclass(frozen=True)
class Extras:
    """Further files to write: only those with a path here are written.

    Attributes:
        removed: JSON lines of all segments with their scores and the cuts that dropped them: see `thresher.scoring.removed`.
        side_by_side: an HTML page that shows the same.
        failures: JSON lines of the pages that failed, with file, offset, id and reason.
    """

    removed: Path | None = None
    side_by_side: Path | None = None
    failures: Path | None = None


def clean_collection(
    source: Path,
    cleaner: str,
    output: Path,
    *,
    format: str = "",
    reading: ReadOptions | None = None,
    options: PageOptions = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
    backend: Backend | None = None,
    extras: Extras = Extras(),
) -> CleanCounts:
    """Clean a collection into a file; emptied pages are in it without text.

    Args:
        source: what `thresher.collections.open_collection` takes.
        cleaner: a canonical name.
        output: JSON lines with `id` and `contents`, or WARC (conversion records) if its name ends in .warc or .warc.gz.
        format: of the collection's files; empty to detect it.
        reading: how documents are read; of the limits, that of a page's bytes counts.
        options: how pages become blocks.
        limits: of each page.
        backend: the workers.
        extras: what else to write.

    Raises:
        ThresherError: if the input cannot be read, the cleaner's name does not parse, or two of the files to write are one.
    """
    parsed = parse_cleaner(cleaner).checked()
    reading = replace(reading or ReadOptions(), max_bytes=int(limits.mib * 2**20))
    collection = open_collection(source, reading, format)
    outputs = [path for path in (output, extras.removed, extras.side_by_side, extras.failures) if path is not None]
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ConfigError("two of the files to write are the same", "give each a name of its own", str(output))
    # Beside the output, so that its disk is the one that must have room.
    with (
        _documents_file(output, parsed) as write,
        _if_named(extras.removed) as removed_file,
        _if_named(extras.side_by_side) as side_file,
        tempfile.TemporaryDirectory(prefix=".thresher-", dir=output.parent) as folder,
    ):
        store = Path(folder)
        scores = score_collection(ScorePlan(collection, parsed.scorers, options, limits), store, backend)
        parsed = resolved(store, parsed)
        words = kept = 0
        emptied: Counter[str] = Counter()
        for document in cleaned_documents(store, parsed):
            write(document)
            words += document.words
            if document.text:
                kept += 1
            else:
                emptied[language_of_emptied(document)] += 1
        if removed_file:
            with removed_file.open("w", encoding="utf-8", newline="\n") as out:
                for page in judged_pages(store, parsed):
                    out.write(json.dumps(record(page), ensure_ascii=False) + "\n")
        if side_file:
            write_side_by_side(judged_pages(store, parsed), parsed.name, side_file)
        if extras.failures:
            write_failures(store, extras.failures)
        first_failures = tuple((failure.name, failure.reason) for failure in islice(failures(store), FAILURES_SHOWN))
    languages = by_count(emptied)
    return CleanCounts(
        documents=scores.documents,
        kept=kept,
        emptied=emptied.total(),
        emptied_languages=languages,
        failed=scores.failed,
        words=words,
        failures=first_failures,
        cutoffs=parsed.resolved_cutoffs,
        warning=language_warning(parsed, languages, scores.documents),
    )


@contextmanager
def _documents_file(path: Path, cleaner: Cleaner) -> Iterator[Write]:
    """Give the function that writes a document to `path`, which is whole afterwards, or not there after an error."""
    if path.name.lower().endswith(_WARC):
        with WarcWriter(path, cleaner.name, __version__, datetime.now(UTC)) as warc:
            yield lambda document: warc.write(document.id, document.text, document.url)
        return
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        yield lambda document: _write_line(out.write, document)


def _write_line(write: Callable[[str], object], document: CleanedDocument) -> None:
    write(json.dumps({"id": document.id, "contents": document.text}, ensure_ascii=False) + "\n")


def _if_named(path: Path | None) -> AbstractContextManager[Path | None]:
    return nullcontext() if path is None else atomic_path(path)
