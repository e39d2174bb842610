"""The plots of an experiment as files for papers: which there are, in each format, and the same every time."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from experiments import made, small
from lxml import etree

from thresher.choosing.choices import Choice
from thresher.errors import InputError, MissingDependencyError
from thresher.reports.chart_rows import variants_of
from thresher.reports.charts import topics
from thresher.reports.drawing import Plot
from thresher.reports.plot_files import all_plot, write_plots
from thresher.variants.results import Results

SVG = "{http://www.w3.org/2000/svg}"


def stems(paths: list[Path]) -> list[str]:
    assert [path.suffix for path in paths] == [".svg", ".pdf"] * (len(paths) // 2)
    return [path.stem for path in paths][::2]


def test_every_plot_is_written_in_each_format_and_is_the_same_again(
    judged: Results, choice: Choice, tmp_path: Path
) -> None:
    results = replace(judged, tables=judged.tables[:1])
    first, second = (write_plots(results, choice, tmp_path / name) for name in "ab")
    assert stems(first) == [
        *("variants-qld", "variants-qld-held-out", "families-qld"),
        *("sweep-qld-words", "sweep-qld-none-dcp", "sweep-qld-words@5-dcp"),
        *("topics-qld-words@16", "topics-qld-bte", "topics-qld-justext"),
    ]
    assert sorted(first) == sorted((tmp_path / "a").iterdir())
    for path, again in zip(first, second, strict=True):
        data = path.read_bytes()
        assert data == again.read_bytes(), path.name
        if path.suffix == ".svg":
            assert etree.fromstring(data).tag == f"{SVG}svg"
        else:
            assert data.startswith(b"%PDF-")
    assert len({path.read_bytes() for path in first}) == len(first)


def test_each_retrieval_model_has_its_own(tmp_path: Path) -> None:
    names = {"none": 1.0, "words@4": 0.9, "words@8": 0.6, "justext": 0.3}
    found = stems(write_plots(made(names, topics=6, retrievals=("qld", "qld(exact)")), None, tmp_path))
    assert found[:2] == ["variants-qld", "sweep-qld-words"]
    assert [stem.replace("qld-exact", "qld") for stem in found[len(found) // 2 :]] == found[: len(found) // 2]
    assert len(set(found)) == len(found)


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
    model = variants_of(small().tables[0])
    hostile = replace(model, rows=tuple({**row, "name": name, "sweep": name} for row in model.rows))
    plot = all_plot(hostile, title=name)
    shown = name.replace("\x07", "\N{REPLACEMENT CHARACTER}")
    tree = etree.fromstring(plot.svg.encode())
    assert shown in ["".join(text.itertext()) for text in tree.iter(f"{SVG}text")]
    assert not list(tree.iter(f"{SVG}script"))
    assert "var(--" not in plot.svg
    inside = all_plot(variants_of(made(topics=6).tables[0])).inside("one")
    assert "var(--series-0)" in inside
    ids = re.findall(r'\bid="([^"]+)"', inside)
    assert ids
    assert all(one.startswith("one-") for one in ids)
    assert set(re.findall(r"url\(#([^)]+)\)", inside)) <= set(ids)
    assert not re.search(r'(?:href|src)="(?!#)', inside)
