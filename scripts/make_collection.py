#!/usr/bin/env python3
"""Make a collection from clones of public repositories: its pages, and for two experiments its topics and qrels.

usage: scripts/make_collection.py NAME FOLDER CLONE...

NAME is an experiment: web, ray-docs or sqlite-docs. The script writes the files into FOLDER. Set THRESHER_DATA to it, unless
it is `collections`. Each repository is read at a fixed commit, and the files must have the recorded checksums. For `web` a
part of the repository suffices:

    git clone --filter=blob:none --sparse https://github.com/Murrough-Foley/web-content-extraction-benchmark wcxb
    git -C wcxb sparse-checkout set dev/html
    git -C wcxb checkout 62ff86d12ea72c80c31fb810ff1a724fad687bea
"""

import hashlib
import html
import io
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arguments import parser_of

Files = Mapping[str, bytes]
"""Contents by path."""


@dataclass(frozen=True)
class Repository:
    """A public repository at one commit.

    Attributes:
        name: its name on GitHub.
        commit: the whole hash.
        licence: the licence of the files that are read.
        paths: the folders and files that are read; empty for all.
        suffix: the end of the names of files that are read.
    """

    name: str
    commit: str
    licence: str
    paths: tuple[str, ...]
    suffix: str


@dataclass(frozen=True)
class Recipe:
    """The recipe of a collection.

    Attributes:
        folder: the folder of its files, in the user's folder.
        repositories: its repositories.
        make: a function from the repositories' files, in their order, to the pages and the other files.
        archive: whether the pages go into `pages.tar.xz` or into single files.
        checksums: SHA-256 of each other file and, under `pages`, of all pages: see `checksums_of`.
    """

    folder: str
    repositories: tuple[Repository, ...]
    make: Callable[[Sequence[Files]], tuple[Files, Files]]
    archive: bool
    checksums: Mapping[str, str]


def make_web(files: Sequence[Files]) -> tuple[Files, Files]:
    """Return the repository's compressed pages unchanged."""
    return _below("dev/html/", files[0]), {}


def make_ray_docs(files: Sequence[Files]) -> tuple[Files, Files]:
    """Return the crawled pages, and topics from the questions that the first version lacks and whose page was crawled."""
    pages = _below("docs.ray.io/en/master/", files[0])
    older, newer = (_json_lines(files[1][name]) for name in RAY_QUESTIONS)
    old_questions = {question["question"] for question in older}
    answered = []
    for question in newer:
        page = question["source"].partition("#")[0].removeprefix("https://docs.ray.io/en/master/")
        if question["question"] not in old_questions and page in pages:
            answered.append((question["question"], page))
    topics: dict[str, tuple[int, str]] = {}
    for number, (query, page) in enumerate(answered, 1):
        topics.setdefault(query, (number, page))
    return pages, _topics_and_qrels([(number, query, page) for query, (number, page) in topics.items()])


def make_sqlite_docs(files: Sequence[Files]) -> tuple[Files, Files]:
    """Return all pages except the index of phrases, and topics from its phrases `SQLITE_PHRASES` with their linked pages."""
    pages = dict(files[0])
    index = pages.pop("keyword_index.html").decode("utf-8")
    phrases = re.findall(r'<li> <a href="([^"#]*)[^"]*">(.*?)</a>', index)
    chosen = [phrases[number] for number in SQLITE_PHRASES if number < len(phrases)]
    return pages, _topics_and_qrels(
        [(number, html.unescape(phrase), page) for number, (page, phrase) in enumerate(chosen, 1)]
    )


