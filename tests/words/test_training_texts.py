"""Training text: the same words whatever file they are in, and errors that name the line."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import lzma
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import InputError
from thresher.cleaners.words.text_training import describe, portions
from thresher.cleaners.words.word_model import TextFile

LINES = ["One sentence. Two, I say!", "", "Ein Café ’n Tee", "中文 。", "x" * 40]


def blocks(*paths: Path, size: int = 30, field: str = "text") -> list[str]:
    return [line for portion in portions(paths, field, size) for line in map(str.strip, portion.splitlines()) if line]


def written(path: Path, content: bytes) -> Path:
    name = path.name.lower()
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(content))
    elif name.endswith(".zst"):
        # Two frames, as tools write that compress in parallel.
        codec = pa.Codec("zstd")
        half = len(content) // 2
        path.write_bytes(b"".join(codec.compress(part, asbytes=True) for part in (content[:half], content[half:])))
    else:
        path.write_bytes(content)
    return path


@pytest.mark.parametrize("size", [1, 7, 30, 10_000])
@pytest.mark.parametrize("name", ["t.txt", "t", "t.txt.gz", "T.GZ", "t.zst"])
def test_files_of_text(tmp_path, name, size):
    path = written(tmp_path / name, "\n".join(LINES).encode())
    # No line of these is cut but where it is longer than a portion and has a space.
    result = blocks(path, size=size)
    assert " ".join(result) == " ".join(filter(None, LINES))
    if size == 10_000:
        assert result == [*filter(None, LINES)]


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.jsonl.zst"])
def test_files_of_json_lines(tmp_path, name):
    records = [{"id": n, "body": line} for n, line in enumerate([*LINES, "two\nblocks", "one\u2028more"])]
    content = "\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n\n"
    path = written(tmp_path / name, content.encode())
    for size in (1, 100, 10_000):
        assert blocks(path, size=size, field="body") == [*filter(None, LINES), "two", "blocks", "one", "more"]


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 20))
def test_portions_laid_end_to_end_are_the_file(tmp_path_factory, text, size):
    path = tmp_path_factory.mktemp("texts") / "t"
    path.write_bytes(text.encode())
    assert "".join(portions([path], size=size)) == text


def test_a_file_without_line_feeds_is_cut_at_spaces(tmp_path):
    path = written(tmp_path / "t", b"abc def ghi jkl")
    assert [*portions([path], size=5)] == ["abc ", "def ", "ghi ", "jkl"]


def test_a_folder_of_html(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.html").write_text("<p>Second <b>page</b><p>its end")
    (tmp_path / "sub" / "c.htm").write_bytes(b"<meta charset=latin-1><p>caf\xe9")
    (tmp_path / "a.html").write_text("<title>First</title>")
    (tmp_path / "notes.txt").write_text("no page")
    for size in (1, 10_000):
        assert blocks(tmp_path, size=size) == ["First", "Second page", "its end", "café"]
    assert len([*portions([tmp_path], size=1)]) == 3
    assert len([*portions([tmp_path], size=10_000)]) == 1


def test_a_byte_order_mark_is_no_text(tmp_path):
    assert blocks(written(tmp_path / "t", "\ufeffa\nb".encode())) == ["a", "b"]


def test_describe(tmp_path):
    path = written(tmp_path / "t.txt", b"abc\n")
    assert describe(path) == TextFile("t.txt", 4, hashlib.sha256(b"abc\n").hexdigest())
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text("<p>x")
    expected = hashlib.sha256(b"a.html\x004\x00<p>x").hexdigest()
    assert describe(tmp_path / "site") == TextFile("site", 4, expected)


def check(path: Path, *facts: str, size: int = 4) -> None:
    with pytest.raises(InputError) as caught:
        blocks(path, size=size)
    assert_names(caught.value, *facts)


def test_text_that_is_not_utf8(tmp_path):
    path = written(tmp_path / "t", b"fine\nfine\ncaf\xe9\n")
    check(path, f"{path}:3: ", "not UTF-8", "Fix: ", "to UTF-8")
    check(path, f"{path}:3: ", "not UTF-8", "Fix: ", "to UTF-8", size=1000)


@pytest.mark.parametrize("size", [4, 1000])
def test_json_lines_that_are_none(tmp_path, size):
    path = written(tmp_path / "t.jsonl", b'{"text": "a"}\n\n{"text": \n')
    check(
        path,
        *(f"{path}:3: ", "not JSON", "line 1 column 10 (char 9)", "Fix: ", "correct or remove the line"),
        size=size,
    )
    for line in (b'{"texts": "a"}', b'{"text": 1}', b'["text"]'):
        path.write_bytes(b'{"text": "a"}\n' + line)
        check(path, f"{path}:2: ", "no text in 'text'", "Fix: ", "--field", size=size)


def test_files_that_are_broken(tmp_path):
    whole = gzip.compress(b"abc\n" * 1000)
    packed = pa.compress(b"abc\n" * 1000, codec="zstd", asbytes=True)
    for name, content, facts in (
        ("cut.gz", whole[:-20], ("end too early",)),
        ("wrong.gz", whole[:-8] + bytes(4) + whole[-4:], ("broken", "(Incorrect checksum found)")),
        ("cut.zst", packed[:-4], ("broken", "(incomplete frame)")),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        check(path, f"{path}: ", "compressed data", *facts, "Fix: ", "fetch or compress the file again")


def test_first_bytes_say_how_a_file_is_compressed(tmp_path):
    text = b"abc\n" * 1000
    for name, content in (
        ("a", gzip.compress(text)),
        ("a.zst", bz2.compress(text)),
        ("a.gz", text),
        ("b", lzma.compress(text)),
    ):
        (tmp_path / name).write_bytes(content)
        assert [*portions([tmp_path / name])] == [text.decode()]


def test_what_cannot_be_read(tmp_path):
    missing = tmp_path / "missing"
    for name in ("missing", "missing.gz", "missing.zst"):
        missing = tmp_path / name
        check(missing, f"{missing}: ", "no such file or folder", "Fix: ", "check the path")
    with pytest.raises(InputError, match="no such file or folder"):
        describe(missing)
    check(tmp_path, f"{tmp_path}: ", "the folder is empty", "Fix: ", "files of text", "HTML pages")
