"""Pages into blocks, by hand: what is dropped, what ends a block, and what no page can do."""

import subprocess
import sys

import pytest
from page_oracle import BOXES, DROPPED, LINES
from visibility_cases import CASES

from thresher.collections.sources import PageError
from thresher.pages import BLOCK_RULES, DEFAULT_OPTIONS, MOST_BLOCKS, Detail, PageOptions, read_html, read_text_page
from thresher.pages.parsing import BLOCK_TAGS

SPLIT = PageOptions("split")


def blocks(html: str | bytes, options: PageOptions = DEFAULT_OPTIONS) -> list[str]:
    return read_html(html, options).blocks


def headings(html: str) -> list[tuple[str, int]]:
    segments = read_html(html)
    return [*zip(segments.blocks, segments.levels.tolist(), strict=True)]


def test_what_no_reader_sees_is_dropped_and_parts_words():
    inside = "hidden &amp; gone"
    for tag in DROPPED:
        for html, joined, split in (
            (f"<p>a<{tag}>{inside}</{tag}>b", ["a b"], ["a", "b"]),
            (f"<p>a<{tag.upper()} class=x>{inside}</{tag.upper()}>b", ["a b"], ["a", "b"]),
            (f"<p>a<q>c<{tag}>{inside}</{tag}></q>d", ["ac d"], ["a", "c", "d"]),
        ):
            assert blocks(html) == joined, tag
            assert blocks(html, SPLIT) == split, tag


def test_dropped_elements_within_each_other():
    assert blocks("a<noscript>x<iframe>y</iframe>z</noscript>b") == ["a b"]
    assert blocks("a<template>x<svg>y<script>z</script>w</svg>v<p>u</template>b") == ["a b"]
    assert blocks("a<svg><title>x</title><a href=y>z</a><svg>w</svg>v</svg>b") == ["a b"]
    assert blocks("<select><option>x<option>y</select>b") == ["b"]


def test_what_follows_an_element_without_content_stays():
    assert blocks("<div>a<embed src=x>b<p>c</p></div>d") == ["a b", "c", "d"]
    assert blocks("<div>a<object><param name=x><embed src=y></object>b</div>") == ["a b"]
    # What stands in an object is for browsers that cannot show it, and some pages put their whole text there.
    assert blocks("<div>a<object><param name=x>c<p>d</object>b</div>") == ["a c", "d", "b"]
    assert blocks("<div>a<svg/>b<iframe/>c<script src=x />d</div>") == ["a b c d"]


def test_scripts_that_look_like_pages():
    assert blocks("<script>if (a < b && c > d) write('<p>x</p>' + \"</div>\");</script>y") == ["y"]
    assert blocks("<script>\n\n/* <!-- */ 1\n\n</script>y<style>p > a { b: '</p>' }</style>z") == ["y z"]
    assert blocks("<script>x") == []
    assert blocks("a</script>b") == ["ab"]


def test_comments_and_instructions_end_no_block():
    assert blocks("<p>a<!-- x <p>y</p> -->b<?php echo '1' ?>c<![CDATA[d]]>e<!DOCTYPE f>g") == ["abceg"]
    assert blocks("<!-- x") == []
    assert blocks("<p>a <!----> b<!-- x --!> c") == ["a b c"]


@pytest.mark.parametrize("tag", ["</br>", "</BR>", "</br />", "<br>"])
def test_an_end_tag_of_a_break_is_a_break(tag):
    """HTML standard, 13.2.6.4.7: "Parse error. Drop the attributes ... act as described ... for a br start tag"."""
    for options in (DEFAULT_OPTIONS, SPLIT):
        assert blocks(f"<p>a</a>b{tag}c", options) == ["ab", "c"]
    assert read_html(f"<p>a{tag}{tag}b").marks.paragraphs.tolist() == [0, 1]


def test_title_and_headings():
    html = (
        "<html><head><meta name=x content=y><title> The\n page </title></head><body>a<h1>One <b>bold</b></h1>b<h2>Two<br>lines"
        "</h2><h3></h3><h6><a href=x>Six</a></h6><h7>no</h7>ne<p>c</body>"
    )
    assert headings(html) == [
        ("The page", 7),
        ("a", 0),
        ("One bold", 1),
        ("b", 0),
        ("Two", 2),
        ("lines", 2),
        ("Six", 6),
        ("none", 0),
        ("c", 0),
    ]
    segments = read_html(html)
    assert segments.title == "The page"
    assert segments.is_heading.tolist() == [True, False, True, False, True, True, True, False, False]
    assert segments.levels.dtype.name == "int8"