RAY_QUESTIONS = ("datasets/eval-dataset-v1.jsonl", "datasets/eval-dataset-v2-alpha.jsonl")
SQLITE_PHRASES = (
    829, 2508, 612, 63, 93, 2197, 1034, 2553, 874, 175, 832, 258, 183, 240, 1117, 649, 514, 293, 205, 231, 1100, 146, 2192,
    524, 678, 881, 1042, 2528, 780, 126, 2143, 1039, 851, 541, 2148, 2530, 1116, 599, 1053, 2510, 527, 1085, 994, 873, 826,
    1025, 272, 26, 604, 503, 1051, 776, 968, 1119, 907, 965, 528, 473, 472, 294, 160, 694, 1091, 771, 257, 1007, 1118, 228,
    2517, 6, 2248, 2278, 1078, 163, 52, 85, 28, 845, 31, 2534, 14, 1049, 818, 807, 960, 865, 511, 696, 170, 501, 815, 74, 82,
    156, 219, 839, 499, 254, 23, 76, 116, 648, 846, 1011, 946, 868, 128, 135, 2282, 666, 2250, 1082, 687, 490, 145, 33, 844,
    277, 112, 201, 495, 227, 206, 173, 125, 1104, 230, 665, 2204, 1092, 1002, 164, 1041, 2222, 602, 964, 500, 1109, 58, 837,
    47, 653, 854, 988, 237, 229, 2188, 2134, 202, 2532,
)  # fmt: skip
"""The positions of the topics in the index, from 0, drawn at random from phrases of two words or more, at most four a page."""

RECIPES: Mapping[str, Recipe] = {
    "web": Recipe(
        "cleaning/wcxb-dev/html",
        (
            Repository(
                "Murrough-Foley/web-content-extraction-benchmark",
                "62ff86d12ea72c80c31fb810ff1a724fad687bea",
                "CC BY 4.0, Murrough Foley",
                ("dev/html",),
                ".html.gz",
            ),
        ),
        make_web,
        archive=False,
        checksums={
            "pages": "cd2362bd8d6bb3b395021b6976c90e674024fe2cbc297acf2c2c803f86fdcc6c",
        },
    ),
    "ray-docs": Recipe(
        "retrieval/ray-docs-2023",
        (
            Repository(
                "amogkam/llama_index_ray",
                "31e915506d0fead7bc531ced8aca75f5071f363f",
                "Apache-2.0, the Ray authors",
                ("docs.ray.io/en/master",),
                ".html",
            ),
            Repository(
                "ray-project/llm-applications",
                "2044d3faac9489379d3af5f555bbc36c4d7b33f6",
                "CC BY 4.0, Anyscale",
                RAY_QUESTIONS,
                ".jsonl",
            ),
        ),
        make_ray_docs,
        archive=True,
        checksums={
            "pages": "e0504e1a25886d08d1d0c60e855ce665c93760ffba0767b55a863774d02954a6",
            "topics.tsv": "cb09600b3aefcf7e38a88f1b97b92520d5ac908d6ad865aafccc0eb1fcf2ca4b",
            "qrels.txt": "4fe4506915e387e5ea87462a160347ed7082bc0607710d135ab5649c92169df2",
        },
    ),
    "sqlite-docs": Recipe(
        "retrieval/sqlite-docs",
        (
            Repository(
                "julianmarmier/sqlite-3_26-doc",
                "f970f6c84a404f151f3fa090208956c19149354f",
                "public domain, the SQLite authors",
                (),
                ".html",
            ),
        ),
        make_sqlite_docs,
        archive=True,
        checksums={
            "pages": "14f4681d2be934c0e3b9449043dacb890a3449870695b6e41caffa2fd9180dcf",
            "topics.tsv": "e0b8c792a105b79246134900226fbca79c3442e18723778f209b1d5c953dff47",
            "qrels.txt": "9a1425e3d4e5ea840ca111a47205b802250185638fb00493f9c4ef8f3bfb126f",
        },
    ),
}


