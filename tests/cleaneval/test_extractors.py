"""Extractors: what each package itself gives, and pages that no package survives."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import justext
import psutil
import pytest
import readability
import trafilatura
import worker_processes
from boilerpy3 import extractors as boilerpy3_extractors
from boilerpy3 import filters
from resiliparse.extract.html2text import extract_plain_text
from worker_processes import workers_alive

from thresher.cleaneval.extractors import (
    EXTRACTORS,
    ExtractedPage,
    Extractor,
    decode_for_extractors,
    find_extractors,
    run_extractors,
)
from thresher.cleaneval.gold import GoldPage, read_gold
from thresher.errors import InputError, MissingDependencyError

MENU = "".join(f'<li><a href="/{item}">{item}</a></li>' for item in ("Home", "News", "Sport", "Weather", "Contact"))
FIRST = (
    "On the first day of the storm the rain came down on the harbour, and it did not stop before the evening, when the "
    "boats that had been out since the morning were all back and the people of the town could go to their houses again."
)
SECOND = (
    "The wind had been strong for most of the week, but nobody who was there had seen the water of the bay so high as it "
    "was on that day, and the oldest of the fishermen said that it would not be the last time for them to see it."
)
FOOTER = "Copyright 2011 The Harbour Times"
BODY = f"""<ul>{MENU}</ul><div class="article"><h1>Rain on the harbour</h1><p>{FIRST}</p><p>{SECOND}</p></div>
<div class="footer"><p>{FOOTER}</p></div>"""
PAGE = f"<!DOCTYPE html><html><head><title>Rain on the harbour</title></head><body>{BODY}</body></html>"

BY_NAME = {extractor.name: extractor for extractor in EXTRACTORS}


def in_words(page: str) -> list[str]:
    return page.split()


def raising(page: str) -> list[str]:
    raise ValueError("no\n  such \udc80 thing")


def raising_without_words(page: str) -> list[str]:
    raise KeyError from OSError("the cause")


def hanging(page: str) -> list[str]:
    # In C, without a look at signals: no handler in Python would ever run.
    return [str("stop" not in page and sum(iter(lambda: 1, 0)))]


def killing(page: str) -> list[str]:
    if "kill" in page:
        os.kill(os.getpid(), signal.SIGKILL)
    return [page]


def exiting(page: str) -> list[str]:
    os._exit(3)


def chatty(page: str) -> list[str]:
    print("on standard output")
    os.write(2, b"on standard error")
    warnings.warn("a warning", stacklevel=1)
    return ["a\ud800b"]


def extractor(extract: object, module: str = "json") -> Extractor:
    return Extractor(f"extractor:{extract.__name__}", "none", module, extract)  # type: ignore[attr-defined, arg-type]


def gold_pages(folder: Path, *contents: str) -> list[GoldPage]:
    pages = []
    for number, content in enumerate(contents):
        path = folder / f"{number}.html"
        path.write_text(content, encoding="utf-8")
        pages.append(GoldPage(str(number), path, ()))
    return pages


def kept(name: str, page: str = PAGE) -> list[str]:
    return BY_NAME[name].extract(page)


def test_every_extractor_gives_what_its_package_gives() -> None:
    article = [FIRST, SECOND]
    titled = ["Rain on the harbour", *article]
    paragraphs = justext.justext(PAGE, justext.get_stoplist("English"))
    assert kept("extractor:justext") == [part.text for part in paragraphs if not part.is_boilerplate] == titled
    density = boilerpy3_extractors.Extractor(filters.DensityRulesClassifier())
    for name, extractor in (
        ("words", boilerpy3_extractors.NumWordsRulesExtractor()),
        ("density", density),
        ("default", boilerpy3_extractors.DefaultExtractor()),
        ("article", boilerpy3_extractors.ArticleExtractor()),
    ):
        assert "\n".join(kept(f"extractor:boilerpy3-{name}")) == extractor.get_content(PAGE).strip("\n")
        assert set(article) <= set(kept(f"extractor:boilerpy3-{name}"))
    assert "\n".join(kept("extractor:trafilatura")) == trafilatura.extract(PAGE, include_comments=False)
    assert kept("extractor:trafilatura") == article
    actual = extract_plain_text(PAGE, main_content=True, list_bullets=False, alt_texts=False)
    assert kept("extractor:resiliparse") == [line for line in actual.splitlines() if line]
    assert kept("extractor:resiliparse") == titled
    summary = readability.Document(PAGE).summary()
    assert kept("extractor:readability") == [part for part in titled if part in summary]
    assert set(article) <= set(kept("extractor:readability"))


def test_pages_that_are_no_whole_document_are_read_all_the_same() -> None:
    content = '\n<text id="http://x.org/?a>b" encoding="iso-8859-1">\n' + BODY + "</text>\n"
    fragment = decode_for_extractors(content.encode())
    assert fragment == f"\n{BODY}"
    assert decode_for_extractors(b'<?xml version="1.0" encoding="iso-8859-1"?>\n<p>\xe9</p>') == "\n<p>é</p>"
    assert decode_for_extractors(b"<p>a</p><svg><text>b</text></svg>") == "<p>a</p><svg><text>b</text></svg>"
    assert boilerpy3_extractors.NumWordsRulesExtractor().get_content(fragment) == ""
    headed = PAGE.replace("<body>", "")
    for each in EXTRACTORS:
        assert {FIRST, SECOND} <= set(each.extract(fragment)), each.name
        assert each.extract(headed) == each.extract(PAGE), each.name
    # An end tag too many, over which boilerpy3 raises unless told not to.
    broken = PAGE.replace("</body></html>", f"{'</div>' * 9}</body></html>")
    assert kept("extractor:boilerpy3-words", broken) == kept("extractor:boilerpy3-words")


def test_a_page_costs_only_the_extractor_that_it_is_too_much_for(tmp_path: Path) -> None:
    pages = gold_pages(tmp_path, "one stop", "two kill stop", "three", "four stop")
    extractors = [
        extractor(function) for function in (in_words, raising, hanging, killing, raising_without_words, in_words)
    ]
    raised, caused = "ValueError: no such ? thing", "KeyError: the cause"
    late, killed = "took longer than 1 s", "ended its process (exit code -9)"
    expected = []
    for page, text in zip(pages, ("one stop", "two kill stop", "three", "four stop"), strict=True):
        words = tuple(text.split())
        hangs, kills = "stop" not in text, "kill" in text
        expected.append(
            ExtractedPage(
                page.stem,
                (words, (), () if hangs else ("False",), () if kills else (text,), (), words),
                ("", raised, late if hangs else "", killed if kills else "", caused, ""),
            )
        )
    assert list(run_extractors(pages, extractors, workers=3, seconds=1)) == expected
    assert workers_alive() == []


def test_a_extractor_that_ends_every_process_ends_no_other_extractors_work(tmp_path: Path) -> None:
    pages = gold_pages(tmp_path, *(f"page {number}" for number in range(2)))
    actual = list(
        run_extractors(
            pages, [extractor(exiting), extractor(in_words), extractor(exiting, "no_such_module")], workers=2
        )
    )
    assert [page.texts for page in actual] == [((), ("page", str(number)), ()) for number in range(2)]
    ended = "ended its process (exit code 3)"
    assert [page.problems for page in actual] == [(ended, "", ended)] * 2
    assert workers_alive() == []


def test_nothing_is_printed_and_no_surrogate_comes_back(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert list(run_extractors(gold_pages(tmp_path, "page"), [extractor(chatty)])) == [
        ExtractedPage("0", (("a?b",),), ("",))
    ]
    assert capfd.readouterr() == ("", "")


def test_processes_end_with_a_generator_that_is_closed_early(tmp_path: Path) -> None:
    pages = gold_pages(tmp_path, "stop", *["forever"] * 9)
    actual = run_extractors(pages, [extractor(hanging)], workers=2, seconds=60)
    assert next(actual).texts == (("False",),)
    assert len(workers_alive()) == 2
    actual.close()
    assert workers_alive() == []


def test_processes_end_after_a_parent_that_is_killed(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    gold_pages(pages, "stop", "forever")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        f"sys.path[:0] = {[str(Path(__file__).parent), str(Path(worker_processes.__file__).parent)]}\n"
        "from test_extractors import GoldPage, hanging, extractor, run_extractors, workers_alive\n"
        "if __name__ == '__main__':\n"
        f"    pages = [GoldPage(path.stem, path, ()) for path in sorted(Path({str(pages)!r}).iterdir())]\n"
        "    found = run_extractors(pages, [extractor(hanging)], seconds=2)\n"
        "    next(found)\n"
        "    print(*workers_alive(), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        (worker,) = map(psutil.Process, map(int, parent.stdout.readline().split()))
        parent.kill()
    gone, alive = psutil.wait_procs([worker], timeout=20)
    assert (gone, alive) == ([worker], [])


def test_a_page_that_cannot_be_read_is_the_users_error(tmp_path: Path) -> None:
    pages = [*gold_pages(tmp_path, "page"), GoldPage("lost", tmp_path / "lost.html", ())]
    actual = run_extractors(pages, [extractor(in_words)])
    assert next(actual) == ExtractedPage("0", (("page",),), ("",))
    with pytest.raises(InputError) as error:
        next(actual)
    assert str(error.value) == f"{tmp_path / 'lost.html'}: there is no such file or folder. Fix: check the path."
    assert workers_alive() == []


def test_compressed_pages_are_unpacked_and_a_damaged_one_costs_every_extractor_this_page(tmp_path: Path) -> None:
    pages = []
    for stem, cut in (("0", None), ("1", -9), ("2", None)):
        path = tmp_path / f"{stem}.html.gz"
        path.write_bytes(gzip.compress(b"It rained")[:cut])
        pages.append(GoldPage(stem, path, ()))
    actual = list(run_extractors(pages, [extractor(in_words), extractor(in_words)]))
    whole, early = ("It", "rained"), "the compressed data end too early"
    assert actual == [
        ExtractedPage("0", (whole, whole), ("", "")),
        ExtractedPage("1", ((), ()), (early, early)),
        ExtractedPage("2", (whole, whole), ("", "")),
    ]


def test_a_module_that_ends_its_process_costs_its_own_extractor_alone(tmp_path: Path) -> None:
    module = tmp_path / "ends_its_process.py"
    module.write_text("import os\nos._exit(7)\n")
    pages = gold_pages(tmp_path, "page")
    sys.path.insert(0, str(tmp_path))
    try:
        (found,) = run_extractors(pages, [extractor(in_words, module.stem), extractor(in_words)])
    finally:
        sys.path.remove(str(tmp_path))
    assert (found.texts, found.problems) == (((), ("page",)), ("ended its process (exit code 7)", ""))
    assert workers_alive() == []


def test_nothing_to_do(tmp_path: Path) -> None:
    assert list(run_extractors([], [extractor(in_words)])) == []
    assert list(run_extractors(gold_pages(tmp_path, "page"), [])) == [ExtractedPage("0", (), ())]
    assert workers_alive() == []


def test_missing_packages_are_named_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_extractors() == EXTRACTORS
    for name in ("trafilatura", "boilerpy3"):
        # What Python itself takes to mean that there is no such module.
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError) as error:
        find_extractors()
    assert str(error.value) == (
        "the extractors need packages that are not installed: boilerpy3, trafilatura. "
        "Fix: install the extra: pip install 'thresher[extractors]'."
    )


def test_no_package_is_imported_with_the_extractors() -> None:
    modules = {each.module.partition(".")[0] for each in EXTRACTORS}
    code = (
        "import sys, thresher.cleaneval.extractors as extractors\n"
        f"print(*[name for name in {sorted(modules)} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_real_pages_one_by_one_and_in_processes(shared_data: Path) -> None:
    pages = read_gold(shared_data / "cleaning" / "cleaneval-dev").pages[:12]
    actual = list(run_extractors(pages, find_extractors(), workers=2))
    assert [page.stem for page in actual] == [page.stem for page in pages]
    assert {problem for page in actual for problem in page.problems} == {""}
    assert all(len(page.texts) == len(EXTRACTORS) for page in actual)
    for page, result in zip(pages[:4], actual, strict=False):
        text = decode_for_extractors(page.path.read_bytes())
        assert [list(paragraphs) for paragraphs in result.texts] == [each.extract(text) for each in EXTRACTORS]
