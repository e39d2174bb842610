"""Documents of ir_datasets: real datasets of it, made of local files and registered here; nothing is fetched."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from messages import Message, assert_names

from thresher.base.errors import ConfigError, InputError, MissingDependencyError, install_command
from thresher.collections import open_collection
from thresher.collections.catalogue import Catalogue
from thresher.collections.interface import IdRule, ReadOptions
from thresher.collections.sources import Source


class Warc(NamedTuple):
    doc_id: str
    url: str
    http_headers: bytes
    body: bytes
    body_content_type: str


class Gov(NamedTuple):
    doc_id: str
    url: str
    http_headers: str
    body: bytes
    body_content_type: str


class Passage(NamedTuple):
    doc_id: str
    text: str
    html: str


class Image(NamedTuple):
    doc_id: str
    dom_html: bytes


class Title(NamedTuple):
    doc_id: str
    title: str
    body: str
    url: str

    def default_text(self) -> str:
        return f"{self.title} {self.body}"


RECORDS = (
    Warc("w1", "http://x", b"HTTP/1.1 200\r\nContent-Type: text/html; charset=latin-1\r\n", b"<p>\xe9", "text/html"),
    Warc("w2", "", b"", b"plain \xe9", "text/plain"),
    Gov("g1", "http://g", "Content-type: text/html; charset='utf-8'", b"", ""),
    Passage("p1", "text", "<p>\ud800é"),
    Image("i1", b"<img>"),
    Title("t1", "a title", "a body\n\nits end", "http://t"),
    Image("i2", None),
)


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(tmp_path_factory.mktemp("home")))
        package = pytest.importorskip("ir_datasets", reason="the extra ir-datasets is not installed")
        yield package


@pytest.fixture
def register(catalogue, request):
    def add(docs=None, **more) -> str:
        name = f"thresher/{request.node.name}"
        catalogue.registry.register(name, catalogue.Dataset(docs, *more.values()))
        return name

    yield add
    catalogue.registry._registered.pop(f"thresher/{request.node.name}", None)


def docs_of(catalogue, give):
    class Docs(catalogue.formats.BaseDocs):
        def docs_iter(self):
            return give()

        def docs_count(self):
            return None

    return Docs()


def sources(name: str, pages: int = 100, **options) -> list[Source]:
    result = Catalogue(name, ReadOptions(**options))
    return [source for part in result.parts(pages) for source in result.read(part)]


def test_documents_of_a_file(catalogue, register, tmp_path):
    path = tmp_path / "docs.tsv"
    path.write_text("".join(f"d{number}\ttext é {number}\n" for number in range(10)), encoding="utf-8")
    name = register(catalogue.formats.TsvDocs(catalogue.util.LocalDownload(path)))
    result = Catalogue(name)
    assert str(result.path) == f"ir_datasets:{name}"
    parts = list(result.parts(4))
    assert parts == list(result.parts(4))
    assert [(part.file, part.number, part.name, len(part.sources)) for part in parts] == [
        (0, 0, name, 4),
        (0, 1, name, 4),
        (0, 2, name, 2),
    ]
    assert [source for part in parts for source in result.read(part)] == [
        Source(f"d{number}", name, 9, content=f"text é {number}".encode(), charset="utf-8", is_text=True)
        for number in range(10)
    ]


def test_kinds_of_records(catalogue, register):
    name = register(docs_of(catalogue, lambda: iter(RECORDS)))
    assert sources(name) == [
        Source("w1", name, 4, content=b"<p>\xe9", url="http://x", charset="latin-1"),
        Source("w2", name, 7, content=b"plain \xe9", is_text=True),
        Source("g1", name, 0, content=b"", url="http://g", charset="utf-8"),
        Source("p1", name, 6, content="<p>?é".encode(), charset="utf-8"),
        Source("i1", name, 5, content=b"<img>"),
        Source("t1", name, 23, content=b"a title a body\n\nits end", url="http://t", charset="utf-8", is_text=True),
        Source(
            "i2",
            name,
            0,
            problem=Message("ir_datasets", "AttributeError: 'Image'", "'default_text'"),  # type: ignore[arg-type]
        ),
    ]


def test_ids_and_sizes(catalogue, register):
    name = register(docs_of(catalogue, lambda: iter([Image("a b", b"x" * 2**20), Image("c", b"x" * (2**20 + 1))])))
    one, two = sources(name, rule=IdRule(escape=True), max_bytes=2**20)
    assert (one.id, one.problem, two.size) == ("a%20b", None, 2**20 + 1)
    assert (two.content, two.problem) == (None, Message("too large", "1.0 MiB", "1 MiB"))


def test_parts_hold_some_16_mib_and_are_given_as_they_are_read(catalogue, register):
    given = []

    def give():
        for number in range(12):
            given.append(number)
            yield Image(str(number), b"x" * 5 * 2**20)

    parts = Catalogue(register(docs_of(catalogue, give))).parts(100)
    assert [source.id for source in next(parts).sources] == ["0", "1", "2"]
    assert given == [0, 1, 2, 3]
    assert [len(part.sources) for part in parts] == [3, 3, 3]


def test_the_fingerprint(catalogue, monkeypatch):
    first = Catalogue("vaswani").fingerprint()
    assert Catalogue("vaswani").fingerprint() == first
    seen = {first, Catalogue("cranfield").fingerprint()}
    monkeypatch.setattr(catalogue, "__version__", "0.0")
    seen.add(Catalogue("vaswani").fingerprint())
    assert len(seen) == 3


def failure(name: str) -> str:
    with pytest.raises(InputError) as caught:
        list(Catalogue(name).parts(1))
    return str(caught.value)


def test_what_is_not_there(catalogue, register, tmp_path):
    unknown = ("ir_datasets:no/such: ", "no such dataset", "Fix: ", "an id", "`ir_datasets list`")
    assert_names(failure("no/such"), *unknown)
    with pytest.raises(InputError) as caught:
        Catalogue("no/such").fingerprint()
    assert_names(caught.value, *unknown)
    # `clinicaltrials` is the name of a family
    assert_names(failure("clinicaltrials"), "ir_datasets:clinicaltrials: ", "has no documents", "Fix: ", "as a file")
    path = tmp_path / "none.tsv"
    name = register(catalogue.formats.TsvDocs(catalogue.util.LocalDownload(path)))
    assert_names(failure(name), f"ir_datasets:{name}: ", "ir_datasets", path, "Fix: ", "https://ir-datasets.com")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            RuntimeError("All download sources failed", [("x", ConnectionError("y"))]),
            "(RuntimeError: All download sources failed)",
        ),
        (
            ValueError("line 1\nline 2"),
            "(ValueError: line 1)",
        ),
        (
            StopAsyncIteration(),
            "(StopAsyncIteration: no reason given)",
        ),
    ],
)
def test_what_fails(catalogue, register, error, reason):
    def give():
        yield RECORDS[0]
        raise error

    name = register(docs_of(catalogue, give))
    fixes = ("the network and the free space", "the same command again")
    assert_names(failure(name), f"ir_datasets:{name}: ", "documents", reason, "Fix: ", *fixes)


def test_a_package_that_ir_datasets_lacks(catalogue, register):
    def give():
        yield from ()
        raise ImportError("This dataset requires x. Run 'pip install x'")

    name = register(docs_of(catalogue, give))
    with pytest.raises(MissingDependencyError) as caught:
        list(Catalogue(name).parts(1))
    assert_names(caught.value, f"ir_datasets:{name}: ", "ir_datasets", "'pip install x'", "Fix: ", "'ir_datasets[all]'")


@pytest.mark.skipif(find_spec("warc") is not None, reason="the package is installed")
def test_the_extra_for_clueweb_is_named(catalogue, register):
    def give():
        yield from ()
        catalogue.lazy_libs.warc()

    with pytest.raises(MissingDependencyError) as caught:
        list(Catalogue(register(docs_of(catalogue, give))).parts(1))
    assert_names(caught.value.fix, "pip install 'ir_datasets[warc]'")


def test_a_format_is_refused():
    with pytest.raises(ConfigError, match=r"ir_datasets .* their own format"):
        open_collection(Path("ir_datasets:vaswani"), format="text")


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    for call in (Catalogue("vaswani").fingerprint, lambda: list(Catalogue("vaswani").parts(1))):
        with pytest.raises(MissingDependencyError) as caught:
            call()
        assert_names(caught.value, "ir_datasets is not installed", "Fix: ", install_command("ir-datasets"))


def test_the_package_is_not_imported_before_it_is_used():
    code = "import sys, thresher.collections.catalogue; print('ir_datasets' in sys.modules)"
    source = str(Path(sys.modules["thresher"].__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": source})
    assert done.stdout == "False\n"
