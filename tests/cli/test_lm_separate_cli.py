"""`thresher lm separate` on a small gold standard, against areas that scipy finds."""

from __future__ import annotations

import csv
import math
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scipy.stats import mannwhitneyu
from small_models import write_arpa
from thresher.cli.lm import separate

from thresher.errors import ConfigErrors, InputError
from thresher.language_models import load_model

# (sentence, is it content), each sentence a block.
PAGES = {
    "one": [("Home", False), ("a a a b a a.", True), ("a b", False), ("b a a b c d", True), ("b", False)],
    "two": [("a a a a", True), ("Home", True), ("a a", False), ("...", False)],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("input", "gold"):
        (tmp_path / "set" / name).mkdir(parents=True)
    for stem, sentences in PAGES.items():
        page = "".join(f"<p>{text}" for text, _ in sentences)
        (tmp_path / "set" / "input" / f"{stem}.html").write_text(page)
        gold = "\n".join(text for text, content in sentences if content)
        (tmp_path / "set" / "gold" / f"{stem}.txt").write_text(gold)
    write_arpa(tmp_path / "small.arpa")
    return tmp_path / "set"


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(separate, [*map(str, arguments)], terminal_width=200)


def expected_area(scored: dict[tuple[str, int], float]) -> float:
    kinds: dict[bool, list[float]] = {True: [], False: []}
    for (stem, place), score in scored.items():
        kinds[PAGES[stem][place][1]].append(score)
    return float(mannwhitneyu(kinds[True], kinds[False], method="asymptotic").statistic) / math.prod(
        map(len, kinds.values())
    )


def test_areas_of_a_model_and_the_yardsticks(folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "small.arpa"
    done = run(folder, "--model", model, "--scorer", "words", "--csv", tmp_path / "a.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    with (tmp_path / "a.csv").open() as file:
        rows = {row["scorer"]: row for row in csv.DictReader(file)}
    assert [*rows] == [
        f"perplexity(lm={model})",
        "words",
        "words of the sentence",
        "words of the block",
        "text density of the block",
    ]
    # The last sentence of the second page has no words.
    sentences = {(s, p): text for s, page in PAGES.items() for p, (text, _) in enumerate(page) if text != "..."}
    words = {key: float(len(text.split())) for key, text in sentences.items()}
    perplexities = {key: -load_model(str(model)).perplexity(text) for key, text in sentences.items()}
    for name, row in rows.items():
        scored = perplexities if name.startswith("perplexity") else words
        assert float(row["area_sentences"]) == pytest.approx(expected_area(scored), rel=1e-12)
        within = [expected_area({key: score for key, score in scored.items() if key[0] == stem}) for stem in PAGES]
        assert float(row["area_page_mean"]) == pytest.approx(sum(within) / 2, rel=1e-12)
        assert row["pages_with_both"] == "2"
    # From 4 words on, 16 of content's 17 stay and no others.
    assert (rows["words"]["best_f1_words"], rows["words"]["best_cutoff"]) == (repr(2 * 16 / (16 + 17)), "4.0")
    kept = float(rows[f"perplexity(lm={model})"]["best_cutoff"])
    assert min(abs(kept + perplexity) for perplexity in perplexities.values()) < 1e-3


def test_table(folder: Path, tmp_path: Path) -> None:
    for name in ("input/three.html", "input/empty.html", "gold/empty.txt"):
        (folder / name).write_text("")
    done = run(folder, "--scorer", "density")
    assert (done.exit_code, done.stderr) == (0, "pages without gold (1): three\n")
    head, units, _, density, rule, *yardsticks, blank, counts, note = done.stdout.splitlines()
    assert head.split() == ["scorer", *["area"] * 5, "best", "F1", "its", "cutoff"]
    assert units.split() == ["sentences", "95", "%", "words", "95", "%", "page", "mean", "words"]
    assert density.split()[0] == "density"
    assert density.split()[-1] == "4"
    assert set(rule) == {"─"}
    names = ("words of the sentence", "words of the block", "text density of the block")
    assert [line.split("  ")[0] for line in yardsticks] == [*names]
    assert blank == ""
    assert counts == "3 pages, 8 sentences with words, 4 of them content."
    assert note == "Area under the ROC curve over sentences, over words, and its mean over pages; 0.5 is chance."


def test_rough_labels_take_what_occurs(folder: Path) -> None:
    done = run(folder, "--scorer", "bte", "--rough")
    # `a b`, `b` and `a a` are boilerplate that occurs in the gold text; `Home` is none on the first page.
    assert "8 sentences with words, 7 of them content." in done.stdout


def test_the_model_is_books_unless_something_is_named(folder: Path) -> None:
    assert "\nperplexity(lm=books) " in run(folder).stdout
    assert "books" not in run(folder, "--scorer", "bte").stdout


def test_a_model_learnt_from_the_pages(folder: Path, tmp_path: Path) -> None:
    text = " ".join(f"Dog {number} sleeps on the mat and the cat sleeps by the dog." for number in range(100))
    (folder / "input" / "one.html").write_text(f"<p>{text}<p>Mat dog by")
    (folder / "gold" / "one.txt").write_text(text)
    done = run(folder, "--model", "self", "--csv", tmp_path / "a.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    with (tmp_path / "a.csv").open() as file:
        row = next(csv.DictReader(file))
    assert row["scorer"] == "perplexity(lm=self)"
    # All that is learned is content, but for `Home` on the second page: a hundred sentences and unknown words.
    assert float(row["area_sentences"]) > 0.9


def test_problems_are_told_together(folder: Path, tmp_path: Path) -> None:
    done = run(folder, "--model", tmp_path / "none", "--scorer", "polish", "--scorer", "words@3")
    assert isinstance(done.exception, ConfigErrors)
    none, polish, words = done.exception.lines()
    assert none.startswith(f"--model {tmp_path / 'none'}: unknown language model '{tmp_path / 'none'}'. Fix: ")
    assert polish.startswith("--scorer polish: unknown scorer 'polish'. Fix: use one of ")
    assert words.startswith("--scorer words@3: ")


def test_pages_that_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    done = run(tmp_path / "nowhere")
    assert isinstance(done.exception, InputError)
    assert done.exception.lines() == [f"{tmp_path / 'nowhere'}: there is no such folder. Fix: check the path."]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom thresher.cli.lm import separate\nseparate.main(['--help'], standalone_mode=False)\n"
        "print(*[n for n in ('numpy', 'joblib', 'pyarrow', 'kenlm', 'lxml') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "\n"
    assert "--model" in done.stdout
