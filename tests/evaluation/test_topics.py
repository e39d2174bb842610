import gzip
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import ConfigError, InputError
from thresher.base.letters import readable
from thresher.evaluation.topic_formats import ID_NAMES
from thresher.evaluation.topics import Topic, read_topics, spelled_as

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


@pytest.mark.parametrize("heading", ["qid\tquery", "\ufeffID\ttext\r", "query_id\tquery\tmore", "topicID\tquery"])
def test_a_heading_is_no_topic(tmp_path, heading):
    assert queries(write(tmp_path, f"{heading}\n1\twind\n")) == {"1": "wind"}
    assert queries(write(tmp_path, f"1\twind\n{heading.strip(chr(0xFEFF))}\n".replace("\tmore", ""))).keys() > {"1"}


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
    assert_names(error.value, f"{path}:13: ", "51", "Fix: ", "remove the topic")


def test_xml_fields(tmp_path):
    path = write(tmp_path, "\ufeff\n" + XML.replace("<?xml", "<?xml", 1).lstrip())
    with pytest.raises(InputError, match="topic 8 has no query"):
        read_topics(path, field="description")
    with pytest.raises(InputError, match="topic 7 has no query"):
        read_topics(path, field="question")
    assert queries(path) == {"7": "the sun & the moon", "8": "café"}
    assert queries(path, field="query") == queries(path)


def test_comments_and_instructions_in_xml_are_no_text(tmp_path):
    xml = "<topics><topic number='7'><query>the <!-- bright -->sun <?shines always?>today</query></topic></topics>"
    assert queries(write(tmp_path, xml)) == {"7": "the sun today"}


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


# Parts of facts: what the topic file lacks, and its fix.
EMPTY = ("no topics", "Fix: ", "`id<TAB>query`")
OUTSIDE_DOC = ("text outside of <DOC>", "Fix: ", "between <DOC> and </DOC>, or remove")
OUTSIDE_TOP = ("text outside of <top>", "Fix: ", "between <top> and </top>, or remove")


@pytest.mark.parametrize(
    ("text", "line", "facts"),
    [
        ("", "", EMPTY),
        (" \n\n", "", EMPTY),
        ("<topics/>", "", EMPTY),
        ("1\ta\n2 b\n", ":2", ("1 tab-separated column,", "not 2", "Fix: ", "`id<TAB>query`")),
        ("1\ta\tb\n", ":1", ("3 tab-separated columns", "not 2", "Fix: ", "`id<TAB>query`")),
        ("1\ta\n2\t \n", ":2", ("topic 2", "no query", "Fix: ", "title or remove the topic")),
        ("1\ta\n\n1\tb\n", ":3", ("topic 1", "twice", "Fix: ", "keep one")),
        ("a b\tc\n", ":1", ("topic id `a b`", "white space", "Fix: ", "one word")),
        ("a\x1b[2J\tc\n", ":1", ("topic id `a\x1b[2J`", "control character", "Fix: ", "one word")),
        ("\tc\n", ":1", ("topic id ``", "empty", "Fix: ", "one word")),
        (DOC + "\n<DOC>\n<DOCNO>2</DOCNO>\nb\n", ":3", ("<DOC> block", "not closed", "Fix: ", "</DOC>")),
        (DOC + "junk\n" + DOC, ":2", OUTSIDE_DOC),
        (DOC + "\n\njunk\n", ":4", OUTSIDE_DOC),
        ("<top><num> 1 <title> a </top>\njunk\n<top><num> 2 <title> b", ":2", OUTSIDE_TOP),
        ("<DOC><DOCNO>2</DOCNO>b\n" + DOC, ":1", ("<DOC> block", "not closed", "Fix: ", "</DOC>")),
        ("\n<DOC>a</DOC>", ":2", ("<DOC> block has 0 <DOCNO>", "not 1", "Fix: ", "give it one")),
        ("<top>\n<title> a\n</top>", ":1", ("topic has 0 of <num>", "not 1", "Fix: ", "give it one")),
        (
            "<top>\n<num> 1 <title> a <title> b\n</top>",
            ":1",
            ("topic has 2 of <title>", "not 1", "Fix: ", "give it one"),
        ),
        (
            "<topics>\n<topic><query>a</query></topic></topics>",
            ":2",
            ("topic has 0 of number", "not 1", "Fix: ", "give it one"),
        ),
        (
            "\n<topics>\n<topic number='1'><query>a</query></topic>",
            ":3",
            ("not well-formed XML", "tag topics line 1", "Fix: ", "repair it there"),
        ),
    ],
)
def test_what_is_wrong_and_where(tmp_path, text, line, facts):
    path = write(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_topics(path)
    assert_names(error.value, f"{path}{line}: ", *facts)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="no such file or folder"):
        read_topics(tmp_path / "absent.tsv")
    latin = tmp_path / "latin.tsv"
    latin.write_bytes("1\tok\n2\tcafé\n".encode("latin-1"))
    with pytest.raises(InputError) as error:
        read_topics(latin)
    assert_names(error.value, f"{latin}:2: ", "UTF-8", "Fix: ", "UTF-8")


