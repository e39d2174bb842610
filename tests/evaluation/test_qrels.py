import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.defaults import GRADES
from thresher.base.errors import ConfigError, InputError
from thresher.evaluation.trec_files import read_qrels, read_run


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "qrels.txt"
    path.write_bytes(text.encode())
    return path


def test_four_columns(tmp_path):
    path = write(tmp_path, "\ufeff2 0 b 1\r\n\r\n1\tQ0\ta\t-2\r\n2 0 a 0\n2 0 a 0\n")
    assert read_qrels(path) == {"2": {"b": 1, "a": 0}, "1": {"a": -2}}
    assert list(read_qrels(path)) == ["2", "1"]


def test_six_columns_of_the_decision_track(tmp_path):
    assert read_qrels(write(tmp_path, "1 0 a 2 3 1\n1 0 b 0 -1 -1\n")) == {"1": {"a": 2, "b": 0}}


def test_which_column_is_the_grade(tmp_path):
    path = write(tmp_path, "1 0 a 2 3 1\n1 0 b 0 -1 -2\n")
    assert read_qrels(path, "relevance") == read_qrels(path)
    assert read_qrels(path, "effectiveness") == {"1": {"a": 3, "b": -1}}
    assert read_qrels(path, "credibility") == {"1": {"a": 1, "b": -2}}
    with pytest.raises(ConfigError) as config:
        read_qrels(path, "grade")
    assert_names(config.value, f"{path}: ", "`grade`", "Fix: ", "relevance, effectiveness, credibility")
    four = write(tmp_path, "\n1 0 a 2\n")
    assert read_qrels(four, "relevance") == {"1": {"a": 2}}
    with pytest.raises(InputError) as error:
        read_qrels(four, "credibility")
    assert_names(error.value, f"{four}:2: ", "and no credibility", "Fix: ", "the column relevance")


@pytest.mark.parametrize(
    "comment", ["# topic 0 docid grade", "#topic 0 docid grade", "# made in 2020", "#", "## pooled to 10", "# 0 a 1"]
)
def test_comments_are_no_judgments(tmp_path, comment):
    assert read_qrels(write(tmp_path, f"{comment}\n1 0 a 2\n{comment}\n2 0 a 1\n")) == {"1": {"a": 2}, "2": {"a": 1}}
    assert read_run(write(tmp_path, f"{comment}\n1 Q0 a 1 2.5 x\n{comment}\n")) == {"1": {"a": 2.5}}
    assert read_qrels(write(tmp_path, f"{comment}\nquery-id corpus-id score\n1 a 2\n")) == {"1": {"a": 2}}
    with pytest.raises(InputError, match="holds no judgments"):
        read_qrels(write(tmp_path, comment))


def test_signs_of_comments_and_tables_within_ids(tmp_path):
    assert read_qrels(write(tmp_path, "1 0 msmarco_00#12 1\n1 0 # 2\n")) == {"1": {"msmarco_00#12": 1, "#": 2}}
    assert read_run(write(tmp_path, "1 Q0 IPCC_report,_1992 8 174.5 x\n")) == {"1": {"IPCC_report,_1992": 174.5}}


def test_beirs_columns(tmp_path):
    path = write(tmp_path, "query-id\tcorpus-id\tscore\r\nPLAIN-2\tMED-1\t2\nPLAIN-2\tMED-2\t0\n")
    assert read_qrels(path) == {"PLAIN-2": {"MED-1": 2, "MED-2": 0}}
    with pytest.raises(InputError) as error:
        read_qrels(write(tmp_path, "query-id corpus-id score\n1 0 a 2\n"))
    assert_names(error.value, f"{path}:2: the line has 4 columns, not 3", "Fix: write `query-id corpus-id score`")
    for text in ("1 a 2\n", "query-id corpus-id score"):
        with pytest.raises(InputError):
            read_qrels(write(tmp_path, text))
    with pytest.raises(InputError, match="no credibility"):
        read_qrels(write(tmp_path, "query-id corpus-id score\n1 a 2\n"), "credibility")


def test_compressed_qrels(tmp_path):
    path = tmp_path / "qrels.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf1 0 a 2\r\n2 0 b -1\r\n"))
    assert read_qrels(path) == {"1": {"a": 2}, "2": {"b": -1}}
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InputError, match="the compressed data end too early"):
        read_qrels(path)
    path.write_bytes(b"1 0 a 1\n1 0 caf\xe9 1\n")
    with pytest.raises(InputError) as error:
        read_qrels(path)
    assert_names(error.value, f"{path}:2: ", "UTF-8", "Fix: ", "UTF-8")


