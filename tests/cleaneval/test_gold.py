"""Gold standards in every format, and what is wrong with some."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import Message, assert_names

from thresher.base.errors import InputError
from thresher.evaluation.cleaneval.gold import LabelledText, parse_gold, read_gold, read_page_bytes
from thresher.evaluation.cleaneval.gold_files import decode_gold

COMMENTED = "The article.\n\nIts end.\n!@#$%^&*()  COMMENTS\nFirst!\n!@#$%^&*() COMMENTS\t\nSecond."
MARKERS = st.sampled_from(["<h>", "<p>", "<l>"])
TEXTS = st.text(st.characters(categories=["L", "N"]), min_size=1)


def folder_of(root: Path, pages: dict[str, str], gold: dict[str, str], name: str = "GoldStandard") -> Path:
    for folder, files in (("input", pages), (name, gold)):
        (root / folder).mkdir()
        for file, text in files.items():
            (root / folder / file).write_text(text, encoding="utf-8")
    return root


def test_cleaneval_text_is_cut_at_its_markers() -> None:
    text = "URL: http://example.org/\n\nBefore any.\n<h> Rain\n\n<p>It rains.\nAll day.\n<l>* one <l>* two\n<P>Dry.</p>\nAfter"
    assert parse_gold(text) == (
        LabelledText(None, "Before any."),
        LabelledText("h", "Rain"),
        LabelledText("p", "It rains.\nAll day."),
        LabelledText("l", "* one"),
        LabelledText("l", "* two"),
        LabelledText("p", "Dry."),
        LabelledText(None, "After"),
    )


def test_the_url_line_may_follow_blank_lines_and_needs_no_markers() -> None:
    assert parse_gold("\n  \nURL: http://example.org/\nFish &#038; chips, don&rsquo;t they") == (
        LabelledText(None, "Fish & chips, don’t they"),
    )
    assert parse_gold("URL: http://example.org/") == ()
    assert parse_gold("Text\nURL: http://example.org/") == (LabelledText(None, "Text\nURL: http://example.org/"),)


def test_plain_text_stays_as_it_is() -> None:
    text = "In HTML the tag <p> begins a paragraph,\n&amp; is an ampersand, <int> a type."
    assert parse_gold(f"\n{text}\n") == (LabelledText(None, text),)
    assert parse_gold(" \n") == ()


def test_comments_are_content_only_if_asked() -> None:
    article = LabelledText(None, "The article.\n\nIts end.")
    assert parse_gold(COMMENTED) == (article,)
    assert parse_gold(COMMENTED, comments=True) == (
        article,
        LabelledText(None, "First!"),
        LabelledText(None, "Second."),
    )
    assert parse_gold("!@#$%^&*()  COMMENTS\nFirst!") == ()
    for mark in ("@#$%^&*() COMMENTS", "!@ $%^&*()  COMMENTS", "!@#$%$%^&*()   COMMENTS "):
        assert parse_gold(f"The end.\n{mark}\nFirst!") == (LabelledText(None, "The end."),)
    inside = "He wrote !@#$%^&*()  COMMENTS within a line."
    assert parse_gold(inside) == (LabelledText(None, inside),)


@given(st.lists(st.tuples(MARKERS, TEXTS), min_size=1))
def test_what_is_marked_is_found_again(parts: list[tuple[str, str]]) -> None:
    text = "".join(f"{marker}{words}\n" for marker, words in parts)
    assert parse_gold(text) == tuple(LabelledText(marker[1], words) for marker, words in parts)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", "café"),
        ("café".encode(), "café"),
        (b"caf\xe9 \x93quoted\x94", "café “quoted”"),
        (b"caf\xe9 \x81", "café \ufffd"),
        (b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        (b"", ""),
        # As Notepad saves "Unicode", and the same without the mark.
        (b"\xff\xfe" + "café\r\n".encode("utf-16-le"), "café\n"),
        (b"\xfe\xff" + "дождь".encode("utf-16-be"), "дождь"),
        ("café – one".encode("utf-16-le"), "café – one"),
        ("café – one".encode("utf-16-be"), "café – one"),
        (b"\xff\xfec", "\ufffd"),
    ],
)
def test_bytes_are_utf_8_utf_16_or_windows_1252(content: bytes, text: str) -> None:
    assert decode_gold(content) == text


@pytest.mark.parametrize("name", ["GoldStandard", "gold"])
def test_files_are_matched_by_stem_and_none_is_lost(tmp_path: Path, name: str) -> None:
    pages = {"b.html": "B", "a.b.htm": "A", "lonely.html": "", "notes.css": "", ".c.html": ""}
    gold = {"b.txt": "<p>B", "a.b.txt": "A", "orphan.txt": "", "c.txt": "", "README.md": "", ".hidden.txt": ""}
    result = read_gold(folder_of(tmp_path, pages, gold, name))
    assert [(page.stem, page.path.name, page.text) for page in result.pages] == [
        ("a.b", "a.b.htm", "A"),
        ("b", "b.html", "B"),
    ]
    assert result.pages[1].segments == (LabelledText("p", "B"),)
    assert result.pages[1].url == ""
    assert result.without_gold == ("lonely",)
    assert result.without_page == ("c", "orphan")


def test_the_url_of_a_gold_text_is_the_page_s(tmp_path: Path) -> None:
    gold = {
        "1.txt": "\n URL:  http://example.org/a b \n<p>Rain",
        "2.txt": "Rain\nURL: http://example.org/",
        "3.txt": "URL:\n<p>https://",
        "4.txt": "URL: \nhttps://example.org/x\n\n<p>Rain",
    }
    result = read_gold(folder_of(tmp_path, {f"{number}.html": "" for number in range(1, 5)}, gold))
    assert [page.url for page in result.pages] == ["http://example.org/a b", "", "", "https://example.org/x"]


RAIN = b"<title>Pier</title><p>It rained."
MARKED = b"<title>Pier</title><p><span __boilernet_label=1>It rained.</span><p><span __boilernet_label=0>Share</span>"

KRDWRD = (
    b"<p class=krdwrd-tag-1>Pier</p><div class=krdwrd-tag-1>Share <p class='wide krdwrd-tag-3'>It "
    b"<b class=krdwrd-tag-3>rained.</b> <i class=krdwrd-tag-2>Foto</i><u class=krdwrd-tag-mrgtie>by x</u></p></div>"
)


@pytest.mark.parametrize(
    ("page", "gold", "content"),
    [
        # CleanEval, its final run, web2text's copy, the development set.
        ("input/1.html", "GoldStandard/1.txt", b"URL: http://example.org\n<p>It rained."),
        ("finalrun-input/1.html", "GoldStandard/1.txt", b"URL: http://example.org\n<p>It rained."),
        ("orig/1.html", "clean/1.txt", b"URL: http://example.org\n<p>It rained."),
        ("orig/1.html", "clean/1-cleaned.txt", b"URL: http://example.org\n<p>It rained."),
        # Dragnet, in each encoding that its reader tries.
        ("HTML/1.html", "Corrected/1.html.corrected.txt", b"It rained.\n!@#$%^&*()  COMMENTS\nFirst!"),
        ("HTML/1.html", "Corrected/1.html.corrected.txt", "\ufeffIt rained.".encode("utf-16-le")),
        ("HTML/1.html", "Corrected/1.html.corrected.txt", b"It rained."),
        # CETD, L3S-GN1, Google-Trends-2017, CANOLA, Readability, newspaper, goose.
        ("original/1.htm", "gold/1.txt", b"It rained."),
        ("original/1.html", "annotated/1.html", b"<p class=x-nc-sel2>It rained.<p>Share"),
        ("raw_html/1.html", "prepared_html/1.html", MARKED),
        ("original/1.html", "annotated/1.html", KRDWRD),
        ("1/source.html", "1/expected.html", b"<div><p>It rained."),
        ("test-pages/1/source.html", "test-pages/1/expected.html", b"<div><p>It rained."),
        ("html/1.html", "text/1.txt", b"It rained."),
        ("1.html", "1.txt", b"It rained."),
    ],
)
def test_gold_standards_as_they_are_distributed(tmp_path: Path, page: str, gold: str, content: bytes) -> None:
    for name, text in ((page, RAIN), (gold, content)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text)
    result = read_gold(tmp_path)
    assert [(page.stem, page.text, read_page_bytes(page)) for page in result.pages] == [("1", "It rained.", RAIN)]
    assert not any(result.left_out.values())


def test_endings_of_gold_count_only_where_no_page_has_them(tmp_path: Path) -> None:
    pages = {"1-cleaned.html": "", "1.html": "", "2.html": ""}
    gold = {"1-cleaned.txt": "One", "1.txt": "Two", "2.html.txt": "Three", "3-cleaned.txt": "Four"}
    result = read_gold(folder_of(tmp_path, pages, gold))
    assert [(page.stem, page.text) for page in result.pages] == [("1", "Two"), ("1-cleaned", "One"), ("2", "Three")]
    assert result.without_page == ("3-cleaned",)


NOT_TEXT = Message("gold", "not text", "(control bytes)")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty gold"),
        (b" \n", "empty gold"),
        (b"\xef\xbb\xbf\n", "empty gold"),
        (bytes([0, 1, 2, 255, 254, 0]) * 40, NOT_TEXT),
        (b"PK\x03\x04\x14\0\0\0\x08\0\0\0!\0", NOT_TEXT),
        # The annotators say that nothing is content, which counts.
        (b"URL: http://example.org/\n", ""),
    ],
)
def test_broken_and_empty_gold_is_listed(tmp_path: Path, content: bytes, reason: str) -> None:
    folder = folder_of(tmp_path, {"1.html": "", "2.html": ""}, {"1.txt": "Rain", "2.txt": ""})
    (folder / "GoldStandard" / "2.txt").write_bytes(content)
    result = read_gold(folder)
    assert [page.stem for page in result.pages] == (["1"] if reason else ["1", "2"])
    left_out = [(what, stems) for what, stems in result.left_out.items() if stems]
    assert left_out == ([(reason, ("2",))] if reason else [])


def test_a_file_is_no_folder_of_gold(tmp_path: Path) -> None:
    (tmp_path / "gold.tar.xz").touch()
    with pytest.raises(InputError) as caught:
        read_gold(tmp_path / "gold.tar.xz")
    assert_names(caught.value, "gold.tar.xz: ", "not a folder", "Fix: ", "unpack")


def test_comments_are_asked_for_in_the_folder_too(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"1.html": ""}, {"1.txt": COMMENTED})
    assert read_gold(folder).pages[0].text == "The article.\n\nIts end."
    assert read_gold(folder, comments=True).pages[0].text == "The article.\n\nIts end.\nFirst!\nSecond."


def test_gold_may_be_annotated_pages(tmp_path: Path) -> None:
    for folder, name, text in (
        ("original", "1.html", "<p>It rained.<p>Share<p>First!"),
        ("original", "2.html", "<p>Home"),
        ("original", "3.html", ""),
        ("annotated", "1.HTM", "<p class=x-nc-sel2>It rained.<p>Share<p class=x-nc-sel5>First!"),
        ("annotated", "2.html", "<p>Home"),
        ("annotated", "4.html", ""),
        ("annotated", "README.md", ""),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(text)
    result = read_gold(tmp_path)
    assert [(page.stem, page.path) for page in result.pages] == [
        ("1", tmp_path / "original" / "1.html"),
        ("2", tmp_path / "original" / "2.html"),
    ]
    rained, first = LabelledText("p", "It rained."), LabelledText("p", "First!")
    assert [page.segments for page in result.pages] == [(rained,), ()]
    assert (result.without_gold, result.without_page) == (("3",), ("4",))
    assert read_gold(tmp_path, comments=True).pages[0].segments == (rained, first)
    # The folder may be named, with pages elsewhere; texts in it come before pages.
    assert read_gold(tmp_path / "original", tmp_path / "annotated") == result
    (tmp_path / "annotated" / "3.txt").write_text("<p>Dry.")
    assert [(page.stem, page.text) for page in read_gold(tmp_path).pages] == [("3", "Dry.")]


def test_gold_may_be_json_beside_pages_in_no_input_folder(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for name in ("x.html", "y.html"):
        (tmp_path / "pages" / name).touch()
    gold = tmp_path / "truth.json"
    gold.write_text(json.dumps({"x": {"articleBody": "Só.\n\nIt is.", "url": 1}, "z": {"articleBody": ""}}))
    result = read_gold(tmp_path / "pages", gold)
    assert [(page.stem, page.text) for page in result.pages] == [("x", "Só.\n\nIt is.")]
    assert (result.without_gold, result.without_page) == (("y",), ("z",))


# Parts of facts: what is missing, and its fix.
OBJECT = ("Fix: ", '{"stem": {"articleBody": "text"}, ...}')
NO_PAIR = ("gold text of the same stem", "Fix: ", "1.html and 1.txt")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("{", ("not JSON", "(char 1)", "Fix: ", "correct the file")),
        ("[]", ("JSON object", "pages by stem", *OBJECT)),
        ('{"1": "text"}', ("page '1'", "no text `articleBody`", *OBJECT)),
        ('{"1": {"articleBody": null}}', ("page '1'", "no text `articleBody`", *OBJECT)),
        ('{"2": {"articleBody": ""}}', NO_PAIR),
    ],
)
def test_json_of_another_form_is_refused(tmp_path: Path, text: str, facts: tuple[str, ...]) -> None:
    (tmp_path / "1.html").touch()
    gold = tmp_path / "gold.json"
    gold.write_text(text)
    with pytest.raises(InputError) as caught:
        read_gold(tmp_path, gold)
    assert caught.value.where == str(gold)
    (line,) = caught.value.lines()
    assert_names(line, f"{gold}: ", *facts)


NO_GOLD = ("set: ", "holds no gold", "(GoldStandard/", "or ground-truth.json)", "Fix: ", "--gold")


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        ([], ("set: ", "no such folder", "Fix: ", "check the path")),
        (["1.html"], NO_GOLD),
        (["gold/1.txt", "input/1.pdf"], ("set/input: ", "no file ending in .html, ", "Fix: ", "check the path")),
        (
            ["gold/1.md", "input/1.html"],
            ("set/gold: ", "no file ending in", ".txt, .html, .htm, .xhtml, .shtml", "Fix: ", "check the path"),
        ),
        (["original/1.html"], NO_GOLD),
        (["original/1.html", "annotated/2.html"], NO_PAIR),
        (
            ["original/1.html", "annotated/1.htm", "annotated/1.html"],
            ("1.html", "same stem as 1.htm", "Fix: ", "one of them"),
        ),
        (["gold/1.txt", "input/2.html"], NO_PAIR),
        (["gold/1.txt", "input/1.htm", "input/1.html"], ("1.html", "same stem as 1.htm", "Fix: ", "one of them")),
    ],
)
def test_folders_without_a_gold_standard_are_refused(tmp_path: Path, files: list[str], facts: tuple[str, ...]) -> None:
    folder = tmp_path / "set"
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    with pytest.raises(InputError) as caught:
        read_gold(folder)
    (line,) = caught.value.lines()
    assert_names(line, *facts)


def test_a_gold_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.html").touch()
    with pytest.raises(InputError, match=r"nowhere: .*no such file"):
        read_gold(tmp_path, tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "pages", "labels", "empty"),
    [
        ("cleaneval-dev", 58, {"h", "p", "l", None}, ["32"]),
        ("cleanportaleval", 71, {"h", "p", "l", None}, ["bbc.co.uk_news_05"]),
        ("dragnet-300", 300, {None}, []),
    ],
)
def test_real_gold_standards_are_read_whole(
    shared_data: Path, name: str, pages: int, labels: set[str | None], empty: list[str]
) -> None:
    result = read_gold(shared_data / "cleaning" / name)
    assert (len(result.pages), result.without_gold, result.without_page) == (pages, (), ())
    assert {segment.label for page in result.pages for segment in page.segments} <= labels
    assert [page.stem for page in result.pages if not page.text] == empty
    for page in result.pages:
        assert page.url.startswith("http") != (name == "dragnet-300"), page.stem
        assert not page.text.startswith("URL:"), page.stem
        assert "&*()" not in page.text, page.stem
        assert not {"<p>", "<h>", "<l>"} & set(page.text.split()), page.stem
