#!/usr/bin/env python3
"""Put the first screen of a report into docs/results/plots/report.png, for README.md. Needs Chromium and the dev environment.

usage: scripts/report_picture.py RESULTS_FOLDER     (such as results/pydoc)
"""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from arguments import parser_of

PICTURE = Path(__file__).parents[1] / "docs" / "results" / "plots" / "report.png"


def main(folder: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 720})
        page.goto((folder / "report.html").resolve().as_uri())
        page.wait_for_selector("#summary figure.wide svg")
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("results", type=Path)
    main(parser.parse_args().results)