def test_published_qrels(shared_data):
    web = read_qrels(shared_data / "topics-qrels" / "qrels.web.201-250.txt")
    assert list(web) == [str(number) for number in range(201, 251)]
    grades = Counter(grade for judged in web.values() for grade in judged.values())
    assert grades == {-2: 234, 0: 10090, 1: 3044, 2: 920, 3: 179, 4: 7}
    decision = read_qrels(shared_data / "topics-qrels" / "qrels.decision.2019.6col.txt")
    grades = Counter(grade for judged in decision.values() for grade in judged.values())
    assert grades == {0: 18694, 1: 3137, 2: 1028}
    assert decision["1"]["clueweb12-0002wb-08-02435"] == 2
    effective = read_qrels(shared_data / "topics-qrels" / "qrels.decision.2019.6col.txt", "effectiveness")
    assert effective["1"]["clueweb12-0002wb-08-02435"] == 3
    grades = Counter(grade for judged in effective.values() for grade in judged.values())
    assert grades == {-2: 13, -1: 18694, 0: 87, 1: 161, 2: 879, 3: 3025}
    cacm = read_qrels(shared_data / "retrieval" / "cacm" / "qrels.cacm.txt")
    assert (len(cacm), sum(map(len, cacm.values()))) == (52, 796)


COLUMNS = ("Fix: ", "`topic 0 docid grade`", "without spaces")
INTEGER = ("not an integer", "-100000 and 100000", "Fix: ", "integer grade", "without spaces")


@pytest.mark.parametrize(
    ("text", "line", "facts"),
    [
        ("\n", "", ("no judgments", "Fix: ", "`topic 0 docid grade`")),
        ("1 0 a 1\n1 0 b\n", ":2", ("3 columns", "not 4", *COLUMNS)),
        ("1 0 my page 1\n", ":1", ("5 columns", "not 4", *COLUMNS)),
        ("1 0 a 1 1 1\n1 0 b 1\n", ":2", ("4 columns", "not 6", *COLUMNS)),
        ("1 0 a 1\n1 0 b 1 1 1\n", ":2", ("6 columns", "not 4", *COLUMNS)),
        ("1 0 a 1.5\n", ":1", ("grade `1.5`", *INTEGER)),
        ("1 0 a 1_0\n", ":1", ("grade `1_0`", *INTEGER)),
        ("1 0 a 100001\n", ":1", ("grade `100001`", *INTEGER)),
        ("1 0 my long page 1\n", ":1", ("grade `long`", *INTEGER)),
        (
            "1 0 a 1\n2 0 a 2\n1 0 a 0\n",
            ":3",
            ("document a of topic 1", "grades 1 and 0", "Fix: ", "one judgment per document"),
        ),
    ],
)
def test_what_is_wrong_and_where(tmp_path, text, line, facts):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_qrels(path)
    assert_names(error.value, f"{path}{line}: ", *facts)


WORDS = st.from_regex(r"[^\s\x00-\x20\x7f-\x9f\ufeff]{1,8}", fullmatch=True).filter(
    lambda word: word.split() == [word] and not word.startswith("#")
)
QRELS = st.dictionaries(
    WORDS,
    st.dictionaries(WORDS, st.integers(-100_000, 100_000), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)


@given(qrels=QRELS)
def test_round_trip(tmp_path_factory, qrels):
    path = tmp_path_factory.mktemp("q") / "qrels"
    lines = [f"{topic} 0 {document} {grade}\n" for topic, judged in qrels.items() for document, grade in judged.items()]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    assert read_qrels(path) == qrels


ANY_TEXT = st.text(max_size=60) | st.text(alphabet="01- \nab", max_size=60)


@given(content=st.binary(max_size=60) | ANY_TEXT.map(str.encode), column=st.sampled_from(GRADES))
def test_any_bytes_give_qrels_or_an_error_for_users(tmp_path_factory, content, column):
    path = tmp_path_factory.mktemp("q") / "qrels"
    path.write_bytes(content)
    try:
        judgments = list(read_qrels(path, column).values())
        where = str(path)
    except InputError as error:
        judgments = [{"none": 0}]
        where = str(error.where)
    assert judgments
    assert all(judgments)
    assert where.split(":")[0] == str(path)
