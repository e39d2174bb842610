"""Pages in languages that a cleaner does not know: counted by language in the records, and said in results and report."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from commands import Done
from lxml import html
from many_languages import PARAGRAPHS
from messages import assert_names
from small_web import Web

from thresher.base.files import safe_name
from thresher.experiments.results import read_results
from thresher.reports.notices import notices

Call = Callable[..., Done]


@pytest.mark.slow
def test_pages_emptied_by_language_are_counted_and_told(web: Web, call: Call) -> None:
    folder = web.folder / "pages" / "world"
    folder.mkdir()
    for language, text in PARAGRAPHS.items():
        (folder / f"{language}.html").write_text(f"<p>{text}</p>", encoding="utf-8")
    (folder / "blank.html").write_text("<p> </p>")
    names = ["justext", "justext(floor=20)", "words(floor=20)@30", "words@1"]
    web.write(sweep="", cleaners=f"names = {json.dumps(names)}")
    assert call("run", "web.toml", cwd=web.folder).code == 0
    results = web.folder / "results" / "web"
    stages = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (results / "stages").glob("index-*")}
    assert len(stages) == 5
    for record in stages.values():
        assert sum(record["emptied_languages"].values()) == record["emptied"]
        assert record["emptied_languages"]["no text"] == 1
    foreign = {language: 1 for language in PARAGRAPHS if language != "English"}
    by_language = stages["index-justext.json"]["emptied_languages"]
    assert {language: pages for language, pages in by_language.items() if language != "English"} == foreign | {
        "no text": 1
    }
    for name in ("none", "justext(floor=20)", "words(floor=20)@30"):
        assert stages[f"index-{safe_name(name)}.json"]["emptied_languages"] == {"no text": 1}
    share = 100 * len(foreign) / (60 + len(PARAGRAPHS) + 1)
    told = [notice for notice in notices(read_results(results)) if "languages" in notice]
    (notice,) = told
    pages = f"{len(foreign)} of {60 + len(PARAGRAPHS) + 1} pages ({share:.1f} %)"
    languages = ", ".join(f"1 {language}" for language in sorted(foreign))
    assert_names(notice, "justext ", pages, f": {languages}; ", "lang=LANGUAGE", "floor=W")
    assert told[0] in " ".join(html.parse(str(results / "report.html")).getroot().text_content().split())
