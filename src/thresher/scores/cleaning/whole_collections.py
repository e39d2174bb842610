"""Clean a whole collection, or a pipe of JSON lines, into files; count the pages that failed or were left without text."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple, cast

from thresher.base.defaults import DASK, LOCAL, REFERENCE
from thresher.base.errors import ConfigError, InputError, MissingDependencyError
from thresher.base.files import real_path, remove_folder, remove_left, scores_beside, temporary_folder, write_text
from thresher.base.locks import exclusive
from thresher.base.processes import Backend, run_tasks
from thresher.base.tables import Table
from thresher.cleaners.cleaner import Cleaner
from thresher.cleaners.functions import AnyCleaner, check_for_workers, take_cleaner
from thresher.collections import Collection, IdRule, ReadOptions, open_collection
from thresher.collections.interface import id_problem
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.scores import lost_pages
from thresher.scores.cleaning import output_formats as formats
from thresher.scores.cleaning.clean_counts import CleanCounts, CutShard, Tally, kind_of_failure, nothing_read
from thresher.scores.cleaning.cleaned_html import PageToCut, markdown_converter
from thresher.scores.cleaning.document_files import Rendering, Row, Write, documents_writer
from thresher.scores.cleaning.output_formats import BY_ENDING, STANDARD, Output
from thresher.scores.cleaning.page_fields import REPEATED_COLUMN, FieldReader, check_fields, field_scorers
from thresher.scores.cleaning.page_folder import check_folder
from thresher.scores.cleaning.page_streams import WINDOW_BYTES, piped_lines
from thresher.scores.cutting import cut_shard, shard_columns
from thresher.scores.limits import DEFAULT_LIMITS, Limits
from thresher.scores.percentiles import resolved
from thresher.scores.removed import explained_pages, record
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import read_shard, shards, text_store

_BEGUN = "outputs.json"
_SCORES = "scores"
FEW_SHARDS = 64
"""With fewer shards of scores, starting workers to cut them costs more than it saves."""
BY_ADDRESS = ReadOptions(IdRule("address"), any_ids=True)
"""The default options of reading documents, with ids that people understand."""


def begun_outputs(output: Path) -> list[Path]:
    """Return the files of a killed command, whose scores are beside its output: it may have written some of them.

    There are none if their list is missing or damaged.
    """
    path = scores_beside(real_path(output)) / _BEGUN
    try:
        names = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(names, list):
        return []
    return [Path(name) for name in names if isinstance(name, str)]


@contextmanager
def kept_scores(output: Path, outputs: Sequence[Path]) -> Iterator[Path]:
    """Yield a folder beside a file to write, which no other process has.

    It stays after a kill, Ctrl-C and errors that are not the input's, such as a full disk: the next call goes on with it.
    Temporary files that killed processes left of any of the `outputs` are removed.
    """
    folder = scores_beside(output)
    keep = True
    with exclusive(folder):
        try:
            remove_left(outputs)
            write_text(folder / _BEGUN, json.dumps([str(path) for path in outputs]))
            yield folder
            keep = False
        except (ConfigError, InputError, MissingDependencyError) as error:
            # A disk that fails is an error of the system. Before the first scores there is nothing to keep.
            keep = isinstance(error.__cause__, OSError) and (folder / _SCORES).is_dir()
            raise
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Extras:
    """Further files to write; a file without a path is not written.

    Attributes:
        removed: JSON lines of all segments with their scores and the verdict of each cut: see `thresher.scores.removed`.
        failures: JSON lines of the pages that failed, with file, offset, id and reason.
    """

    removed: str | Path | None = None
    failures: str | Path | None = None


@dataclass(frozen=True)
class CleanJob:
    """A collection to clean, how, and the files to write.

    Attributes:
        source: the collection, or `STANDARD`.
        cleaner: the checked cleaner.
        output: the file with the documents.
        rendering: how documents are written.
        format: the format of the collection's files; empty to detect it.
        reading: how documents are read.
        limits: limits of time and size for each page.
        backend: the workers.
        removed, failed: the paths of `Extras`.
    """

    source: Path
    cleaner: Cleaner
    output: Path
    rendering: Rendering
    format: str
    reading: ReadOptions
    limits: Limits
    backend: Backend
    removed: Path | None
    failed: Path | None

    @property
    def outputs(self) -> list[Path]:
        """All files to write, the documents first."""
        return [path for path in (self.output, self.removed, self.failed) if path is not None]

    def check_outputs(self) -> None:
        """Check that all files can be written, and that they are different files."""
        if len({formats.target_of(path) for path in self.outputs}) < len(self.outputs):
            raise ConfigError("two of the files to write are one file", "give each a name of its own", str(self.output))
        for path in self.outputs:
            if path != self.output or not self.rendering.format.per_page:
                formats.check_writable(path)

    def check_apart(self, collection: Collection | None) -> None:
        """Check that no file to write is or would become a part of the collection; None is standard input."""
        outputs = self.outputs
        if self.rendering.format.per_page:
            check_folder(outputs.pop(0), collection)
        if collection is not None:
            formats.check_apart(outputs, collection, self.format)

    @property
    def window(self) -> int | None:
        """The bytes of a pipe that are cleaned at once; None for all."""
        if self.removed is not None or self.rendering.how.fields:
            return None
        for cut in self.cleaner.cuts:
            # Scorers learn from a whole collection or compare its pages, and it has percentiles.
            if cut.scorer.needs_collection or (cut.percentile and cut.percentile.kind != REFERENCE):
                return None
        return WINDOW_BYTES


def clean_collection(  # noqa: PLR0913, keywords of the public API
    source: str | Path,
    cleaner: AnyCleaner,
    output: str | Path,
    *,
    format: str = "",
    how: Output = BY_ENDING,
    reading: ReadOptions | None = None,
    options: PageOptions = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
    backend: Backend | None = None,
    extras: Extras = Extras(),
) -> CleanCounts:
    """Clean a collection into a file; emptied pages are in it without text.

    The output's bytes do not depend on the workers. After a kill, Ctrl-C or an error that is not the input's, such as a
    full disk, scores stay beside the output, and the same call continues where it stopped, but for pipes.

    Args:
        source: a path for `thresher.collections.open_collection`, or `-` for standard input: a page if `format` is html or
            text, else JSON lines. Lines are cleaned `page_streams.WINDOW_BYTES` at a time, so that memory and disk stay
            small, unless the cleaner or `extras` need all lines; repeated ids are found within so many bytes alone.
        cleaner: a canonical name, or a function as of `clean_pages`, which other processes must be able to import.
        output: a file of a format by its ending, a folder for a file a page (it exists, or its name ends in a slash), or `-`
            for standard output. Links, pipes and devices are written through,
            for `extras` too.
        format: the format of the collection's files; empty to detect it.
        how: the format of the output, if not by its ending.
        reading: how documents are read; of the limits, that of a page's bytes counts.
        options: how pages become blocks.
        limits: limits of time and size for each page.
        backend: the workers.
        extras: the further files to write.
    """
    parsed = take_cleaner(cleaner).checked()
    check_for_workers(parsed)
    rendering = Rendering(formats.output_format(output, how), how, options)
    job = CleanJob(
        source=Path(source),
        cleaner=parsed,
        output=Path(output),
        rendering=rendering,
        format=format,
        reading=_reading(reading or BY_ADDRESS, limits, rendering),
        limits=limits,
        backend=backend or Backend(),
        removed=_path(extras.removed),
        failed=_path(extras.failures),
    )
    return clean(job)


def _reading(reading: ReadOptions, limits: Limits, rendering: Rendering) -> ReadOptions:
    """Return the options of reading with the limit of a page's bytes, and with JSON members if documents have them."""
    with_members = "members" in rendering.further_columns
    return replace(reading, max_bytes=int(limits.mib * 2**20), with_members=with_members)


