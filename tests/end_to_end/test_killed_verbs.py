"""Every verb that writes, killed when its first file is written and not yet in place: the same command then finishes, and
nothing of the killed one stays."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import click
import psutil
import pytest
from commands import begin, thresher
from playing_server import playing
from small_web import Finished, leftovers

from thresher.cli.main import cli

COMMANDS = (
    ("explore", "web.toml"),
    ("choose", "web.toml"),
    ("report", "results/web"),
    ("explain", "results/web", "--pages"),
    ("measure", "web.toml", "--seconds", "0.01"),
    ("index", "indexed.jsonl", "-o", "index"),
    ("search", "indexes/web/none", "topics.tsv", "-o", "web.trec"),
    ("init", "pages", "--topics", "topics.tsv", "--qrels", "qrels.txt", "-o", "first.toml"),
    ("pseudo-topics", "pages", "-o", "made"),
    ("lm", "train", "text.txt", "-o", "model"),
    ("lm", "import", "small.arpa", "-o", "imported"),
    ("ncleaner", "train", "gold/GoldStandard", "gold/input", "-o", "m.ncleaner"),
    ("content", "train", "gold", "-o", "m.json", "--trees", "1", "--folds", "2"),
    ("study", "gold", "-o", "study", "--folds", "2"),
    ("classify", "classes", "-c", "words@5", "-o", "classified"),
)
ELSEWHERE = {("run",), ("clean",), ("cleaneval",), ("play",)}
"""They have such tests of their own; `play`, which is ended by a signal only, below."""
WRITE_NOTHING = (
    ("doctor",),
    ("cleaners",),
    ("pruning-methods",),
    ("lm", "score", "books", "text.txt"),
    ("evaluate", "qrels.txt", "results/web/runs/none.trec"),
)


def verbs(command: click.Command, name: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give every verb by its words."""
    if not isinstance(command, click.Group):
        yield name
        return
    for word, inner in command.commands.items():
        yield from verbs(inner, (*name, word))


def test_no_verb_is_left_out() -> None:
    tested = {name for name in verbs(cli) for given in (*COMMANDS, *WRITE_NOTHING) if given[: len(name)] == name}
    assert tested | ELSEWHERE == {*verbs(cli)}
    assert tested.isdisjoint(ELSEWHERE)


@pytest.fixture(scope="module")
def folder(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished experiment, with gold, classes, text and a model beside it."""
    web = finished.copied(tmp_path_factory.mktemp("verbs") / "web").web
    for name in ("input", "GoldStandard"):
        (web.folder / "gold" / name).mkdir(parents=True)
    text = [f"The rain of day {number} came down on harbour {number * 7}, and did not stop." for number in range(40)]
    (web.folder / "text.txt").write_text("\n".join(text))
    for number, line in enumerate(text[:12]):
        menu = "<ul>" + "<li><a href='/'>Home</a></li>" * 5 + "</ul>"
        page = f"<title>Rain</title>{menu}<p>{line} {line}</p><p>Menu</p>"
        (web.folder / "gold" / "input" / f"{number}.html").write_text(page)
        (web.folder / "gold" / "GoldStandard" / f"{number}.txt").write_text(f"{line} {line}\n")
        place = web.folder / "classes" / f"class{number % 2}" / f"site{number % 3}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.html").write_text(page)
    lines = (json.dumps({"id": str(number), "contents": line}) + "\n" for number, line in enumerate(text))
    (web.folder / "indexed.jsonl").write_text("".join(lines))
    assert thresher("lm", "train", "text.txt", "-o", "small", cwd=web.folder).code == 0
    shutil.copy(web.folder / "small" / "model.arpa", web.folder / "small.arpa")
    return web.folder


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_of_a_killed_command_stays(folder: Path, command: tuple[str, ...]) -> None:
    assert begin(*command, cwd=folder, kill_at="os.rename").wait().code == -signal.SIGKILL
    assert leftovers(folder)
    done = thresher(*command, cwd=folder)
    assert done.code == 0, done
    assert leftovers(folder) == []


@pytest.mark.parametrize("command", WRITE_NOTHING, ids=" ".join)
def test_others_have_nothing_to_leave(folder: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    steps = tmp_path / "steps"
    done = begin(*command, cwd=folder, steps=steps).wait()
    assert (done.code, steps.read_text()) == (0, ""), done


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("asked", [True, False])
def test_a_killed_server_leaves_neither_files_nor_processes(tmp_path: Path, sign: signal.Signals, asked: bool) -> None:
    """Before its first page, and with the process that reads pages."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "rain.html").write_text("<p>Rain is expected in the north tonight.</p>")
    (tmp_path / "temporary").mkdir()
    with playing("pages", cwd=tmp_path, end=-sign, TMPDIR=str(tmp_path / "temporary")) as server:
        if asked:
            assert server.ask("/api/page?id=rain").status == 200
        readers = psutil.Process(server.process.pid).children(recursive=True)
        assert bool(readers) == asked
        server.process.send_signal(sign)
    assert psutil.wait_procs(readers)[1] == []
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pages", "rain.html", "temporary"]