def test_json_lines(tmp_path):
    path = write(
        tmp_path,
        '\ufeff\n{"_id": "PLAIN-2", "text": "wind  power", "metadata": {}}\r\n\n{"id": 7, "query": "rain"}\n'
        '{"qid": "x", "title": "sn\\u00f6", "description": "more"}',
    )
    assert queries(path) == {"PLAIN-2": "wind power", "7": "rain", "x": "snö"}
    last = write(tmp_path, '{"qid": "x", "title": "sn", "description": "more"}')
    assert queries(last, field="description") == {"x": "more"}


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ('{"_id": "2", "text"', ("not JSON",)),
        ('["2", "text"]', ("topic has 0 of", "_id or id or qid or query_id", "not 1")),
        ('{"text": "a"}', ("topic has 0 of", "_id or id or qid or query_id", "not 1")),
        ('{"_id": "1", "id": "2", "text": "a"}', ("topic has 2 of", "_id or id or qid or query_id", "not 1")),
        ('{"_id": "2", "text": null}', ("topic 2", "no query")),
        ('{"_id": "2", "text": {"a": "b"}}', ("topic 2", "no query")),
        ('{"_id": "1", "text": "b"}', ("topic 1", "twice")),
    ],
)
def test_json_lines_that_are_no_topics(tmp_path, line, facts):
    path = write(tmp_path, '{"_id": "1", "text": "a"}\n' + line)
    with pytest.raises(InputError) as error:
        queries(path)
    assert_names(error.value, f"{path}:2: ", *facts)


def test_unknown_format_and_field(tmp_path):
    path = write(tmp_path, "1\ta\n")
    with pytest.raises(ConfigError) as config:
        read_topics(path, format="csv")
    assert_names(config.value, f"{path}: ", "`csv`", "Fix: ", "tsv, colon, trec-doc, trec, xml, jsonl, json")
    with pytest.raises(InputError) as error:
        read_topics(path, field="description")
    assert_names(error.value, f"{path}: ", "`description`", "Fix: ", "`title`")


