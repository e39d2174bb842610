"""The time of indexing from Python against Anserini's IndexCollection: equal documents and options, one thread each."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from measurements import Measurement, interleaved, ratio
from passages import passages, read_json_lines, write_json_lines
from thresher import IndexOptions, build_index
from thresher.base.letters import readable
from thresher.indexes.jvm import java_class

BAR = 1.25


def measure(pages: Path, documents: int = 20_000, rounds: int = 6) -> list[Measurement]:
    """Return the ratio of the seconds from a JSONL file to an index of one segment. Reading the file counts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "json").mkdir()
        lines = folder / "json" / "documents.jsonl"
        # An index of Thresher has one spelling of each word, so IndexCollection gets the same texts.
        write_json_lines(((identifier, readable(text)) for identifier, text in passages(pages, documents)), lines)
        best = interleaved(
            {
                "theirs": lambda: _index_collection(folder / "json", folder / "theirs"),
                "ours": lambda: build_index(read_json_lines(lines), folder / "ours", IndexOptions()),
            },
            rounds,
        )
        ours, theirs = (_lucene_bytes(folder / index) for index in ("ours", "theirs"))
        if ours != theirs:
            raise SystemExit(f"the indexes differ: {ours} and {theirs} bytes")
    return [ratio(f"indexing {documents:,} documents / IndexCollection", best["ours"], best["theirs"], BAR)]


def _index_collection(collection: Path, index: Path) -> None:
    shutil.rmtree(index, ignore_errors=True)
    arguments = java_class("io.anserini.index.IndexCollection$Args")()
    arguments.collectionClass = "JsonCollection"
    arguments.generatorClass = "DefaultLuceneDocumentGenerator"
    arguments.input, arguments.index = str(collection), str(index)
    arguments.threads = 1
    arguments.optimize = arguments.quiet = True
    java_class("io.anserini.index.IndexCollection")(arguments).run()


def _lucene_bytes(index: Path) -> int:
    return sum(path.stat().st_size for path in index.iterdir() if path.name != "thresher.json")
