"""Writes an archive of the classes that indexing and searching load, to the file that the argument names: Java then maps
them into memory. `quick.sharing_java_classes` runs it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from thresher.lucene import jvm
from thresher.lucene.indexing import IndexOptions, build_index
from thresher.lucene.retrieval import RetrievalModel
from thresher.lucene.searching import Searcher


def load_classes() -> None:
    """Index some documents and search them by each model."""
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        documents = [(str(number), f"The rain of day {number} came down on the harbour.") for number in range(20)]
        build_index(documents, index, IndexOptions(lengths=True))
        for model in (RetrievalModel("qld"), RetrievalModel("qld", exact=True), RetrievalModel("bm25")):
            with Searcher(index, model, 10) as searcher:
                assert searcher.search_topics([("1", "rain in the harbour")]).hits


def write_archive(archive: Path) -> None:
    """Load the classes in this process, and write the archive by a Java of its own."""
    temporary, names = archive.with_suffix(".tmp"), archive.with_suffix(".names")
    start = jvm._start
    jvm._start = lambda memory: start([*memory, f"-XX:DumpLoadedClassList={names}"])
    load_classes()
    java = jvm.find_java() / "bin" / "java"
    written = [f"-XX:SharedClassListFile={names}", f"-XX:SharedArchiveFile={temporary}"]
    subprocess.run([java, "-Xshare:dump", "-XX:+UseSerialGC", *written, "-cp", jvm.find_jar()], check=True)
    temporary.rename(archive)


if __name__ == "__main__":
    write_archive(Path(sys.argv[1]))