def _path(path: str | Path | None) -> Path | None:
    if path is None:
        return None
    return Path(path)


def clean(job: CleanJob) -> CleanCounts:
    """Open the collection of a job, score its pages, and write their cleaned text."""
    if job.rendering.needs_html:
        job.cleaner.check_own_text()
    if job.rendering.how.fields:
        check_fields(job.cleaner, job.rendering.format)
    if job.rendering.has_markdown:
        # Before hours of scoring.
        markdown_converter()
    job.check_outputs()
    collection = None if job.source == STANDARD else open_collection(job.source, job.reading, job.format)
    job.check_apart(collection)
    tally = Tally()
    with (
        _scores_folder(job) as folder,
        documents_writer(job.output, job.rendering) as document,
        _lines(job.removed) as removed,
    ):
        # The list of failed pages is written even if all have failed.
        with _lines(job.failed) as failed:
            last = _clean_all(job, collection, folder, _Files(document, removed, failed), tally)
        if last is None:
            fix = "give lines of JSON, or a page with --format html"
            raise InputError("standard input is empty", fix, str(job.source))
        if tally.all_failed:
            raise nothing_read(job.source, last, tally.failed, tally.documents)
    return tally.counts(job.cleaner)


@dataclass(frozen=True)
class _Files:
    """The functions that write a document, a page's removed segments and a page that failed; None if the file is not
    asked for.
    """

    document: Write
    removed: Callable[[Any], object] | None
    failed: Callable[[Any], object] | None


