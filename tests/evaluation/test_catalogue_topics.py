"""Topics and qrels of ir_datasets: the same as from the published files, and the same checks."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pytest
from messages import assert_names

import thresher
from thresher.base.errors import InputError, MissingDependencyError, install_command
from thresher.evaluation.topics import read_catalogue_topics, read_topics
from thresher.evaluation.trec_files import read_catalogue_qrels, read_qrels

WEB_2013 = """
import json, sys
from dataclasses import asdict
from thresher.evaluation.trec_files import read_catalogue_qrels
from thresher.evaluation.topics import read_catalogue_topics
name = "clueweb12/trec-web-2013"
topics = [[asdict(topic) for topic in read_catalogue_topics(name, *field).values()] for field in ((), ("description",))]
json.dump([*topics, read_catalogue_qrels(name)], sys.stdout)
"""


class Query(NamedTuple):
    query_id: str
    title: str
    description: str
    narrative: str


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(tmp_path_factory.mktemp("home")))
        yield pytest.importorskip("ir_datasets", reason="the extra ir-datasets is not installed")


@pytest.fixture
def register(catalogue, request):
    name = f"thresher/{request.node.name}"

    def add(queries=(), qrels=()) -> str:
        class Queries(catalogue.formats.BaseQueries):
            def queries_iter(self):
                return iter(queries)

        class Qrels(catalogue.formats.BaseQrels):
            def qrels_iter(self):
                return iter(qrels)

        catalogue.registry._registered.pop(name, None)
        catalogue.registry.register(name, catalogue.Dataset(Queries(), Qrels()))
        return name

    yield add
    catalogue.registry._registered.pop(name, None)


@pytest.mark.slow
def test_the_web_track_of_2013(catalogue, shared_data, tmp_path):
    """ir_datasets checks the files' MD5, so they are those that it would fetch."""
    folder = tmp_path / "clueweb12" / "trec-web-2013"
    folder.mkdir(parents=True)
    topics, qrels = (
        shared_data / "topics-qrels" / name for name in ("topics.web.201-250.txt", "qrels.web.201-250.txt")
    )
    (folder / "queries.xml").write_bytes(topics.read_bytes())
    (folder / "qrels.adhoc").write_bytes(qrels.read_bytes())
    paths = [str(Path(module.__file__).parents[1]) for module in (thresher, catalogue)]
    environment = {**os.environ, "IR_DATASETS_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", WEB_2013], capture_output=True, text=True, env=environment, check=True)
    titles, descriptions, judged = json.loads(done.stdout)
    assert titles == [asdict(topic) for topic in read_topics(topics).values()]
    assert descriptions == [asdict(topic) for topic in read_topics(topics, field="description").values()]
    assert judged == read_qrels(qrels)
    assert (len(titles), sum(map(len, judged.values()))) == (50, 14474)


def test_topics_and_qrels_of_files(catalogue, register, tmp_path):
    (tmp_path / "q.tsv").write_text("1\ta  b\n2\tc\n")
    (tmp_path / "q.txt").write_text("1 0 d1 2\n1 0 d2 -1\n2 0 d1 0\n")
    name = "thresher/files"
    local = catalogue.util.LocalDownload
    components = (
        catalogue.formats.TsvQueries(local(tmp_path / "q.tsv")),
        catalogue.formats.TrecQrels(local(tmp_path / "q.txt"), {}),
    )
    catalogue.registry.register(name, catalogue.Dataset(*components))
    topics = read_catalogue_topics(name)
    assert [(key, topic.id, topic.query) for key, topic in topics.items()] == [("1", "1", "a b"), ("2", "2", "c")]
    assert read_catalogue_qrels(name) == {"1": {"d1": 2, "d2": -1}, "2": {"d1": 0}}
    with pytest.raises(InputError) as caught:
        read_catalogue_topics(name, "description")
    assert_names(caught.value, "ir_datasets:thresher/files: ", "`description`", "Fix: ", "text")


def test_fields(register):
    name = register([Query("1", "a", " b\nc ", "d")])
    assert {
        field: read_catalogue_topics(name, field)["1"].query
        for field in ("title", "query", "description", "desc", "narrative", "narr")
    } == {"title": "a", "query": "a", "description": "b c", "desc": "b c", "narrative": "d", "narr": "d"}
    with pytest.raises(InputError) as caught:
        read_catalogue_topics(name, "type")
    assert_names(caught.value, f"ir_datasets:{name}: ", "`type`", "Fix: ", "title, description, narrative")


@pytest.mark.parametrize(
    ("queries", "facts"),
    [
        ([], ("no topics", "Fix: ", "another id")),
        ([("", "x")], ("topic id ``", "empty", "Fix: ", "topics as a file")),
        ([("1 2", "x")], ("topic id `1 2`", "white space", "Fix: ", "topics as a file")),
        ([("1", "x"), ("2", " ")], ("topic 2", "no query", "Fix: ", "another field than title")),
        ([("1", "x"), ("1", "x")], ("topic 1", "twice", "Fix: ", "topics as a file", "one of the two")),
    ],
)
def test_topics_that_cannot_be_used(register, queries, facts):
    name = register([Query(number, title, "", "") for number, title in queries])
    with pytest.raises(InputError) as caught:
        read_catalogue_topics(name)
    assert_names(caught.value, f"ir_datasets:{name}: ", *facts)


@pytest.mark.parametrize(
    ("qrels", "facts"),
    [
        ([], ("no judgments", "Fix: ", "another id")),
        ([("1", "d", 100_001)], ("grade `100001`", "not an integer", "-100000 and 100000", "Fix: ", "qrels as a file")),
        ([("1", "d", 0.5)], ("grade `0.5`", "not an integer", "-100000 and 100000", "Fix: ", "qrels as a file")),
        (
            [("1", "d", 1), ("1", "d", 2)],
            ("document d of topic 1", "grades 1 and 2", "Fix: ", "qrels as a file", "one judgment per document"),
        ),
    ],
)
def test_qrels_that_cannot_be_used(register, qrels, facts):
    name = register(qrels=[Qrel(*row) for row in qrels])
    with pytest.raises(InputError) as caught:
        read_catalogue_qrels(name)
    assert_names(caught.value, f"ir_datasets:{name}: ", *facts)


def test_a_judgment_said_twice(register):
    assert read_catalogue_qrels(register(qrels=[Qrel("1", "d", 1)] * 2)) == {"1": {"d": 1}}


def test_datasets_without(catalogue):
    with pytest.raises(InputError) as caught:
        read_catalogue_topics("clueweb12")
    assert_names(caught.value, "ir_datasets:clueweb12: ", "has no topics", "Fix: ", "as a file")
    with pytest.raises(InputError) as caught:
        read_catalogue_qrels("clueweb12")
    assert_names(caught.value, "ir_datasets:clueweb12: ", "has no qrels", "Fix: ", "as a file")


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    for call in (read_catalogue_topics, read_catalogue_qrels):
        with pytest.raises(MissingDependencyError) as caught:
            call("vaswani")
        assert_names(caught.value, "ir_datasets is not installed", "Fix: ", install_command("ir-datasets"))
