"""A small web of pages with menus and footers, its topics and judgments: the same on every machine."""

from __future__ import annotations

import csv
import random
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from commands import Done

PAGES = 60
TOPICS = 12
TIMED = {"measure": "seconds = 0.1"}
"""The tables of an experiment that has times, however rough."""

_SUBJECTS = (
    "barley harvest weather",
    "copper mine tunnel",
    "harbour crane cargo",
    "violin string varnish",
    "glacier melt river",
    "bakery oven sourdough",
    "lighthouse keeper storm",
    "telescope mirror galaxy",
    "orchard pruning apple",
    "railway signal station",
    "beehive queen honey",
    "printing press letter",
)
_FILLER = (
    "the of and a to in is was that for it with as his on be at by had not are but from or have an they which one you "
    "were all her she there would their we him been has when who will no more if out so up into than only about other "
    "water place year house work small large country people found used made long part near early later many several "
    "white black south north field stone wood light night morning winter summer evening market village road bridge"
).split()
_MENU = ("Home", "Products", "About us", "Contact", "Login", "Sitemap", "Next page", "Privacy")


def write_pages(folder: Path, pages: int = PAGES) -> None:
    """Write the pages: `part<n>/page<nn>.html`, each about one of the subjects, with boilerplate about others."""
    rng = random.Random(20)
    for number in range(pages):
        subject = _SUBJECTS[number % TOPICS].split()
        other = _SUBJECTS[(number * 5 + 3) % TOPICS]
        path = folder / f"part{number % 3}" / f"page{number:02}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        menu = "".join(f'<li><a href="/{item}">{item}</a></li>' for item in _MENU)
        paragraphs = "\n".join(
            f"<p>{_paragraph(rng, subject)} It was <b>{subject[2]}</b> indeed.</p>" for _ in range(rng.randint(2, 6))
        )
        path.write_text(
            f"<html><head><title>{subject[0].title()} number {number}</title><style>p {{ color: red }}</style></head>\n"
            f"<body><ul>{menu}</ul><h1>{subject[0].title()} and {subject[1]}</h1>\n{paragraphs}\n"
            f'<div><a href="/more">Read more: {other}</a></div>\n'
            f"<p>Copyright 20{number:02}. All rights reserved.</p><script>var {other.split()[0]} = 1;</script></body></html>",
            encoding="utf-8",
        )


def _paragraph(rng: random.Random, subject: list[str]) -> str:
    words = [rng.choice(subject) if rng.random() < 0.12 else rng.choice(_FILLER) for _ in range(rng.randint(12, 60))]
    for place in range(9, len(words) - 3, 11):
        words[place] += "."
        words[place + 1] = words[place + 1].capitalize()
    return words[0].capitalize() + " " + " ".join(words[1:]) + "."


def write_topics(path: Path, topics: int = TOPICS) -> None:
    """Write a TSV of topics `1` to `topics`."""
    path.write_text("".join(f"{number}\t{_SUBJECTS[number - 1]}\n" for number in range(1, topics + 1)))


def write_qrels(path: Path, pages: int = PAGES) -> None:
    """Judge each topic's pages: grades 0 to 2, and some pages of other topics as not relevant."""
    rng = random.Random(7)
    lines = []
    for topic in range(1, TOPICS + 1):
        for number in range(pages):
            relevant = number % TOPICS == topic - 1
            if relevant or rng.random() < 0.1:
                grade = rng.choice((0, 1, 1, 2)) if relevant else 0
                lines.append(f"{topic} 0 part{number % 3}/page{number:02} {grade}\n")
    path.write_text("".join(lines))


@dataclass(frozen=True)
class Web:
    """A folder with `pages/`, `topics.tsv`, `qrels.txt`, and experiments written into it.

    `write` takes tables as text by name; those not given are those of `tables`, then the usual ones, which time nothing.
    """

    folder: Path
    tables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def make(cls, folder: Path, pages: int = PAGES, **tables: str) -> Web:
        write_pages(folder / "pages", pages)
        write_topics(folder / "topics.tsv")
        write_qrels(folder / "qrels.txt", pages)
        return cls(folder, tables)

    def write(self, name: str = "web", file: str | None = None, **tables: str) -> Path:
        """Write an experiment file and return its path; a table given as "" is left out."""
        usual = {
            "experiment": f'name = "{name}"',
            "collection": 'path = "pages"',
            "topics": 'path = "topics.tsv"',
            "qrels": 'path = "qrels.txt"',
            "sweep": 'scorer = "words"\ncutoffs = [5, 20, 40]',
            "cleaners": 'names = ["density@8", "perplexity(lm=books)@8000"]',
            "retrieval": 'models = ["qld"]\ndepth = 40',
            "measure": "seconds = 0",
            "costs": "tdp_watts = 65",
            "run": "workers = 1",
            **self.tables,
            **tables,
        }
        path = self.folder / (file or f"{name}.toml")
        heads = {"sweep": "[[sweep]]", "system": "[[system]]"}
        path.write_text(
            "\n\n".join(f"{heads.get(table, f'[{table}]')}\n{text}" for table, text in usual.items() if text)
        )
        return path


def more_topics(web: Web, times: int = 3) -> int:
    """Ask for the pages of each topic once more with each of its words left out, and return how many topics there are."""
    queries = dict(line.split("\t") for line in (web.folder / "topics.tsv").read_text().splitlines())
    judged = [line.split() for line in (web.folder / "qrels.txt").read_text().splitlines()]
    topics, qrels = [], []
    for number, query in queries.items():
        for left in range(times):
            words = [word for place, word in enumerate(query.split()) if place != left]
            topics.append(f"{number}{left}\t{' '.join(words)}\n")
            qrels += [f"{number}{left} {' '.join(rest)}\n" for topic, *rest in judged if topic == number]
    (web.folder / "topics.tsv").write_text("".join(topics))
    (web.folder / "qrels.txt").write_text("".join(qrels))
    return len(topics)


@dataclass(frozen=True)
class Finished:
    """The experiment `web` after one run, in the folder of its files."""

    web: Web
    file: Path
    done: Done

    @property
    def results(self) -> Path:
        return self.web.folder / "results" / "web"

    @property
    def indexes(self) -> Path:
        return self.web.folder / "indexes" / "web"

    def copied(self, folder: Path) -> Finished:
        """Return a copy in a folder that is not there yet, times of modification included."""
        # Another test that reads the same results may be writing its list of failures anew.
        shutil.copytree(self.web.folder, folder, ignore=shutil.ignore_patterns(".*.tmp"))
        return replace(self, web=replace(self.web, folder=folder), file=folder / self.file.name)


def tree(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder, by its path there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def without_clock(table: Path) -> list[dict[str, str]]:
    """Return the rows of a `results.csv` without what differs from run to run: times, memory, CO2 and what follows."""
    measured = re.compile(
        r"(clean|index)_(wall|cpu|peak|co2)_?\w*|(query|indexing)_(seconds|cpu_|ratio|saved_|measurable).*|break_even.*"
        r"|\w+_(hours|kwh|kg)(_low|_high)?"
    )
    rows = csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    return [{name: value for name, value in row.items() if not measured.fullmatch(name)} for row in rows]


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return inode and time of modification of every file below a folder: what a rewritten file cannot keep."""
    found = {str(path.relative_to(folder)): path.stat() for path in folder.rglob("*") if path.is_file()}
    return {name: (status.st_ino, status.st_mtime_ns) for name, status in found.items() if name != ".lock"}


def leftovers(folder: Path) -> list[str]:
    """Return the temporary files below a folder."""
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.name.endswith(".tmp")]
