#!/usr/bin/env python3
"""Install each extra of pyproject.toml in an environment of its own, and use its features there (`make extras`).

usage: scripts/extras.py [EXTRA...]

Without names the script tries all extras. It finds packages that an extra needs and does not declare; the tests cannot find
them, since their environment has all packages. Environments are made in a temporary folder ($TMPDIR), one at a time, and
removed. The exit code is 1 if an extra fails.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from textwrap import indent

from arguments import parser_of
from install import CLEANED, PAGE, ROOT, Environment, use_evaluate, use_retrieval

HEAD = f"import thresher\npage = {PAGE!r}\n"
SENTENCES = " ".join(
    f"Ships stay in the harbour on day {day}, since the waves are too high for them." for day in range(6)
)
LONG_PAGE = f"{PAGE}<p>{SENTENCES}"
"""A page of several sentences, since some packages extract nothing from short pages."""
CLUSTER = """
import subprocess, sys
from distributed import LocalCluster
with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
    clean = [sys.executable, "-m", "thresher", "clean", "pages", "-o", "cleaned.jsonl"]
    subprocess.run([*clean, "--backend", "dask", "--scheduler", cluster.scheduler_address], check=True)
"""
CODE = {
    "parquet": "assert thresher.clean_collection('pages', 'words@5', 'cleaned.parquet').kept == 2",
    "dask": CLUSTER,
    "ir-datasets": "from thresher.integrations import ir_datasets",
    "plots": "from thresher.reports.drawing import converter\nconverter().vegalite_to_svg({'mark': 'point', 'data': {}})",
    "pandas": "assert len(thresher.score_html(page, 'words').to_pandas())",
    "markdown": f"assert {CLEANED!r} in thresher.clean_html(page, 'words@5', markdown=True)",
    "energy": "import tirex_tracker\nfrom thresher.base.machine import counted_joules\nwith counted_joules():\n    pass",
    "datatrove": (
        "from thresher.integrations.datatrove import ThresherExtractor, ThresherFilter\nfrom datatrove.data import Document\n"
        f"assert {CLEANED!r} in ThresherExtractor('words@5').extract(page)\n"
        "assert ThresherFilter('words@5', html=True).filter(Document(page, 'a')) is True"
    ),
    "pyterrier": (
        "import pandas as pd\nfrom thresher.integrations.pyterrier import ThresherCleaner\n"
        "pages = pd.DataFrame({'docno': ['a'], 'html': [page]})\n"
        f"assert {CLEANED!r} in ThresherCleaner('words@5')(pages)['text'][0]"
    ),
}
"""Python code that uses an extra. Extras that are not listed are used by commands."""
PACKAGES = ("justext", "boilerpy3", "trafilatura", "resiliparse", "readability")
OF_NEWER_PIP = ("extractors", "readability")
"""Extras that pip before 23.3 cannot install, since they spell lxml's extra `html-clean` in two ways."""
EXTRAS = (*CODE, "evaluate", "retrieval", "extractors", *PACKAGES)


def use(extra: str, environment: Environment) -> None:
    """Use an extra's features; exit with an error if they fail."""
    if extra in CODE:
        script = environment.folder / "use.py"
        # Guard the code, since workers import the script.
        guarded = indent(HEAD + CODE[extra], "    ")
        script.write_text(f"if __name__ == '__main__':\n{guarded}\n", encoding="utf-8")
        environment.run(environment.bin / "python", script)
    elif extra == "evaluate":
        use_evaluate(environment)
    elif extra == "retrieval":
        use_retrieval(environment)
    else:
        for package in PACKAGES if extra == "extractors" else (extra,):
            page = environment.folder / "long.html"
            page.write_text(LONG_PAGE, encoding="utf-8")
            printed = environment.thresher("clean", page, "-c", f"extractor({package})", "-o", f"{package}.jsonl")
            if CLEANED not in (environment.folder / f"{package}.jsonl").read_text(encoding="utf-8"):
                sys.exit(f"{package} does not extract the text of a page\n{printed}")


def main(extras: list[str]) -> None:
    """Install and use extras in turn."""
    for extra in extras:
        with tempfile.TemporaryDirectory(prefix="thresher-") as folder:
            begin = time.perf_counter()
            environment = Environment(Path(folder))
            if extra in OF_NEWER_PIP:
                environment.pip("--upgrade", "pip>=23.3")
            environment.pip("--no-compile", f"{ROOT}[{extra}]")
            use(extra, environment)
            seconds = time.perf_counter() - begin
            sys.stdout.write(f"{extra}: {environment.megabytes():,} MB, {seconds:.0f} s\n")
            sys.stdout.flush()


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", choices=[*EXTRAS, []], help=", ".join(EXTRAS))
    main(parser.parse_args().extras or [*EXTRAS])
