"""The documents that list declarations list all of them, as they are."""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from shipped import shipped_experiment

import extractors
import readme_table
import thresher
from thresher.cleaners.cleaner import declarations
from thresher.cleaners.registry import scorers
from thresher.cli.main import cli
from thresher.collections import Page
from thresher.evaluation.topics import read_topics
from thresher.experiments.config import load_experiment
from thresher.experiments.schema import tables
from thresher.indexes.pruning.treatments import method_declarations, methods, parse_treatment
from thresher.reports import cleaning_columns, further_tables, variant_tables
from thresher.reports.variant_columns import variant_columns

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"


def test_written_documents_are_not_stale() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def verbs(group: click.Group, name: str = "thresher") -> Iterator[tuple[str, click.Command]]:
    for verb, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from verbs(command, f"{name} {verb}")
        else:
            yield f"{name} {verb}", command


def test_every_verb_and_option_is_documented() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    options_for_pages = page.split("\n## Options for pages\n")[1].split("\n## ")[0]
    keys = tables()["collection"].keys
    for name, command in verbs(cli):
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert command.help
        assert " ".join(command.help.split()) in section
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, parameter.name
                key = keys.get(parameter.name or "")
                if key and parameter.help.startswith(f"{key.meaning[0].upper()}{key.meaning[1:]}"):
                    # experiment-files.md has its meaning.
                    assert "[options for pages]" in section
                    assert f"`{parameter.opts[0]}" in options_for_pages
                    continue
                assert f"`{parameter.opts[0]}" in section
                assert parameter.help in page


def test_every_key_scorer_and_pruning_method_is_documented() -> None:
    files = (DOCS / "experiment-files.md").read_text(encoding="utf-8")
    for name, table in tables().items():
        heading = f"\n## [[{name}]]\n" if table.many else f"\n## [{name}]\n"
        section = files.split(heading)[1].split("\n## ")[0]
        for key, declared in table.keys.items():
            (line,) = [line for line in section.splitlines() if line.startswith((f"- `{key}` (", f"- `{key}`: "))]
            assert line.endswith(f": {declared.meaning}")
    cleaners = (DOCS / "which-cleaner.md").read_text(encoding="utf-8")
    for name in scorers():
        assert f"\n- `{name}`: " in cleaners
    pruning = (DOCS / "weights.md").read_text(encoding="utf-8")
    published = (RESULTS / "pruning.md").read_text(encoding="utf-8")
    for name in methods():
        assert f"\n- `{name}`: " in pruning
        assert f"\n| `{name}` |" in published


def test_every_column_of_a_file_is_documented() -> None:
    text = (RESULTS / "columns.md").read_text(encoding="utf-8")
    files = {
        "results.csv": variant_columns(("nDCG@10",)),
        "per_topic.csv": variant_tables.PER_TOPIC,
        "systems.csv": further_tables.system_columns(("nDCG@10",)),
        "chosen.csv": further_tables.CHOSEN_COLUMNS,
        "cleaners.csv of `thresher cleaneval`": cleaning_columns.CLEANERS,
        "pages.csv of `thresher cleaneval`": cleaning_columns.PAGES,
        "page_types.csv of `thresher cleaneval`": cleaning_columns.TYPES,
    }
    for file, columns in files.items():
        section = text.split(f"\n## {file}\n")[1].split("\n## ")[0]
        ends: list[str] = []
        named = set(re.findall(r"`([^`…]+)`", section))
        for line in section.splitlines():
            parts = re.findall(r"`([^`]*…[^`]*)`", line)
            if line.startswith("- ") and parts:
                begins, ends = [part.removesuffix("…") for part in parts], []
            ends += [part.removeprefix("…") for part in parts if line.startswith("  - ")]
            named |= {begin + end for begin in begins for end in ends} if parts else set()
        assert {column.name for column in columns if column.in_csv} <= named, file


def test_the_scorer_of_the_contributing_page_works_as_written() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {"__name__": "digits"}
    exec(compile(code, "digits.py", "exec"), names)
    segments = thresher.score_html("<p>2013<p>Rain at 9<p>Oslo", ["words"]).segments
    assert names["Digits"]().score(segments).tolist() == pytest.approx([1, 1 / 9, 0])


