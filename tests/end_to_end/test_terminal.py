"""All verbs on a terminal, with text from elsewhere in all they read: none of it steers the terminal or forges a line."""

from __future__ import annotations

import json
import os
import pty
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import click
import pytest
from commands import thresher
from small_web import Web

from thresher.cli.main import cli

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066\u2028"
"""Clear the screen, name the window, ring, turn red by a C1 control, override the direction."""
FORGED = "\nerror: forged\rerror: forged"
HOSTILE = ESCAPES + FORGED
LONG = "x" * 100_000
_BARS = re.compile(r"\r|\x1b\[A")
"""What progress bars do to lines of their own."""
_STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LONGEST = 2500
_END = b"<end of the command>"
ANY_TEXT = (("perplexity",),)
"""Verbs that refuse no text: what they print of controls is tested with them."""


def on_terminal(*arguments: str | Path, cwd: Path, **environment: str) -> tuple[int, str]:
    """Return a command's exit code and what it printed to a pseudo-terminal."""
    master, slave = pty.openpty()
    printed = bytearray()

    def read() -> None:
        while not printed.endswith(_END):
            printed.extend(os.read(master, 1 << 16))

    thread = Thread(target=read)
    thread.start()
    code = thresher(*arguments, cwd=cwd, terminal=Path(os.ttyname(slave)), **environment).code
    # The end of the file would not come: the fork server, and what draws charts, keep the terminal open.
    os.write(slave, _END)
    thread.join()
    os.close(slave)
    os.close(master)
    return code, printed.removesuffix(_END).decode("utf-8")


def check(printed: str) -> None:
    """Check what reached the terminal, bars aside, line by line."""
    for line in _BARS.sub("\n", printed).split("\n"):
        assert not _STEERING.search(line), repr(line[:500])
        assert not line.startswith("error: forged"), repr(line)
        assert len(line) < LONGEST, repr(line[:100])


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from leaves(inner, (*path, name))
    else:
        yield path, command


def asked(command: click.Command, text: str) -> list[str]:
    """Return all arguments of a verb, and the options that it needs, made of this text."""
    found = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            found.append(text)
        elif parameter.required:
            found += [parameter.opts[-1], text]
    return found


@pytest.mark.parametrize("text", [f"gone{HOSTILE}", f"gone{LONG}"], ids=["steering", "long"])
def test_arguments_of_every_verb(tmp_path: Path, text: str) -> None:
    refused = 0
    for path, command in leaves(cli):
        if path in ANY_TEXT:
            continue
        arguments = asked(command, text)
        code, printed = on_terminal(*path, *arguments, cwd=tmp_path, JAVA_HOME=text.replace("\0", ""))
        check(printed)
        assert bool(arguments) <= (code != 0), path
        refused += code != 0
        assert "Traceback" not in printed, path
    assert refused > 15
    code, printed = on_terminal(f"verb{text}", f"--{text}", cwd=tmp_path)
    check(printed)
    assert code == 2


def hostile_web(folder: Path) -> Web:
    """A small web whose ids, titles, pages, topics and file names steer; of some documents ids are unfit or come twice."""
    web = Web.make(folder, 24)
    web.write()
    # What a run cannot hold is refused as an id.
    topic = "\u202e\u2066"
    lines = []
    for number in range(24):
        page = (folder / "pages" / f"part{number % 3}" / f"page{number:02}.html").read_text()
        page = page.replace("<title>", f"<title>{HOSTILE}").replace("<p>", f"<p>{HOSTILE} ", 1)
        lines.append({"id": f"part{number % 3}/page{number:02}{topic}", "html": page})
        lines.append({"id": f"part{number % 3}/page{number:02}{HOSTILE}", "html": page})
    lines += [{"id": f"a b{HOSTILE}", "html": "unfit"}, lines[0], {"id": f"long{LONG}", "html": "<p>fit"}]
    broken = "{broken" + ESCAPES + "\n"
    (folder / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + broken)
    topics = (folder / "topics.tsv").read_text()
    (folder / "topics.tsv").write_text(re.sub(r"^(\d+)\t", rf"\1{topic}\t{ESCAPES}", topics, flags=re.MULTILINE))
    qrels = (line.split() for line in (folder / "qrels.txt").read_text().splitlines())
    (folder / "qrels.txt").write_text(
        "".join(f"{one}{topic} 0 {document}{topic} {grade}\n" for one, _, document, grade in qrels)
    )
    return web


@pytest.mark.slow
def test_what_verbs_read(tmp_path: Path) -> None:
    web = hostile_web(tmp_path)
    web.write(
        collection='path = "docs.jsonl"',
        sweep='scorer = "words"\ncutoffs = [5, 20]',
        cleaners="",
        experiment=f'name = "web"\ntitle = {json.dumps(HOSTILE)}',
        run="workers = 1",
    )
    topic = (tmp_path / "topics.tsv").read_text().split("\t")[0]
    named = tmp_path / f"pages{HOSTILE}"
    named.mkdir()
    for name in ("one", "two"):
        (named / f"{name}{HOSTILE}.html").write_text(f"<title>{HOSTILE}</title><p>{HOSTILE} barley</p>")
    gold = tmp_path / "gold"
    for kind, text in (("input", f"<p>barley {HOSTILE}</p>"), ("gold", f"<p>barley {HOSTILE}\n")):
        (gold / kind).mkdir(parents=True)
        for name in ("one", "two"):
            (gold / kind / f"{name}{HOSTILE}{'.html' if kind == 'input' else '.txt'}").write_text(text)
    (gold / "input" / f"three{HOSTILE}.html").write_text("<p>no gold")
    for expected, arguments in (
        (0, ("clean", "docs.jsonl", "-c", "words@2", "-o", "cleaned.jsonl", "--escape-ids")),
        (0, ("clean", named, "-c", "words@1", "-o", f"out{HOSTILE}.jsonl")),
        (0, ("index", "cleaned.jsonl", "-o", "index")),
        (0, ("search", "index", "topics.tsv", "-o", f"run{HOSTILE}.trec")),
        (0, ("run", "web.toml", "--full")),
        (0, ("explore", "web.toml", "--full")),
        (0, ("choose", "web.toml", "--full", "--measure", "AP")),
        (0, ("report", "results/web", "--full")),
        (2, ("measure", "web.toml")),
        (0, ("explain", "results/web", topic)),
        (0, ("explain", "results/web")),
        (0, ("evaluate", "qrels.txt", "results/web/runs/none.trec", f"run{HOSTILE}.trec")),
        (0, ("evaluate", "qrels.txt", "results/web/runs/none.trec", "--per-topic")),
        (2, ("explain", "results/web", f"{topic}{HOSTILE}")),
        (0, ("init", named, "--topics", "topics.tsv", "--qrels", "qrels.txt", "-o", "first.toml")),
        (0, ("cleaneval", gold)),
    ):
        code, printed = on_terminal(*arguments, cwd=tmp_path)
        check(printed)
        assert (code, "Traceback" in printed) == (expected, False), (arguments, printed[-1000:])
