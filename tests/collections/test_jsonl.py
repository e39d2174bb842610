"""JSON lines: every defect is named with its line."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.collections import IdRule, open_collection
from thresher.collections.jsonl import JsonLines
from thresher.errors import InputError


def write(tmp_path: Path, *lines: str | bytes, name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    content = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_pages_and_texts(tmp_path, name):
    path = write(
        tmp_path,
        '{"id": "a", "html": "<p>é", "url": "http://x"}',
        "",
        "  \t\r",
        '{"id": 7, "contents": "plain\\ntext", "url": 3}\r',
        '{"html": "", "contents": "not taken", "id": "b"}',
        name=name,
    )
    found = list(open_collection(path).sources())
    assert [(source.id, source.content, source.is_text, source.url) for source in found] == [
        ("a", "<p>é".encode(), False, "http://x"),
        ("7", b"plain\ntext", True, None),
        ("b", b"", False, None),
    ]
    assert [source.where for source in found] == [f"{path}:1", f"{path}:4", f"{path}:5"]
    assert [source.size for source in found] == [5, 10, 0]
    assert {source.charset for source in found} == {"utf-8"}


def test_a_byte_order_mark_is_no_defect(tmp_path):
    path = write(tmp_path, b'\xef\xbb\xbf{"id": "a", "contents": "x"}')
    assert [source.id for source in JsonLines(path).sources()] == ["a"]


def test_ids_go_through_the_rule(tmp_path):
    path = write(tmp_path, '{"id": "old a.html", "contents": ""}')
    rule = IdRule(pattern="^old ", replacement="new ", escape=True)
    assert [source.id for source in JsonLines(path, rule).sources()] == ["new%20a.html"]


@given(st.dictionaries(st.text(), st.text(), min_size=1, max_size=5))
def test_whatever_json_can_hold_comes_back(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    # `ensure_ascii` writes lone surrogates too; no line separator of Unicode ends a line.
    lines = [json.dumps({"id": key, "contents": text}) for key, text in documents.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = {source.id: source.page().content for source in JsonLines(path).sources()}
    assert found == {key: text.encode("utf-8", "replace") for key, text in documents.items()}


def test_separators_of_unicode_end_no_line(tmp_path):
    path = write(tmp_path, '{"id": "a", "contents": "x\u2028y\u0085z"}')
    assert [source.content.decode() for source in JsonLines(path).sources()] == ["x\u2028y\u0085z"]


SHAPE = 'Fix: write {"id": "...", "contents": "..."}.'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "the line is not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)). "),
        ("nothing", "the line is not JSON (Expecting value: line 1 column 1 (char 0)). "),
        (
            b'{"id": "\xff"}',
            "the line is not JSON ('utf-8' codec can't decode byte 0xff in position 8: invalid start byte). ",
        ),
        (
            "[" * 100_000,
            "the line is not JSON (maximum recursion depth exceeded while decoding a JSON array from a unicode string). ",
        ),
        ("[1]", "the line has no `id`. " + SHAPE),
        ("{}", "the line has no `id`. " + SHAPE),
        ('{"id": null, "contents": ""}', "the line has no `id`. " + SHAPE),
        ('{"id": 1.5, "contents": ""}', "the line has no `id`. " + SHAPE),
        ('{"id": "x"}', "the line has neither `html` nor `contents`. " + SHAPE),
        ('{"id": "x", "contents": ["a"]}', "the line has neither `html` nor `contents`. " + SHAPE),
        ('{"id": "x", "html": null}', "the line has neither `html` nor `contents`. " + SHAPE),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, message):
    path = write(tmp_path, '{"id": "a", "contents": ""}', "", line)
    sources = JsonLines(path).sources()
    assert next(sources).id == "a"
    with pytest.raises(InputError) as caught:
        next(sources)
    fix = "" if message.endswith(SHAPE) else "Fix: correct or remove the line."
    assert str(caught.value) == f"{path}:3: {message}{fix}"


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(JsonLines(path).sources())
    return str(caught.value)


def test_files_that_hold_nothing(tmp_path):
    for content in ("", "\n \n\n"):
        path = write(tmp_path, content)
        assert problem(path) == f"{path}: the collection is empty. Fix: check collection.path."
    path = tmp_path / "none.jsonl"
    assert problem(path) == f"{path}: there is no such file or folder. Fix: check the path."
    with pytest.raises(InputError) as caught:
        JsonLines(path).fingerprint()
    assert str(caught.value) == f"{path}: there is no such file or folder. Fix: check the path."


def test_broken_gzip(tmp_path):
    lines = [json.dumps({"id": number, "contents": f"text {number}"}) + "\n" for number in range(5)]
    whole = gzip.compress("".join(lines).encode())
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(whole[:-9])
    assert problem(path) == (
        f"{path}: the file is broken after line 5 (Compressed file ended before the end-of-stream marker was reached)."
        " Fix: fetch or write it again."
    )
    path.write_bytes(b"".join(lines[0].encode() for _ in range(2)))
    assert problem(path) == (
        f"{path}: the file is broken after line 0 (Not a gzipped file (b'{{\"')). Fix: fetch or write it again."
    )
    path.write_bytes(whole[:15] + b"\xff\xff\xff" + whole[18:])
    assert problem(path).startswith(f"{path}: the file is broken after line 0 (Error -3 while decompressing data: ")
    path.write_bytes(whole[:-8] + bytes(4) + whole[-4:])
    assert problem(path).startswith(f"{path}: the file is broken after line ")
    assert "(CRC check failed 0x0 != " in problem(path)


def test_the_fingerprint_is_of_the_file(tmp_path):
    path = write(tmp_path, '{"id": "a", "contents": ""}')
    first = JsonLines(path).fingerprint()
    assert JsonLines(path, IdRule(ids="stem")).fingerprint() == first
    path.write_bytes(path.read_bytes() + b"\n")
    assert JsonLines(path).fingerprint() != first