LAUGHS = (
    '<!DOCTYPE t [<!ENTITY a "'
    + "ha" * 50
    + '">'
    + "".join(f'<!ENTITY {name} "{f"&{inner};" * 10}">' for inner, name in pairwise("abcdefghij"))
    + "]>"
)
SWOLLEN = "Maximum entity amplification factor exceeded"


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (
            '<!DOCTYPE t [<!ENTITY e SYSTEM "{0}">]><t><topic number="1"><query>a &e;</query></topic></t>',
            "Entity 'e' not defined",
        ),
        (
            '<!DOCTYPE t [<!ENTITY e SYSTEM "{0}">]><t><topic number="&e;"><query>a</query></topic></t>',
            "Entity 'e' not defined",
        ),
        (
            '<!DOCTYPE t [<!ENTITY e SYSTEM "{0}"><!ENTITY i "see &e;">]><t><topic number="1"><query>&i;</query></topic></t>',
            "Entity 'e' not defined",
        ),
        (
            '<!DOCTYPE t [<!ENTITY % p SYSTEM "{0}"> %p;]><t><topic number="1"><query>&e;</query></topic></t>',
            "Entity 'p' not defined",
        ),
        ('<!DOCTYPE t SYSTEM "{0}"><t><topic number="1"><query>a &e;</query></topic></t>', "Entity 'e' not defined"),
        (
            '<!DOCTYPE t PUBLIC "-//x" "{0}"><t><topic number="1"><query>a &e;</query></topic></t>',
            "Entity 'e' not defined",
        ),
        (
            '<!DOCTYPE t [<!ENTITY e "&e;">]><t><topic number="1"><query>&e;</query></topic></t>',
            "Detected an entity reference loop",
        ),
        (LAUGHS + '<t><topic number="1"><query>&j;</query></topic></t>', SWOLLEN),
        (LAUGHS + '<t><topic number="&j;"><query>a</query></topic></t>', SWOLLEN),
        (
            '<!DOCTYPE t [<!ENTITY e "'
            + "x" * 100_000
            + '">]><t><topic number="1"><query>'
            + "&e;" * 5000
            + "</query></topic></t>",
            SWOLLEN,
        ),
    ],
)
def test_xml_reads_no_other_file_and_does_not_swell(tmp_path, xml, reason):
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY e "do not read me">')
    path = write(tmp_path, xml.replace("{0}", secret.as_uri()))
    with pytest.raises(InputError) as error:
        read_topics(path)
    assert_names(error.value, f"{path}:1: ", "XML", reason, "Fix: ", "repair it there")


def test_entities_that_the_file_declares_and_those_of_xml(tmp_path):
    declared = '<!DOCTYPE t [<!ELEMENT t ANY><!ENTITY eacute "&#233;"><!ENTITY n "<number>7</number>">]>'
    path = write(tmp_path, declared + "<t><topic>&n;<query>caf&eacute; <b>R&amp;D</b> &#x41;</query></topic></t>")
    assert queries(path) == {"7": "café R&D A"}
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="topics.txt" parse="text"/>'
    path = write(tmp_path, f'<t><topic number="1"><query>a {include}</query></topic></t>')
    assert queries(path) == {"1": "a"}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", [CLASSIC, XML, "<DOC>\n<DOCNO>1</DOCNO>\na\nb</DOC>\n", "1\ta b\n2\tc\n"])
def test_line_ends_marks_and_compression_change_nothing(tmp_path, text, mark, end):
    expected = queries(write(tmp_path, text))
    changed = write(tmp_path, mark + text.replace("\n", end))
    assert queries(changed) == expected
    changed.write_bytes(gzip.compress(changed.read_bytes()))
    assert queries(changed) == expected


def test_compressed_files_that_are_damaged(tmp_path):
    path = tmp_path / "topics.gz"
    whole = gzip.compress(b"1\tbarley and rye\n" * 50)
    for damaged in (whole[:40], whole[:12], whole[:-8] + b"\0" * 8, whole[:2], b"\x1f\x8b" + b"x" * 50):
        path.write_bytes(damaged)
        with pytest.raises(InputError) as error:
            read_topics(path)
        assert_names(error.value, f"{path}: the compressed data ", "Fix: fetch or compress")
    path.write_bytes(gzip.compress("1\tcafé".encode("latin-1")))
    with pytest.raises(InputError) as error:
        read_topics(path)
    assert_names(error.value, f"{path}:1: ", "UTF-8", "Fix: ", "UTF-8")


def test_topics_that_nothing_closes(tmp_path):
    path = write(
        tmp_path, "<top>\n<num> Number: 301\n<title> crime\n\n<TOP>\n<num> 302\n<title> a < b\n<desc> Description:\nc"
    )
    assert queries(path) == {"301": "crime", "302": "a < b"}
    assert list(read_topics(path)) == ["301", "302"]
    old = "<top>\n<head> Tipster Topic Description\n<num> Number:  051\n<dom> Domain:  International Economics\n"
    old += "<title> Topic:  Airbus Subsidies\n<con> Concept(s):\n1. Airbus\n2. subsidy\n<fac> Factor(s):\n</top>"
    path = write(tmp_path, old)
    assert queries(path) == {"51": "Airbus Subsidies"}
    assert queries(path, field="con") == {"51": "1. Airbus 2. subsidy"}
    assert queries(path, field="dom") == {"51": "International Economics"}
    other = "<top lang='en'><num>C041</num><EN-title>Pesticides</EN-title><EN-desc x='1'> in food </EN-desc></top>"
    path = write(tmp_path, other)
    assert queries(path, field="en-title") == {"C041": "Pesticides"}
    assert queries(path, field="en-desc") == {"C041": "in food"}


