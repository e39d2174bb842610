"""`thresher cleaneval`, as a user calls it, on small pages with gold."""

from __future__ import annotations

import csv
import gzip
import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done, begin, thresher
from messages import Message, assert_names
from small_web import leftovers, stamps, tree

from thresher import clean_html
from thresher.cleaners.scorers.extractor import EXTRACTORS
from thresher.evaluation.cleaneval.results import ROWS

MENU = "<ul>" + "".join(f'<li><a href="/{item}">{item}</a>' for item in ("Home", "News", "Contact")) + "</ul>"
PROSE = "On day {} the rain came down on the harbour, and it did not stop before the evening."
FILES = ["cleaners.csv", "pages.csv", "table.md", "table.tex"]
# A page has 2 + 3 + 18 + 2 words, its gold 18.
F1 = f"{2 * 18 / (25 + 18):.3f}"

Call = Callable[..., Done]


def write_pages(folder: Path, prose: str = PROSE, pages: int = 12) -> Path:
    """Write pages with gold, one without, and one gold text without a page."""
    for name in ("input", "GoldStandard"):
        (folder / name).mkdir(parents=True)
    for number in range(pages + 1):
        text = prose.format(number)
        page = f"<title>Rain {number}</title>{MENU}<p>{text}</p><p>First comment!</p>"
        (folder / "input" / f"{number:02}.html").write_text(page)
        (folder / "GoldStandard" / f"{number:02}.txt").write_text(f"{text}\n!@#$%^&*()  COMMENTS\nFirst comment!\n")
    (folder / "GoldStandard" / f"{pages}.txt").rename(folder / "GoldStandard" / "lost.txt")
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def table(out: str, *header: str) -> list[list[str]]:
    """Return the fields of the rows below the first header that begins so, up to the empty line."""
    lines = out.splitlines()
    begin = next(place for place, line in enumerate(lines) if line.split()[: len(header)] == list(header))
    body = []
    for line in lines[begin + 1 :]:
        if not line.strip():
            break
        if "─" not in line:
            body.append(line.split())
    return body


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody may change these."""
    return write_pages(tmp_path_factory.mktemp("gold") / "rain")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_pages(tmp_path / "rain")


def test_the_tables_the_lists_and_the_files(folder: Path) -> None:
    out = folder / "out"
    done = thresher(
        "cleaneval", folder, "-c", "words@10", "-c", "none", "-c", "words@99", "-c", "words @ 10",
        "--workers", "2", "-o", out,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.err.splitlines() == ["pages without gold (1): 12", "gold without a page (1): lost"]
    assert done.out.startswith("- ")
    assert done.out.splitlines()[-1] == f"tables: {out.resolve() / 'table.md'}"
    # 2/4096 is the smallest p of 12 pages, and there are two tests.
    units, none, words, nothing = table(done.out, "cleaner", "precision", "±")
    assert units == ["sd", "sd", "sd", "95", "%", "pages", "Holm"]
    assert none == ["none", "0.720", "0.000", "1.000", "0.000", F1, "0.000", F1, "to", F1, "12", "0", "–"]
    same = ["1.000", "to", "1.000", "12", "0", "0.0010"]
    assert words == ["words@10", *["1.000", "0.000"] * 2, "1.000†+", "0.000", *same]
    same = ["0.000", "to", "0.000", "12", "12", "0.0010"]
    assert nothing == ["words@99", *["0.000"] * 4, "0.000†−", "0.000", *same]
    assert "Holm correction over 2 rows" in done.out
    _, none, words, nothing = table(done.out, "cleaner", "precision", "recall", "F1", "precision")
    assert none[:7] == ["none", "0.720", "1.000", F1, "0.720", "1.000", F1]
    assert none[-1] == "72.0"
    assert words == ["words@10", *["1.000"] * 8, "to", *["1.000"] * 5, "100.0"]
    assert nothing == ["words@99", *["0.000"] * 8, "to", *["0.000"] * 5, "0.0"]

    assert sorted(tree(out)) == sorted([*FILES, *(f"scores/{name}" for name in tree(out / "scores"))])
    result = rows(out / "cleaners.csv")
    assert [row["cleaner"] for row in result] == ["none", "words@10", "words@99"]
    assert float(result[0]["micro_precision"]) == 18 / 25
    assert float(result[0]["similarity_median"]) == pytest.approx(100 * 18 / 25)
    assert (result[0]["f1_p"], result[1]["f1_wins"], result[2]["f1_losses"]) == ("", "12", "12")
    assert (float(result[1]["f1_p"]), float(result[1]["f1_p_corrected"])) == (2 / 4096, 4 / 4096)
    assert len(rows(out / "pages.csv")) == 12 * 3
    first, *_ = rows(out / "pages.csv")[:3]
    assert (first["page"], first["words"], first["gold"], first["aligned"]) == ("00", "25", "18", "18")
    line = (out / "table.md").read_text().splitlines()[3]
    assert line.startswith("| words@10 | 1.000 | 0.000 | 1.000 | 0.000 | 1.000†+ |")
    assert (out / "table.tex").read_text().count(r"\begin{table*}") == 2


@pytest.mark.slow
def test_a_killed_command_goes_on_with_the_comparisons_that_it_has(tmp_path: Path) -> None:
    write_pages(tmp_path / "rain", pages=40)
    command = ("cleaneval", "../rain", "-c", "words@10", "-o", "out", "--workers", "1")

    def comparisons(log: Path) -> list[str]:
        return [step for step in log.read_text().splitlines() if step.startswith("open out/comparisons/")]

    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    assert begin(*command, cwd=tmp_path / "whole", steps=tmp_path / "steps").wait().code == 0
    steps = comparisons(tmp_path / "steps")
    # Of 16 pages each.
    assert len(steps) == 3
    assert begin(*command, cwd=tmp_path / "killed", kill_at=steps[1]).wait().code == -signal.SIGKILL
    assert begin(*command, cwd=tmp_path / "killed", steps=tmp_path / "more").wait().code == 0
    assert comparisons(tmp_path / "more") == steps[1:]
    whole, killed = tree(tmp_path / "whole" / "out"), tree(tmp_path / "killed" / "out")
    assert killed.keys() == whole.keys()
    for name, content in whole.items():
        # Times differ, and what they are summed up in.
        assert killed[name] == content or (name.startswith("scores") and name.endswith(".json")), name
    assert not (tmp_path / "killed" / "out" / "comparisons").exists()
    assert leftovers(tmp_path) == []


def test_the_papers_rows_are_measured_where_none_is_named(pages: Path) -> None:
    done = thresher("cleaneval", pages)
    assert done.code == 0, done.err
    result = table(done.out, "cleaner", "precision", "±")[1:]
    assert [row[0] for row in result] == ["none", *ROWS]
    by_name = {row[0]: row for row in result}
    assert by_name["none"][1:6:2] == ["0.720", "1.000", F1]
    assert by_name["words@10"][1:6:2] == ["1.000", "1.000", "1.000†+"]
    assert "report:" not in done.out


def test_scores_and_files_are_the_same_again(call: Call, folder: Path) -> None:
    arguments = ["cleaneval", folder, "-c", "words@10", "-c", "density@5", "-o"]
    out = folder / "out"
    assert call(*arguments, out, "--workers", "2", cwd=folder).code == 0
    before, scores = tree(out), stamps(out / "scores")
    again = call(*arguments, out, "--workers", "1", cwd=folder)
    assert (again.code, tree(out), stamps(out / "scores")) == (0, before, scores)
    assert leftovers(folder) == []

    page = folder / "input" / "00.html"
    page.write_text(page.read_text() + "<p>A new line.")
    refused = call(*arguments, out, cwd=folder)
    assert (refused.code, refused.out) == (5, "")
    (line,) = refused.errors
    assert_names(line, f"error: {out}/scores: ", "(changed: collection)", "Fix: add --fresh")
    assert tree(out) == before
    fresh = call(*arguments, out, "--fresh", cwd=folder)
    assert fresh.code == 0, fresh.err
    assert rows(out / "pages.csv")[0]["words"] == "28"


def test_comments_are_content_where_asked(call: Call, pages: Path) -> None:
    done = call("cleaneval", pages, "-c", "none", "--comments", "--workers", "1", cwd=pages)
    assert done.code == 0, done.err
    (row,) = table(done.out, "cleaner", "precision", "±")[1:]
    f1 = f"{40 / 45:.3f}"
    assert row == ["none", "0.800", "0.000", "1.000", "0.000", f1, "0.000", f1, "to", f1, "12", "0", "–"]
    assert "Wilcoxon" not in done.out


def test_gold_in_another_folder_and_as_json(call: Call, folder: Path) -> None:
    (folder / "GoldStandard").rename(folder / "elsewhere")
    done = call("cleaneval", folder, "--gold", folder / "elsewhere", "-c", "words@10", cwd=folder)
    assert (done.code, table(done.out, "cleaner", "precision", "±")[2][5]) == (0, "1.000†+")
    gold = folder / "gold.json"
    gold.write_text(json.dumps({"00": {"articleBody": PROSE.format(0)}}))
    done = call("cleaneval", folder, "--gold", gold, "-c", "words@10", cwd=folder)
    assert done.code == 0, done.err
    assert done.err == f"pages without gold (12): {', '.join(f'{number:02}' for number in range(1, 13))}\n"
    # One page has no spread: the interval holds everything.
    words = table(done.out, "cleaner", "precision", "±")[2]
    assert words == ["words@10", *["1.000", "0.000"] * 3, "−∞", "to", "∞", "1", "0", "1.0000"]


def test_text_dumps_are_pages(call: Call, tmp_path: Path) -> None:
    for name in ("input", "GoldStandard"):
        (tmp_path / name).mkdir()
    (tmp_path / "input" / "1.txt").write_text("Home | News | About\n\nThis is a long\nparagraph <b> of eight words.\n")
    (tmp_path / "GoldStandard" / "1.txt").write_text("<p>This is a long paragraph <b> of eight words.\n")
    done = call("cleaneval", tmp_path, "-c", "words@4", "-c", "bars", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    rows = table(done.out, "cleaner", "precision", "±")
    # Blocks end at blank lines, so that the second line of the paragraph stays with the first.
    assert {row[0]: row[5] for row in rows[1:]} == {"none": f"{18 / 23:.3f}", "words@4": "1.000", "bars": "1.000"}


def test_annotated_pages_are_gold(call: Call, tmp_path: Path) -> None:
    for name in ("original", "annotated"):
        (tmp_path / name).mkdir()
    for number in range(3):
        text = PROSE.format(number)
        page = f"<title>Rain</title>{MENU}<p>{text}</p><p>A comment.</p>"
        (tmp_path / "original" / f"{number}.html").write_text(page)
        marked = page.replace(text, f'<span class="x-nc-sel2">{text}</span>')
        marked = marked.replace("A comment.", '<span class="x-nc-sel5">A comment.</span>')
        (tmp_path / "annotated" / f"{number}.html").write_text(marked)
    for options, gold in (([], 18), (["--comments"], 20)):
        done = call("cleaneval", tmp_path, "-c", "words@0", *options, cwd=tmp_path)
        assert done.code == 0, done.err
        row = table(done.out, "cleaner", "precision", "±")[1]
        assert row[1:6:2] == [f"{gold / 24:.3f}", "1.000", f"{2 * gold / (24 + gold):.3f}"]


def test_other_packages_are_rows_too(pages: Path, tmp_path: Path) -> None:
    done = thresher("cleaneval", pages, "-c", "words@10", "--extractors", "-o", tmp_path / "out", "--workers", "2")
    assert done.code == 0, done.err
    result = rows(tmp_path / "out" / "cleaners.csv")
    assert [row["cleaner"] for row in result] == ["none", "words@10", *EXTRACTORS]
    assert [row["extractor"] for row in result] == ["0", "0", *"1" * len(EXTRACTORS)]
    assert {row["crashed"] for row in result} == {"0"}
    assert f"Holm correction over {1 + len(EXTRACTORS)} rows" in done.out
    page = (pages / "input" / "00.html").read_bytes()
    words = {row["cleaner"]: row["words"] for row in rows(tmp_path / "out" / "pages.csv") if row["page"] == "00"}
    for name in EXTRACTORS:
        assert words[name] == str(len(clean_html(page, name).split())), name


@pytest.mark.parametrize(
    ("arguments", "code", "errors"),
    [
        (["nowhere"], 3, [("nowhere: ", "no such folder", "Fix: ", "check the path")]),
        ([".", "-c", "words"], 2, [("words: ", "cleaner 'words'", "no cutoff", "Fix: ", "such as words@")]),
        (
            [".", "-c", "wrods@3", "-c", "words@x", "-c", "bars"],
            2,
            [("wrods@3: ", "'wrods'", "Fix: "), ("words@x: ", "cutoff 'x'", "not a number", "Fix: ")],
        ),
        ([".", "--workers", "0"], 2, [("", "'--workers'")]),
        (
            ["input"],
            3,
            [
                (
                    *("input: ", "holds no gold", "GoldStandard/, gold/, annotated/, ground-truth/, Corrected/"),
                    *("clean/, text/, prepared_html/ or ground-truth.json", "Fix: ", "--gold"),
                )
            ],
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line_each(
    call: Call, folder: Path, arguments: list[str], code: int, errors: list[tuple[str, ...]]
) -> None:
    before = tree(folder)
    done = call("cleaneval", *arguments, "-o", "out", cwd=folder)
    assert (done.code, done.out) == (code, "")
    assert done.err.splitlines() == [Message(f"error: {where}", *facts) for where, *facts in errors]
    assert tree(folder) == before
    assert not (folder / "out").exists()


def test_an_output_that_is_a_file_stays_as_it_is(call: Call, folder: Path) -> None:
    (folder / "out").write_text("mine")
    before = tree(folder)
    done = call("cleaneval", folder, "-c", "words@10", "-o", "out", cwd=folder)
    assert (done.code, done.out, len(done.errors)) == (3, "", 1)
    assert tree(folder) == before


def test_pages_that_fail_are_named_and_count_as_emptied(call: Call, folder: Path) -> None:
    (folder / "input" / "00.html").write_bytes(b"")
    done = call("cleaneval", folder, "-c", "words@10", cwd=folder)
    assert done.code == 0, done.err
    assert done.err.splitlines()[2:] == [Message("emptied: 00: ", "no text")]
    words = table(done.out, "cleaner", "precision", "±")[2]
    assert words[1] == f"{11 / 12:.3f}"
    assert words[10:12] == ["12", "1"]


def test_types_of_gold_that_has_them(tmp_path: Path) -> None:
    folder = tmp_path / "typed"
    for name in ("html", "ground-truth"):
        (folder / name).mkdir(parents=True)
    for number in range(9):
        text = PROSE.format(number)
        gold = {"main_content": text} if number < 8 else {"with": [f"On day {number}"]}
        page_type = {"page_type": {"primary": "article" if number < 5 else "forum"}}
        (folder / "ground-truth" / f"{number}.json").write_text(
            json.dumps({"_internal": page_type, "ground_truth": gold})
        )
        page = f"<title>Rain {number}</title>{MENU}<p>{text}</p>"
        (folder / "html" / f"{number}.html.gz").write_bytes(gzip.compress(page.encode()))
    out = tmp_path / "out"
    done = thresher("cleaneval", folder, "-c", "words@10", "-o", out)
    assert done.code == 0, done.err
    assert done.err.splitlines() == [Message("without the page's content", "(1): 8")]
    # A page has 2 + 3 + 18 tokens, its gold 18.
    f1 = f"{36 / 41:.3f}"
    _, none, words = table(done.out, "cleaner", "article", "forum")
    assert none == ["none", f1, "±", "0.000", f1, "±", "0.000"]
    assert words == ["words@10", *["1.000", "±", "0.000"] * 2]
    lines = rows(out / "page_types.csv")
    assert [(line["cleaner"], line["page_type"], line["pages"]) for line in lines] == [
        ("none", "article", "5"), ("none", "forum", "3"), ("words@10", "article", "5"), ("words@10", "forum", "3"),
    ]  # fmt: skip