def test_titles_that_are_special():
    assert read_html("<p>x").title == ""
    assert headings("<title>a <b>b</b> &amp; c</title>d") == [("a <b>b</b> & c", 7), ("d", 0)]
    assert read_html("<title></title><title>second</title>").title == "second"
    # A drawing's title is not the page's.
    assert read_html("<svg><title>x</title></svg><p>y").title == ""
    assert headings("<a href=x><h2>In a link</h2></a>y") == [("In a link", 2), ("y", 0)]


INLINE = (
    "b span code font time st1:city o:p x-y relative-time math mi output picture slot ruby map data h7 source"
).split()


@pytest.mark.parametrize("tag", INLINE)
def test_what_stands_within_a_line(tag):
    """HTML standard, 15.3: what has no `display` of its own is inline, unknown elements included."""
    html = f"<div>un<{tag} x=y>believ</{tag}>able <{tag}>x</{tag}> y</div>"
    assert blocks(html) == ["unbelievable x y"]
    assert blocks(html, SPLIT) == ["un", "believ", "able", "x", "y"]


@pytest.mark.parametrize("tag", sorted({*BOXES} - {*DROPPED}))
def test_boxes_part_words_but_no_sentence(tag):
    html = f"<p>Press<{tag}>" if tag in ("img", "input", "embed", "keygen") else f"<p>Press<{tag}>Go</{tag}>"
    words = ["Press", "to", "go."] if html.endswith(f"<{tag}>") else ["Press", "Go", "to", "go."]
    assert blocks(f"{html}to go.") == [" ".join(words)]
    assert blocks(f"{html}to go.", SPLIT) == [*words[:-2], "to go."]


@pytest.mark.parametrize(
    ("html", "parts"),
    [
        ("<label>Name</label><input value=x><label>Age</label><input>", ["Name Age"]),
        ("<label>Name<input></label><label>Age</label>", ["Name Age"]),
        ("<input type=radio><label>Yes</label><input type=radio><label>No</label>", ["Yes No"]),
        ("<label>Pick</label><select><option>1</select><textarea>t</textarea>", ["Pick", "t"]),
        ("<dl><dt>Ebb</dt><dd>It falls.</dd><dt>Flood<dd>It rises.</dl>", ["Ebb", "It falls.", "Flood", "It rises."]),
        ("<dl><div><dt>Ebb</dt><dd>It falls.</dd></div></dl>", ["Ebb", "It falls."]),
        # DIV is a block whatever its style, as for the packages that cleaners are compared with; what follows it stays.
        (
            "<div>It pays $<div style='display:inline'><b>5.22</b></div> a share.</div>",
            ["It pays $", "5.22", "a share."],
        ),
    ],
)
def test_words_of_labels_terms_and_divs_are_not_glued(html, parts):
    assert blocks(html) == parts


@pytest.mark.parametrize(
    ("html", "parts"),
    [
        ("Tide <b>tables</b>.<title>T</title><p>x", ["Tide tables.", "T", "x"]),
        ("<html><head>Loose<title>T</title></head><body>x", ["Loose", "T", "x"]),
        ("<h1>Head</h1><title>T</title>x", ["Head", "T", "x"]),
        ("<head><script>1</script>x</head><title>T</title><p>y", ["x", "T", "y"]),
        ("<p>x</p></body></html><title>T", ["x", "T"]),
    ],
)
def test_what_stands_before_the_title_is_read_and_the_title_is_a_title(html, parts):
    """As in browsers: text begins the body, where TITLE still names the document (HTML standard, 13.2.6.4.7)."""
    segments = read_html(html)
    assert segments.blocks == parts
    assert segments.title == "T"