def readme_rows() -> list[list[str]]:
    """Return the cells of README's table of collections, without its head."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- collections -->\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 700
    assert "`make demo`" in text
    assert "`make test`" in text
    rows = readme_rows()
    assert 0 < len(rows) <= 8
    assert {len(row) for row in rows} == {5}


@pytest.mark.slow
def test_one_command_gives_a_row_of_the_readme_and_texts_of_any_extractor_make_one(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second script finds the index of the baseline that the first one measured."""
    monkeypatch.setenv("THRESHER_DATA", str(shared_data))
    monkeypatch.setattr(readme_table, "RESULTS", tmp_path / "readme")
    row = readme_table.row("cacm", *readme_table.measured("cacm"))
    assert [*row] in readme_rows()
    (tmp_path / "rows" / "cacm").mkdir(parents=True)
    shutil.copy(tmp_path / "readme" / "cacm" / "built.json", tmp_path / "rows" / "cacm")
    monkeypatch.setattr(extractors, "ROWS_FOLDER", tmp_path / "rows")
    pages = shared_data / "retrieval" / "cacm" / "cacm.tar.gz"
    reading = {"id_pattern": "-0+", "id_replacement": "-"}
    folder = tmp_path / "own 1.0"
    folder.mkdir()
    thresher.clean_collection(str(pages), "none", folder / "cacm.jsonl", **reading)
    monkeypatch.setattr("sys.argv", ["extractors.py", "--row", str(folder)])
    extractors.main()
    lines = capsys.readouterr().out.splitlines()
    # All text of the pages is the baseline's.
    assert lines[2:4] == ["| no cleaning |  | 0.462 |", "| own 1.0 | +0.0 | +0.0<br>[+0.0, +0.0] |"]
    assert lines[-1] == "| own 1.0 | 100 (100–100) | 100 (100–100) | 0 |  |"


def test_all_files_name_the_same_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    released = re.findall(r"^## \[(\d.*?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert citation["version"] == project["version"] == released[0] == thresher.__version__
    assert all(source["title"] and source["authors"] and source["year"] for source in citation["references"])


def test_the_citation_names_a_paper_of_each_method() -> None:
    references = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    names = {author["family-names"] for source in references for author in source["authors"]}
    spelled = {name.replace("ü", "ue").replace("á", "a") for name in names} | names
    for entry in [*declarations(), *method_declarations()]:
        if entry["name"] not in OF_NO_PAPER:
            assert any(name in entry["source"] for name in spelled), entry["name"]


OF_NO_PAPER = ("extractor", "text", "random")

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def shown_commands(text: str) -> Iterator[list[str]]:
    """Give the arguments of each line of a code block that calls Thresher, pipes and redirections taken apart."""
    blocks = [
        *(code for language, code in FENCED.findall(text) if language in ("", "sh")),
        *re.findall(r"(?:^    .*\n)+", text, re.M),
    ]
    for line in "\n".join(blocks).replace("\\\n", " ").splitlines():
        if line.strip().startswith(("thresher ", "zcat ")):
            words = shlex.split(line, comments=True)
            for _, group in itertools.groupby(words, lambda word: word in ("|", ">", "&&")):
                part = list(group)
                if part[0] == "thresher":
                    yield part[1:]


def parsed(arguments: list[str]) -> click.Context:
    """Return the context of a command line, which the real parser accepts; what it names need not be there."""
    command: click.Command = cli
    while isinstance(command, click.Group):
        command, arguments = command.commands[arguments[0]], arguments[1:]
    return command.make_context(command.name, list(arguments))


PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "scripts" / "papers" / "README.md",
    *sorted(DOCS.rglob("*.md")),
]
READ = [page for page in PAGES if page.parent in (ROOT, DOCS)]


def relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_commands_shown_are_valid(page: Path) -> None:
    for arguments in shown_commands(page.read_text(encoding="utf-8")):
        asked = parsed(arguments).params
        names = (
            asked.get("cleaners", ()) if arguments[0] == "cleaneval" else [asked.get("cleaner"), asked.get("variant")]
        )
        for name in filter(None, names):
            parse_treatment(name)


def test_the_pages_show_commands() -> None:
    found = {page.name: len([*shown_commands(page.read_text(encoding="utf-8"))]) for page in READ}
    assert found["README.md"] >= 9
    assert found["tutorial.md"] >= 10
    assert sum(found.values()) >= 50


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_options_named_in_the_text_are_of_their_verb(page: Path) -> None:
    for code in re.findall(r"`thresher ([a-z][^`]*)`", page.read_text(encoding="utf-8")):
        words = code.split()
        command: click.Command = cli
        while words and isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
        known = {name for option in command.params for name in option.opts} | {"--help"}
        assert {word for word in words if re.match(r"--?[a-z]", word)} <= known, code


def test_explained_topics_and_variants_are_of_their_experiment(tmp_path: Path) -> None:
    for arguments in shown_commands((DOCS / "report.md").read_text(encoding="utf-8")):
        if arguments[0] == "explain":
            asked = parsed(arguments).params
            experiment = load_experiment(shipped_experiment(asked["folder"].name, tmp_path))
            topics = read_topics(experiment.topics.file, field=experiment.topics.field)
            assert asked["topic"] is None or asked["topic"] in topics
            assert asked["variant"] is None or asked["variant"] in [variant.name for variant in experiment.variants]


