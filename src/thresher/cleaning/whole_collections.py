"""Clean a whole collection, or a pipe of JSON lines, into files; say which pages failed or were left without text."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from thresher.base.defaults import DASK, LOCAL, REFERENCE
from thresher.base.errors import ConfigError, InputError
from thresher.base.files import real_path, remove_folder, remove_left, scores_beside, temporary_folder, write_text
from thresher.base.locks import exclusive
from thresher.base.processes import Backend, run_tasks
from thresher.cleaners.cleaner import Cleaner, parse_cleaner
from thresher.cleaning import output_formats as formats
from thresher.cleaning.document_files import STORED, Rendering, Row, documents_writer
from thresher.cleaning.output_formats import BY_ENDING, STANDARD, Output
from thresher.cleaning.page_streams import WINDOW_BYTES, piped_lines
from thresher.collections import Collection, IdRule, ReadOptions, open_collection
from thresher.collections.file_collection import Files
from thresher.collections.isolated import likely_fields_apart
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.scores import lost_pages
from thresher.scores.cutting import cut_shard, shard_columns
from thresher.scores.limits import DEFAULT_LIMITS, Limits
from thresher.scores.percentiles import resolved
from thresher.scores.removed import explained_pages, record
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import read_shard, shards, text_store

_MOST_KINDS = 5
_BEGUN = "outputs.json"
# What follows names the single page: values, numbers, positions.
_OF_THE_PAGE = re.compile(r"\s*(?:[:(,'\"]|(?<![\w-])\d(?![\d.e-]* s$)|\bat byte\b|\bof \d).*", re.DOTALL)
FAILURES_SHOWN = 1000
FEW_SHARDS = 64
"""With fewer shards of scores, starting workers to cut them costs more than it saves."""
BY_ADDRESS = ReadOptions(IdRule("address"))
"""The default options of reading documents: ids that mean something to people."""


def begun_outputs(output: Path) -> list[Path]:
    """Return the files of a killed command, whose scores are beside its output: it may have written some of them."""
    path = scores_beside(real_path(output)) / _BEGUN
    return [*map(Path, json.loads(path.read_bytes()))] if path.exists() else []


@contextmanager
def kept_scores(output: Path, outputs: Sequence[Path]) -> Iterator[Path]:
    """Yield a folder beside a file to write, which no other process has; only a kill or Ctrl-C leaves it.

    Temporary files that killed processes left of any of the `outputs` are removed.
    """
    folder = scores_beside(output)
    keep = False
    with exclusive(folder):
        try:
            remove_left(outputs)
            write_text(folder / _BEGUN, json.dumps([*map(str, outputs)]))
            yield folder
        except KeyboardInterrupt:
            keep = True
            raise
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)


def kind_of_failure(reason: str) -> str:
    """Return what a reason has in common with those of other pages.

    >>> kind_of_failure("too large: 17.0 MiB, the limit is 16 MiB")
    'too large'
    >>> kind_of_failure("HTTP status 404"), kind_of_failure("took longer than 0.5 s")
    ('HTTP status', 'took longer than 0.5 s')
    """
    return _OF_THE_PAGE.sub("", reason).strip() or reason


def nothing_read(source: Path, collection: Collection, kinds: Mapping[str, int], documents: int) -> InputError:
    """Return the error for a collection (or the last lines of a pipe) whose pages have all failed, with the likely fix.

    `kinds` are the numbers of failed pages by kind.
    """
    pages = "its only page" if documents == 1 else f"all {documents} pages"
    what = f"{pages} failed: {_listed(lost_pages.by_count(kinds))}"
    fix = "see with --failures FILE what is wrong with each"
    if isinstance(collection, Files):
        found = likely_fields_apart(collection.path, collection.format, collection.options.fields)
        # What is named rightly, and no string, no other name mends.
        if found.members and not any(kind.endswith("is not a string") for kind in kinds):
            options = " ".join(f"--{name}-field {member}" for name, member in found.likely.items() if name != "url")
            members = f"its members are {', '.join(found.members)}"
            fix = f"add {options} ({members})" if options else f"{members}; {fix}"
    if str(source) == "-" and all(kind.endswith("not JSON") for kind in kinds):
        fix = "give JSON lines, or add --format html for one page"
    return InputError(what, fix, str(source))


def warnings(cleaner: Cleaner, documents: int, kinds: Mapping[str, int], emptied: Mapping[str, int]) -> tuple[str, ...]:
    """Return a warning for each kind of loss above `TOLERATED`.

    `kinds` are the numbers of failed pages by kind, `emptied` those of pages left without text by language.
    """
    failed, empty = sum(kinds.values()), sum(emptied.values())
    notes: list[str] = []
    if failed > lost_pages.TOLERATED * documents:
        notes.append(f"{_share(failed, documents)} failed: {_listed(lost_pages.by_count(kinds))}")
    unknown = lost_pages.language_warning(cleaner, emptied, documents)
    # That warning has the languages of all of them.
    explained = unknown and sum(lost_pages.foreign(cleaner, emptied).values()) == empty
    if empty > lost_pages.TOLERATED * documents and not explained:
        notes.append(f"{_share(empty, documents)} are left without text: {_listed(lost_pages.by_count(emptied))}")
    return (*notes, *([unknown] if unknown else []))


def _share(pages: int, documents: int) -> str:
    return f"{pages} of {documents} pages ({100 * pages / documents:.1f} %)"


def _listed(counts: Mapping[str, int]) -> str:
    shown = [f"{count} {kind}" for kind, count in counts.items()]
    rest = sum(list(counts.values())[_MOST_KINDS:])
    return ", ".join([*shown[:_MOST_KINDS], *([f"{rest} others"] if rest else [])])


@dataclass(frozen=True)
class CleanCounts:
    """The outcome of cleaning a collection: `documents = kept + emptied + failed`.

    `emptied_languages` counts the emptied pages by language, see `scoring.lost_pages`. `warnings` are sentences on what was
    lost if that is much. `failures` are the first `FAILURES_SHOWN`, with names and reasons; `cutoffs` are the numbers that
    percentiles resolved to, by cuts. `bytes` are those of the pages. `left_out` counts documents that the output leaves out,
    `duplicates` those marked, if there is metadata.
    """

    documents: int
    bytes: int
    kept: int
    emptied: int
    emptied_languages: Mapping[str, int]
    failed: int
    words: int
    left_out: int
    duplicates: int
    failures: tuple[tuple[str, str], ...] = field(repr=False)
    cutoffs: Mapping[str, float]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Extras:
    """Further files to write: only those with a path here are written.

    Attributes:
        removed: JSON lines of all segments with their scores and the cuts that dropped them: see `thresher.scores.removed`.
        failures: JSON lines of the pages that failed, with file, offset, id and reason.
    """

    removed: str | Path | None = None
    failures: str | Path | None = None


@dataclass(frozen=True)
class CutShard:
    """A shard of scores, cut: the rows of its documents in order, without those left out, and their counts."""

    rows: Sequence[Row]
    left_out: int
    kept: int
    emptied: Mapping[str, int]
    words: int


@dataclass
class _Tally:
    documents: int = 0
    bytes: int = 0
    kept: int = 0
    words: int = 0
    left_out: int = 0
    duplicates: int = 0
    first: dict[str, str] = field(default_factory=dict)
    emptied: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def add(self, shard: CutShard) -> None:
        """Count the documents of a shard."""
        self.kept += shard.kept
        self.words += shard.words
        self.left_out += shard.left_out
        self.emptied.update(shard.emptied)

    def mark(self, row: Row) -> None:
        """Mark a document whose text an earlier one has."""
        metadata = row.get("metadata")
        if metadata and metadata["words"]:
            first = self.first.setdefault(metadata["sha256"], row["id"])
            if first != row["id"]:
                metadata["duplicate_of"] = first
                self.duplicates += 1

    def fail(self, failure: lost_pages.Failure) -> None:
        """Count a page that failed."""
        self.kinds[kind_of_failure(failure.reason)] += 1
        if len(self.failures) < FAILURES_SHOWN:
            self.failures.append((failure.name, failure.reason))


def clean_collection(
    source: str | Path,
    cleaner: str,
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

    The same bytes come out whatever the workers. After a kill or Ctrl-C, scores stay beside the output, and the same call
    continues where it stopped, but for pipes.

    Args:
        source: what `thresher.collections.open_collection` takes, or `-` for standard input: a page if `format` is html or
            text, else JSON lines. These are cleaned `page_streams.WINDOW_BYTES` at a time, so that memory
            and disk stay small, unless the cleaner or `extras` need all; repeated ids are found within so many bytes alone.
        cleaner: a canonical name.
        output: a file of a format by its ending, or `-` for standard output. Links, pipes and devices are written through,
            for `extras` too.
        format: of the collection's files; empty to detect it.
        how: the format of the output, if not by its ending.
        reading: how documents are read; of the limits, that of a page's bytes counts.
        options: how pages become blocks.
        limits: of each page.
        backend: the workers.
        extras: what else to write.
    """
    source, output = Path(source), Path(output)
    removed, failed = (None if path is None else Path(path) for path in (extras.removed, extras.failures))
    parsed = parse_cleaner(cleaner).checked()
    reading = replace(reading or BY_ADDRESS, max_bytes=int(limits.mib * 2**20))
    backend = backend or Backend()
    rendering = Rendering(formats.output_format(output, how), how)
    if rendering.markdown:
        parsed.check_own_text()
    outputs = [path for path in (output, removed, failed) if path is not None]
    if len({*map(formats.target_of, outputs)}) < len(outputs):
        raise ConfigError("two of the files to write are the same", "give each a name of its own", str(output))
    for path in outputs:
        formats.check_writable(path)
    whole_input = None if source == STANDARD else open_collection(source, reading, format)
    if whole_input is not None:
        formats.check_apart(outputs, whole_input, format)
    tally = _Tally()
    cutoffs: Mapping[str, float] = {}
    with ExitStack() as stack:
        if formats.is_stream(output):
            # A cluster's workers must see it.
            folder = stack.enter_context(temporary_folder(Path.cwd() if backend.name == DASK else None))
        else:
            # Beside the output, so that its disk is the one that must have room.
            resolved_outputs = [real_path(path) for path in outputs]
            folder = stack.enter_context(kept_scores(resolved_outputs[0], resolved_outputs))
        inputs: Iterable[tuple[Collection, int]]
        if whole_input is None:
            # Scorers learn from a whole collection, and it has percentiles.
            learns = any(
                cut.scorer.learns or (cut.percentile and cut.percentile.kind != REFERENCE) for cut in parsed.cuts
            )
            window = None if learns or removed else WINDOW_BYTES
            piped = piped_lines(sys.stdin.buffer, folder, reading, format, window)
            inputs = ((lines.collection, lines.offset) for lines in piped)
        else:
            inputs = [(whole_input, 0)]
        write = stack.enter_context(documents_writer(output, rendering))
        collection: Collection | None = None
        removed_line = stack.enter_context(_lines(removed))
        with _lines(failed) as failed_line:
            store = folder / "scores"
            for collection, offset in inputs:
                if source == STANDARD and store.is_dir():
                    remove_folder(store)
                plan = ScorePlan(
                    collection, parsed.scorers, options, limits, structured=rendering.structured, kinds=False
                )
                # Scores of the same plan stay; others are a killed command's, with another cleaner perhaps.
                scored = score_collection(plan, store, backend, fresh=True)
                tally.documents += scored.documents
                tally.bytes += scored.bytes
                for failure in lost_pages.failures(store):
                    placed = failure.later(offset)
                    tally.fail(placed)
                    if failed_line:
                        failed_line(asdict(placed))
                for failure in lost_pages.failures(store, parsed.input_name) if parsed.input_name else ():
                    tally.lost[kind_of_failure(failure.reason)] += 1
                    if failed_line:
                        failed_line(asdict(failure.later(offset)))
                if tally.kinds.total() == tally.documents:
                    continue
                cleaned_by = resolved(store, parsed)
                cutoffs = cleaned_by.resolved_cutoffs
                for shard in _cut_shards(store, cleaned_by, rendering, backend):
                    tally.add(shard)
                    for row in shard.rows:
                        tally.mark(row)
                        write(row)
                if removed_line:
                    for page in explained_pages(store, cleaned_by):
                        removed_line(record(page))
        if collection is None:
            raise InputError("standard input is empty", "give lines of JSON, or a page with --format html", str(source))
        if tally.kinds.total() == tally.documents:
            raise nothing_read(source, collection, tally.kinds, tally.documents)
    return CleanCounts(
        documents=tally.documents,
        bytes=tally.bytes,
        kept=tally.kept,
        emptied=tally.emptied.total(),
        emptied_languages=lost_pages.by_count(tally.emptied),
        failed=tally.kinds.total(),
        words=tally.words,
        left_out=tally.left_out,
        duplicates=tally.duplicates,
        failures=tuple(tally.failures),
        cutoffs=cutoffs,
        warnings=(
            *warnings(parsed, tally.documents, tally.kinds, lost_pages.by_count(tally.emptied)),
            *(f"{count} pages have no text: {kind}" for kind, count in lost_pages.by_count(tally.lost).items()),
        ),
    )