def test_a_formula_stays_in_its_sentence():
    tex = "<annotation encoding=application/x-tex>x^2</annotation>"
    cells = "<mtable><mtr><mtd>1</mtd><mtd>0</mtd></mtr></mtable>"
    for html, text in (
        (f"<math><semantics><msup><mi>x</mi><mn>2</mn></msup>{tex}</semantics></math>", "Of x2 all."),
        ("<mjx-container><mjx-c>x</mjx-c></mjx-container><script type=math/tex>x</script>", "Of x all."),
        (f"<math>{cells}</math>", "Of 1 0 all."),
    ):
        assert blocks(f"<p>Of {html} all.") == [text]


def test_the_default_passes_the_tags_of_the_oracle():
    assert sorted(LINES) == sorted(BLOCK_TAGS)
    assert BLOCK_RULES == ("join", "split")
    assert PageOptions() == PageOptions("join", "en")


@pytest.mark.parametrize("options", [PageOptions(), SPLIT])
def test_links_never_end_a_block(options):
    assert blocks("<p>un<a href=x>believ</a>able <a>x</a><a>y</a>", options) == ["unbelievable xy"]


@pytest.mark.parametrize("options", [PageOptions(), SPLIT])
def test_lines_end_at_lines_of_their_own(options):
    for tag in "p div td li figure details main h1 center blockquote pre dialog".split():
        assert blocks(f"<div>a<{tag} open>b</{tag}>c", options) == ["a", "b", "c"], tag
    # Also those without content.
    for tag in "br hr".split():
        assert blocks(f"<div>a<{tag}>b<{tag} />c</div>", options) == ["a", "b", "c"], tag


LONG = " ".join(["Nets dry along the quay until the tide comes in."] * 16)
VISIBLE = " ".join(["The ferry leaves at noon from the eastern pier."] * 12)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<div hidden>x</div>", ""),
        ("<div HIDDEN=hidden><p>x<p>y</div>", ""),
        ("<p style='color:red; Display : NONE'>x</p>", ""),
        ("<p style='visibility:hidden'>x</p>", ""),
        ("<p aria-hidden=true>x</p>", ""),
        ("<p style='visibility: collapse'>x</p>", ""),
        ("<p style='content-visibility:hidden'>x</p>", ""),
        ("<p popover=manual>x</p>", ""),
        ("<button popovertarget='a1'>x</button><p id='a1' popover>y</p>", "x y"),
        ("<dialog>x</dialog>", ""),
        # A hidden element within another, and one that is not hidden within.
        ("<div hidden>x<p hidden>y</p>z<b>w</b></div>", ""),
        # What hides nothing.
        ("<p aria-hidden=false>x</p>", "x"),
        ("<p style='overflow:hidden; backface-visibility: hidden'>x</p>", "x"),
        ("<p style='border-collapse:collapse; content-visibility:auto'>x</p>", "x"),
        ("<p class=hidden>x</p>", "x"),
        ("<dialog open>x</dialog>", "x"),
        # What a reader or a script opens: DETAILS, panels, what a link or a script names, and long texts.
        ("<details><summary>x</summary>y</details>", "x y"),
        ("<p hidden=until-found>x</p>", "x"),
        ("<div role=tabpanel hidden>x</div>", "x"),
        ("<div class='faq-answer' style='display:none'>x</div>", "x"),
        ("<a href='#a1'>x</a><p id=\"a1\" hidden>y</p>", "x y"),
        ('<p id=\'S:0\' hidden>x</p><script>show("B:0","S:0")</script>', "x"),
        ("<p id='alone' hidden>x</p>", ""),
        (f"<div hidden>{LONG}</div>", LONG),
        (f"<div hidden>{LONG[:300]}<div hidden>{LONG}</div></div>", f"{LONG[:300]} {LONG}"),
        # TEMPLATE is no text, but for a shadow root.
        ("<template>x</template>", ""),
        ("<x-y><template shadowrootmode=open><p>x</template></x-y>", "x"),
        # A long text that is hidden stays, with the visible element in it and the hidden one around it.
        (f"<div style='visibility:hidden'>x{LONG}<p style='visibility:visible'>y</p></div>", f"x{LONG} y"),
        (f"<div style='visibility:hidden'>x<p style='visibility:visible'>{LONG}</p>y</div>", LONG),
        *CASES,
    ],
)
def test_hidden_text(html, shown):
    for detail in Detail:
        segments = read_html(f"<title>t</title><p>{VISIBLE}</p>{html}<p>end", detail=detail)
        assert " ".join(segments.blocks[1:]) == " ".join([VISIBLE, *shown.split(), "end"])


