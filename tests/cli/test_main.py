"""The command as a whole: its name, its version, completion, and options that experiment files have too."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest

from thresher import __version__
from thresher.base.defaults import DEFAULT_CLEANER
from thresher.cli.main import cli, main
from thresher.experiments.schema import tables


def module(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "thresher", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.mark.slow
def test_python_m_is_called_thresher() -> None:
    done = module("--version")
    assert (done.returncode, done.stdout) == (0, f"thresher, version {__version__}\n")
    done = module("clean", "-h")
    assert done.stdout.startswith("Usage: thresher clean [OPTIONS] INPUT\n")
    done = module("polish")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    for fact in ("'polish'", "Fix: ", "`thresher --help`"):
        assert fact in done.stderr


def test_it_is_called_thresher_whatever_started_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["/elsewhere/pytest", "run"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(" Fix: see `thresher run --help`.\n")


@pytest.mark.slow
def test_shells_complete_verbs_and_options() -> None:
    script = module(_THRESHER_COMPLETE="bash_source").stdout
    assert "_THRESHER_COMPLETE=bash_complete" in script
    assert script.rstrip().endswith("_thresher_completion_setup;")
    verbs = module(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher cle", COMP_CWORD="1").stdout
    assert set(verbs.split()) == {"plain,clean", "plain,cleaners", "plain,cleaneval"}
    options = module(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher index --stem", COMP_CWORD="2").stdout
    assert options == "plain,--stemmer\n"
    cleaners = module(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher clean x -c co", COMP_CWORD="4").stdout
    assert cleaners == f"plain,{DEFAULT_CLEANER}\n"


def test_without_a_verb_there_is_help() -> None:
    done = module()
    assert (done.returncode, done.stdout, done.stderr) == (0, module("--help").stdout, "")


@pytest.mark.parametrize(
    ("verb", "table", "names"),
    [
        ("clean", "collection", ["format", "max_page_mib", "page_seconds", "escape_ids", "id_field"]),
        ("clean", "pages", ["blocks"]),
        ("advise", "collection", ["ids", "prefix", "id_pattern", "max_page_mib", "page_seconds"]),
        ("index", "index", ["positions", "stored", "vectors", "stemmer"]),
        ("search", "retrieval", ["depth"]),
        ("search", "topics", ["field"]),
        ("evaluate", "evaluation", ["test", "correction", "alpha"]),
        ("cleaneval", "evaluation", ["test", "correction", "alpha"]),
    ],
)
def test_options_have_the_defaults_of_experiment_files(verb: str, table: str, names: list[str]) -> None:
    options = {option.name: option for option in cli.commands[verb].params}
    for name in names:
        key, option = tables()[table].keys[name], options[name]
        assert isinstance(option, click.Option)
        assert option.default == ((key.default,) if key.of_texts else key.default)
        assert (option.help or "").casefold().startswith(key.meaning.casefold())


@pytest.mark.parametrize("name", [*tables()["choose"].keys])
def test_options_of_choosing_are_those_of_experiment_files(name: str) -> None:
    """All guards, and none has a value of its own where the file's counts."""
    options = {option.name: option for option in cli.commands["choose"].params}
    key, option = tables()["choose"].keys[name], options[name]
    assert isinstance(option, click.Option)
    assert not option.default or option.multiple
    assert (option.help or "").casefold().startswith(key.meaning.casefold())
