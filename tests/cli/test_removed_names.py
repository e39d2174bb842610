"""Commands, options and results of version 0.2: each ends in one error line with the fix."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from samples.commands import thresher

from thresher.base import removed
from thresher.base.errors import ConfigError
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.registry import scorers
from thresher.cli.main import cli
from thresher.experiments.schema import tables
from thresher.indexes.pruning.treatments import methods, parse_treatment

ROOT = Path(__file__).parents[2]
NAMES = Path(__file__).with_name("names_of_0_2.tsv")
"""Every name of 0.2.0 and of the versions after it until 0.3, with its kind; options of removed commands and keys of removed
tables are left out."""
EXPERIMENT = """[experiment]
name = "small"

[collection]
path = "pages"
{}
[topics]
path = "topics.tsv"

[qrels]
path = "qrels.txt"
"""


def earlier_names(kind: str) -> set[str]:
    names = set()
    for line in NAMES.read_text(encoding="utf-8").splitlines():
        line_kind, name = line.split("\t")
        if line_kind == kind:
            names.add(name)
    assert names
    return names


def command_names(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    commands: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        commands[prefix + name] = command
        if isinstance(command, click.Group):
            commands |= command_names(command, f"{prefix}{name} ")
    return commands


def test_no_removed_command_is_forgotten() -> None:
    assert earlier_names("command") - command_names(cli).keys() == removed.COMMANDS.keys()


def test_no_removed_option_is_forgotten() -> None:
    options = {"--version"}
    for name, command in command_names(cli).items():
        for parameter in command.params:
            options |= {f"{name} {option}" for option in parameter.opts}
    assert earlier_names("option") - options == {" ".join(names) for names in removed.OPTIONS}


def test_no_removed_key_is_forgotten() -> None:
    keys = set(tables())
    for name, table in tables().items():
        keys |= {f"{name}.{key}" for key in table.keys}
    assert earlier_names("key") - keys == removed.KEYS.keys()


def test_no_removed_scorer_is_forgotten() -> None:
    assert earlier_names("scorer") - {*scorers(), "pages(perplexity)"} == removed.SCORERS.keys()


def test_no_removed_pruning_method_is_forgotten() -> None:
    assert earlier_names("pruning method") - methods().keys() == removed.PRUNING_METHODS.keys()


def test_scripts_that_replace_a_name_exist() -> None:
    fixes = " ".join([*removed.COMMANDS.values(), *removed.OPTIONS.values(), *removed.SCORERS.values()])
    scripts = set(re.findall(r"(?:scripts|examples)/[\w/]+(?:\.py)?", fixes))
    assert len(scripts) > 5
    assert [script for script in sorted(scripts) if not (ROOT / script).exists()] == []


@pytest.mark.parametrize(("command", "option"), [*removed.OPTIONS])
def test_a_removed_option_says_what_to_use(command: str, option: str) -> None:
    done = thresher(*command.split(), option)
    fix = removed.OPTIONS[command, option]
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: thresher {command}: {removed.removed_text(option)}. Fix: {fix}.\n"


@pytest.mark.parametrize("command", [*removed.COMMANDS])
def test_a_removed_command_says_what_to_use(command: str) -> None:
    done = thresher(*command.split())
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {removed.removed_text(f'`thresher {command}`')}. Fix: {removed.COMMANDS[command]}.\n"


@pytest.mark.parametrize("key", [*removed.KEYS])
def test_a_removed_key_says_what_to_use(tmp_path: Path, key: str) -> None:
    table, _, name = key.partition(".")
    if not name:
        text = EXPERIMENT.format("") + f"[[{table}]]\n"
        removed_name = f"the table [{table}]"
    elif table == "collection":
        text = EXPERIMENT.format(f"{name} = 1")
        removed_name = f"the key '{name}' of [{table}]"
    else:
        text = EXPERIMENT.format("") + f"[{table}]\n{name} = 1\n"
        removed_name = f"the key '{name}' of [{table}]"
    (tmp_path / "pages").mkdir()
    (tmp_path / "topics.tsv").write_text("1\toats\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "small.toml").write_text(text)
    done = thresher("explore", "small.toml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    (line,) = done.errors
    assert line.endswith(f": {removed.removed_text(removed_name)}. Fix: {removed.KEYS[key]}.")


@pytest.mark.parametrize("scorer", [*removed.SCORERS])
def test_a_removed_scorer_says_what_to_use(scorer: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_cleaner(f"{scorer}@1")
    assert (refused.value.what, refused.value.fix) == (removed.removed_text(repr(scorer)), removed.SCORERS[scorer])


@pytest.mark.parametrize("method", [*removed.PRUNING_METHODS])
def test_a_removed_pruning_method_says_what_to_use(method: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_treatment(f"none|{method}@1")
    fix = removed.PRUNING_METHODS[method]
    assert (refused.value.what, refused.value.fix) == (removed.removed_text(repr(method)), fix)


@pytest.mark.parametrize("verb", ["report", "play", "explain"])
def test_results_of_version_0_2_say_how_to_make_them_again(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"format": "thresher-results", "version": 1, "experiment": "web", "variants": []}))
    output = ("-o", tmp_path / "try.html") if verb == "play" else ()
    done = thresher(verb, tmp_path, *output)
    assert (done.code, done.out) == (5, "")
    (line,) = done.errors
    what, _, fix = line.partition(" Fix: ")
    assert what.startswith(f"error: {path}: ")
    assert "version 1" in what
    assert "`thresher explore FILE`" in fix
    assert "`thresher run FILE`" in fix
    assert "--fresh" in fix
    assert [*tmp_path.iterdir()] == [path]