@pytest.mark.parametrize("others", [0, 200])
@pytest.mark.parametrize(
    ("link", "is_shown"),
    [
        ("<a href='#tide'>", True),
        ('<a aria-controls="tide">', True),
        ('<script>open("#tide")</script>', True),
        ('<script>page = \'{\\"opens\\":\\"tide\\"}\'</script>', True),
        ("<a href='#tides'>", False),
        ("<a href='#atide'>", False),
        ("<a title=tide>", False),
    ],
)
def test_an_id_that_the_page_names_again_is_of_text_that_may_be_shown(others, link, is_shown):
    hidden = "".join(f"<b id='n{number}' hidden>z</b>" for number in range(others))
    text = read_html(f'<p>{VISIBLE}{hidden}{link}<p id="tide" hidden>Ebb.').text
    assert ("Ebb." in text) == is_shown
    assert "z" not in text


@pytest.mark.parametrize("options", [PageOptions(), SPLIT])
@pytest.mark.parametrize("detail", Detail)
@pytest.mark.parametrize(("letters", "stays"), [(500, False), (501, True)])
def test_of_a_hidden_element_only_characters_count(options, detail, letters, stays):
    words = "\n".join(f"<p class='a b'>{'xy' * 5}<a href=u>{'z' * 10}</a> <b>{'w' * 20}</b>" for _ in range(12))
    hidden = f"{words}<br>{'v' * (letters - 480)}"
    text = read_html(f"<p>{VISIBLE}<div id=i style='display:none'>{hidden}</div><p>Shown.", options, detail).text
    assert ("zzz" in text) == stays
    assert text.split()[-1] == "Shown."


def test_a_hidden_word_leaves_no_trace_in_its_sentence():
    page = (
        f"<p>{VISIBLE}<p>A har<span hidden>x</span>bour and<img aria-hidden=true>a <i style='display:none'>y</i> pier"
    )
    assert blocks(page)[1:] == ["A harbour and a pier"]


@pytest.mark.parametrize(
    "attribute", ["style='visibility:hidden'", "hidden", "aria-hidden=true", "style='visibility:collapse'", "popover"]
)
def test_a_page_that_is_hidden_until_a_script_runs_is_read(attribute):
    assert blocks(f"<title>t</title><nav>a b</nav><main {attribute}><p>c d e<p>f g h</main>")[1:] == [
        "a b",
        "c d e",
        "f g h",
    ]
    # A page of few words that has hidden ones besides.
    assert blocks(f"<title>t</title><p>c d e f g h</p><p {attribute}>a b") == ["t", "c d e f g h"]
    assert blocks(f"<body {attribute}><p>{VISIBLE}") == [VISIBLE]


CONTROLS = [*range(32), 127]


@pytest.mark.parametrize(
    "spelling",
    ["&#{};", "&#{}", "&#000{};", "&#{:04};", "&#x{:x};", "&#X{:X};", "&#x000{:x};", "&#x{:x}"],
)
def test_control_characters_spelled_as_references_are_spaces(spelling):
    for code in CONTROLS:
        page = f"<p>a{spelling.format(code)} b<a href=x>c</a><h1>d{spelling.format(code)}</h1>"
        segments = read_html(page)
        assert (segments.blocks, segments.levels.tolist()) == (["a bc", "d"], [0, 1]), page


def test_control_characters_themselves_are_spaces():
    for code in CONTROLS[1:]:
        assert blocks(b"<p>a%cb<b>c%c</b>d</p>" % (code, code)) == ["a bc d"]
        assert blocks("<p>a{0}b<b>c{0}</b>d</p>".format(chr(code))) == ["a bc d"]


