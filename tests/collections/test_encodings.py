"""The same bytes give the same text from whatever kind of collection they come."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from encoding_cases import CHINESE, ENGLISH, NO_MARK, RUSSIAN, meta, page
from warc_samples import http, read_bytes, record

import thresher

TEXTS = {
    "UTF-16 without a mark": (page(ENGLISH, "utf-16-le", NO_MARK), ENGLISH),
    "ISO-2022-JP": (page(b"\x1b$B9A$N-!\x1b(B"), "港の①"),
    "C1": (page(b"\x93a\x94 \x81"), "“a” \x81"),
    "GBK": (page(CHINESE.encode("gbk") + b"\x80", head=meta("gb2312")), f"{CHINESE}€"),
    "late meta": (page(RUSSIAN, "koi8-r", f"<!--{'x' * 1100}-->{meta('koi8-r')}"), RUSSIAN),
    "a broken byte": (page(RUSSIAN.encode() + b"\xff"), f"{RUSSIAN}\ufffd"),
}


def write_pages(folder: Path, kind: str, pages: dict[str, bytes]) -> Path:
    """Write a collection of pages by id."""
    path = folder / f"collection.{kind}"
    if kind == "html":
        path.mkdir()
        for page_id, content in pages.items():
            (path / f"{page_id}.html").write_bytes(content)
    elif kind == "warc":
        path.write_bytes(b"".join(record(http(content), number=int(page_id)) for page_id, content in pages.items()))
    elif kind == "parquet":
        pq.write_table(pa.table({"id": [*pages], "html": pa.array([*pages.values()], pa.binary())}), path)
    elif kind == "trec":
        lines = (b"<DOC>\n<DOCNO>%b</DOCNO>\n%b\n</DOC>\n" % (key.encode(), content) for key, content in pages.items())
        path.write_bytes(b"".join(lines))
    else:
        with tarfile.open(path, "w") as archive:
            for page_id, content in pages.items():
                member = tarfile.TarInfo(f"{page_id}.html")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("kind", ["html", "warc", "parquet", "trec", "tar"])
def test_the_kind_of_collection_does_not_matter(tmp_path: Path, kind: str) -> None:
    # The tags of a TREC-web file are ASCII.
    names = [name for name in TEXTS if kind != "trec" or not name.startswith("UTF-16")]
    pages = {str(number): TEXTS[name][0] for number, name in enumerate(names)}
    how = {"format": "trec-web"} if kind == "trec" else {}
    if kind == "warc":
        how["ids"] = "record"
    output = tmp_path / "out.jsonl"
    thresher.clean_collection(write_pages(tmp_path, kind, pages), "none", output, workers=1, **how)
    lines = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    texts = {line["id"]: line["contents"].split("\n")[-1] for line in lines}
    assert texts == {str(number): TEXTS[name][1] for number, name in enumerate(names)}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_page_of_an_unspecific_type_in_utf_16(tmp_path: Path, codec: str, mark: str) -> None:
    content = (mark + NO_MARK).encode(codec) + page(ENGLISH, codec)
    (source,) = read_bytes(tmp_path, record(http(content, "Content-Type: application/octet-stream")))
    assert (source.problem, source.is_text, source.content) == (None, False, content)


@pytest.mark.parametrize("name", TEXTS)
def test_bytes_in_python(name: str) -> None:
    content, text = TEXTS[name]
    assert thresher.clean_html(content, "none").split("\n")[-1] == text