def make_collection(recipe: Recipe, folder: Path, clones: Sequence[Path]) -> None:
    """Check commits and checksums, write the files of a collection, and print their checksums."""
    files = []
    for repository in recipe.repositories:
        clone = next((clone for clone in clones if has_commit(clone, repository.commit)), None)
        if clone is None:
            sys.exit(
                f"error: no clone has the commit {repository.commit} of {repository.name}. "
                f"Fix: git clone https://github.com/{repository.name}, and give its folder."
            )
        print(f"{repository.name} at {repository.commit[:7]}: {repository.licence}")
        files.append(dict(read_files(clone, repository)))
    pages, others = recipe.make(files)
    checksums = checksums_of(pages, others)
    for name, checksum in checksums.items():
        if recipe.checksums.get(name) != checksum:
            expected = recipe.checksums.get(name)
            sys.exit(f"error: {name} has the SHA-256 {checksum} instead of {expected}. Fix: clone again.")
    target = folder / recipe.folder
    target.mkdir(parents=True, exist_ok=True)
    if recipe.archive:
        with tarfile.open(target / "pages.tar.xz", "w:xz", preset=1) as archive:
            for path, content in sorted(pages.items()):
                member = tarfile.TarInfo(f"pages/{path}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    else:
        others = {**pages, **others}
    for path, content in others.items():
        (target / path).write_bytes(content)
    for name, checksum in checksums.items():
        print(f"{name}: SHA-256 {checksum}" + f", {len(pages)} pages" * (name == "pages"))
    print(f"written to {target}")


def has_commit(clone: Path, commit: str) -> bool:
    """Return whether a clone has a commit."""
    completed = subprocess.run(
        ["git", "-C", clone, "cat-file", "-e", f"{commit}^{{commit}}"], capture_output=True, check=False
    )
    return completed.returncode == 0


def read_files(clone: Path, repository: Repository) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and contents of a commit's files. The commit need not be checked out."""
    git = ("git", "-C", str(clone))
    listed = subprocess.run(
        [
            *git,
            "ls-tree",
            "-r",
            "-z",
            "--full-tree",
            repository.commit,
            *repository.paths,
        ],
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "surrogateescape")
    entries = [line.partition("\t") for line in listed.split("\0") if line.endswith(repository.suffix)]
    with subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdin
        assert reader.stdout
        for head, _, path in entries:
            blob = head.split()[2]
            reader.stdin.write(f"{blob}\n".encode())
            reader.stdin.flush()
            answer = reader.stdout.readline().split()
            if answer[1:] == [b"missing"]:
                sys.exit(f"error: {clone}: {path} is missing. Fix: clone {repository.name} again.")
            yield path, reader.stdout.read(int(answer[2]) + 1)[:-1]
        reader.stdin.close()


def checksums_of(pages: Files, others: Files) -> dict[str, str]:
    """Return the SHA-256 of each file and, under `pages`, of all pages: of lines `SHA-256 path` in order of paths."""
    lines = "".join(f"{hashlib.sha256(content).hexdigest()} {path}\n" for path, content in sorted(pages.items()))
    return {
        "pages": hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest(),
        **{name: hashlib.sha256(content).hexdigest() for name, content in others.items()},
    }


def _below(folder: str, files: Files) -> Files:
    return {path.removeprefix(folder): content for path, content in files.items()}


def _json_lines(content: bytes) -> list[dict[str, str]]:
    return [json.loads(line) for line in content.decode("utf-8").splitlines() if line.strip()]


def _topics_and_qrels(topics: Sequence[tuple[int, str, str]]) -> Files:
    """Return `topics.tsv` and `qrels.txt` of topics (number, query, relevant page)."""
    return {
        "topics.tsv": "".join(f"{number}\t{' '.join(query.split())}\n" for number, query, _ in topics).encode(),
        "qrels.txt": "".join(f"{number} 0 {page} 1\n" for number, _, page in topics).encode(),
    }


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("clones", nargs="+", type=Path)
    arguments = parser.parse_args()
    make_collection(RECIPES[arguments.name], arguments.folder, arguments.clones)
