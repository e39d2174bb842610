"""The plots of an experiment as files for papers: which there are, in each format, and the same every time."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from experiments import NAMES, chosen, made, small
from lxml import etree

from thresher.base.errors import InputError, MissingDependencyError
from thresher.cli.experiment import report
from thresher.experiments.choosing.choices import write_choice
from thresher.experiments.results import Results, write_results
from thresher.reports.chart_data import chart_data
from thresher.reports.drawing import Plot, frontier_plot, variants_plot, write_plots

SVG = "{http://www.w3.org/2000/svg}"
PLOT = frontier_plot(chart_data(small().tables[0]), "a title")


@pytest.fixture(scope="module")
def results() -> Results:
    return made(topics=30)


def test_every_plot_is_written_in_each_format_and_is_the_same_again(results: Results, tmp_path: Path) -> None:
    choice = chosen(results, "none|dcp@0.5")
    first, second = (write_plots(results, choice, tmp_path / name) for name in "ab")
    assert sorted(first) == sorted((tmp_path / "a").iterdir())
    assert [path.stem for path in first[::2]] == ["frontier-qld", "variants-qld", "topics-qld-none-dcp@0.5"]
    for path, again in zip(first, second, strict=True):
        content = path.read_bytes()
        assert content == again.read_bytes(), path.name
        if path.suffix == ".svg":
            assert etree.fromstring(content).tag == f"{SVG}svg"
        else:
            assert content.startswith(b"%PDF-")
    assert len({path.read_bytes() for path in first}) == len(first)


def test_each_retrieval_model_has_its_own(tmp_path: Path) -> None:
    names = {name: share for name, share in NAMES.items() if name in ("none", "words@4", "words@8")}
    files = write_plots(made(names, 6, 6, ("qld", "qld(exact)")), None, tmp_path)
    stems = [path.stem for path in files[::2]]
    assert stems[:2] == ["frontier-qld", "variants-qld"]
    assert stems[3:5] == ["frontier-qld-exact", "variants-qld-exact"]
    assert stems[2].startswith("topics-qld-words@")
    assert len(set(files)) == len(files) == 12


def test_a_baseline_alone_has_no_topics_to_compare(tmp_path: Path) -> None:
    files = write_plots(made({"none": 1.0}, 6), None, tmp_path)
    assert [path.stem for path in files[::2]] == ["frontier-qld", "variants-qld"]


def test_a_plot_is_saved_by_its_ending_and_the_same_every_time(tmp_path: Path) -> None:
    for ending in ("svg", "png", "PNG", "pdf"):
        for name in "ab":
            replace(PLOT).save(tmp_path / f"{name}.{ending}")
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"a\.eps: .* \.svg, \.pdf or \.png"):
        PLOT.save(tmp_path / "a.eps")


def test_without_the_package_that_draws_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingDependencyError, match=r"\[plots\]"):
        Plot(PLOT.spec).svg  # noqa: B018


def test_names_are_only_text_and_ids_are_the_plots_own() -> None:
    name = "a$b$ <script>\x07 日本語 \\frac{ container"
    data = chart_data(small().tables[0])
    points = tuple(replace(point, series=name) for point in data.points)
    plot = variants_plot(replace(data, points=points), name)
    shown = name.replace("\x07", "\N{REPLACEMENT CHARACTER}")
    tree = etree.fromstring(plot.svg.encode())
    texts = ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
    assert texts.count(shown) == 2
    assert not list(tree.iter(f"{SVG}script"))
    assert "exp-nDCG@10" in tree.get("aria-label", "")
    assert "var(--" not in plot.svg
    inside = variants_plot(chart_data(made(topics=6).tables[0])).inside("first")
    assert "var(--series-0)" in inside
    ids = re.findall(r'\bid="([^"]+)"', inside)
    assert ids
    assert all(identifier.startswith("first-") for identifier in ids)
    assert set(re.findall(r"url\(#([^)]+)\)", inside)) <= set(ids)
    assert not re.search(r'(?:href|src)="(?!#)', inside)


@pytest.mark.slow
def test_the_report_of_a_folder_writes_them_where_it_is_asked_to(results: Results, tmp_path: Path) -> None:
    folder, out = tmp_path / "results", tmp_path / "plots"
    folder.mkdir()
    write_results(results, folder)
    write_choice(chosen(results, "none|dcp@0.5"), folder)
    done = CliRunner().invoke(report, [str(folder), "--plots", str(out)])
    assert (done.exit_code, done.stderr) == (0, "")
    assert {"variants-qld.svg", "frontier-qld.pdf"} <= {path.name for path in out.iterdir()}
    *_, page, plots = done.stdout.splitlines()
    assert page == f"report: {folder / 'report.html'}"
    assert plots.endswith(f"plots: {out}")
    assert CliRunner().invoke(report, [str(folder)]).stdout.splitlines()[-1] == page
