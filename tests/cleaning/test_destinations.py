"""Output through links, pipes, devices and descriptors, and a pipe of JSON lines from end to end."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from commands import THRESHER, begin
from commands import thresher as in_this_process
from messages import assert_names

from thresher.base.errors import ConfigError, InputError
from thresher.collections import ReadOptions
from thresher.scores.cleaning import CleanCounts, Extras, Output, clean_collection, page_streams
from thresher.scores.cleaning.page_streams import piped_lines as pieces

LINES = [{"id": f"d{number}", "html": f"<p>The hive of number {number} is full of bees.</p>"} for number in range(40)]


def written(folder: Path) -> Path:
    path = folder / "pages.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    return written(tmp_path)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("expected")
    clean_collection(written(folder), "words@3", folder / "expected.jsonl")
    content = (folder / "expected.jsonl").read_bytes()
    assert len(content.splitlines()) == len(LINES)
    return content


def test_links_stay(tmp_path: Path, pages: Path, expected: bytes) -> None:
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "cleaned.jsonl"
    for before in (b"", b"old", None):
        link = tmp_path / f"link{before!r}.jsonl"
        link.symlink_to(target)
        target.unlink(missing_ok=True)
        if before is not None:
            target.write_bytes(before)
        clean_collection(pages, "words@3", link)
        assert link.is_symlink()
        assert target.read_bytes() == expected
        assert list(target.parent.iterdir()) == [target]
    bare = tmp_path / "bare"
    bare.symlink_to(target)
    clean_collection(pages, "words@100", bare)
    assert bare.is_symlink()
    assert target.read_bytes() != expected
    lost = tmp_path / "lost.jsonl"
    lost.symlink_to(tmp_path / "nowhere" / "x.jsonl")
    with pytest.raises(InputError) as error:
        clean_collection(pages, "words@3", lost)
    assert str(error.value).startswith(f"{tmp_path / 'nowhere'}: there is no such folder")
    link = tmp_path / "removed.jsonl"
    link.symlink_to(target)
    clean_collection(pages, "words@3", tmp_path / "o.jsonl", extras=Extras(removed=link))
    assert link.is_symlink()
    assert len(target.read_bytes().splitlines()) == len(LINES)


def test_links_that_lead_to_themselves(tmp_path: Path, pages: Path) -> None:
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    (tmp_path / "to-loop.jsonl").symlink_to(loop)
    links, nothing = "Too many levels of symbolic links", "there is no such"
    for source, output, extras, where, what in (
        (pages, loop, Extras(), loop, links),
        (pages, tmp_path / "to-loop.jsonl", Extras(), tmp_path / "to-loop.jsonl", links),
        (pages, loop / "o.jsonl", Extras(), loop, nothing),
        (pages, tmp_path / "o.jsonl", Extras(failures=loop), loop, links),
        (loop, tmp_path / "o.jsonl", Extras(), loop, nothing),
    ):
        with pytest.raises(InputError) as error:
            clean_collection(source, "words@3", output, extras=extras)
        assert error.value.where == str(where)
        assert what in error.value.what
        assert error.value.fix
    assert {path.name for path in tmp_path.iterdir()} == {"pages.jsonl", "loop.jsonl", "to-loop.jsonl"}


def test_a_named_pipe_is_written_through(tmp_path: Path, pages: Path, expected: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    clean_collection(pages, "words@3", pipe)
    reader.join()
    assert read == [expected]
    assert pipe.is_fifo()


def test_a_device_is_written_through(pages: Path) -> None:
    assert clean_collection(pages, "words@3", Path("/dev/null")).kept == len(LINES)
    assert Path("/dev/null").is_char_device()


def test_further_files_are_written_through_too(tmp_path: Path, pages: Path, expected: bytes) -> None:
    pages.write_bytes(pages.read_bytes() + b'{"id": "bad"}\n')
    path = tmp_path / "shell"
    found = []
    for extra in ("failures", "removed"):
        with path.open("wb") as out:
            streamed = Extras(**{extra: f"/dev/fd/{out.fileno()}"})
            clean_collection(pages, "words@3", tmp_path / "o.jsonl", extras=streamed)
        clean_collection(pages, "words@3", tmp_path / "o.jsonl", extras=Extras(**{extra: tmp_path / "file"}))
        assert path.read_bytes() == (tmp_path / "file").read_bytes() != b""
        assert (tmp_path / "o.jsonl").read_bytes() == expected
        found.append(path.read_bytes())
    assert [len(content.splitlines()) for content in found] == [1, len(LINES)]
    assert {each.name for each in tmp_path.iterdir()} == {"pages.jsonl", "o.jsonl", "shell", "file"}
    with pytest.raises(ConfigError, match=r"two of the files .* one file"):
        clean_collection(pages, "words@3", "-", extras=Extras(removed="/dev/stdout"))


def test_a_collection_is_not_written_to(tmp_path: Path, pages: Path) -> None:
    before = pages.read_bytes()
    (tmp_path / "pages").mkdir()
    inside = tmp_path / "pages" / "1.jsonl"
    inside.write_bytes(before)
    (tmp_path / "link.jsonl").symlink_to(pages)
    (tmp_path / "hard.jsonl").hardlink_to(pages)
    (tmp_path / "rows").mkdir()
    clean_collection(pages, "words@3", tmp_path / "rows" / "1.parquet")
    itself, part = "the collection itself", "a part of the collection"
    for source, output, extras, what in (
        (pages, pages, Extras(), itself),
        (pages, tmp_path / "link.jsonl", Extras(), itself),
        (pages, tmp_path / "hard.jsonl", Extras(), itself),
        (inside.parent, inside, Extras(), part),
        (inside.parent, inside.with_name("2.JSONL"), Extras(), part),
        (inside.parent, tmp_path / "o.jsonl", Extras(failures=inside.with_name("f.jsonl")), part),
        (tmp_path / "rows", tmp_path / "rows" / "2.parquet", Extras(), part),
    ):
        with pytest.raises(ConfigError) as error:
            clean_collection(source, "words@3", output, extras=extras, how=Output("jsonl"))
        assert_names(error.value, what, "Fix: ", "elsewhere")
    assert inside.read_bytes() == pages.read_bytes() == before
    assert len([*tmp_path.rglob("*")]) == 7
    # No JSON lines, hence no part.
    assert clean_collection(inside.parent, "words@3", inside.with_name("o.txt"), how=Output("jsonl")).kept == len(LINES)


def test_a_folder_of_pages_does_not_become_one_of_several_kinds(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>The hive is full of bees.</p>")
    output = tmp_path / "o.jsonl"
    for path, extras in ((output, Extras()), (tmp_path / "o.txt", Extras(failures=tmp_path / "f.jsonl.gz"))):
        with pytest.raises(ConfigError, match=r"several kinds\. Fix: .*elsewhere.* --format html"):
            clean_collection(tmp_path, "words@3", path, extras=extras, how=Output("jsonl"))
    # Whoever says what is read can say so again.
    for _ in range(2):
        assert clean_collection(tmp_path, "words@3", output, format="html").documents == 1
    output.unlink()
    # Text does not count beside pages, nor do the scores that a killed command leaves there.
    arguments = ("clean", ".", "-c", "words@3", "-o", "o.txt", "--output-format", "jsonl")
    killed = begin(*arguments, cwd=tmp_path, kill_at="os.rename o.txt").wait()
    assert (killed.code, len([*tmp_path.rglob("*.npz")])) == (-signal.SIGKILL, 1)
    for _ in range(2):
        assert clean_collection(tmp_path, "words@3", tmp_path / "o.txt", how=Output("jsonl")).documents == 1
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "o.txt"}


def test_a_pipe_has_no_name_to_read_it_by(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"pipe: .* not a file or folder"):
        clean_collection(tmp_path / "pipe", "words@3", tmp_path / "o.jsonl")


@pytest.mark.parametrize("url", ["https://x.example/a?b=1&c=2", "http://x.example"])
def test_pages_are_not_fetched(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError) as error:
        clean_collection(url, "words@3", tmp_path / "o.jsonl")
    assert error.value.where == url
    assert f"curl -sL {shlex.quote(url)} | thresher clean -" in error.value.fix


def test_folders_are_not_invented(tmp_path: Path, pages: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    for output, extras, what in (
        ("new/x.jsonl", Extras(), f"{tmp_path / 'new'}: there is no such folder"),
        ("folder.jsonl", Extras(), f"{tmp_path / 'folder.jsonl'}: it is a folder"),
        ("x.jsonl", Extras(failures=tmp_path / "new" / "f.jsonl"), f"{tmp_path / 'new'}: there is no such folder"),
    ):
        with pytest.raises(InputError) as error:
            clean_collection(pages, "words@3", tmp_path / output, extras=extras)
        assert str(error.value).startswith(what)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.jsonl", "pages.jsonl"]


def thresher(*arguments: str | Path, stdin: bytes = b"", cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [THRESHER, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, check=False, timeout=600
    )


@pytest.mark.slow
def test_a_pipe_in_a_pipe_out(tmp_path: Path, pages: Path, expected: bytes) -> None:
    arguments = ("clean", "-", "-c", "words@3", "--workers", "1", "-o")
    done = thresher(*arguments, "-", stdin=pages.read_bytes(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, expected)
    # On a busy machine lines of progress come before; the speed comes behind.
    (outcome,) = (line for line in done.stderr.decode().splitlines() if line.startswith("-: "))
    assert_names(outcome, "-: ", len(LINES), " pages", len(LINES), 0, 0)


@pytest.mark.slow
def test_lines_come_out_before_the_pipe_ends(tmp_path: Path, pages: Path, expected: bytes) -> None:
    arguments = (THRESHER, "clean", "-", "-c", "words@3", "--workers", "1")
    lines = pages.read_bytes().splitlines(keepends=True)
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in lines[:2]:
            process.stdin.write(line)
            process.stdin.flush()
            answers.append(process.stdout.readline())
        process.stdin.close()
        assert (answers, process.stdout.read()) == (expected.splitlines(keepends=True)[:2], b"")


@pytest.mark.parametrize(
    ("format", "page", "text"),
    [
        ("html", b"<p>The hive and\n\nits queen.<p>Home", "The hive and its queen."),
        ("text", b"The hive and\nits queen.\n\nHome\n", "The hive and its queen."),
    ],
)
def test_a_page_in_a_pipe(tmp_path: Path, format: str, page: bytes, text: str) -> None:
    arguments = ("clean", "-", "-c", "words@3", "--workers", "1", "--format", format, "-o", "-")
    (tmp_path / "stdin").write_bytes(page)
    done = in_this_process(*arguments, stdin=tmp_path / "stdin", cwd=tmp_path)
    assert done.code == 0, done.err
    assert [(row["id"], row["contents"]) for row in map(json.loads, done.out.splitlines())] == [("stdin", text)]


def test_an_open_descriptor_is_written_where_it_stands(tmp_path: Path, pages: Path, expected: bytes) -> None:
    path = tmp_path / "shell.jsonl"
    path.write_bytes(b"first\n")
    with path.open("ab") as out:
        clean_collection(pages, "words@3", f"/dev/fd/{out.fileno()}")
    assert path.read_bytes() == b"first\n" + expected


def test_a_reader_that_has_enough_is_told_as_such(pages: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        clean_collection(pages, "words@3", f"/dev/fd/{writing}")
    os.close(writing)


def clean_pipe(
    monkeypatch: pytest.MonkeyPatch, stdin: Path, output: Path, cleaner: str = "words@3", **more: object
) -> CleanCounts:
    with stdin.open(encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        return clean_collection("-", cleaner, output, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("window", [500, 10**6])
def test_windows_change_nothing(
    tmp_path: Path, pages: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr("thresher.scores.cleaning.whole_collections.WINDOW_BYTES", window)
    lines = [*LINES[:3], {"id": "bad"}, *LINES[3:5]]
    pages.write_text("".join(json.dumps(line) + "\n" for line in lines))
    failed = tmp_path / "failed.jsonl"
    counts = clean_pipe(monkeypatch, pages, tmp_path / "o.jsonl", extras=Extras(failures=failed))
    assert (counts.documents, counts.kept, counts.failed) == (6, 5, 1)
    assert (tmp_path / "o.jsonl").read_bytes().splitlines() == expected.splitlines()[:5]
    (failure,) = map(json.loads, failed.read_text().splitlines())
    assert (failure["file"], failure["offset"]) == ("stdin", sum(len(json.dumps(line)) + 1 for line in LINES[:3]))


def test_cleaners_of_whole_collections_get_the_whole_pipe(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thresher.scores.cleaning.whole_collections.WINDOW_BYTES", 1)
    lines = [{**line, "html": f"<p>{'bee ' * (number + 1)}</p>"} for number, line in enumerate(LINES)]
    pages.write_text("".join(json.dumps(line) + "\n" for line in lines))
    counts = clean_pipe(monkeypatch, pages, tmp_path / "piped.jsonl", "words@p50")
    assert counts == clean_collection(pages, "words@p50", tmp_path / "file.jsonl")
    assert counts.cutoffs
    assert (tmp_path / "piped.jsonl").read_bytes() == (tmp_path / "file.jsonl").read_bytes()


def test_pieces_of_a_pipe_end_with_lines_and_replace_each_other(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    long = b"x" * (page_streams._PIECE + 5) + b"\n"
    content = [b"aaa\n", b"bb\n", long, b"c\n", b"no end"]
    pipe.write_bytes(b"".join(content))
    folder = tmp_path / "scratch"
    folder.mkdir()
    with pipe.open("rb") as stream:
        found = [
            (lines.offset, lines.collection.path.read_bytes()) for lines in pieces(stream, folder, ReadOptions(), "", 5)
        ]
    assert [each for _, each in found] == [b"aaa\nbb\n", long, b"c\nno end"]
    assert [offset for offset, _ in found] == [0, 7, 7 + len(long)]
    assert len(list(folder.iterdir())) == 1
    with (
        pytest.raises(ConfigError, match=r"standard input .* not as warc"),
        pipe.open("rb") as stream,
    ):
        next(pieces(stream, folder, ReadOptions(), "warc"))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_pipe(tmp_path: Path) -> None:
    """Four times the lines, the same memory: windows of the same size, one after another."""
    line = json.dumps({"id": "ID", "html": f"<p>The hive is full of bees.<!--{'x' * 40_000}-->"})
    for many in (100, 400):
        content = "".join(line.replace("ID", str(number)) + "\n" for number in range(many))
        (tmp_path / f"{many}.jsonl").write_text(content)
    code = (
        "import sys, thresher\n"
        "from thresher.scores.cleaning import whole_collections\n"
        "from thresher.base.repeats import _high_water_mark as peak_memory\n"
        "whole_collections.WINDOW_BYTES = 2**21\n"
        "for many in ('100', '400'):\n"
        "    sys.stdin = open(many + '.jsonl')\n"
        "    counts = thresher.clean_collection('-', 'words@3', '-', workers=1)\n"
        "    print(counts.documents, peak_memory(), file=open('told', 'a'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path, check=True, timeout=600)
    # Not on standard error, where slow passes say how far they are.
    few, first, many, second = (tmp_path / "told").read_text().split()
    assert (few, many, done.stdout.count(b"\n")) == ("100", "400", 500)
    # Twelve mebibytes more.
    assert float(second) < float(first) + 8


def test_blank_lines_of_a_pipe_are_no_pages(
    tmp_path: Path, pages: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thresher.scores.cleaning.whole_collections.WINDOW_BYTES", 1)
    pages.write_bytes(b"\n" + pages.read_bytes().splitlines(keepends=True)[0] + b" \n\n")
    assert clean_pipe(monkeypatch, pages, tmp_path / "o.jsonl").documents == 1
    assert (tmp_path / "o.jsonl").read_bytes() == expected.splitlines(keepends=True)[0]


def test_all_pages_of_a_pipe_failing_is_an_error_with_the_likely_fix(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages.write_text("".join(json.dumps({"docno": f"d{number}", "body": "Rain."}) + "\n" for number in range(3)))
    with pytest.raises(InputError) as error:
        clean_pipe(monkeypatch, pages, tmp_path / "o.jsonl")
    assert_names(error.value, "-: ", "all 3", "3", "`id`", "Fix: ", "--id-field docno --text-field body", "docno, body")


@pytest.mark.parametrize("page", ["<html>\n<p>Rain.</p>\n", "\ufeff<p>Rain.", "\n \n<!-- x -->\n\n<p>Rain."])
def test_a_page_in_a_pipe_needs_no_format(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    pages.write_text(page, encoding="utf-8")
    clean_pipe(monkeypatch, pages, tmp_path / "o.jsonl", "none")
    assert json.loads((tmp_path / "o.jsonl").read_text()) == {"id": "stdin", "contents": "Rain."}


def test_what_is_no_page_in_a_pipe_of_lines_is_told_of_formats(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages.write_text("Rain\nand snow\n")
    with pytest.raises(InputError, match=r"all 2 pages failed: 2 .*JSON.*--format html"):
        clean_pipe(monkeypatch, pages, tmp_path / "o.jsonl")


def test_an_empty_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: Path) -> None:
    pages.write_bytes(b"")
    with pytest.raises(InputError, match="standard input is empty"):
        clean_pipe(monkeypatch, pages, tmp_path / "o.jsonl")
    assert not (tmp_path / "o.jsonl").exists()
