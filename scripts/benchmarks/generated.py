"""A generated web: WARC files of any number of pages, with topics and qrels, reproducible by a fixed seed.

A page has a menu, a list of teasers, paragraphs of shuffled words of real pages, and a footer, in the proportions of a news
site. A topic is four words of one page, its known item.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from passages import passages

_TOPIC_WORDS = 4
_EXPERIMENT = """[experiment]
name = "{}"
[collection]
path = "web.warc.gz"
[topics]
path = "topics.tsv"
[qrels]
path = "qrels.txt"
[run]
workers = 2
"""
_MENU = ("Home", "News", "Sport", "Weather", "Business", "Travel", "Culture", "About us", "Contact", "Privacy policy")


def write_web(folder: Path, pages: Path, count: int, topics: int = 100) -> Path:
    """Write `web.warc.gz` of `count` pages, `topics.tsv` and `qrels.txt` into a folder, and return the WARC file."""
    chance = random.Random(22)
    chosen = dict.fromkeys(sorted(chance.sample(range(count), min(topics, count))))
    warc = folder / "web.warc.gz"
    with (
        warc.open("wb") as out,
        (folder / "topics.tsv").open("w", encoding="utf-8") as topic_lines,
        (folder / "qrels.txt").open("w", encoding="utf-8") as judgments,
    ):
        for number, (identifier, text) in enumerate(passages(pages, count)):
            words = text.split()
            out.write(gzip.compress(_record(identifier, number, words, chance), 1, mtime=0))
            plain = [word.lower() for word in words if word.isalpha() and word.isascii() and len(word) > 3]
            if number in chosen and len(plain) >= _TOPIC_WORDS:
                topic_lines.write(f"{number}\t{' '.join(chance.sample(plain, _TOPIC_WORDS))}\n")
                judgments.write(f"{number} 0 {identifier} 1\n")
    return warc


def write_experiment(file: Path, cutoffs: Mapping[str, Sequence[float]]) -> None:
    """Write an experiment over a generated web, with two workers and a sweep of cutoffs for each scorer."""
    text = "".join(f'[[sweep]]\nscorer = "{scorer}"\ncutoffs = {[*values]}\n' for scorer, values in cutoffs.items())
    file.write_text(_EXPERIMENT.format(file.stem) + text, encoding="utf-8")


def write_real(warc: Path, pages: Path) -> None:
    """Write the HTML pages of a folder as a WARC file."""
    with warc.open("wb") as out:
        for number, path in enumerate(sorted(pages.rglob("*.html"))):
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            body = path.read_bytes()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: page-{number}\r\n"
                f"Content-Length: {len(http) + len(body)}\r\n\r\n"
            )
            out.write(gzip.compress(head.encode() + http + body + b"\r\n\r\n", mtime=0))


def _record(identifier: str, number: int, words: list[str], chance: random.Random) -> bytes:
    html = "".join(_page(number, words, chance)).encode("utf-8", "replace")
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: {identifier}\r\nWARC-Target-URI: http://example.org/{number}\r\n"
        f"WARC-Date: 2012-02-10T22:51:20Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012d}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http) + len(html)}\r\n\r\n"
    )
    return head.encode() + http + html + b"\r\n\r\n"


def _page(number: int, words: list[str], chance: random.Random) -> Iterator[str]:
    yield f"<!DOCTYPE html><html><head><title>{_escaped(' '.join(words[:6]))}</title>"
    yield f"<style>{_noise(chance, 2000)}</style><script>{_noise(chance, 4000)}</script></head><body>"
    yield "<ul class=menu>" + "".join(f'<li><a href="/{name}">{name}</a></li>' for name in _MENU) + "</ul>"
    begin = 0
    while begin < len(words):
        end = begin + chance.randint(15, 80)
        # Full stops let scorers cut the text into sentences.
        text = " ".join(words[begin:end])
        yield f'<p class="text p{begin}">{_escaped(text)}.</p>\n'
        begin = end
    for teaser in range(8):
        place = chance.randrange(len(words))
        yield f'<div class=teaser><a href="/{number + teaser}">{_escaped(" ".join(words[place : place + 5]))}</a> more</div>'
    yield "<div id=footer>Copyright 2012 Example Media Ltd. All rights reserved. <a href=/terms>Terms</a></div></body></html>"


def _noise(chance: random.Random, size: int) -> str:
    """Return text for a style or script, which the parser reads and drops: more than half of a page's bytes."""
    words = [f".c{chance.randrange(1000)} {{ margin: {chance.randrange(100)}px }} " for _ in range(20)]
    text = "".join(words)
    return (text * (size // len(text) + 1))[:size]


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