def test_a_nul_within_a_word_is_dropped():
    assert blocks(b"<p>har\0bour\0 \0town") == ["harbour town"]
    assert read_text_page("har\0bour").text == "harbour"


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("&NewLine;", "a b"),
        ("&Tab;", "a b"),
        ("&Tab", "a&Tabb"),
        ("&amp;#10;", "a&#10;b"),
        ("&amp;NewLine;", "a&NewLine;b"),
        ("&#&#10;10;", "a&# 10;b"),
        ("&&#49;0;", "a&10;b"),
        ("&#100;", "adb"),
        ("&#0100;", "adb"),
        ("&#x1F600;", "a😀b"),
        ("&#x7fe;", "a\u07feb"),
        ("&#310;", "aĶb"),
        ("&#1270;", "aӶb"),
        ("&#4294967306;", "a\ufffdb"),
        ("&#x10000000A;", "a\ufffdb"),
        ("&#xD800;", "a\ufffdb"),
        ("&#133;", "a…b"),
        ("&nbsp;", "a b"),
        ("&#8232;", "a b"),
        ("&#x3000;&emsp;&#x85;", "a …b"),
        ("&eacute;&hellip;&AMP", "aé…&b"),
        ("&unknown;", "a&unknown;b"),
        ("\u2028\u0085 \u00a0", "a b"),
    ],
)
def test_references(reference, text):
    assert blocks(f"<p>a{reference}b</p>") == [text]


@pytest.mark.parametrize("mark", ["\x7f", "\r", "\t7", "\n\t1\n"])
def test_a_page_cannot_write_marks(mark):
    spelled = "".join(f"&#{ord(character)};" if character < " " or character > "~" else character for character in mark)
    for page in (f"<p>x{spelled} y<p>z", f"<p>x{mark} y<p>z"):
        segments = read_html(page)
        assert segments.blocks == [f"x {mark.strip(chr(127)).strip()} y".replace("  ", " "), "z"]
        assert segments.levels.tolist() == [0, 0]
        assert segments.linked_words_in_blocks.tolist() == [0, 0]


@pytest.mark.parametrize(
    "page",
    [
        "",
        " ",
        "\0",
        "\n\n",
        "<!-- x -->",
        "<!DOCTYPE html>",
        "<html></html>",
        "<p>",
        "<",
        "</",
        "<>",
        "&",
        "<p \0",
        "<?xml?>",
        "\ufeff",
    ],
)
@pytest.mark.parametrize("options", [PageOptions(), SPLIT])
def test_pages_with_little_on_them(page, options):
    for given_page in (page, page.encode()):
        segments = read_html(given_page, options)
        assert len(segments.blocks) == len(segments.levels) == len(segments.block_ends) <= 1
        assert len(segments.linked_words_in_blocks) == len(segments.blocks)
    assert read_html("").blocks == []
    assert read_html("").sentences == []
    assert read_html("").title == ""


MALFORMED = {
    "<p>a<p>b</i>c": ["a", "bc"],
    "<b>a<p>b</b>c</p>d": ["a", "bc", "d"],
    "<table><tr><td>a<td>b<tr>c</table>d": ["a", "b", "c", "d"],
    "<p class='a>b'>c": ["c"],
    "<p class='a>b c": [],
    "a < b > c": ["a < b > c"],
    "a <b c": ["a"],
    "a</p>b": ["ab"],
    "<ul><li>a<li>b</ul>": ["a", "b"],
    "<a>a<a>b</a>c</a>d": ["abcd"],
    "<h1>a<h2>b</h1>c": ["a", "b", "c"],
    "<html><body>a</body></html>b": ["a", "b"],
    "<body>a<body>b": ["ab"],
    "<title>a": ["a"],
    "a\0b": ["ab"],
    "</>a": ["a"],
    "<p/>a<br/>b": ["a", "b"],
    "plain\ntext": ["plain text"],
}


@pytest.mark.parametrize("page", MALFORMED)
def test_malformed_pages(page):
    assert blocks(page) == MALFORMED[page]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [100, 240, 248, 250, 252, 254, 256, 260, 2048, 100_000])
def test_nested_however_deep(depth):
    for tag in ("div", "b", "svg", "a", "h1", "ul"):
        page = f"<p>before</p>{f'<{tag}>' * depth}deep{f'</{tag}>' * depth}<p>after</p>"
        deep = [] if tag == "svg" else ["deep"]
        for options in (PageOptions(), SPLIT):
            assert blocks(page, options) == ["before", *deep, "after"], tag


