"""Text of pages, ids, topics and titles that is markup: in what is written as HTML it stays text."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from browser import Browser
from commands import Done
from lxml import html
from playwright.sync_api import Browser as Chromium
from small_web import Web

pytestmark = pytest.mark.slow

Call = Callable[..., Done]
Check = Callable[..., None]

MARK = "winnowed"
RUN = f"document.title='{MARK}';document.documentElement.dataset.x='{MARK}'"
HOSTILE = (
    f"</title></style></textarea></script><script>{RUN}</script>",
    f"\"'><img/src=x/onerror={RUN}><svg/onload={RUN}>",
    f'--></td></table><iframe/srcdoc="<script>parent.{RUN}</script>"><a/href=javascript:{RUN}>',
)


def hostile_web(web: Web) -> None:
    """JSON lines, WARC beside them, topics and judgments, all of hostile text; of each kind of document some fail."""
    lines = [{"id": text, "contents": f"barley harvest {text} weather"} for text in HOSTILE]
    lines += [{"id": text, "html": "<p>again</p>"} for text in HOSTILE]  # come twice
    lines += [{"id": f"a b {text}", "html": "<p>unfit</p>"} for text in HOSTILE]
    (web.folder / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (web.folder / "topics.tsv").write_text(f"1<b>\tbarley {HOSTILE[0]}\n2\tharvest {HOSTILE[1]}\n")
    (web.folder / "qrels.txt").write_text(
        "".join(f"{topic} 0 {text} 1\n" for topic in ("1<b>", "2") for text in HOSTILE[:2])
    )


def check_in(started: Chromium, path: Path, scripts: int) -> None:
    """Look that nothing of the data is markup in a page, and that a browser runs none of it."""
    text = path.read_text(encoding="utf-8")
    assert MARK in text
    tree = html.document_fromstring(text)
    result = tree.xpath("//script[not(@type='application/json')]")
    assert len(result) == scripts
    assert not [script for script in result if MARK in script.text_content()]
    assert tree.xpath("//iframe | //svg[@onload] | //@*[starts-with(name(), 'on')] | //@src[.='x'] | //@srcdoc") == []
    assert not [link for link in tree.xpath("//@href") if link.strip().lower().startswith("javascript:")]
    assert not [style for style in tree.xpath("//style") if MARK in style.text_content()]
    browser = Browser(started)
    browser.open(path)
    shown = html.document_fromstring(browser.page.content())
    assert shown.get("data-x") is None
    assert shown.findtext(".//title") == tree.findtext(".//title")
    assert browser.problems == []


@pytest.fixture(scope="module")
def check(system_browser: Chromium) -> Check:
    return partial(check_in, system_browser)


def test_the_report_of_an_experiment(web: Web, call: Call, check: Check, charts: None) -> None:
    hostile_web(web)
    web.write(
        experiment=f"name = 'web'\ntitle = {json.dumps(HOSTILE[0])}",
        collection='path = "docs.jsonl"',
        sweep='scorer = "words"\ncutoffs = [2]',
        cleaners="",
    )
    done = call("run", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    check(web.folder / "results" / "web" / "report.html", scripts=1)
