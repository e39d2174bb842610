"""`thresher play` at work: what it answers and refuses, and that hostile pages run nothing in a real browser."""

from __future__ import annotations

import asyncio
import base64
import functools
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from browser import Browser, chromium
from commands import thresher
from lxml import html
from playing_server import Server, playing
from starlette.requests import Request
from starlette.types import Message

import thresher as package
from thresher.base.errors import InputError, ResourceError, install_command
from thresher.collections import Page
from thresher.pages import PageOptions, read_html, shown_page
from thresher.reports.playing.page_sources import LEFT, PageProcess
from thresher.reports.playing.page_views import shown_scorers
from thresher.reports.playing.play_server import waited_for
from thresher.scores.parts import Limits

RAIN = b"<title>Weather</title><ul><li>Home</ul><p>Rain is expected in the north tonight."
RUN = "document.title='ran';document.documentElement.dataset.ran='ran';alert('ran');fetch('https://x.example/')"
HOSTILE = f"""<!DOCTYPE html><title>a</title></title></style></textarea></script><script>{RUN}</script>
<base href=https://x.example/><meta http-equiv=refresh content="0;url=https://x.example/">
<link rel=stylesheet href=https://x.example/a.css><img src=https://x.example/a.png onerror="{RUN}">
<iframe src=https://x.example/></iframe><iframe srcdoc="<script>parent.{RUN}</script>"></iframe>
<svg onload="{RUN}"><script>{RUN}</script></svg><form action=https://x.example/><button>Go</button></form>
<p onclick="{RUN}" style="background:url(https://x.example/b.png)">Rain &lt;script&gt;{RUN}&lt;/script&gt; falls tonight.</p>
<p>&lt;img src=https://x.example/c.png onerror=&quot;{RUN}&quot;&gt; and more words of a page that runs nothing.</p>
<a href="javascript:{RUN}">A link</a>
<i style="background:u\\72l(https://x.example/d.png)">y</i><details open ontoggle="{RUN}">x</details><object data=https://x.example/></object>
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "pages").mkdir()
    (folder / "pages" / "rain.html").write_bytes(RAIN)
    (folder / "pages" / "hostile.html").write_text(HOSTILE)
    (folder / "pages" / "empty.html").write_text("")
    with playing("pages", "--scorer", "links(count=tokens)", cwd=folder) as server:
        yield server


def test_it_listens_on_this_machine_alone(server: Server) -> None:
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for other in others:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((str(other), server.port), 5)
    assert server.ask("/").status == 200


def test_only_its_own_page_and_programs_here_are_answered(server: Server) -> None:
    own, evil = f"127.0.0.1:{server.port}", "evil.example"
    for path, body in (("/", None), ("/api/pages", None), ("/api/page?id=rain", None), ("/clean?cleaner=bte", RAIN)):
        assert server.ask(path, body).status == 200
        assert server.ask(path, body, Origin=f"http://{own}", Sec_Fetch_Site="same-origin").status == 200
        assert server.ask(path, body, Host=f"localhost:{server.port}").status == 200
        for headers in (
            {"Host": evil},
            {"Host": f"{evil}:{server.port}"},
            {"Host": "127.0.0.1"},
            {"Host": ""},
            {"Origin": f"http://{evil}"},
            {"Origin": "null"},
            {"Origin": f"https://{own}"},
            {"Origin": f"http://localhost:{server.port}"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site"},
        ):
            refused = server.ask(path, body, **headers)
            assert (refused.status, b"Rain" in refused.body) == (403, False), (path, headers)
    assert server.ask("/clean?cleaner=bte").status == 405
    assert server.ask("/api/ranks?id=rain").status == 404
    assert server.ask("/etc/passwd").status == 404


def test_answers_may_be_read_and_run_by_its_own_page_alone(server: Server) -> None:
    for path in ("/", "/api/page?id=hostile"):
        headers = server.ask(path).headers
        assert "access-control-allow-origin" not in headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["connect-src"] == "'self'"
        assert policy["script-src"].startswith("'sha256-")
        assert "unsafe" not in headers["content-security-policy"]


def test_pages_are_listed_found_and_scored(server: Server) -> None:
    pages = [["empty", ""], ["hostile", "a"], ["rain", "Weather"]]
    assert server.ask("/api/pages").value == {"pages": pages, "count": 3}
    assert server.ask("/api/pages?find=RAI").value == {"pages": pages[2:], "count": 1}
    view = server.ask("/api/page?id=rain").value
    assert view["sentences"] == ["Weather\n", "Home\n", "Rain is expected in the north tonight."]
    names = [scorer.canonical_name for scorer in shown_scorers(["links(count=tokens)"])]
    assert [*view["scores"]] == names
    expected = package.score_html(RAIN, names).scores
    for name in names:
        values = np.frombuffer(base64.b64decode(view["scores"][name]), dtype="<f4")
        np.testing.assert_array_equal(values, expected[name])
    pasted = server.ask("/api/score", RAIN).value
    assert {**pasted, "id": "rain", "original": "id=rain"} == view
    missing = server.ask("/api/page?id=snow")
    assert (missing.status, missing.value) == (422, {"problem": "There is no page of this id."})


def test_a_sentence_is_scored_as_text(server: Server) -> None:
    text = "Rain <b>is</b> expected in the north tonight."
    view = server.ask("/api/score", text.encode(), Content_Type="text/plain; charset=utf-8").value
    assert view["sentences"] == [text]
    assert np.frombuffer(base64.b64decode(view["scores"]["words"]), dtype="<f4").tolist() == [7.0]


@pytest.mark.parametrize("name", ["words@5", "perplexity(lm=books)@8000+justext", "none", "words(headings=keep)@doc50"])
def test_curl_gets_what_the_cleaner_leaves(server: Server, name: str) -> None:
    done = server.ask(f"/clean?cleaner={quote(name, safe='')}", RAIN, Content_Type="application/x-www-form-urlencoded")
    assert done.headers["content-type"] == "text/plain; charset=utf-8"
    assert done.body.decode() == package.clean_html(RAIN, name) + "\n"


def test_what_is_wrong_is_said(server: Server) -> None:
    for path, word in (("/clean?cleaner=wordz@5", "wordz"), ("/clean?cleaner=words@p5", "p5"), ("/clean", "cleaner")):
        refused = server.ask(path, RAIN)
        assert refused.status == 422
        assert word in refused.value["problem"]
    large = server.ask("/api/score", b"a" * (17 * 2**20))
    assert (large.status, "17" in large.value["problem"]) == (422, False)
    assert "16 MiB" in large.value["problem"]
    assert server.ask("/api/score", b"").value["sentences"] == []


def test_a_hostile_page_runs_nothing_and_no_request_leaves(server: Server) -> None:
    with chromium() as started:
        page = started.new_context().new_page()
        problems: list[str] = []
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        failed: dict[str, str | None] = {}
        page.on("requestfailed", lambda request: failed.update({request.url: request.failure}))
        page.on("popup", lambda popup: problems.append("popup"))
        page.on("framenavigated", lambda frame: requests.append(frame.url))
        page.goto(server.address)
        page.wait_for_selector("#view:not([hidden])", state="attached")
        for way in ("picked", "pasted", "dropped"):
            if way == "picked":
                page.select_option("#pick", "hostile")
            elif way == "pasted":
                page.click("#pasting summary")
                page.fill("#html", HOSTILE)
                page.click("#paste button")
            else:
                page.evaluate(
                    """(html) => {
                      const transfer = new DataTransfer();
                      transfer.items.add(new File([html], "a.html", { type: "text/html" }));
                      dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
                    }""",
                    HOSTILE,
                )
            page.wait_for_selector("body:not([aria-busy]) .row >> text=falls tonight", state="visible")
            page.check("#itself input")
            page.frame_locator("#original").locator("x-block[data-kept] >> text=falls tonight").wait_for()
            page.frame_locator("#original").get_by_text("A link", exact=True).click()
            frame = html.document_fromstring(page.frames[1].content())
            assert not frame.xpath(
                "//script | //iframe | //base | //link | //meta | //svg | //@href | //@src | //@onclick"
            )
            page.click(".row >> text=falls tonight")
            page.check("#inline")
            text = str(page.text_content("#rows"))
            assert "onerror=" in text
            assert RUN in text
            page.evaluate("document.querySelector('#rows').replaceChildren()")
        assert page.evaluate("document.documentElement.dataset.ran") is None
        assert page.title() == "Try a page"
        assert page.locator("object, svg, img, base, link").count() == 0
        assert len(page.frames) == 2
        # What a style asks for behind an escape is stopped by the frame's own policy.
        behind = "https://x.example/d.png"
        assert failed == {behind: "csp"}
        assert {url for url in requests if not url.startswith(server.address)} == {behind, "about:blank"}
        assert [one for one in problems if behind not in one] == []


SHOWN = """<!DOCTYPE html><html><head><title>A storm</title><style>nav { color: #fff }</style></head><body class="wide">
<nav id="top"><a href="/">Home</a> | <a href="/s">Sport</a></nav><p style="color: red">Rain <b>is</b> expected.
<script>a</script> It falls.<p>Snow
<select><option>One</select><textarea>Some text</textarea><noscript>Menu</noscript>
<img src="data:image/gif;base64,R0lGODlhAQAB" alt="x">
</body>"""
ONE = "<!DOCTYPE html>\n<html><head><title>A storm</title><style>nav { color: #fff }</style></head>"


def test_a_page_itself_is_shown_by_blocks_with_its_looks_alone() -> None:
    shown = shown_page(Page("", SHOWN.encode()), PageOptions())
    tree = html.document_fromstring(shown)
    assert shown.startswith(ONE)
    blocks = read_html(SHOWN).blocks
    marked = {}
    for mark in tree.iter("x-block"):
        marked.setdefault(int(mark.get("data-block")), []).append(mark.text)
    texts = {number: " ".join("".join(parts).split()) for number, parts in marked.items()}
    # All but the title and what stands in a field.
    assert texts == {number: block for number, block in enumerate(blocks) if block not in ("A storm", "Some text")}
    assert (texts[2], texts[3]) == ("Rain is expected.", "It falls.")
    attributes = {name: value for element in tree.iter() for name, value in element.items() if name != "data-block"}
    source = "data:image/gif;base64,R0lGODlhAQAB"
    assert attributes == {"class": "wide", "id": "top", "style": "color: red", "src": source, "alt": "x"}
    assert "Menu" not in shown
    # Of other blocks, as of a page that has changed since, none is marked.
    changed = shown_page(Page("", SHOWN.encode()), PageOptions(), [*blocks, "More"])
    assert "x-block" not in changed
    assert "Rain" in changed
    assert shown_page(Page("", b"a <b> & c", is_text=True), PageOptions()) == "<pre>a &lt;b&gt; &amp; c</pre>"
    assert shown_page(Page("", b""), PageOptions()) == ""


def test_a_page_itself_comes_with_a_policy_of_its_own(server: Server) -> None:
    picked = server.ask("/api/page?id=rain").value["original"]
    pasted = [server.ask("/api/score", RAIN + b"<p>%d" % number).value["original"] for number in range(9)]
    for address in (picked, pasted[-1]):
        shown = server.ask(f"/api/original?{address}")
        assert shown.headers["content-type"] == "text/html; charset=utf-8"
        policy = shown.headers["content-security-policy"]
        assert policy.startswith(
            "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        )
        assert "script-src" not in policy
        assert b'<x-block data-block="2">Rain is expected in the north tonight.' in shown.body
    # As many as are kept.
    for address in ("", "id=snow", "pasted=", pasted[0]):
        shown = server.ask(f"/api/original?{address}")
        assert (shown.status, shown.body.startswith(b"<p>It cannot be shown: ")) == (200, True), address
    text = server.ask("/api/score", b"a <b> & c", Content_Type="text/plain").value["original"]
    # What a browser sends as a string is UTF-8, whatever the page says of the file that it was.
    pasted_page = '<meta charset="windows-1251"><p>Привет'.encode()
    for kind, word in (("text/html; charset=utf-8", "Привет"), ("application/octet-stream", "РџСЂРёРІРµС‚")):
        view = server.ask("/api/score", pasted_page, Content_Type=kind).value
        assert word in server.ask(f"/api/original?{view['original']}").body.decode(), kind
    assert server.ask(f"/api/original?{text}").body.startswith(b"<pre>a &lt;b&gt; &amp; c</pre>")


def test_a_string_is_what_it_is_a_page_that_fails_leaves_no_other_and_an_address_is_followed(server: Server) -> None:
    with chromium() as started:
        browser = Browser(started)
        page = browser.page
        page.context.set_offline(False)
        page.goto(f"{server.address}#rain")
        page.wait_for_selector(".row >> text=Rain is expected")
        page.evaluate("location.hash = 'hostile'")
        page.wait_for_selector(".row >> text=Rain is expected", state="detached")
        browser.wait("document.querySelector('#pick').value === 'hostile' && !!document.querySelector('.row')")
        page.evaluate("location.hash = 'rain'")
        page.wait_for_selector(".row >> text=Rain is expected")
        page.evaluate("document.querySelector('#pasting').open = true")
        page.fill("#paste textarea", '<meta charset="windows-1251"><p>Привет')
        page.click("#paste button")
        page.wait_for_selector(".row >> text=Привет")
        page.select_option("#pick", "rain")
        page.wait_for_selector(".row >> text=Rain is expected")
        page.route("**/api/page?id=hostile", lambda route: route.fulfill(status=404, json={"problem": "It is gone."}))
        page.select_option("#pick", "hostile")
        page.wait_for_selector("text=It is gone.")
        assert not page.is_visible("#view")


def test_the_page_itself_stands_beside_its_text_and_what_was_pasted_in_the_list(server: Server) -> None:
    with chromium() as started:
        browser = Browser(started)
        page = browser.page
        page.context.set_offline(False)
        browser.resize(1400, 900)
        page.goto(f"{server.address}#rain")
        page.wait_for_selector(".row")
        assert not page.is_visible("#original")
        page.check("#itself input")
        marks = "document.querySelector('#original').contentDocument.querySelectorAll('x-block')"
        kept = f"[...{marks}].map((one) => one.dataset.kept)"
        browser.wait(f"{kept}.every((one) => one !== undefined) && {kept}.length === 2")
        page.select_option("#side-a .cut select", "words")
        page.select_option("#side-b .cut select", "words")
        for a, b, expected in (("2", "8", ["", "A"]), ("1", "2", ["A", "AB"]), ("8", "1", ["B", "B"])):
            page.fill("#side-a .value input", a)
            page.fill("#side-b .value input", b)
            assert browser.evaluate(kept) == expected
        # A click in either selects the block in both.
        page.frame_locator("#original").locator("text=Rain is expected").click()
        assert page.text_content("#about-title") == "Block 3"
        page.click(".row >> text=Home")
        here = page.frame_locator("#original").locator("[data-here]")
        assert here.all_text_contents() == ["Home"]
        page.click("#close")
        assert here.count() == 0

        page.click("#pasting summary")
        for text, word in (("<title>My\n own</title>Snow in the south", "south"), ("<p>Fog and <b>more</b>", "Fog")):
            page.fill("#html", text)
            page.click("#paste button")
            page.wait_for_selector(f"#rows >> text={word}")
            page.click("#pasting summary")
        listed = page.locator("#pick option").all_text_contents()
        assert listed[:2] == ["pasted: Fog and more", "pasted: My own"]
        assert page.locator("#pick option:checked").text_content() == listed[0]
        page.frame_locator("#original").locator("text=more").wait_for()
        page.fill("#filter", "rain")
        browser.wait("document.querySelector('#pick').length === 3")
        assert page.locator("#pick option:checked").text_content() == listed[0]
        page.select_option("#pick", label=listed[1])
        page.frame_locator("#original").locator("text=Snow in the south").wait_for()
        page.evaluate("document.activeElement.blur()")
        browser.press("o")
        assert not page.is_visible("#original")
        assert browser.problems == []


def test_markup_from_text_is_forbidden_even_to_its_own_script(server: Server) -> None:
    with chromium() as started:
        page = started.new_context().new_page()
        page.goto(server.address)
        blocked = """
            (text) => { try { document.body.innerHTML = text; return "made"; } catch (error) { return error.name; } }
        """
        assert page.evaluate(blocked, "<p>text") == "TypeError"


def shorter(page: Page) -> int:
    if page.content == b"hang":
        while True:
            time.sleep(0.01)
    if page.content == b"crash":
        import os

        os._exit(3)
    if page.content == b"fail":
        raise ValueError("no such page")
    return len(page.content)


def test_a_page_that_hangs_or_crashes_ends_its_process_alone() -> None:
    process = PageProcess(Limits(seconds=2, mib=0.001))
    try:
        assert process.call(shorter, Page("", b"four")) == 4
        for content, words in (
            (b"hang", "longer than 2 s"),
            (b"crash", "ended its process"),
            (b"fail", "ValueError: no such page"),
            (b"a" * 2000, "too large"),
        ):
            with pytest.raises(InputError, match=words):
                process.call(shorter, Page("", content))
            assert process.call(shorter, Page("", b"five!")) == 5
    finally:
        process.close()


def test_only_so_many_pages_wait_and_none_once_it_ends() -> None:
    process = PageProcess(waiting=0)
    with pytest.raises(ResourceError, match="too many pages wait"):
        process.call(shorter, Page("", b"four"))
    process = PageProcess(Limits(seconds=1000))
    failed: list[str] = []

    def hang() -> None:
        with pytest.raises(InputError) as raised:
            process.call(shorter, Page("", b"hang"))
        failed.append(raised.value.what)

    thread = threading.Thread(target=hang)
    thread.start()
    while process._worker is None or process._worker.task is None:
        time.sleep(0.01)
    process.stop()
    thread.join(60)
    assert ["ended its process" in one for one in failed] == [True]
    with pytest.raises(ResourceError, match="ends"):
        process.call(shorter, Page("", b"four"))
    process.close()


def test_a_page_is_not_read_once_its_client_has_left() -> None:
    process = PageProcess()

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def ask() -> int:
        def work(page: Page) -> int:
            # As one does that waits for its turn.
            assert LEFT.get().wait(60)
            return int(process.call(shorter, page))

        return await waited_for(Request({"type": "http"}, receive), work, Page("", b"four"))

    with pytest.raises(ResourceError, match="nobody waits"):
        asyncio.run(ask())
    assert process._worker is None
    # Others are not concerned.
    assert process.call(shorter, Page("", b"four")) == 4
    process.close()


def test_a_page_at_work_is_given_up_once_its_client_has_left() -> None:
    """It would hold others up for its whole time."""
    process = PageProcess(Limits(seconds=30))

    async def receive() -> Message:
        while process._worker is None or process._worker.task is None:
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def ask() -> object:
        work = functools.partial(process.call, shorter)
        return await waited_for(Request({"type": "http"}, receive), work, Page("", b"hang"))

    with pytest.raises(ResourceError, match="nobody waits"):
        asyncio.run(ask())
    assert process.call(shorter, Page("", b"four")) == 4
    process.close()


def test_ctrl_c_ends_it_whatever_clients_do(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with playing(cwd=tmp_path) as server:
        # A model that is a pipe nobody writes to is not opened.
        refused = server.ask("/clean?cleaner=" + quote(f"perplexity(lm={tmp_path / 'pipe'})@5"), RAIN)
        assert (refused.status, "no regular file" in refused.value["problem"]) == (422, True)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            head = f"POST /api/score HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 1000\r\n\r\n<p>"
            client.sendall(head.encode())
            # Answered after the other has begun.
            assert server.ask("/").status == 200
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(60) == 0


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    for arguments, code, word in (
        (["nowhere"], 3, "nowhere"),
        (["--scorer", "wordz"], 2, "wordz"),
        (["--scorer", "perplexity(lm=self)"], 2, "trained on a collection"),
    ):
        done = thresher("play", *arguments, cwd=tmp_path)
        assert (done.code, len(done.errors), done.out) == (code, 1, "")
        assert word in done.err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = thresher("play", "--port", str(taken.getsockname()[1]), cwd=tmp_path)
        assert (done.code, str(taken.getsockname()[1]) in done.err) == (6, True)
    done = thresher("play", cwd=tmp_path, without=("uvicorn",))
    assert (done.code, done.err) == (
        4,
        f"error: uvicorn is not installed. Fix: install the extra: {install_command('play')}.\n",
    )
