"""Texts of pages from files: variants like any other, and misfits are counted."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from messages import assert_names

import thresher
from thresher.base.errors import ConfigErrors, InputError, StateError
from thresher.cleaners.cleaner import parse_cleaner
from thresher.experiments.config import load_experiment
from thresher.experiments.inputs import Scored, score_experiment
from thresher.scores.cutting import cleaned_documents

TEXTS = {"a": "Rain  fell.\nThen wind.", "b": "", "x": "of no page"}
EXPERIMENT = """
experiment.name = "one"
collection.path = "pages"
topics.path = "topics.tsv"
qrels.path = "qrels.txt"
cleaners.names = ["text(mine)+words@2", "text(mine)|dcp@0.5", "words@3"]
text = [{ name = "mine", path = "PATH" }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    for name in "abc":
        (tmp_path / "pages" / f"{name}.html").write_text(f"<p>The page {name}")
    (tmp_path / "topics.tsv").write_text("1\train\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "mine.jsonl").write_text(
        "".join(json.dumps({"id": name, "contents": text}) + "\n" for name, text in TEXTS.items())
    )
    pq.write_table(pa.table({"id": [*TEXTS], "contents": [*TEXTS.values()]}), tmp_path / "mine.parquet")
    return tmp_path


def scored(folder: Path, file: str) -> Scored:
    (folder / "one.toml").write_text(EXPERIMENT.replace("PATH", file))
    return score_experiment(load_experiment(folder / "one.toml"), folder / "results" / file, False, lambda _: None)


@pytest.mark.parametrize("file", ["mine.jsonl", "mine.parquet"])
def test_a_text_of_a_file_is_a_variant_and_what_does_not_fit_is_said(folder: Path, file: str) -> None:
    found = scored(folder, file)
    experiment = load_experiment(folder / "one.toml")
    names = ["none", "text(mine)+words@2", "text(mine)|dcp@0.5", "words@3", "text(mine)"]
    assert [variant.name for variant in experiment.variants] == names
    for name, expected in (
        ("text(mine)", ["Rain fell.\nThen wind.", "", ""]),
        ("text(mine)+words@2", ["Rain fell.\nThen wind.", "", ""]),
        ("words@3", ["The page a", "The page b", "The page c"]),
    ):
        assert [page.text for page in cleaned_documents(found.store, parse_cleaner(name))] == expected
    assert [(one.about, one.count, one.ids) for one in found.inputs.notices] == [
        ("without text", 1, ("c (text(mine))",)),
        ("without page", 1, ("x (text(mine))",)),
    ]
    (line,) = (folder / "results" / file / "failures.jsonl").read_text().splitlines()
    assert json.loads(line)["id"] == "c"
    if file == "mine.jsonl":
        # Another text needs other scores.
        (folder / file).write_text('{"id": "a", "contents": "Snow."}\n')
        with pytest.raises(StateError) as changed:
            scored(folder, file)
        assert "(changed: scorers)" in changed.value.what


def test_a_name_with_a_space_is_one_word_in_its_run(folder: Path) -> None:
    tables = EXPERIMENT.replace('name = "mine"', 'name = "my own"').replace("text(mine)", "text(my own)")
    (folder / "one.toml").write_text(tables.replace("PATH", "mine.jsonl"))
    (folder / "pages" / "a.html").write_text("<p>Rain on the page a")
    results = thresher.run(folder / "one.toml", folder / "results", folder / "indexes", seconds=0)
    assert "text(my own)+words@2" in [row.name for row in results.table().rows]
    runs = [*(folder / "results" / "one" / "runs").glob("*my*.trec")]
    tags = {line.split()[5] for path in runs for line in path.read_text().splitlines()}
    assert tags >= {"text(my_own)", "text(my_own)+words@2"}


def test_errors_of_texts(folder: Path) -> None:
    (folder / "mine.jsonl").write_text('{"id": "z", "contents": "Snow."}\n')
    with pytest.raises(InputError) as error:
        scored(folder, "mine.jsonl")
    assert_names(error.value.what, "no text", "page")
    (folder / "mine.jsonl").write_text('{"id": "a", "contents": "Snow."}\n' * 2)
    (folder / "results" / "mine.jsonl").rename(folder / "before")
    with pytest.raises(InputError):
        scored(folder, "mine.jsonl")
    file = folder / "one.toml"
    file.write_text(EXPERIMENT.replace("PATH", "lost.jsonl"))
    with pytest.raises(ConfigErrors, match=r"there is no .*lost\.jsonl"):
        load_experiment(file)
    file.write_text(EXPERIMENT.replace("PATH", "mine.jsonl").replace("text(mine)+", "text(other)+"))
    with pytest.raises(ConfigErrors) as unknown:
        load_experiment(file)
    assert_names(unknown.value, "[[text]]", "text(other)")
