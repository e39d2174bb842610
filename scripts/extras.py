#!/usr/bin/env python3
"""Install each extra of pyproject.toml in an environment of its own, and use there what it is for: `make extras`.

usage: scripts/extras.py [EXTRA...]

Without names all are tried. A package that an extra needs and does not name shows here alone: the environment of the tests
has all of them. Environments are made in a temporary folder ($TMPDIR), one at a time, and removed. Exits with 1 if one fails.
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
"""Some packages empty short pages."""
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
"""Python that uses an extra; the others have commands of their own."""
PACKAGES = ("justext", "boilerpy3", "trafilatura", "resiliparse", "readability")
OF_NEWER_PIP = ("extractors", "readability")
"""Extras in which pip before 23.3 meets the extra `html-clean` of lxml under two spellings, and fails."""
EXTRAS = (*CODE, "evaluate", "retrieval", "extractors", *PACKAGES)


def use(extra: str, environment: Environment) -> None:
    """Do what the extra is for; exit if it fails."""
    if extra in CODE:
        script = environment.folder / "use.py"
        # Workers import the script.
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
            told = environment.thresher("clean", page, "-c", f"extractor({package})", "-o", f"{package}.jsonl")
            if CLEANED not in (environment.folder / f"{package}.jsonl").read_text(encoding="utf-8"):
                sys.exit(f"{package} leaves nothing of a page\n{told}")


def main(extras: list[str]) -> None:
    """Try extras, one after another."""
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
