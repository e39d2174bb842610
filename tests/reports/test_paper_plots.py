"""The plots of an experiment as files for papers: which there are, in each format, and the same every time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from choice_samples import choice_of
from click.testing import CliRunner
from lxml import etree
from report_samples import BASELINE, large, small
from same_size_samples import families

from thresher.choosing.choices import Choice, write_choice
from thresher.choosing.deciding import Terms
from thresher.choosing.same_size import same_size
from thresher.cli.experiment import report
from thresher.errors import InputError
from thresher.exploring.exploration import write_exploration
from thresher.reports.paper_plots import write_paper_plots
from thresher.results.experiment_results import write_results

OF_RUNS = ["runs-qld", "sweep-qld-words", "topics-qld-words@11", "topics-qld-justext"]
OF_CUTOFFS = [
    "cutoffs-qld",
    *(f"cutoffs-qld-{one}" for one in ("words", "none-dcp", "none-nucleus-mass=mle", "words-dcp")),
]
OF_SIZES = ["same-size-qld-nDCG@10", "same-size-qld-AP"]
BOTH = ("svg", "pdf")


@pytest.fixture(scope="module")
def choice() -> Choice:
    chosen = choice_of(families(), Terms(resamples=200, folds=2, repeats=1))
    found = [same_size(decision, {}, {}) for decision in chosen.decisions]
    return replace(chosen, same_size=tuple(one for one in found if one))


def named(stems: list[str], folder: Path) -> list[Path]:
    return [folder / f"{stem}.{ending}" for stem in stems for ending in BOTH]


def test_every_plot_is_written_in_each_format_and_is_the_same_again(choice: Choice, tmp_path: Path) -> None:
    first, second = (write_paper_plots(small(), choice, tmp_path / name, BOTH) for name in "ab")
    assert first == named([*OF_RUNS, *OF_CUTOFFS, *OF_SIZES], tmp_path / "a")
    assert sorted(first) == sorted((tmp_path / "a").iterdir())
    for path, again in zip(first, second, strict=True):
        data = path.read_bytes()
        assert data == again.read_bytes(), path.name
        if path.suffix == ".svg":
            assert etree.fromstring(data).tag == "{http://www.w3.org/2000/svg}svg"
        else:
            assert data.startswith(b"%PDF-")
    assert len({path.read_bytes() for path in first}) == len(first)


def test_runs_and_a_choice_have_plots_alone_too(choice: Choice, tmp_path: Path) -> None:
    def stems(folder: Path, *given: object) -> list[str]:
        return [path.stem for path in write_paper_plots(*given, folder, ("svg",))]  # type: ignore[arg-type]

    assert stems(tmp_path / "runs", small(), None) == OF_RUNS
    assert stems(tmp_path / "choice", None, choice) == [*OF_CUTOFFS, *OF_SIZES]
    assert stems(tmp_path / "baseline", replace(small(), rows=(BASELINE,)), None) == ["runs-qld"]
    assert stems(tmp_path / "none", None, None) == []
    tested = stems(tmp_path / "held-out", replace(small(), held_out=small()), None)
    assert tested == [OF_RUNS[0], "runs-qld-held-out", *OF_RUNS[1:]]


def test_each_retrieval_model_has_its_own(tmp_path: Path) -> None:
    results = large(topics=6, retrievals=("qld", "qld(exact)"))
    kept = [row for row in results.rows if row.variant in ("none", "justext", "words@3", "words@9")]
    files = write_paper_plots(replace(results, rows=tuple(kept)), None, tmp_path, ("svg",))
    assert len(set(files)) == len(files)
    of_qld, of_exact = files[: len(files) // 2], files[len(files) // 2 :]
    assert of_qld[0].name == "runs-qld.svg"
    assert [path.name.replace("qld-exact", "qld") for path in of_exact] == [path.name for path in of_qld]


def test_a_format_that_is_not_known_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_paper_plots(small(), None, tmp_path, ("eps",))
    assert caught.value.where == str(tmp_path / "runs-qld.eps")
    assert list(tmp_path.iterdir()) == []


def test_the_report_of_a_folder_writes_them_where_it_is_asked_to(choice: Choice, tmp_path: Path) -> None:
    folder, out = tmp_path / "results", tmp_path / "plots"
    folder.mkdir()
    results = replace(small(), key="k")
    write_results(results, folder)
    write_choice(replace(choice, key="k"), folder)
    write_exploration(replace(families(), key="k"), folder)
    done = CliRunner().invoke(report, [str(folder), "--plots", str(out)])
    assert (done.exit_code, done.stderr) == (0, "")
    expected = named([*OF_RUNS, *OF_CUTOFFS, *OF_SIZES], out)
    assert sorted(out.iterdir()) == sorted(expected)
    *_, page, plots = done.stdout.splitlines()
    assert page == f"report: {folder / 'report.html'}"
    assert plots.endswith(f"plots: {out}")
    assert CliRunner().invoke(report, [str(folder)]).stdout.splitlines()[-1] == page
