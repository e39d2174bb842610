"""Generate a small collection in the form of ClueWeb12-B13, with topics and qrels in the form of two TREC tracks.

usage: python scripts/clueweb_sample.py FOLDER

All text is generated. FOLDER gets `ClueWeb12-B13/` (WARC files), `topics/` and `qrels/`. With these files you can try the
experiments on ClueWeb12 without ClueWeb12:

    CLUEWEB12_B13=FOLDER/ClueWeb12-B13 TREC_TOPICS=FOLDER/topics TREC_QRELS=FOLDER/qrels \\
        thresher run experiments/clueweb12-perplexity.toml --seconds 0

Each page has sentences about its subject, and menus with the words of other subjects. Cleaning away the menus improves search.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arguments import parser_of

SUBJECTS = (
    "barley harvest", "copper mine", "harbour crane", "violin string", "glacier melt", "bakery oven",
    "lighthouse keeper", "telescope mirror", "orchard pruning", "railway signal", "beehive honey", "printing press",
    "canal lock", "cotton mill", "desert caravan", "eagle nest", "ferry timetable", "garden pond",
    "horse saddle", "island ferry", "jazz trumpet", "kettle steam", "lemon grove", "marble quarry",
    "needle thread", "oyster reef", "parrot feather", "quilt pattern", "river otter", "salmon ladder",
)  # fmt: skip
"""Subjects of the pages. A subject is a topic of both tracks; the second track's topics also have `FURTHER_WORD`."""
SENTENCES = (
    "This is one of the most important things that people should know about the {0}.",
    "In the first part of the year there was a great deal of work to be done on the {0} and the {1}.",
    "It has been said that the {1} is not as good as it used to be, but that is a matter of opinion.",
    "We have seen a number of changes in the way that the {0} has been used over the last few years.",
    "The {1} of the {0} can be found in the same place as it was at the end of the last century.",
    "There is a long history of the {1} in this part of the world, and most of it has been written down.",
)
MENU = (
    "Home",
    "Login",
    "Sitemap",
    "Contact",
    "Register",
    "Newsletter",
    "Checkout",
    "Wishlist",
    "Archives",
    "Webmaster",
)
FURTHER_WORD = "history"
PAGES_OF_SUBJECT, PAGES_OF_FILE = 4, 50
SEED = 12
COLLECTION, TOPICS, QRELS = "ClueWeb12-B13", "topics", "qrels"


@dataclass(frozen=True)
class SamplePage:
    """A page: its id in ClueWeb12's form, the number of its subject, its relevance grade for the subject, and its HTML."""

    id: str
    subject: int
    grade: int
    html: str