def _clean_all(
    job: CleanJob, collection: Collection | None, folder: Path, files: _Files, tally: Tally
) -> Collection | None:
    """Score and write a collection, or the windows of standard input; return the last one, None if there was none."""
    store = folder / _SCORES
    last: Collection | None = None
    for piece in _pieces(job, collection, folder):
        last = piece.collection
        _score(job, last, store, tally)
        _write_failures(job, store, piece.offset, files, tally)
        if not tally.all_failed:
            _write_documents(job, store, files, tally)
    return last


@contextmanager
def _scores_folder(job: CleanJob) -> Iterator[Path]:
    """Give the folder of the scores: beside the output, on the disk that must have room, or a temporary one for streams."""
    if formats.is_stream(job.output):
        # A cluster's workers must see it.
        with temporary_folder(Path.cwd() if job.backend.name == DASK else None) as folder:
            yield folder
    else:
        outputs = [real_path(path) for path in job.outputs]
        with kept_scores(outputs[0], outputs) as folder:
            yield folder


class _Piece(NamedTuple):
    """A collection, and the byte of standard input at which it begins."""

    collection: Collection
    offset: int


def _pieces(job: CleanJob, collection: Collection | None, folder: Path) -> Iterator[_Piece]:
    """Yield the collection, or the windows of standard input."""
    if collection is not None:
        yield _Piece(collection, 0)
        return
    for lines in piped_lines(cast(BufferedIOBase, sys.stdin.buffer), folder, job.reading, job.format, job.window):
        if (folder / _SCORES).is_dir():
            remove_folder(folder / _SCORES)
        yield _Piece(lines.collection, lines.offset)


def _score(job: CleanJob, collection: Collection, store: Path, tally: Tally) -> None:
    plan = ScorePlan(
        collection,
        job.cleaner.scorers,
        job.rendering.options,
        job.limits,
        kinds=False,
        further=job.rendering.further_columns,
    )
    if job.rendering.how.fields:
        scorers = field_scorers(job.cleaner)
        plan = replace(plan, scorers=scorers).with_links()
    # Scores of the same plan stay. Scores of another plan are left from a killed command, perhaps with another cleaner.
    report = score_collection(plan, store, job.backend, fresh=True)
    tally.documents += report.documents
    tally.bytes += report.bytes


