"""The plots of an experiment as files for papers: which there are, in each format, and the same every time."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from choice_samples import choice_of
from click.testing import CliRunner
from lxml import etree
from report_samples import BASELINE, large, small
from same_size_samples import families
from thresher.exploring.exploration import write_exploration
from thresher.results.experiment_results import Results, write_results

from thresher.choosing.choices import Choice, write_choice
from thresher.choosing.deciding import Terms
from thresher.choosing.same_size import same_size
from thresher.cli.experiment import report
from thresher.errors import InputError, MissingDependencyError
from thresher.reports.chart_rows import of_results
from thresher.reports.charts import topics
from thresher.reports.drawing import Plot
from thresher.reports.plot_files import all_plot, write_plots

OF_RUNS = ["runs-qld", "topics-qld-words@11", "topics-qld-justext"]
OF_CUTOFFS = [
    "cutoffs-qld",
    *(f"cutoffs-qld-{one}" for one in ("words", "none-dcp", "none-nucleus-mass=mle", "words-dcp")),
]
OF_SIZES = ["same-size-qld-nDCG@10", "same-size-qld-AP"]
BOTH = ("svg", "pdf")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def choice() -> Choice:
    chosen = choice_of(families(), Terms(resamples=200, folds=2, repeats=1))
    found = [same_size(decision, {}, {}) for decision in chosen.decisions]
    return replace(chosen, same_size=tuple(one for one in found if one))


def named(stems: list[str], folder: Path) -> list[Path]:
    return [folder / f"{stem}.{ending}" for stem in stems for ending in BOTH]


def test_every_plot_is_written_in_each_format_and_is_the_same_again(choice: Choice, tmp_path: Path) -> None:
    first, second = (write_plots(small(), choice, tmp_path / name) for name in "ab")
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


def test_runs_have_plots_alone_too(tmp_path: Path) -> None:
    def stems(folder: str, results: Results) -> list[str]:
        return [path.stem for path in write_plots(results, None, tmp_path / folder)][::2]

    assert stems("runs", small()) == OF_RUNS
    assert stems("baseline", replace(small(), rows=(BASELINE,))) == ["runs-qld"]
    tested = stems("held-out", replace(small(), held_out=small()))
    assert tested == [OF_RUNS[0], "runs-qld-held-out", *OF_RUNS[1:]]


def test_each_retrieval_model_has_its_own(tmp_path: Path) -> None:
    results = large(topics=6, retrievals=("qld", "qld(exact)"))
    kept = [row for row in results.rows if row.variant in ("none", "justext", "words@4", "words@8")]
    files = write_plots(replace(results, rows=tuple(kept)), None, tmp_path)
    assert len(set(files)) == len(files)
    of_qld, of_exact = files[: len(files) // 2], files[len(files) // 2 :]
    assert [path.name for path in of_qld[:3:2]] == ["runs-qld.svg", "sweep-qld-words.svg"]
    assert [path.name.replace("qld-exact", "qld") for path in of_exact] == [path.name for path in of_qld]


def test_a_plot_is_saved_by_its_ending_and_the_same_every_time(tmp_path: Path) -> None:
    rows = [{"rank": 1, "difference": 0.5}, {"rank": 2, "difference": -0.5}]
    for ending in ("svg", "png", "PNG", "pdf"):
        for name in "ab":
            Plot(topics("AP"), rows, "a title").save(tmp_path / f"{name}.{ending}")
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError) as caught:
        Plot(topics("AP"), rows).save(tmp_path / "a.eps")
    assert str(caught.value) == (
        f"{tmp_path / 'a.eps'}: a plot is written as SVG, PDF or PNG. Fix: end the file name in .svg, .pdf or .png."
    )


def test_without_the_package_that_draws_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingDependencyError, match=r"thresher\[plots\]"):
        Plot(topics("AP")).svg  # noqa: B018


def test_names_are_only_text_and_ids_are_the_plots_own() -> None:
    name = "a$b$ <script>\x07 日本語 \\frac{ container"
    rows = [row if row.variant != "words@11" else replace(row, variant=name, sweep=name) for row in small().rows]
    model = of_results(replace(small(), rows=tuple(rows)), "qld")
    plot = all_plot(model, title=name)
    shown = name.replace("\x07", "\N{REPLACEMENT CHARACTER}")
    tree = etree.fromstring(plot.svg.encode())
    texts = ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
    assert shown in texts
    assert not list(tree.iter(f"{SVG}script"))
    assert tree.get("aria-label") == "index size against nDCG@10: a line for each sweep"
    assert "var(--" not in plot.svg
    inside = all_plot(of_results(large(topics=6), "qld")).inside("one")
    assert "var(--series-0)" in inside
    ids = re.findall(r'\bid="([^"]+)"', inside)
    assert ids
    assert all(one.startswith("one-") for one in ids)
    assert set(re.findall(r"url\(#([^)]+)\)", inside)) <= set(ids)
    assert not re.search(r'(?:href|src)="(?!#)', inside)


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
