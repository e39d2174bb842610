"""The encodings of pages in a real browser: what the table of cases says that Chromium shows, and its decoders."""

from __future__ import annotations

import pytest
from browser import Browser
from encoding_cases import CASES, EncodingCase
from playwright.sync_api import Browser as Chromium

from thresher.pages.encodings import codec_of, to_text

SINGLE_BYTE = (
    "windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 "
    "windows-874 ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-10 "
    "iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh x-mac-cyrillic"
).split()
# Without Big5: Python lacks some 200 rare characters of Hong Kong.
DOUBLE_BYTE = "gbk shift_jis euc-kr euc-jp".split()
_LAST_P = "[...document.querySelectorAll('p')].pop()?.textContent ?? ''"


@pytest.fixture(scope="module")
def browser(system_browser: Chromium) -> Browser:
    return Browser(system_browser)


def open_page(browser: Browser, content: bytes, charset: str | None) -> None:
    """Load a page as from a server that declares the charset."""
    kind = "text/html" if charset is None else f"text/html; charset={charset}"
    browser.page.unroute_all()
    browser.page.route("**/*", lambda route: route.fulfill(body=content, headers={"content-type": kind}))
    browser.page.goto("http://localhost/")


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_browsers_show(browser: Browser, case: EncodingCase) -> None:
    open_page(browser, case.content, case.charset)
    shown = case.text if case.browsers is None else case.browsers
    assert browser.evaluate(_LAST_P) == shown


@pytest.mark.slow
@pytest.mark.parametrize("label", [*SINGLE_BYTE, *DOUBLE_BYTE])
def test_every_character_is_that_of_browsers(browser: Browser, label: str) -> None:
    content = bytes(range(0x80, 0x100))
    if label in DOUBLE_BYTE:
        # A line for each pair, so that one that is undefined takes nothing of the next.
        content += b"".join(bytes((first, second, 10)) for first in range(0x81, 0xFF) for second in range(0x40, 0xFF))
    shown = browser.evaluate(f"new TextDecoder('{label}').decode(new Uint8Array({list(content)}))")
    codec = codec_of(label)
    assert codec is not None
    lines = zip(to_text(content, codec).split("\n"), shown.split("\n"), strict=True)
    assert [(ours, theirs) for ours, theirs in lines if ours != theirs and "\ufffd" not in ours + theirs] == []
    assert [theirs for ours, theirs in lines if "\ufffd" in ours and "\ufffd" not in theirs] == []