@pytest.mark.slow
def test_the_first_experiment_shown_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "experiment-files.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "crawl").mkdir()
    for name, text in {"north": "Rain is expected in the north tonight.", "south": "The south stays dry."}.items():
        (tmp_path / "crawl" / f"{name}.html").write_text(f"<ul><li>Home</ul><p>{text}", encoding="utf-8")
    (tmp_path / "topics.tsv").write_text("1\train tonight\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("1 0 north 1\n", encoding="utf-8")
    # Times are not what this is about.
    (tmp_path / "mine.toml").write_text(f"{code}\n[measure]\nseconds = 0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    results = thresher.run("mine.toml")
    variants = [
        "none",
        "words@2",
        "words@5",
        "words@11",
        "words@20",
        "content(headings=keep)@0.3|weights(title=8,headings=2,anchors=1)|dcp@0.5",
        "justext",
    ]
    assert [row.name for row in results.tables[0].rows] == variants
    assert results.tables[0].mean("AP").tolist()[:5] == [1, 1, 1, 0, 0]


def test_the_python_of_the_readme_works() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code.split("results = ")[0], names)
    assert names["page"].scores["words"].tolist() == [1, 7]


def test_pages_are_cleaned_one_by_one_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    section = (DOCS / "other-tools.md").read_text(encoding="utf-8").split("\n## Cleaning from Python\n")[1]
    code, functions = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    exec(functions, {"thresher": thresher, "html": "<p>Rain in the north."})
    loop, whole = code.split("\n\n")
    pages = [Page("south", b"<title>Weather</title><p>The south stays dry tonight.")]
    exec(loop, {"thresher": thresher, "pages": pages})
    assert capsys.readouterr().out.startswith("south Weather ")

    class Bag:
        def map_partitions(self, function: Any) -> list[Any]:
            return [function(pages)]

    ((document,),) = eval(whole.split("  #")[0], {"thresher": thresher, "bag": Bag()})
    assert document.id == "south"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", text):
        path = page.parent / target if target else page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path), f"{target}#{anchor}"


def test_pages_named_elsewhere_are_there() -> None:
    files = [ROOT / "CHANGELOG.md", *(path for part in NAMING for path in sorted((ROOT / part).rglob("*")))]
    named = 0
    for path in files:
        if not path.is_file() or "__pycache__" in path.parts or path.suffix in (".gz", ".npz", ".parquet"):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        for page in re.findall(r"(?<![\w/.])docs/[\w/-]+\.(?:md|ipynb|png)", text):
            named += 1
            assert (ROOT / page).exists(), f"{path}: {page}"
    assert named > 20


NAMING = ("src", "scripts", "experiments")


def test_pages_are_few_and_short() -> None:
    pages = sorted(DOCS.glob("*.md"))
    texts = [page.read_text(encoding="utf-8") for page in pages]
    assert len(pages) <= 12
    assert sum(len(text.split()) for text in texts) <= 15_000
    for page, text in zip(pages, texts, strict=True):
        assert len(text.splitlines()) <= 250, page.name


def test_results_that_users_read_are_few() -> None:
    """The list of the pages is no page of results, nor is the reference of columns."""
    pages = {page.name for page in RESULTS.glob("*.md")} - {"README.md", "columns.md"}
    assert len(pages) <= 8


def test_every_page_is_in_its_list() -> None:
    lists = {
        DOCS: ROOT / "README.md",
        RESULTS: RESULTS / "README.md",
        ROOT / "scripts" / "pages": ROOT / "scripts" / "README.md",
    }
    for folder, where in lists.items():
        text = where.read_text(encoding="utf-8")
        for page in sorted(folder.glob("*.md")):
            if page != where:
                assert f"]({page.relative_to(where.parent)})" in text, page.name


def test_every_library_has_its_reason() -> None:
    """The table of the reasons names all dependencies, those of extras too, and no others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [*project["dependencies"], *itertools.chain.from_iterable(project["optional-dependencies"].values())]
    packages = {re.split(r"[<>=]", requirement)[0] for requirement in requirements}
    page = (RESULTS / "benchmarks.md").read_text(encoding="utf-8")
    section = page.partition("## Why these libraries\n")[2].partition("\n## ")[0]
    named: set[str] = set()
    for cell, reason in re.findall(r"^\| (\S.*?) \| (.+) \|$", section, re.MULTILINE):
        if cell != "library":
            assert reason
            named.update(re.sub(r" \(extras?.*?\)", "", cell).replace(";", ",").split(", "))
    assert named == packages


def test_the_words_are_few_and_in_order() -> None:
    text = (DOCS / "report.md").read_text(encoding="utf-8").split("\n## Words\n")[1]
    words = re.findall(r"^- \*\*(.+)\*\*: ", text, re.MULTILINE)
    assert words == sorted(words)
    assert 20 < len(words) <= 25
