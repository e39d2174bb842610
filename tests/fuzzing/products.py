"""What must hold of names of variants, and of what Thresher writes and reads again: cleaned pages, models, results."""

from __future__ import annotations

import json
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

from experiments import small
from seeds import PAGES
from texts import Refused
from watching import watched

from thresher.base.defaults import OUTPUT_FORMATS
from thresher.base.errors import ConfigError
from thresher.cleaners.characters.scoring import find_character_model, read_model
from thresher.cleaners.content_model.model import find_content_model, read_content_model
from thresher.collections import Page, documents, open_collection
from thresher.experiments.results import read_results, write_results
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.pages.decoding import binary_kind
from thresher.scores.cleaning.document_files import Rendering, documents_writer
from thresher.scores.cleaning.output_formats import BY_ENDING, output_format
from thresher.scores.cleaning.page_streams import clean_pages

NAMES = tuple(
    name.encode()
    for name in (
        "none",
        "none|dcp@0.5",
        "words(headings=keep)@11|tcp(k=20,eps=0.6)@0.5",
        "justext+words@p30",
        "perplexity(lm=books,context=0.7)@8000",
        "none|2n2p@1.894",
        "content(floor=50)@doc50",
    )
)
NAME_TOKENS = (
    b"|", b"@", b"+", b"(", b")", b",", b"=", b"none", b"words", b"dcp", b"nucleus", b"@0.5", b"@p50", b"@doc50",
    b"@r20", b"@1e999", b"@nan", b"@-0", b"@" + b"9" * 400, b"(k=-1)", b"(lm=/nowhere)", b" ", b"\0", b"\n", b"\xff",
    b"\xd9\xa1",
)  # fmt: skip
CLEANER = "content@0.5+words@2"
MODEL_TOKENS = (
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"\x93NUMPY",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"card.json",
    b"|u1",
)
RESULT_TOKENS = (
    b"null", b"true", b"NaN", b"-1", b"1e999", b'""', b"[]", b"{}", b"9" * 400, b"[" * 2000, b"\\ud800", b"\xff", b"\0", b",",
)  # fmt: skip


@cache
def results() -> tuple[bytes, ...]:
    """Return the file of small results."""
    with tempfile.TemporaryDirectory() as folder:
        write_results(small(), Path(folder))
        return ((Path(folder) / "results.json").read_bytes(), (Path(folder) / "variants.parquet").read_bytes())


def model(file: Traversable) -> tuple[bytes, ...]:
    """Return the bytes of a model."""
    with file.open("rb") as stream:
        return (stream.read(),)


CONTENT_MODELS = model(find_content_model("web"))
CHARACTER_MODELS = model(find_character_model("nonlexical"))


def clean_one(_folder: Path) -> None:
    """Have the models and word lists read that are read at the first page."""
    for format in OUTPUT_FORMATS:
        output_format(Path(f"out.{format}"), BY_ENDING)
    for seed in PAGES:
        list(clean_pages([seed], CLEANER))


def parse_names(data: bytes, folder: Path) -> None:
    """The name of a variant."""
    with watched(folder):
        try:
            treatment = parse_treatment(data.decode("utf-8", "replace"))
        except ConfigError as error:
            for line in error.lines():
                # A long name may be within the fix, whose beginning is then left out.
                assert " Fix: " in line or " characters) … " in line, line
                line.encode()
            return
        assert parse_treatment(treatment.name).name == treatment.name


def write_outputs(data: bytes, folder: Path) -> None:
    """A page, cleaned by itself and written as JSON lines and in one other format."""
    with watched(folder):
        text = data.decode("latin-1")
        cleaned = [*clean_pages([Page("a", data, "http://x/é"), text], CLEANER)]
    kinds = [binary_kind(data), binary_kind(text.encode())]
    assert [document.id for document in cleaned] == ["a", "1"]
    assert [document.problem for document in cleaned] == [kind and f"not HTML: {kind}" for kind in kinds]
    for format in ("jsonl", OUTPUT_FORMATS[zlib.crc32(data) % len(OUTPUT_FORMATS)]):
        path = folder / f"out.{format}"
        how = output_format(path, BY_ENDING)
        rendering = Rendering(how)
        with documents_writer(path, rendering) as write:
            for document in cleaned:
                rendered = rendering.document(document)
                assert rendered is not None
                write(rendered.row)
        found = [*documents(open_collection(path))]
        assert [(each.id, each.problem) for each in found] == [("a", None), ("1", None)], format
    lines = (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["contents"] for line in lines] == [document.text for document in cleaned]


def reads(read: Callable[[Path], object]) -> Callable[[bytes, Path], None]:
    """The file of a model."""

    def check(data: bytes, folder: Path) -> None:
        path = folder / "input"
        path.write_bytes(data)
        with watched(folder), Refused(path):
            read(path)

    return check


read_content_models, read_character_models = reads(read_content_model), reads(read_model)


def read_result_files(data: bytes, folder: Path) -> None:
    """The facts of an experiment's results, which `report` and `explain` read."""
    _read_results(data, results()[1], folder)


def read_variant_tables(data: bytes, folder: Path) -> None:
    """The Parquet file of an experiment's variants."""
    _read_results(results()[0], data, folder)


def _read_results(facts: bytes, table: bytes, folder: Path) -> None:
    (folder / "results.json").write_bytes(facts)
    (folder / "variants.parquet").write_bytes(table)
    with watched(folder), Refused(folder):
        found = read_results(folder)
        write_results(found, folder)
        assert read_results(folder).facts == found.facts
