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
from thresher.reports.chart_rows import variants_of
from thresher.reports.charts import topics
from thresher.reports.drawing import Plot, all_plot, chart_library, converter, write_plots

PLOTS = ["variants-qld", "families-qld", "sweep-qld-words", "sweep-qld-none-dcp", "sweep-qld-words@5-dcp"]
BOTH = ("svg", "pdf")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def results() -> Results:
    return made(topics=12)


def test_every_plot_is_written_in_each_format_and_is_the_same_again(results: Results, tmp_path: Path) -> None:
    choice = chosen(results, "none|dcp@0.5")
    first, second = (write_plots(results, choice, tmp_path / name) for name in "ab")
    assert sorted(first) == sorted((tmp_path / "a").iterdir())
    stems = [path.stem for path in first[::2]]
    assert [stem for stem in stems if not stem.startswith("topics")] == PLOTS
    assert len(stems) == len(PLOTS) + 5
    for path, again in zip(first, second, strict=True):
        data = path.read_bytes()
        assert data == again.read_bytes(), path.name
        if path.suffix == ".svg":
            assert etree.fromstring(data).tag == f"{SVG}svg"
        else:
            assert data.startswith(b"%PDF-")
    assert len({path.read_bytes() for path in first}) == len(first)


def test_each_retrieval_model_and_held_out_topics_have_their_own(tmp_path: Path) -> None:
    names = {name: share for name, share in NAMES.items() if name in ("none", "words@4", "words@8")}
    files = write_plots(made(names, 6, 6, ("qld", "qld(exact)")), None, tmp_path)
    stems = [path.stem for path in files[::2]]
    assert stems[: len(stems) // 2] == [
        *("variants-qld", "variants-qld-held-out", "sweep-qld-words"),
        *(stem for stem in stems[: len(stems) // 2] if stem.startswith("topics-qld-words@")),
    ]
    assert [stem.replace("qld-exact", "qld") for stem in stems[len(stems) // 2 :]][:3] == stems[:3]
    assert len(set(files)) == len(files)


def test_only_a_baseline_has_a_plot(tmp_path: Path) -> None:
    files = write_plots(made({"none": 1.0}, 6), None, tmp_path)
    assert [path.name for path in files] == ["variants-qld.svg", "variants-qld.pdf"]


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
    with pytest.raises(MissingDependencyError, match=r"\[plots\]"):
        Plot(topics("AP")).svg  # noqa: B018


def test_names_are_only_text_and_ids_are_the_plots_own() -> None:
    name = "a$b$ <script>\x07 日本語 \\frac{ container"
    model = variants_of(small().tables[0])
    rows = tuple({**row, "sweep": name} for row in model.rows)
    plot = all_plot(replace(model, rows=rows), title=name)
    shown = name.replace("\x07", "\N{REPLACEMENT CHARACTER}")
    tree = etree.fromstring(plot.svg.encode())
    texts = ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
    assert texts.count(shown) == 2
    assert not list(tree.iter(f"{SVG}script"))
    assert tree.get("aria-label") == "postings against exp-nDCG@10: a line for each sweep"
    assert "var(--" not in plot.svg
    inside = all_plot(variants_of(made(topics=6).tables[0])).inside("one")
    assert "var(--series-0)" in inside
    ids = re.findall(r'\bid="([^"]+)"', inside)
    assert ids
    assert all(one.startswith("one-") for one in ids)
    assert set(re.findall(r"url\(#([^)]+)\)", inside)) <= set(ids)
    assert not re.search(r'(?:href|src)="(?!#)', inside)


def test_frontiers_do_not_fall_between_sizes_that_are_equal_once_rounded() -> None:
    model = variants_of(made(topics=6).tables[0])
    line = next(row for row in model.rows if row["line"])
    steps = {30: 0.4, 10: 0.2, 20: 0.3}
    rows = [{**line, "name": f"{size}", "size": size, "share": 1.0, "mean": mean} for size, mean in steps.items()]
    plot = all_plot(replace(model, rows=tuple({**row, "best": True} for row in rows)), "family")
    (path,) = re.findall(r'<path d="([^"]+)" stroke=', plot.svg)
    heights = [float(y) for y in re.findall(r"[ML][\d.]+,([\d.]+)", path)]
    assert len(set(heights)) == 3
    assert heights == sorted(heights, reverse=True)


def test_the_report_of_a_folder_writes_them_where_it_is_asked_to(results: Results, tmp_path: Path) -> None:
    folder, out = tmp_path / "results", tmp_path / "plots"
    folder.mkdir()
    write_results(results, folder)
    write_choice(chosen(results, "none|dcp@0.5"), folder)
    done = CliRunner().invoke(report, [str(folder), "--plots", str(out)])
    assert (done.exit_code, done.stderr) == (0, "")
    assert {"variants-qld.svg", "families-qld.pdf"} <= {path.name for path in out.iterdir()}
    *_, page, plots = done.stdout.splitlines()
    assert page == f"report: {folder / 'report.html'}"
    assert plots.endswith(f"plots: {out}")
    assert CliRunner().invoke(report, [str(folder)]).stdout.splitlines()[-1] == page


def test_the_library_is_bundled_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = chart_library.__wrapped__
    monkeypatch.setenv("THRESHER_CACHE", str(tmp_path / "cache"))
    script = bundle()
    (kept,) = (tmp_path / "cache").iterdir()
    assert (kept.name, kept.read_bytes()) == (f"vega-{converter().__version__}.js", script.encode())
    monkeypatch.setattr(converter(), "javascript_bundle", None)
    assert bundle() == script
    monkeypatch.undo()
    # Nothing can be kept below a file.
    monkeypatch.setenv("THRESHER_CACHE", str(kept))
    assert bundle() == script
