"""The page as a file: it shows what is removed and why, works without a network, and no text of a page becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium
from lxml import html
from playwright.sync_api import Browser as Chromium

from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import Page
from thresher.reports.playing import page_views
from thresher.reports.playing.page_views import (
    View,
    cuts_view,
    page_view,
    policy,
    scorer_view,
    shown_scorers,
    two_sides,
    write_side_by_side,
)
from thresher.scores.store import score_page

EVIL = '</script><script>document.title="ran"</script><img src=http://x.example/ onerror=document.title="ran"><!-- &amp; \'"'
WEATHER = (
    "<title>Weather</title><p>Home<p>Rain is expected in the north tonight. Bring a coat.<p>Five words of a menu"
    "<p>The wind turns to the west in the course of the night, and it gets colder.<p>Contact"
)
SCORERS = shown_scorers()


def view(name: str, content: str, is_text: bool = False) -> View:
    return page_view(score_page(Page(name, content.encode(), is_text=is_text), SCORERS))


def written(path: Path, *names: str) -> Path:
    sides = [cuts_view(parse_cleaner(name)) for name in names] or two_sides(parse_cleaner("words@5"))
    pages = [view("weather", WEATHER), view(EVIL, EVIL, True), view("empty", "")]
    write_side_by_side(pages, [*map(scorer_view, SCORERS)], sides, EVIL, path)
    return path


@pytest.fixture(scope="module")
def system() -> Iterator[Chromium]:
    with chromium() as started:
        yield started


@pytest.fixture
def browser(system: Chromium, tmp_path: Path) -> Browser:
    browser = Browser(system)
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
    assert counts(browser, "a") == "31 of 34 words kept (91 %), 3 of 7 sentences removed"
    assert counts(browser, "b") == "34 of 34 words kept (100 %), 0 of 7 sentences removed"
    assert browser.page.text_content("#differences") == "A and B differ in 3 of 6 rows"
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


def test_what_both_remove_is_folded_until_it_is_looked_at(system: Chromium, tmp_path: Path) -> None:
    menu = "".join(f"<p>Menu {number}" for number in range(5))
    sides = [cuts_view(parse_cleaner(name)) for name in ("words@5", "words@4")]
    path = tmp_path / "a.html"
    page = view("menu", f"<p>Home{menu}<p>Rain is expected in the north.{menu[:27]}<p>Two words<p>{'x ' * 9}")
    write_side_by_side([page], [*map(scorer_view, SCORERS)], sides, "a", path)
    browser = Browser(system)
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
def test_an_address_that_says_nothing_sound_shows_the_first_page(system: Chromium, tmp_path: Path, hash: str) -> None:
    browser = Browser(system)
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
    assert counts(browser, "a").endswith("0 of 7 sentences removed")
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


def test_text_stays_text_and_nothing_is_fetched(system: Chromium, tmp_path: Path) -> None:
    path = written(tmp_path / "a.html")
    tree = html.document_fromstring(path.read_text(encoding="utf-8"))
    assert not tree.xpath(
        "//img | //link | //iframe | //object | //embed | //base | //@src | //@href | //form[@action]"
    )
    assert not tree.xpath("//@*[starts-with(name(), 'on')]")
    scripts = tree.xpath("//script")
    assert [script.get("type") for script in scripts] == [*["application/json"] * 4, None]
    meta = tree.xpath("string(//meta[@http-equiv]/@content)")
    assert meta == policy("'none'")
    assert "unsafe" not in meta
    browser = Browser(system)
    requests: list[str] = []
    browser.page.on("request", lambda request: requests.append(request.url))
    browser.open(path)
    browser.page.select_option("#pick", label=EVIL)
    browser.wait(f"document.querySelector('.row')?.textContent.includes({EVIL[:9]!r})")
    browser.page.click(".row")
    assert browser.evaluate("document.querySelector('.row > p').textContent.trim()") == " ".join(EVIL.split())
    assert browser.page.title() == EVIL
    assert [url for url in requests if url not in ("about:blank", path.as_uri())] == []
    assert browser.problems == []


def test_a_page_without_text_says_so(browser: Browser) -> None:
    browser.page.select_option("#pick", label="empty")
    browser.wait("document.querySelector('.empty') !== null")
    assert counts(browser, "a") == "0 of 0 words kept (100 %), 0 of 0 sentences removed"
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


def test_a_long_page_has_few_elements_and_is_cut_whole(system: Chromium, tmp_path: Path) -> None:
    menu = "".join(f"<p>Item {number}" for number in range(20_000))
    path = tmp_path / "a.html"
    scorers = [scorer for scorer in SCORERS if scorer.name == "words"]
    page = page_view(score_page(Page("long", f"{menu}<p>{'Some words are here. ' * 2000}".encode()), scorers))
    write_side_by_side([page], [*map(scorer_view, scorers)], [cuts_view(parse_cleaner("words@3"))] * 2, "t", path)
    browser = Browser(system)
    browser.resize(1400, 900)
    browser.open(path)
    browser.wait("document.querySelectorAll('.row').length > 0")
    assert counts(browser, "a") == "8,000 of 48,000 words kept (17 %), 20,000 of 22,000 sentences removed"
    assert browser.evaluate("document.querySelectorAll('.row').length") < 500
    # The page grows while rows of unknown height come into sight.
    browser.wait(
        "(scrollTo(0, document.documentElement.scrollHeight),"
        " document.querySelector('#rows').lastChild.textContent.includes('Some words are here.'))"
    )
    browser.wait("document.querySelectorAll('.row').length < 500")
    browser.press("k")
    browser.page.fill("#find", "item 19998")
    browser.page.press("#find", "Enter")
    browser.wait("document.querySelector('.row.here > p')?.textContent.trim() === 'Item 19998'")
    assert browser.problems == []


def test_pages_are_read_one_by_one_and_what_is_too_much_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_views, "MOST_BYTES", 1_000_000)
    path = tmp_path / "side.html"
    sizes: list[int] = []

    def pages() -> Iterator[View]:
        for number in range(200):
            sizes.append(path.stat().st_size)
            yield {"id": f"page{number}", "problem": "x" * 10_000}

    write_side_by_side(pages(), [], [[], []], "t", path)
    tree = html.document_fromstring(path.read_text(encoding="utf-8"))
    shown = tree.xpath("//script[@class='page']/@data-id")
    assert shown == [f"page{number}" for number in range(len(shown))]
    assert 90 < len(shown) < 100
    assert f"{200 - len(shown)} more pages are left out" in tree.text_content()
    # What has been read is written soon: memory does not hold the collection.
    assert sizes[len(shown) - 1] > path.stat().st_size / 2