@pytest.mark.parametrize("depth", [250, 256, 300, 20_000])
def test_nested_however_deep_behind_the_body(depth):
    deep = f"{'<div>' * depth}deep{'</div>' * depth}<p>after</p>"
    for page in (f"<p>before</p></body></html>{deep}", f"<p>before</p></body>{deep}", f"before<html>{deep}"):
        for options in (PageOptions(), SPLIT):
            assert blocks(page, options) == ["before", "deep", "after"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [8_999_000, 9_000_100, 10_100_000])
def test_one_text_however_long(size):
    assert [len(block) for block in blocks("<p>" + "x" * size + "<p>after")] == [size, 5]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "between"), [(1999, " "), (2001, " "), (1999, "='1'"), (2001, "='1'"), (2001, "/"), (500_000, "/")]
)
def test_attributes_however_many(count: int, between: str) -> None:
    """A tree of half a million takes half an hour: the suite would be stopped."""
    many = "".join(f"{between if number else ' '}a{number}" for number in range(count))
    page = f"<b>a</b> < b {'text ' * 3000}<p{many} class=last>in</p><h1>after</h1>tail"
    for options in (DEFAULT_OPTIONS, SPLIT):
        segments = read_html(page, options, Detail.ELEMENTS)
        assert (segments.blocks[-1], segments.levels.tolist()[-2:]) == ("tail", [1, 0])
        assert segments.blocks[-3] == "in"
        assert segments.descriptions is not None
        assert "p last" in segments.descriptions


@pytest.mark.slow
def test_a_small_stack_is_enough_for_deep_pages():
    """A thread of 256 KiB: beside Java, the main thread has 1 MiB, and what runs over ends the process."""
    program = """
import threading
from thresher.pages import read_html

def read():
    for depth in (*range(100, 300, 10), *range(300, 3000, 100)):
        for tag in ("div", "b", "a", "h1"):
            assert read_html(f"<{tag}>" * depth + "deep").blocks == ["deep"]
    print("read")

threading.stack_size(256 << 10)
thread = threading.Thread(target=read)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "read\n", "")


def test_a_page_has_one_result_whatever_its_charset_says():
    for charset in ("shift_jis", "utf-16", "iso-8859-1", "nonsense"):
        page = f'<?xml version="1.0" encoding="{charset}"?><meta charset="{charset}"><p>é 中'
        assert blocks(page) == ["é 中"]


def test_a_page_that_scripts_fill_is_what_it_shows_without_them():
    post = "<p>" + " word" * 250
    page = f"<title>T</title><body><b>Loading</b><NoScript data-x=1>{post}<iframe>y</iframe></noscript><p>end"
    assert blocks(page) == ["T", "Loading", " ".join(["word"] * 250), "end"]
    # Where there is text enough, or little without scripts, NOSCRIPT is not displayed.
    assert "word" not in blocks(page.replace("end", "much " * 150))[-1]
    assert len(blocks(page.replace("end", "much " * 150))) == 3
    assert blocks(page.replace(" word" * 250, " word" * 100)) == ["T", "Loading", "end"]


def test_a_page_that_shows_nothing_but_its_title_is_its_longest_description():
    head = "<title>How far?</title><meta name=description content='How far &lt;b> do you get?'>"
    longest = "<META content='I had 24  miles\n &amp;amp; a half, all on one charge.' property='og:Description'>"
    page = f"{head}{longest}<meta name=keywords content='{'far ' * 40}'><script>fill()</script>"
    assert blocks(page) == ["How far?", "I had 24 miles &amp; a half, all on one charge."]
    assert read_html(page, detail=Detail.ELEMENTS).blocks == blocks(page)
    assert blocks(page.replace(longest, "")) == ["How far?", "How far <b> do you get?"]
    # Not where there is other text, nor if it says little more than the title.
    assert blocks(page + "<p>" + "word " * 25) == ["How far?", "word " * 24 + "word"]
    assert blocks(head.replace("How far?", "How far do you get?")) == ["How far do you get?"]


@pytest.mark.slow
def test_pages_of_too_many_blocks_fail():
    assert len(blocks("<p>a" * MOST_BLOCKS)) == MOST_BLOCKS
    for read in (read_html, read_text_page):
        with pytest.raises(PageError, match="100,001 blocks"):
            read("<p>a\n" * (MOST_BLOCKS + 1))