def _write_failures(job: CleanJob, store: Path, offset: int, files: _Files, tally: Tally) -> None:
    for failure in lost_pages.failures(store):
        tally.fail(failure.later(offset))
        if files.failed:
            files.failed(asdict(failure.later(offset)))
    if not job.cleaner.input_name:
        return
    for failure in lost_pages.failures(store, job.cleaner.input_name):
        tally.without_other_text[kind_of_failure(failure.reason)] += 1
        if files.failed:
            files.failed(asdict(failure.later(offset)))


def _write_documents(job: CleanJob, store: Path, files: _Files, tally: Tally) -> None:
    cleaner = resolved(store, job.cleaner)
    tally.cutoffs = cleaner.resolved_cutoffs
    for shard in _cut_shards(store, cleaner, job.rendering, job.backend):
        tally.add(shard)
        for row in shard.rows:
            files.document(row)
    if files.removed:
        for page in explained_pages(store, cleaner):
            files.removed(record(page))


def cut_to_records(path: Path, cleaner: Cleaner, rendering: Rendering) -> CutShard:
    """Cut a shard of scores and make its documents rows."""
    columns = shard_columns([cleaner])
    reader: FieldReader | None = None
    if rendering.how.fields:
        columns_with_repeats = set(columns)
        columns_with_repeats.add(REPEATED_COLUMN)
        table = read_shard(path, sorted(columns_with_repeats))
        reader = FieldReader(path, table)
    else:
        table = read_shard(path, columns)
    path_of_pages = path
    if cleaner.input_name:
        # Texts of other packages have shards of their own, two folders below the shards of pages.
        path_of_pages = path.parents[2] / path.name
    pages = read_shard(path_of_pages, rendering.further_columns)
    rows: list[Row] = []
    emptied: Counter[str] = Counter()
    documents_with_text = words = left_out = blocks_not_found = unfit_ids = 0
    for cut in cut_shard(table, cleaner):
        page: PageToCut | None = None
        if rendering.needs_html:
            page = _page_to_cut(pages.texts("html")[cut.row], table, cut.row)
        members = ""
        if "members" in rendering.further_columns:
            members = pages.texts("members")[cut.row]
        fields = reader.fields(cut) if reader else None
        rendered = rendering.document(cut.document, page, members, fields)
        if rendered is None:
            left_out += 1
        else:
            rows.append(rendered.row)
            words += cut.document.words
            if id_problem(cut.document.id):
                unfit_ids += 1
            if not rendered.blocks_found:
                blocks_not_found += 1
        if cut.document.text:
            documents_with_text += 1
        else:
            emptied[lost_pages.language_of_emptied(cut.document)] += 1
    return CutShard(
        rows=rows,
        left_out=left_out,
        blocks_not_found=blocks_not_found,
        with_text=documents_with_text,
        emptied=emptied,
        words=words,
        unfit_ids=unfit_ids,
    )


def _page_to_cut(html: str, table: Table, row: int) -> PageToCut:
    return PageToCut(
        html=html,
        text=table.texts("text")[row],
        block_ends=table.lists("block_ends")[row].tolist(),
        sentence_ends=table.lists("sentence_ends")[row].tolist(),
        levels=table.lists("levels")[row].tolist(),
    )


def _cut_shards(store: Path, cleaner: Cleaner, rendering: Rendering, backend: Backend) -> Iterator[CutShard]:
    paths = shards(text_store(store, cleaner.input_name))
    if len(paths) < FEW_SHARDS:
        backend = Backend(LOCAL, 1)
    tasks = ((path, cleaner, rendering) for path in paths)
    yield from run_tasks(backend, cut_to_records, tasks, "cutting", str(store), ordered=True)


@contextmanager
def _lines(path: Path | None) -> Iterator[Callable[[Any], object] | None]:
    """Yield the function that writes an object as a line of JSON, compressed if the name says so; None without a file."""
    if path is None:
        yield None
        return
    compression = path.suffix.lower().removeprefix(".")
    if compression not in (formats.GZIP, formats.ZSTD):
        compression = ""
    kind = formats.OutputFormat(formats.JSON_LINES, compression)
    with documents_writer(path, Rendering(kind)) as write:
        yield write
