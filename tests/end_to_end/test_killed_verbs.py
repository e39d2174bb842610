"""Every verb that writes, killed when its first file is written and not yet in place: the same command then finishes, and
nothing of the killed one stays."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import psutil
import pytest
from commands import begin, thresher
from playing_server import playing
from small_models import write_arpa
from small_web import Finished, leftovers, stamps

COMMANDS = (
    ("explore", "web.toml"),
    ("measure", "web.toml", "--seconds", "0.01"),
    ("index", "indexed.jsonl", "-o", "index"),
    ("lm", "import", "theirs.arpa", "-o", "model"),
)
"""`run`, `clean` and `cleaneval` have such tests of their own; `play`, which is ended by a signal only, below."""
WRITE_NOTHING = (
    ("doctor",),
    ("cleaners",),
    ("pruning-methods",),
    ("evaluate", "qrels.txt", "results/web/runs/none.trec"),
)


@pytest.fixture(scope="module")
def folder(finished: Finished, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished experiment, with documents and a model beside it."""
    web = finished.copied(tmp_path_factory.mktemp("verbs") / "web").web
    text = [f"The rain of day {number} came down on harbour {number * 7}, and did not stop." for number in range(40)]
    write_arpa(web.folder / "theirs.arpa")
    lines = (json.dumps({"id": str(number), "contents": line}) + "\n" for number, line in enumerate(text))
    (web.folder / "indexed.jsonl").write_text("".join(lines))
    return web.folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_of_a_killed_command_stays(folder: Path, command: tuple[str, ...]) -> None:
    assert begin(*command, cwd=folder, kill_at="os.rename").wait().code == -signal.SIGKILL
    assert leftovers(folder)
    done = thresher(*command, cwd=folder)
    assert done.code == 0, done
    assert leftovers(folder) == []


def test_others_write_nothing(folder: Path) -> None:
    before = stamps(folder)
    for command in WRITE_NOTHING:
        done = thresher(*command, cwd=folder)
        assert (done.code, stamps(folder) == before) == (0, True), (command, done)


@pytest.mark.parametrize(("sign", "asked"), [(signal.SIGKILL, True), (signal.SIGTERM, True), (signal.SIGHUP, False)])
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
