"""Every verb that writes, killed when its first file is written and not yet in place: the same command then finishes, and
nothing of the killed one stays."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from commands import SHORT_LIVED_JAVA, begin, thresher
from small_models import write_arpa
from small_web import Finished, leftovers, stamps

pytestmark = pytest.mark.slow

COMMANDS = (
    ("explore", "web.toml"),
    ("measure", "web.toml", "--seconds", "0.01"),
    ("index", "indexed.jsonl", "-o", "index"),
    ("play", "pages", "-o", "try.html"),
    ("lm", "import", "theirs.arpa", "-o", "model"),
)
"""`run`, `clean` and `cleaneval` have such tests of their own."""
LINKED = "density@8+repeated(share)@0.9|weights(title=8,headings=2,anchors=1)|dcp@0.45"
TREATED = ("index", "pages", "-t", LINKED, "-o", "treated", "--workers", "1")
"""Its first file is removed while the texts and links of the whole collection are counted."""
KILLED = [*((command, "os.rename") for command in COMMANDS), (TREATED, "os.remove")]
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


@pytest.mark.parametrize(("command", "moment"), KILLED, ids=[" ".join(command) for command, _ in KILLED])
def test_nothing_of_a_killed_command_stays(folder: Path, command: tuple[str, ...], moment: str) -> None:
    assert begin(*command, cwd=folder, kill_at=moment, **SHORT_LIVED_JAVA).wait().code == -signal.SIGKILL
    assert leftovers(folder)
    assert not (folder / "treated").exists()
    done = thresher(*command, cwd=folder)
    assert done.code == 0, done
    assert leftovers(folder) == []


def test_others_write_nothing(folder: Path) -> None:
    before = stamps(folder)
    for command in WRITE_NOTHING:
        done = thresher(*command, cwd=folder)
        assert (done.code, stamps(folder) == before) == (0, True), (command, done)