@pytest.mark.parametrize(
    ("ids", "known", "expected"),
    [
        ("1 2", "1 2", "1 2"),
        ("1 2", "001 002 003", "001 002"),
        ("001 2", "1 02", "1 02"),
        # What the qrels have stays; what could be two stays.
        ("1 01", "01 7", "1 01"),
        ("01", "1 001", "01"),
        ("1 01", "001", "1 01"),
        ("0 00", "000", "0 00"),
        ("00", "0", "0"),
        ("a1 01a", "a01 1a", "a1 01a"),
        ("1", "", "1"),
    ],
)
def test_leading_zeros_are_as_in_the_qrels(ids, known, expected):
    topics = {id: Topic(id, f"query {id}") for id in ids.split()}
    result = spelled_as(topics, dict.fromkeys(known.split()))
    assert list(result) == expected.split()
    assert [topic.query for topic in result.values()] == [topic.query for topic in topics.values()]
    assert all(topic.id == id for id, topic in result.items())


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=8)
QUERIES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join).filter(lambda query: readable(query).split())
# A first line whose id names the column is a heading.
IDS = st.from_regex(r"[A-Za-z0-9.-]{1,6}", fullmatch=True).filter(lambda id: id.lower() not in ID_NAMES)
TOPICS = st.dictionaries(IDS, QUERIES, min_size=1, max_size=6)


@given(topics=TOPICS)
def test_tsv_round_trip(tmp_path_factory, topics):
    path = tmp_path_factory.mktemp("t") / "topics.tsv"
    path.write_text("".join(f"{key}\t{query}\n" for key, query in topics.items()), encoding="utf-8", newline="\n")
    assert queries(path) == {key: " ".join(readable(query).split()) for key, query in topics.items()}


PIECES = [
    "<top>",
    "</top>",
    "<num> Number: ",
    "<title>",
    "<DOC>",
    "</DOC>",
    "<DOCNO>",
    "</DOCNO>",
    "<t>",
    "</t>",
    "<topic>",
]
PIECES += [
    "</topic>",
    "<topic number='1'>",
    "<number>",
    "</number>",
    "<query>",
    "</query>",
    "<!DOCTYPE t [",
    "]>",
    "&e;",
    "%e;",
]
PIECES += [
    "<!ENTITY e 'x'>",
    "<!ENTITY % e '&e;'>",
    "<?xml version='1.0'?>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "\t",
    "\r\n",
    "1",
    "a b",
]
ANY_TEXT = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(content=st.binary(max_size=60) | ANY_TEXT.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_topics_or_an_error_for_users(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("t") / "topics"
    path.write_bytes(content)
    try:
        topics = read_topics(path)
        where = str(path)
    except InputError as error:
        topics = {"none": Topic("none", "none")}
        where = str(error.where)
    assert topics
    assert all(topic.query and topic.id == key for key, topic in topics.items())
    assert where.split(":")[0] == str(path)


@given(st.lists(st.sampled_from(["<DOCNO>", "</DOCNO>", "<docno>", " a ", "7", "<b>", "\n"]), max_size=9))
def test_a_docno_reaches_to_the_next_end(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    """As a pattern would find it that looks for the end from each beginning, which takes time squared."""
    body = "".join(pieces)
    path = tmp_path_factory.mktemp("docno") / "topics.txt"
    path.write_text(f"<DOC>{body} words</DOC>")
    found = list(re.finditer(r"<DOCNO>(.*?)</DOCNO>", body, re.IGNORECASE | re.DOTALL))
    if len(found) != 1:
        with pytest.raises(InputError, match=f"<DOC> block has {len(found)} <DOCNO>"):
            read_topics(path)
        return
    number = found[0][1].strip()
    if number.split() != [number]:
        return
    (topic,) = read_topics(path).values()
    rest = re.sub("<[^<>]*>", " ", f"{body[: found[0].start()]} {body[found[0].end() :]} words")
    assert (topic.id, topic.query.split()) == (number, rest.split())
