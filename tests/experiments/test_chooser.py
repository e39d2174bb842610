"""What is chosen of an experiment's results: measures, terms, families, and new times."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from experiments import NDCG, made
from messages import assert_names

from thresher.base.errors import ConfigError, StateError
from thresher.experiments.chooser import (
    ChooseOptions,
    check_key,
    choose_among,
    last_choice,
    measured_again,
)
from thresher.experiments.choosing.choices import Choice, read_choice
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.savings import Basis
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.results import Results
from thresher.experiments.shell_commands import treatment_commands
from thresher.indexes.pruning.treatments import Treatment, parse_treatment


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    for name in ("pages", "topics", "qrels"):
        (tmp_path / name).touch()
    (tmp_path / "e.toml").write_text(
        '[experiment]\nname = "e"\n[collection]\npath = "pages"\n[topics]\npath = "topics"\n[qrels]\npath = "qrels"\n'
        f'[cleaners]\nnames = ["words@11"]\n[evaluation]\nmeasures = ["P@10", "AP", "{NDCG}", "Judged@10"]\n'
        "[costs]\nmeasured_watts = 100\n"
    )
    return load_experiment(tmp_path / "e.toml")


def chosen(experiment: Experiment, results: Results, folder: Path = Path("results"), **options: Any) -> Choice:
    evaluation = replace(experiment.evaluation, measures=results.measures)
    experiment = replace(experiment, evaluation=evaluation)
    request = ChooseOptions(queries=5000, **options).request(experiment)
    return choose_among(experiment, results, request, folder / experiment.name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measures", "asked", "named", "deciding"),
    [
        (("P@10", "AP", NDCG, "Judged@10"), None, (), (NDCG, "AP")),
        (("P@10", "AP", NDCG), "AP", (), ("AP",)),
        (("P@10", "AP", NDCG), "P@10", (NDCG, "P@10"), ("P@10", NDCG)),
        (("P@10", "AP"), None, (), ("AP",)),
        (("AP", "P@10"), None, (), ("P@10", "AP")),
        (("P@5", "P@10"), None, (), ("P@10",)),
    ],
)
def test_which_measures_decide(
    experiment: Experiment, measures: Sequence[str], asked: str | None, named: tuple[str, ...], deciding: Sequence[str]
) -> None:
    choice = chosen(experiment, made(measures=measures), measure=asked, deciding=named)
    assert choice.measures == deciding
    assert choice.criteria == ChoiceCriteria(deciding=tuple(deciding[1:]))


def test_one_answer_for_each_model(experiment: Experiment) -> None:
    results = made(retrievals=("qld", "bm25"))
    choice = chosen(experiment, results)
    assert [model.retrieval for model in choice.models] == ["qld", "bm25"]
    assert (choice.title, choice.key, choice.queries) == ("e", "key", 5000)
    assert_names(choice.power, "100 W", "measured power", "configured")


def test_the_line_that_builds_names_results_that_are_elsewhere(experiment: Experiment) -> None:
    run = ["thresher", "run", str(experiment.file), "--chosen"]
    choice = chosen(experiment, made())
    assert shlex.split(choice.check) == run
    choice = chosen(experiment, made(), Path("./results"))
    assert shlex.split(choice.check) == run
    choice = chosen(experiment, made(), Path("out/my r"))
    assert shlex.split(choice.check) == [*run, "--results", "out/my r"]


def commands_of(experiment: Experiment, treatment: Treatment) -> tuple[str, ...]:
    return treatment_commands(
        experiment.document, str(experiment.collection.location), treatment, experiment.index.lengths
    )


def test_no_line_names_a_text_that_only_the_experiment_knows(experiment: Experiment) -> None:
    for name in ("text(mine)", "text(mine)+words@2|dcp@0.5"):
        assert commands_of(experiment, parse_treatment(name)) == ()
    # Those of installed packages can be had everywhere.
    clean, _ = commands_of(experiment, parse_treatment("extractor(trafilatura)"))
    assert "extractor(trafilatura)" in shlex.split(clean)


def test_lines_of_pages_in_warc_name_their_ids(experiment: Experiment) -> None:
    """`thresher clean` takes addresses as ids, experiments the records' ids."""
    (experiment.file.parent / "pages").unlink()
    (experiment.file.parent / "pages").mkdir()
    treatment = parse_treatment("words@5")
    assert "--ids" not in commands_of(experiment, treatment)[0]
    (experiment.file.parent / "pages" / "part.warc.gz").touch()
    assert " --ids record " in commands_of(experiment, treatment)[0]
    collection = replace(experiment.document.collection, ids="stem")
    stems = replace(experiment, document=replace(experiment.document, collection=collection))
    assert " --ids stem " in commands_of(stems, treatment)[0]


def test_no_line_leaves_out_pages_in_other_languages(experiment: Experiment) -> None:
    """`--language` of `thresher clean` does; [pages] language only says which abbreviations end no sentence."""
    pages = replace(experiment.document.pages, language="de")
    german = replace(experiment, document=replace(experiment.document, pages=pages))
    assert commands_of(german, parse_treatment("words@5")) == commands_of(experiment, parse_treatment("words@5"))
    assert commands_of(german, parse_treatment("perplexity@100")) == ()


def test_families_that_were_not_explored(experiment: Experiment) -> None:
    choice = chosen(experiment, made())
    assert [walk.steps > 0 for walk in choice.models[0].families] == [False, False, True]
    with pytest.raises(ConfigError, match=r"families: .*density.*\[\[sweep\]\]"):
        chosen(experiment, made(), families=("density", "none|dcp"))


def test_nothing_to_choose_from(experiment: Experiment) -> None:
    with pytest.raises(ConfigError, match="nothing to choose among"):
        chosen(experiment, made({"none": 1.0}))
    with pytest.raises(ConfigError, match="no measure of effectiveness"):
        chosen(experiment, made(measures=("Judged@10",)))
    with pytest.raises(ConfigError, match="'RR'"):
        chosen(experiment, made(), measure="RR")


def test_new_times_change_what_is_saved_and_nothing_else(experiment: Experiment, tmp_path: Path) -> None:
    untimed, timed = made(timed=False), made()
    before = chosen(experiment, untimed)
    (model,) = before.models
    assert model.smallest is not None
    assert model.smallest.savings.basis is Basis.NOT_RUN
    changed = measured_again(before, experiment, timed, tmp_path)
    assert read_choice(tmp_path) == changed
    (now,) = changed.models
    assert now.smallest is not None
    assert now.smallest.savings.basis is Basis.MEASURED
    assert now.smallest.savings.queries == 5000
    assert replace(now.smallest, savings=model.smallest.savings) == model.smallest
    assert (now.families, now.conservative_families) == (model.families, model.conservative_families)
    # The same times change nothing, and nothing is written.
    written = (tmp_path / "choice.json").stat().st_mtime_ns
    assert measured_again(changed, experiment, timed, tmp_path) == changed
    assert (tmp_path / "choice.json").stat().st_mtime_ns == written
    assert last_choice(tmp_path, "key") == changed
    assert last_choice(tmp_path, "other") is None


def test_results_of_something_else_are_refused(experiment: Experiment, tmp_path: Path) -> None:
    check_key("key", "key", experiment, tmp_path, "explore")
    for folder, option in ((Path("results"), ""), (tmp_path, f" --results {tmp_path}")):
        with pytest.raises(StateError) as caught:
            check_key("key", "other", experiment, folder / "web" / "results.json", "explore")
        assert caught.value.fix == f"run `thresher explore {experiment.file}{option}` again"