def generated_pages() -> Iterator[SamplePage]:
    """Yield the pages, with the pages of a subject far apart."""
    rng = random.Random(SEED)
    for number in range(len(SUBJECTS) * PAGES_OF_SUBJECT):
        subject = number % len(SUBJECTS)
        file, place = divmod(number, PAGES_OF_FILE)
        # The first page of a subject has the most sentences about it, the last two have none.
        grade = max(2 - number // len(SUBJECTS), 0)
        page_id = f"clueweb12-0000wb-{file:02}-{place:05}"
        yield SamplePage(page_id, subject, grade, _html(rng, subject, grade))


def _html(rng: random.Random, subject: int, grade: int) -> str:
    """Return a page of sentences between two menus. For grades above 0, `grade + 1` sentences have the subject's words."""
    words = SUBJECTS[subject].split()
    about = [_sentence(rng, words) for _ in range(grade + 1)] if grade else []
    others = [_sentence(rng, ["place", "house"]) for _ in range(6)]
    paragraphs = "\n".join(f"<p>{first} {second}</p>" for first, second in zip(others[::2], others[1::2], strict=True))
    own = f"<p>{' '.join(about)}</p>" if about else ""
    return (
        f"<html><head><title>{words[0].title()}</title></head><body>\n{_menu(rng)}\n{own}\n{paragraphs}\n"
        f"{_menu(rng)}<p>Copyright Webmaster</p></body></html>"
    )


def _sentence(rng: random.Random, words: Sequence[str]) -> str:
    return rng.choice(SENTENCES).format(*words)


def _menu(rng: random.Random) -> str:
    """Return a list of links that repeats the words of other subjects."""
    items = [*MENU]
    for subject in rng.sample(SUBJECTS, 2):
        items += [f"{subject.title()} {rng.choice(MENU)}"] * 2
    rng.shuffle(items)
    return "<ul>" + "".join(f'<li><a href="/{number}">{item}</a></li>' for number, item in enumerate(items)) + "</ul>"


def warc_file(pages: Sequence[SamplePage]) -> bytes:
    """Return a WARC file in ClueWeb12's form: a gzip member for each record. The first record describes the file."""
    about = b"software: clueweb_sample.py\r\nformat: WARC File Format 1.0\r\n"
    records = [_record("warcinfo", "application/warc-fields", "", about)]
    for page in pages:
        body = page.html.encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        fields = f"WARC-TREC-ID: {page.id}\r\nWARC-Target-URI: http://sample.example/{page.id}\r\n"
        records.append(_record("response", "application/http; msgtype=response", fields, head.encode() + body))
    return b"".join(gzip.compress(record, mtime=0) for record in records)


def _record(kind: str, content_type: str, fields: str, block: bytes) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2012-02-10T21:43:16Z\r\n{fields}"
        f"Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def decision_topics() -> str:
    """Return the subjects as topics in the form of the Decision Track 2019."""
    topics = [
        f"<topic>\n  <number>{number}</number>\n  <query>{subject}</query>\n"
        f"  <description>What of {subject}?</description>\n</topic>\n"
        for number, subject in enumerate(SUBJECTS, 1)
    ]
    return "<topics>\n" + "".join(topics) + "</topics>\n"


def web_topics() -> str:
    """Return the subjects as topics in the form of the Web Track 2013."""
    topics = [
        f'<topic number="{number}" type="single">\n  <query>{subject} {FURTHER_WORD}</query>\n'
        f"  <description>\n    What of {subject}?\n  </description>\n</topic>\n"
        for number, subject in enumerate(SUBJECTS, 201)
    ]
    return '<?xml version="1.0"?>\n<webtrack2013>\n' + "".join(topics) + "</webtrack2013>\n"


def decision_qrels(pages: Sequence[SamplePage]) -> str:
    """Return judgments in the form of the Decision Track 2019: relevance, effectiveness, credibility."""
    judged = sorted((page.subject + 1, page.id, page.grade) for page in pages)
    return "".join(f"{topic} 0 {page} {grade} {grade or -1} {grade or -1}\n" for topic, page, grade in judged)


def web_qrels(pages: Sequence[SamplePage]) -> str:
    """Return judgments in the form of the Web Track 2013. The grade -2 means spam."""
    judged = sorted((page.subject + 201, page.id, page.grade or -2) for page in pages)
    return "".join(f"{topic} 0 {page} {grade}\n" for topic, page, grade in judged)


def make_sample(folder: Path) -> None:
    """Write all files, and print their numbers of pages and topics."""
    pages = list(generated_pages())
    segment = folder / COLLECTION / "ClueWeb12_00" / "0000wb"
    for part in (segment, folder / TOPICS, folder / QRELS):
        part.mkdir(parents=True, exist_ok=True)
    for first in range(0, len(pages), PAGES_OF_FILE):
        file = segment / f"0000wb-{first // PAGES_OF_FILE:02}.warc.gz"
        file.write_bytes(warc_file(pages[first : first + PAGES_OF_FILE]))
    (folder / TOPICS / "topics.decision.2019.xml").write_text(decision_topics(), encoding="utf-8")
    (folder / TOPICS / "topics.web.201-250.txt").write_text(web_topics(), encoding="utf-8")
    (folder / QRELS / "qrels.decision.2019.6col.txt").write_text(decision_qrels(pages), encoding="utf-8")
    (folder / QRELS / "qrels.web.201-250.txt").write_text(web_qrels(pages), encoding="utf-8")
    print(f"written to {folder}: {len(pages)} pages, {len(SUBJECTS)} topics for each track")


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    make_sample(parser.parse_args().folder)