def cut_to_records(path: Path, cleaner: Cleaner, rendering: Rendering) -> CutShard:
    """Cut a shard of scores and make its documents rows."""
    wanted = (*(STORED if rendering.how.metadata else ()), *(["structure"] if rendering.structured else []))
    table = read_shard(path, shard_columns([cleaner]))
    page = read_shard(path.parents[2] / path.name if cleaner.input_name else path, wanted)
    stored: dict[str, list[Any]] = {name: page.columns[name].tolist() for name in wanted}
    texts = table.texts("text").tolist() if rendering.markdown else [""] * len(table)
    rows: list[Row] = []
    emptied: Counter[str] = Counter()
    kept = words = left_out = 0
    for row, document, _ in cut_shard(table, cleaner):
        values = {name: stored[name][row] for name in wanted}
        made = rendering.row(document, values, values.pop("structure", ""), texts[row])
        rows += [made] if made else []
        left_out += made is None
        words += document.words if made else 0
        if document.text:
            kept += 1
        else:
            emptied[lost_pages.language_of_emptied(document)] += 1
    return CutShard(rows, left_out, kept, emptied, words)


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
    kind = formats.OutputFormat(formats.JSON_LINES, compression if compression in (formats.GZIP, formats.ZSTD) else "")
    with documents_writer(path, Rendering(kind)) as write:
        yield write
