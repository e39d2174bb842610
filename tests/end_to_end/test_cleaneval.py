"""`thresher cleaneval`, as a user calls it, on small pages with gold."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from small_web import Done, thresher

MENU = "<ul>" + "".join(f'<li><a href="/{item}">{item}</a>' for item in ("Home", "News", "Contact")) + "</ul>"
PROSE = "On day {} the rain came down on the harbour, and it did not stop before the evening."


def cleaneval(*arguments: str | Path, cwd: Path | None = None) -> Done:
    return thresher("cleaneval", *arguments, cwd=cwd)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight pages with gold, one without, and one gold text without a page."""
    for name in ("input", "GoldStandard"):
        (tmp_path / name).mkdir()
    for number in range(9):
        prose = PROSE.format(number)
        page = f"<title>Rain {number}</title>{MENU}<p>{prose}</p><p>First comment!</p>"
        (tmp_path / "input" / f"{number}.html").write_text(page)
        (tmp_path / "GoldStandard" / f"{number}.txt").write_text(f"{prose}\n!@#$%^&*()  COMMENTS\nFirst comment!\n")
    (tmp_path / "GoldStandard" / "8.txt").rename(tmp_path / "GoldStandard" / "lost.txt")
    return tmp_path


def test_the_table_the_lists_and_the_files(folder: Path) -> None:
    table, markdown = folder / "table.csv", folder / "table.md"
    done = cleaneval(
        folder, "-c", "words@10", "-c", "none", "-c", "words@99", "-c", "words @ 10",
        "--workers", "2", "--csv", table, "--markdown", markdown,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.err.splitlines() == ["pages without gold (1): 8", "gold without a page (1): lost"]
    lines = done.out.splitlines()
    # The page has 2 + 3 + 18 + 2 words, its gold 18. 2/256 is the smallest p of 8 pages, and there are two tests.
    f1 = f"{2 * 18 / (25 + 18):.3f}"
    assert lines[0].split() == "cleaner precision ± recall ± F1 ± bag F1 Levenshtein pages emptied p".split()
    none, words, nothing = (line.split() for line in lines if line.startswith(("none", "words")))
    assert none == ["none", "0.720", "0.000", "1.000", "0.000", f1, "0.000", f1, "72.0", "8", "0", "–"]
    assert words == ["words@10", *["1.000", "0.000"] * 2, "1.000†+", "0.000", "1.000", "100.0", "8", "0", "0.0156"]
    assert nothing == ["words@99", *["0.000"] * 4, "0.000†−", "0.000", "0.000", "0.0", "8", "8", "0.0156"]
    assert "Holm correction over 2 cleaners" in done.out
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["cleaner"] for row in rows] == ["none", "words@10", "words@99"]
    assert float(rows[0]["micro_precision"]) == 18 / 25
    assert float(rows[0]["similarity_median"]) == pytest.approx(100 * 18 / 25)
    assert (rows[0]["f1_p"], rows[1]["f1_wins"], rows[2]["f1_losses"]) == ("", "8", "8")
    assert float(rows[1]["f1_p"]) == 2 / 256
    assert float(rows[1]["f1_p_holm"]) == 4 / 256
    assert markdown.read_text().splitlines()[3].startswith("| words@10 | 1.000 | 0.000 | 1.000 | 0.000 | 1.000†+ |")


def test_comments_and_no_cleaner(folder: Path) -> None:
    done = cleaneval(folder, "--comments", "--workers", "1")
    assert done.code == 0, done.err
    row = done.out.splitlines()[3].split()
    assert row[:7] == ["none", f"{20 / 25:.3f}", "0.000", "1.000", "0.000", f"{40 / 45:.3f}", "0.000"]
    assert "Wilcoxon" not in done.out


def test_gold_as_json(folder: Path) -> None:
    gold = folder / "gold.json"
    gold.write_text(json.dumps({"0": {"articleBody": PROSE.format(0)}}))
    done = cleaneval(folder, "--gold", gold, "-c", "words@10")
    assert done.code == 0, done.err
    assert done.err == "pages without gold (8): 1, 2, 3, 4, 5, 6, 7, 8\n"
    assert done.out.splitlines()[5].split()[-4:] == ["100.0", "1", "0", "1.0000"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere"], 3, "error: nowhere: there is no such folder. Fix: check the path."),
        ([".", "-c", "words"], 2, "error: words: the cleaner 'words' has no cutoff. Fix: write one, such as words@"),
        (
            [".", "--csv", "a", "--markdown", "./a"],
            2,
            "error: a: two of the files to write are the same. Fix: give each a name of its own.",
        ),
        ([".", "--workers", "0"], 2, "error: Invalid value for '--workers'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder: Path, arguments: list[str], code: int, message: str) -> None:
    done = cleaneval(*arguments, cwd=folder)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(message)
    assert len(done.err.splitlines()) == 1
