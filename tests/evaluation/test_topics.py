from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import ConfigError, InputError
from thresher.evaluation.records import Topic
from thresher.evaluation.topics import read_topics

CLASSIC = """<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in
international criminal activity.

<narr> Narrative:
A relevant document must as a minimum identify the organization.
</top>

<top>
<head> Tipster Topic Description
<num> Number:  051
<title> Topic:  R&amp;D at Airbus
<desc> Description: Which subsidies?
</top>
"""

XML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- a comment -->
<topics>
  <topic number="7" type="faceted">
    <query>the <i>sun</i> &amp; the moon</query>
    <!-- another -->
    <description> Sun
      and moon? </description>
    <subtopic number="1"><query>not this</query></subtopic>
  </topic>
  <topic><number> 8 </number><title>café</title><question>Which one?</question></topic>
</topics>
"""


def write(tmp_path: Path, text: str, name: str = "topics.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def queries(path: Path, **options: str) -> dict[str, str]:
    return {topic.id: topic.query for topic in read_topics(path, **options).values()}


def test_tsv_keeps_order_and_collapses_white_space(tmp_path):
    path = write(tmp_path, "\ufeff10\t wind   power \r\n\r\n9\t# not a comment\r\n#\tnor is this\r\n")
    assert read_topics(path) == {
        "10": Topic("10", "wind power"),
        "9": Topic("9", "# not a comment"),
        "#": Topic("#", "nor is this"),
    }
    assert list(read_topics(path)) == ["10", "9", "#"]
    assert queries(path, format="tsv", field="query") == queries(path)


def test_classic_trec_fields(tmp_path):
    path = write(tmp_path, CLASSIC)
    assert queries(path) == {"301": "International Organized Crime", "51": "R&D at Airbus"}
    assert queries(path, field="description") == {
        "301": "Identify organizations that participate in international criminal activity.",
        "51": "Which subsidies?",
    }
    assert queries(path, field="desc") == queries(path, field="description")
    with pytest.raises(InputError) as error:
        read_topics(path, field="narrative")
    assert str(error.value) == (f"{path}:13: topic 51 has no query. Fix: fill in its narrative or remove the topic.")


def test_xml_fields(tmp_path):
    path = write(tmp_path, "\ufeff\n" + XML.replace("<?xml", "<?xml", 1).lstrip())
    with pytest.raises(InputError, match="topic 8 has no query"):
        read_topics(path, field="description")
    with pytest.raises(InputError, match="topic 7 has no query"):
        read_topics(path, field="question")
    assert queries(path) == {"7": "the sun & the moon", "8": "café"}
    assert queries(path, field="query") == queries(path)


def test_doc_blocks(tmp_path):
    path = write(tmp_path, "<DOC>\n<DOCNO> 3 </DOCNO>\n\n <title>A &lt; B</title>\n and 1 < 2\n</DOC>\n")
    assert queries(path) == {"3": "A < B and 1 < 2"}


def test_web_track_as_published(shared_data):
    path = shared_data / "topics-qrels" / "topics.web.201-250.txt"
    topics = queries(path)
    assert list(topics) == [str(number) for number in range(201, 251)]
    assert topics["201"] == "raspberry pi"
    assert queries(path, field="description")["204"] == "What are the official PGA rules for golf?"


def test_decision_track_as_published(shared_data):
    path = shared_data / "topics-qrels" / "topics.decision.2019.xml"
    topics = queries(path)
    assert list(topics) == [str(number) for number in range(1, 52)]
    assert topics["2"] == "acupuncture insomnia"
    assert queries(path, field="description")["1"] == "Can cranberries prevent urinary tract infections?"
    assert queries(path, field="cochranedoi")["1"] == "10.1002/14651858.CD001321.pub5"
    assert queries(path, field="narrative")["1"].startswith("Symptoms of a urinary tract infection (UTI)")


def test_cacm_as_published(shared_data):
    topics = queries(shared_data / "retrieval" / "cacm" / "topics.cacm.txt")
    assert len(topics) == 64
    assert topics["2"] == ("I am interested in articles written either by Prieve or Udo Pooch Prieve, B. Pooch, U.")
    assert topics["11"] == "SETL, Very High Level Languages"


def test_postgresql_topics(shared_data):
    topics = queries(shared_data / "retrieval" / "postgresql-manual" / "topics.tsv")
    assert len(topics) == 100
    assert topics["2"] == "CREATE TABLESPACE"


DOC = "<DOC><DOCNO>1</DOCNO>a</DOC>\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "{}: it holds no topics. Fix: write a topic a line as `id<TAB>query`."),
        (" \n\n", "{}: it holds no topics. Fix: write a topic a line as `id<TAB>query`."),
        ("<topics/>", "{}: it holds no topics. Fix: write a topic a line as `id<TAB>query`."),
        (
            "1\ta\n2 b\n",
            "{}:2: the line has 1 tab-separated column, not 2. Fix: write `id<TAB>query`.",
        ),
        (
            "1\ta\tb\n",
            "{}:1: the line has 3 tab-separated columns, not 2. Fix: write `id<TAB>query`.",
        ),
        ("1\ta\n2\t \n", "{}:2: topic 2 has no query. Fix: fill in its title or remove the topic."),
        ("1\ta\n\n1\tb\n", "{}:3: topic 1 is there twice. Fix: keep one of the two."),
        (
            "a b\tc\n",
            "{}:1: the topic id `a b` is empty or holds white space. Fix: give it an id of one word.",
        ),
        ("\tc\n", "{}:1: the topic id `` is empty or holds white space. Fix: give it an id of one word."),
        (
            DOC + "\n<DOC>\n<DOCNO>2</DOCNO>\nb\n",
            "{}:3: there is text outside of complete <DOC> blocks. Fix: close the block with </DOC>.",
        ),
        (
            DOC + "junk\n" + DOC,
            "{}:2: there is text outside of complete <DOC> blocks. Fix: close the block with </DOC>.",
        ),
        (
            "<DOC><DOCNO>2</DOCNO>b\n" + DOC,
            "{}:1: the <DOC> block is not closed. Fix: end it with </DOC>.",
        ),
        ("\n<DOC>a</DOC>", "{}:2: the <DOC> block has 0 <DOCNO> elements, not 1. Fix: give it one."),
        ("<top>\n<title> a\n</top>", "{}:1: the topic has 0 of <num>, not 1. Fix: give it one."),
        (
            "<top>\n<num> 1 <title> a <title> b\n</top>",
            "{}:1: the topic has 2 of <title>, not 1. Fix: give it one.",
        ),
        (
            "<topics>\n<topic><query>a</query></topic></topics>",
            "{}:2: the topic has 0 of number, not 1. Fix: give it one.",
        ),
        (
            "\n<topics>\n<topic number='1'><query>a</query></topic>",
            "{}:3: it is not well-formed XML (Premature end of data in tag topics line 1). Fix: repair it there.",
        ),
    ],
)
def test_what_is_wrong_and_where(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_topics(path)
    assert str(error.value) == message.format(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="there is no such file or folder"):
        read_topics(tmp_path / "absent.tsv")
    latin = tmp_path / "latin.tsv"
    latin.write_bytes("1\tok\n2\tcafé\n".encode("latin-1"))
    with pytest.raises(InputError) as error:
        read_topics(latin)
    assert str(error.value) == f"{latin}:2: it is not UTF-8. Fix: convert the file to UTF-8."


def test_unknown_format_and_field(tmp_path):
    path = write(tmp_path, "1\ta\n")
    with pytest.raises(ConfigError) as config:
        read_topics(path, format="csv")
    assert str(config.value) == (f"{path}: there is no topic format `csv`. Fix: use one of tsv, trec-doc, trec, xml.")
    with pytest.raises(InputError) as error:
        read_topics(path, field="description")
    assert str(error.value) == (
        f"{path}: topics in the format tsv have no field `description`. Fix: use the field `title`."
    )


def test_xml_reads_nothing_from_outside(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("do not read me")
    path = write(
        tmp_path,
        f'<!DOCTYPE t [<!ENTITY e SYSTEM "{secret.as_uri()}">]><t><topic number="1"><query>a &e;</query></topic></t>',
    )
    assert queries(path) == {"1": "a &e;"}


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=8)
QUERIES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
TOPICS = st.dictionaries(st.from_regex(r"[A-Za-z0-9.-]{1,6}", fullmatch=True), QUERIES, min_size=1, max_size=6)


@given(topics=TOPICS)
def test_tsv_round_trip(tmp_path_factory, topics):
    path = tmp_path_factory.mktemp("t") / "topics.tsv"
    path.write_text("".join(f"{key}\t{query}\n" for key, query in topics.items()), encoding="utf-8", newline="\n")
    assert queries(path) == topics


@given(text=st.text(max_size=60) | st.text(alphabet="<>/DOCNtopnumicqery \n\t1", max_size=60))
def test_any_text_gives_topics_or_an_error_for_users(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("t") / "topics"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        topics = read_topics(path)
        where = str(path)
    except InputError as error:
        topics = {"none": Topic("none", "none")}
        where = str(error.where)
    assert topics
    assert all(topic.query and topic.id == key for key, topic in topics.items())
    assert where.split(":")[0] == str(path)
