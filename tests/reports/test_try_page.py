"""The page of `play`: it shows removed text and scores, works without a network, and makes no markup of a page's text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser
from lxml import html
from messages import Message, assert_names
from playwright.sync_api import Browser as Chromium

from thresher.cleaners.cleaner import Cleaner, parse_cleaner
from thresher.cleaners.scorer import Scorer
from thresher.collections import Page
from thresher.experiments.page_samples import FailedPage, PageSample, ScoredPage, model_free_scorers, scored_page
from thresher.pages import PageOptions, shown_page
from thresher.reports import try_page
from thresher.reports.try_page import page_policy, write_try_page
from thresher.scores.scoring import score_page

EVIL = '</script><script>document.title="ran"</script><img src=http://x.example/ onerror=document.title="ran"><!-- &amp; \'"'
WEATHER = (
    "<title>Weather</title><p>Home<p>Rain is expected in the north tonight. Bring a coat.<p>Five words of a menu"
    "<p>The wind turns to the west in the course of the night, and it gets colder.<p>Contact"
)
SCORERS = model_free_scorers()


def scored(name: str, content: str, is_text: bool = False, scorers: Sequence[Scorer] = SCORERS) -> ScoredPage:
    page = Page(name, content.encode(), is_text=is_text)
    scores = score_page(page, scorers)
    assert scores.segments is not None
    return scored_page(scores, scores.segments, shown_page(page, PageOptions()))


def sample(pages: Sequence[ScoredPage], *names: str, scorers: Sequence[Scorer] = SCORERS) -> PageSample:
    first, second = map(parse_cleaner, names)
    return PageSample(EVIL, tuple(pages), (), tuple(scorers), (first, second))


def written(path: Path, *names: str) -> Path:
    pages = [scored("weather", WEATHER), scored(EVIL, EVIL, True), scored("empty", "")]
    write_try_page(sample(pages, *(names or ("words@5", "content@0.5"))), path)
    return path


@pytest.fixture
def browser(system_browser: Chromium, tmp_path: Path) -> Browser:
    browser = Browser(system_browser)
    browser.resize(1400, 900)
    browser.open(written(tmp_path / "a.html", "words@5", "words(headings=keep)@1"))
    return browser


def removed(browser: Browser, side: int) -> list[str]:
    """The sentences that are shown as removed from a side."""
    texts = browser.evaluate(
        f"[...document.querySelectorAll('.row > p:nth-child({side}) .gone')].map((gone) => gone.textContent.trim())"
    )
    assert texts == browser.evaluate(
        f"[...document.querySelectorAll('.row > p:nth-child({side}) [role=deletion]')].map((gone) => gone.textContent.trim())"
    )
    return [str(text) for text in texts]


def counts(browser: Browser, side: str) -> str:
    return str(browser.page.text_content(f"#side-{side} .counts"))


def test_both_sides_show_what_they_remove(browser: Browser) -> None:
    assert removed(browser, 1) == ["Weather", "Home", "Contact"]
    assert removed(browser, 2) == []
    assert_names(counts(browser, "a"), "31 of 34 words", "91 %", "3 of 6 blocks removed")
    assert_names(counts(browser, "b"), "34 of 34 words", "100 %", "0 of 6 blocks removed")
    assert "3 of 6 rows" in str(browser.page.text_content("#differences"))
    assert browser.problems == []


def test_a_slider_cuts_at_once_and_every_step_keeps_something_else(browser: Browser) -> None:
    slider = browser.page.locator("#side-a input[type=range]")
    slider.focus()
    browser.press("End")
    assert removed(browser, 1) == [text for text in texts(browser) if not text.startswith("The wind")]
    assert browser.page.input_value("#side-a .value input") == "16"
    seen = []
    for _ in range(4):
        seen.append((slider.get_attribute("aria-valuetext"), len(removed(browser, 1))))
        browser.press("ArrowLeft")
    assert seen == [("16 words", 6), ("10 words", 4), ("5 words", 3), ("1 words", 0)]
    assert browser.problems == []


def texts(browser: Browser) -> list[str]:
    found = browser.evaluate(
        "[...document.querySelectorAll('.row > p:first-child > span')].map((span) => span.textContent.trim())"
    )
    return [str(text) for text in found]


def test_a_number_out_of_range_is_refused_and_changes_nothing(browser: Browser) -> None:
    box = browser.page.locator("#side-a .value input")
    for text in ("-1", "", "many", "1e999"):
        box.fill(text)
        assert browser.evaluate("document.querySelector('#side-a .value input').validity.valid") is False
        assert removed(browser, 1) == ["Weather", "Home", "Contact"]
    box.fill("5.5")
    assert removed(browser, 1) == ["Weather", "Home", "Five words of a menu", "Contact"]
    browser.page.click("#side-a .elsewhere summary")
    assert browser.page.locator("#side-a code").all_text_contents() == [
        "words@5.5",
        "thresher clean page.html -c 'words@5.5' -o cleaned.jsonl",
        'thresher.clean_html(open("page.html", "rb").read(), "words@5.5")',
    ]


def visible(browser: Browser) -> list[str]:
    rows = browser.page.locator(".row:visible")
    return [row.evaluate("(row) => row.dataset.fold ?? row.firstChild.textContent.trim()") for row in rows.all()]


def test_what_both_remove_is_folded_until_it_is_looked_at(system_browser: Chromium, tmp_path: Path) -> None:
    menu = "".join(f"<p>Menu {number}" for number in range(5))
    path = tmp_path / "a.html"
    page = scored("menu", f"<p>Home{menu}<p>Rain is expected in the north.{menu[:27]}<p>Two words<p>{'x ' * 9}")
    write_try_page(sample([page], "words@5", "words@4"), path)
    browser = Browser(system_browser)
    browser.open(path)
    rain, last = "Rain is expected in the north.", " ".join("x" * 9)
    assert visible(browser) == ["▸ 6 blocks that both remove", rain, "▸ 4 blocks that both remove", last]
    browser.page.click(".row")
    assert visible(browser)[:7] == ["Home", *(f"Menu {number}" for number in range(5)), rain]
    browser.page.fill("#find", "two words")
    browser.press("Enter")
    assert "Two words" in visible(browser)
    # What one of them keeps again is shown.
    browser.page.fill("#side-b .value input", "1")
    assert all("blocks" not in text for text in visible(browser))
    assert browser.problems == []


@pytest.mark.parametrize(
    "hash", ["#[", "#%", "#nowhere", '#["weather",[{"scorer":"toString","cutoff":1}]]', "#[1,2,3]"]
)
def test_an_address_that_says_nothing_sound_shows_the_first_page(
    system_browser: Chromium, tmp_path: Path, hash: str
) -> None:
    browser = Browser(system_browser)
    browser.open(written(tmp_path / "a.html", "words@5", "bte"), hash)
    browser.wait("document.querySelector('.row')?.textContent.includes('Weather')")
    assert browser.page.locator("#side-a code").first.text_content() == "words@5"
    assert browser.problems == []


def test_cuts_and_their_options_are_put_together(browser: Browser) -> None:
    page = browser.page
    page.select_option("#side-b .cut select", "perplexity(lm=books)")
    page.click("#side-b [aria-expanded]")
    page.select_option("#side-b [aria-label='Headings of B']", "keep")
    page.select_option("#side-b [aria-label='Kind of cutoff of B']", "quota")
    page.fill("#side-b [aria-label='Floor of B']", "7")
    page.press("#side-b [aria-label='Floor of B']", "Tab")
    page.get_by_role("button", name="add a cut").nth(1).click()
    page.select_option("#side-b .cut:nth-child(2) > select", "bte")
    name = "perplexity(lm=books,headings=keep,floor=7)@doc50+bte"
    assert page.locator("#side-b code").first.text_content() == name
    assert parse_cleaner(name).name == name
    page.get_by_role("button", name="Remove the cut B1").click()
    assert page.locator("#side-b code").first.text_content() == "bte"
    page.get_by_role("button", name="Remove the cut B").click()
    assert page.locator("#side-b code").first.text_content() == "none"
    assert removed(browser, 2) == []


def test_a_block_shows_the_scores_of_every_scorer(browser: Browser) -> None:
    browser.page.click("text=The wind turns")
    scores = browser.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#about table:first-of-type tr')].map((row) => "
        "[row.cells[0].firstChild.textContent, row.cells[1].textContent]))"
    )
    assert set(scores) == {scorer.canonical_name for scorer in SCORERS}
    assert (scores["words"], scores["links"], scores["bte"]) == ("16", "0", "keeps")
    button = browser.page.get_by_role("button", name="Cut A at this score of words")
    assert button.evaluate(
        "(button) => button.getBoundingClientRect().right <= document.getElementById('about').getBoundingClientRect().right"
    )
    button.click()
    assert browser.page.locator("#side-a code").first.text_content() == "words@16"


def test_all_can_be_done_with_the_keyboard_alone(browser: Browser) -> None:
    browser.press("n")
    assert browser.evaluate("document.activeElement.textContent").startswith("Weather")
    browser.press("n")
    browser.press("n")
    assert browser.evaluate("document.activeElement.textContent").startswith("Contact")
    browser.press("n")
    assert browser.evaluate("document.activeElement.textContent").startswith("Weather")
    browser.press("j")
    assert browser.page.text_content("#about-title") == "Block 2"
    browser.press("a")
    browser.press("Home")
    assert counts(browser, "a").endswith("0 of 6 blocks removed")
    browser.press("h")
    assert browser.page.is_checked("#gone")
    browser.press("/")
    browser.page.keyboard.type("colder")
    browser.press("Enter")
    assert browser.page.text_content("#about-title") == "Block 5"
    browser.page.focus("#pick")
    browser.press("ArrowDown")
    browser.wait(f"document.querySelector('.row').textContent.includes({EVIL[:9]!r})")
    browser.page.focus("#view")
    browser.evaluate("document.activeElement.blur()")
    browser.press("?")
    assert browser.page.is_visible("#help")
    browser.press("Escape")
    assert not browser.page.is_visible("#help")
    assert browser.problems == []


def test_text_stays_text_and_nothing_is_fetched(system_browser: Chromium, tmp_path: Path) -> None:
    path = written(tmp_path / "a.html")
    tree = html.document_fromstring(path.read_text(encoding="utf-8"))
    assert not tree.xpath("//img | //link | //object | //embed | //base | //@src | //@href | //form[@action]")
    assert not tree.xpath("//@*[starts-with(name(), 'on')]")
    scripts = tree.xpath("//script")
    assert [script.get("type") for script in scripts] == [*["application/json"] * 4, None]
    meta = tree.xpath("string(//meta[@http-equiv]/@content)")
    assert meta == page_policy()
    assert dict(part.strip().partition(" ")[::2] for part in meta.split(";"))["script-src"].startswith("'sha256-")
    browser = Browser(system_browser)
    requests: list[str] = []
    browser.page.on("request", lambda request: requests.append(request.url))
    browser.open(path)
    browser.page.select_option("#pick", label=EVIL)
    browser.wait(f"document.querySelector('.row')?.textContent.includes({EVIL[:9]!r})")
    browser.page.click(".row")
    assert browser.evaluate("document.querySelector('.row > p').textContent.trim()") == " ".join(EVIL.split())
    assert browser.page.title() == " ".join(f"Try cleaners: {EVIL}".split())
    assert [url for url in requests if url not in ("about:blank", path.as_uri())] == []
    assert browser.problems == []


RUN = "document.title='ran';document.documentElement.dataset.ran='ran';alert('ran');fetch('https://x.example/')"
HOSTILE = f"""<!DOCTYPE html><title>a</title></title></style></textarea></template></iframe></script><script>{RUN}</script>
<base href=https://x.example/><meta http-equiv=refresh content="0;url=https://x.example/">
<link rel=stylesheet href=https://x.example/a.css><img src=https://x.example/a.png onerror="{RUN}">
<iframe src=https://x.example/></iframe><iframe srcdoc="<script>parent.{RUN}</script>"></iframe>
<svg onload="{RUN}"><script>{RUN}</script></svg><form action=https://x.example/><button>Go</button></form>
<p onclick="{RUN}" style="background:url(https://x.example/b.png)">Rain &lt;script&gt;{RUN}&lt;/script&gt; falls tonight.</p>
<p>&lt;/script&gt;&lt;img src=https://x.example/c.png onerror=&quot;{RUN}&quot;&gt; and more words of a page.</p>
<a href="javascript:{RUN}">A link</a>
<i style="background:u\\72l(https://x.example/d.png)">y</i><details open ontoggle="{RUN}">x</details><object data=https://x.example/></object>
"""


def test_a_hostile_page_runs_nothing_and_no_request_leaves(system_browser: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    failed = (FailedPage(EVIL, EVIL),)
    write_try_page(replace(sample([scored(EVIL, HOSTILE)], "words@5", "none"), failed=failed), path)
    page = system_browser.new_context().new_page()
    problems: list[str] = []
    requests: list[str] = []
    failures: dict[str, str | None] = {}
    page.on("request", lambda request: requests.append(request.url))
    page.on("requestfailed", lambda request: failures.update({request.url: request.failure}))
    page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("popup", lambda popup: problems.append("popup"))
    page.goto(path.as_uri())
    page.wait_for_selector(".row >> text=falls tonight")
    page.check("#itself input")
    frame = page.frame_locator("#frame iframe")
    frame.locator("x-block[data-kept] >> text=falls tonight").wait_for()
    frame.get_by_text("A link", exact=True).click()
    framed = html.document_fromstring(page.frames[1].content())
    assert not framed.xpath("//script | //iframe | //base | //link | //meta | //svg | //@href | //@src | //@onclick")
    page.check("#inline")
    text = str(page.text_content("#rows"))
    assert "onerror=" in text
    assert RUN in text
    # Not even its own script may make markup of text.
    blocked = """
        (text) => { try { document.body.innerHTML = text; return "made"; } catch (error) { return error.name; } }
    """
    assert page.evaluate(blocked, "<p>text") == "TypeError"
    assert page.evaluate("document.documentElement.dataset.ran") is None
    assert page.locator("object, svg, img, base, link").count() == 0
    assert len(page.frames) == 2
    # An address that a style hides behind an escape is stopped by the policy, which the frame inherits.
    hidden = "https://x.example/d.png"
    assert failures == {hidden: "csp"}
    assert {url for url in requests if url != path.as_uri()} <= {hidden, "about:blank", "about:srcdoc"}
    assert [problem for problem in problems if hidden not in problem and "TrustedHTML" not in problem] == []


def test_the_page_itself_stands_beside_its_text(browser: Browser) -> None:
    page = browser.page
    assert not page.is_visible("#frame iframe")
    page.check("#itself input")
    marks = "document.querySelector('#frame iframe').contentDocument.querySelectorAll('x-block')"
    marked = f"[...{marks}].map((mark) => mark.dataset.kept)"
    browser.wait(f"{marked}.length === 5 && {marked}.every((mark) => mark !== undefined)")
    page.select_option("#side-a .cut select", "words")
    page.select_option("#side-b .cut select", "words")
    for first, second, expected in (
        ("2", "6", ["", "AB", "A", "AB", ""]),
        ("20", "6", ["", "B", "", "B", ""]),
        ("1", "1", ["AB"] * 5),
    ):
        page.fill("#side-a .value input", first)
        page.fill("#side-b .value input", second)
        assert browser.evaluate(marked) == expected
    # A click in either selects the block in both.
    page.frame_locator("#frame iframe").locator("text=Rain is expected").click()
    assert page.text_content("#about-title") == "Block 3"
    page.click(".row >> text=Home")
    here = page.frame_locator("#frame iframe").locator("[data-here]")
    assert here.all_text_contents() == ["Home"]
    page.click("#close")
    assert here.count() == 0
    page.select_option("#pick", label=EVIL)
    page.frame_locator("#frame iframe").locator("pre").wait_for()
    page.evaluate("document.activeElement.blur()")
    browser.press("o")
    assert page.locator("#frame iframe").count() == 0
    assert browser.problems == []


def test_pages_are_found_by_id_and_by_title(browser: Browser) -> None:
    def listed() -> list[str]:
        return browser.page.locator("#pick option").all_text_contents()

    assert listed() == ["Weather (weather)", " ".join(EVIL.split()), "empty"]
    browser.page.fill("#filter", "EMPT")
    assert listed() == ["empty"]
    browser.page.fill("#filter", "Weather (")
    assert listed() == ["Weather (weather)"]
    assert browser.page.text_content("#pages") == "1 of 3 pages"
    # Enter shows the first of them.
    browser.page.fill("#filter", "empty")
    browser.page.press("#filter", "Enter")
    assert (browser.page.input_value("#pick"), counts(browser, "a")[:12]) == ("2", "0 of 0 words")
    browser.page.fill("#filter", "weather (")
    browser.page.press("#filter", "Enter")
    browser.page.fill("#filter", "")
    browser.page.click("#after")
    assert browser.page.input_value("#pick") == "1"
    browser.page.click("#before")
    browser.page.click("#before")
    assert browser.page.input_value("#pick") == "2"
    assert browser.problems == []


def test_an_address_brings_back_page_and_cleaners(browser: Browser) -> None:
    browser.page.fill("#side-a .value input", "3.5")
    browser.wait("location.hash.includes('3.5')")
    browser.page.reload()
    assert browser.page.locator("#side-a code").first.text_content() == "words@3.5"
    browser.page.evaluate("location.hash = 'empty'")
    browser.page.wait_for_selector(".empty")
    assert browser.page.input_value("#pick") == "2"
    assert browser.problems == []


def test_ranks_are_those_of_the_runs(system_browser: Chromium, tmp_path: Path) -> None:
    ranks = {"2": {"none": 7, "words@5": 1200}, "1": {"words@5": 3}}
    page = replace(scored("weather", WEATHER), ranks=ranks, original="", original_problem="it is gone")
    variants = {"none": Cleaner(), "words@5": parse_cleaner("words@5"), "words@9": parse_cleaner("words@9")}
    judged = replace(sample([page], "words@5", "bte"), variants=variants, queries={"1": "oats", "2": EVIL, "3": "rye"})
    path = tmp_path / "a.html"
    write_try_page(judged, path)
    browser = Browser(system_browser)
    browser.open(path)
    options = browser.page.locator("#topic option").all_text_contents()
    assert [text.partition(":")[0] for text in options] == ["2", "1", "3"]
    assert "rank 7" in options[0]

    def cells() -> list[str]:
        return browser.page.locator("#rank-rows td").all_text_contents()

    not_run = Message("not run", "choose a cleaner")
    assert cells() == ["7", "1,200", not_run]
    browser.page.select_option("[aria-label='A cleaner of the results for B']", label="words@9")
    assert cells() == ["7", "1,200", "not retrieved"]
    browser.page.select_option("#topic", "1")
    assert cells() == ["not retrieved", "3", "not retrieved"]
    assert str(browser.page.text_content("#no-original")).endswith(": it is gone.")
    assert not browser.page.is_visible("#itself")
    assert browser.problems == []


def test_a_page_without_text_says_so(browser: Browser) -> None:
    browser.page.select_option("#pick", label="empty")
    browser.wait("document.querySelector('.empty') !== null")
    assert_names(counts(browser, "a"), "0 of 0 words", "100 %", "0 of 0 blocks removed")
    assert browser.problems == []


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_cut_off_on_a_narrow_screen(browser: Browser, dark: bool) -> None:
    browser.resize(400, 850, dark=dark)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 400
    assert browser.page.is_visible("#side-a")
    assert not browser.page.is_visible("#side-b")
    browser.page.click("#which button:nth-child(2)")
    assert browser.page.is_visible("#side-b")
    assert browser.evaluate("getComputedStyle(document.querySelector('.row > p:first-child')).display") == "none"


def test_every_colour_is_defined(tmp_path: Path) -> None:
    style = written(tmp_path / "a.html").read_text(encoding="utf-8").partition("</style>")[0]
    used = set(re.findall(r"var\((--[\w-]+)\)", style)) - {"--side"}
    light, _, dark = style.partition("@media (prefers-color-scheme: dark)")
    assert used - set(re.findall(r"(--[\w-]+):", light)) - set(re.findall(r"(--[\w-]+):", dark)) == set()
    assert {"--ground", "--ink", "--accent", "--gone", "--first", "--second"} <= used
    assert "url(" not in style
    assert "@import" not in style


def test_a_long_page_has_few_elements_and_is_cut_whole(system_browser: Chromium, tmp_path: Path) -> None:
    menu = "".join(f"<p>Item {number}" for number in range(20_000))
    path = tmp_path / "a.html"
    scorers = [scorer for scorer in SCORERS if scorer.name == "words"]
    page = scored("long", f"{menu}<p>{'Some words are here. ' * 2000}", scorers=scorers)
    write_try_page(sample([page], "words@3", "words@3", scorers=scorers), path)
    browser = Browser(system_browser)
    browser.resize(1400, 900)
    browser.open(path)
    browser.wait("document.querySelectorAll('.row').length > 0")
    assert_names(counts(browser, "a"), "8,000 of 48,000 words", "17 %", "20,000 of 20,001 blocks removed")
    assert browser.evaluate("document.querySelectorAll('.row').length") < 500
    # The page grows while rows of unknown height come into sight.
    browser.wait(
        "(scrollTo(0, document.documentElement.scrollHeight),"
        " document.querySelector('#rows').lastChild.textContent.includes('Some words are here.'))"
    )
    browser.press("k")
    browser.page.fill("#find", "item 19998")
    browser.page.press("#find", "Enter")
    browser.wait("document.querySelector('.row.here > p')?.textContent.trim() === 'Item 19998'")
    assert browser.problems == []


def test_pages_beyond_the_size_of_a_file_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_page, "MOST_BYTES", 40_000)
    pages = [replace(scored(f"page{number}", WEATHER), original="x" * 15_000) for number in range(4)]
    path = tmp_path / "a.html"
    failed = FailedPage("bad", "HTTP status 404")
    file = write_try_page(replace(sample(pages, "words@5", "none"), failed=(failed,)), path)
    assert (file.pages, file.size) == (2, path.stat().st_size)
    assert [page.id for page in file.failed] == ["bad", "page2", "page3"]
    listed = html.document_fromstring(path.read_text(encoding="utf-8")).xpath("//*[@id='failed']//li")
    assert [item.text_content().partition(":")[0] for item in listed] == ["bad", "page2", "page3"]
