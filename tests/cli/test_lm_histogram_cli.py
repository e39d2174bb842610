"""The verb `thresher lm histogram`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from thresher.cli.lm import histogram

from thresher.api import clean_collection
from thresher.errors import ConfigError
from thresher.language_models.words.training import Plan, train

PAGE = (
    "<title>Barley {0}</title><p>The barley of the year {0} stands in field {1}. It is cut in July.</p><div>Home</div>"
)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for place in range(20):
        (folder / f"page {place}.html").write_text(PAGE.format(1900 + place, place % 3), encoding="utf-8")
    return folder


def test_tables_plot_and_csv(pages: Path, tmp_path: Path) -> None:
    plot, table = tmp_path / "x.png", tmp_path / "x.csv"
    done = CliRunner().invoke(
        histogram, ["books", str(pages), "--plot", str(plot), "--csv", str(table), "--workers", "1"]
    )
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Perplexities of 80 sentences with 360 words; 0 sentences have no word for the model" in " ".join(
        done.stdout.split()
    )
    assert "The barley of the year" in done.stdout
    assert "reference text" not in done.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")
    with table.open(encoding="utf-8", newline="") as handle:
        rows = {(row["kind"], row["at"]): row for row in csv.DictReader(handle)}
    # The percentiles by words are what cutoffs of these names come to; a removed share is what a cutoff removes.
    (tmp_path / "plain").mkdir()
    for page in pages.iterdir():
        (tmp_path / "plain" / page.name.replace(" ", "")).write_bytes(page.read_bytes())
    counts = clean_collection(tmp_path / "plain", "perplexity@p30+perplexity@p90", tmp_path / "out.jsonl")
    assert {
        name: float(rows["percentile", name.rpartition("p")[2]]["by_words"]) for name in counts.cutoffs
    } == counts.cutoffs
    left = clean_collection(tmp_path / "plain", "perplexity@8000", tmp_path / "out.jsonl").words
    assert float(rows["removed", "8000"]["by_words"]) == (360 - left) / 360


def test_a_models_reference_text_stands_beside(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("".join(f"rye and oats and {n} more.\n" for n in range(50)), encoding="utf-8")
    train(Plan(texts=(tmp_path / "text.txt",), output=tmp_path / "m"))
    done = CliRunner().invoke(histogram, [str(tmp_path / "m"), str(pages), "--csv", str(tmp_path / "x.csv")])
    assert done.exit_code == 0
    assert "reference text" in done.stdout
    table = json.loads((tmp_path / "m" / "card.json").read_text(encoding="utf-8"))["training"]["perplexities"]
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["kind"] == "percentile"]
    assert {row["at"]: float(row["reference_text"]) for row in rows if row["at"] in table} == table


def test_what_cannot_be_is_said_before_anything_is_scored(pages: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(histogram, ["books", str(pages), "--plot", "x.pdf"])
    assert isinstance(done.exception, ConfigError)
    assert str(done.exception) == (
        "--plot x.pdf: a plot is written as SVG or PNG. Fix: end the file name in .svg or .png."
    )
    done = CliRunner().invoke(histogram, [str(tmp_path / "nothing"), str(pages)])
    assert isinstance(done.exception, ConfigError)
    assert "unknown language model" in str(done.exception)
