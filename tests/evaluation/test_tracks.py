"""Topics in the published format of each track since 2009, written anew: what is read, and what a user must choose."""

from pathlib import Path

import pytest
from messages import assert_names

from thresher.base.errors import InputError
from thresher.evaluation.topics import Topic, read_topics, spelled_as

TREC = "<top>\n<num> Number: {0} </num>\n{1}</top>\n"
CAST = (
    '[{"number": 31, "title": "throat", "turn": [{"number": 1, "raw_utterance": "What is it?"},'
    ' {"number": 2, "raw_utterance": "Is it bad?", "manual_rewritten_utterance": "Is throat cancer bad?"}]}]'
)
SESSION = """<sessiontrack2013>
<session num="5" starttime="10:00">
  <topic num="9"><desc>Buy a harp string.</desc></topic>
  <interaction num="1"><query>harp</query><results><result rank="1"><title>Harps</title></result></results></interaction>
  <currentquery starttime="10:05"><query>harp string</query></currentquery>
</session></sessiontrack2013>"""

# The track, a file in its format, the queries by id.
READ = [
    (
        "Million Query 2009",
        "20001:obama family tree\n20002:1:cell: phones\n",
        {"20001": "obama family tree", "20002": "cell: phones"},
    ),
    ("Web 2009, queries only", "1:harp\n2:pier hours\n", {"1": "harp", "2": "pier hours"}),
    (
        "Web 2010 to 2014",
        '<webtrack2013><topic number="201" type="faceted"><query>harp</query><description>Harps?</description>'
        '<subtopic number="1" type="inf">Who plays?</subtopic></topic></webtrack2013>',
        {"201": "harp"},
    ),
    (
        "Blog 2009",
        "<top>\n<num> 1101\n<query> farm subsidies\n<facet> opinionated\n<narr> Any.\n</top>",
        {"1101": "farm subsidies"},
    ),
    (
        "Chemistry 2009",
        "<topics><topic><number>TS-1</number><title>Dyes</title><narrative>Any.</narrative></topic></topics>",
        {"TS-1": "Dyes"},
    ),
    (
        "Medical Records 2011",
        "<top>\n<num>Number: 101\nPatients with hearing loss\n</top>\n",
        {"101": "Patients with hearing loss"},
    ),
    ("Session 2011 to 2014", SESSION, {"5": "harp string"}),
    (
        "Microblog 2011",
        TREC.format(
            "MB001",
            "<title> harbour fire </title>\n<querytime> Tue </querytime>\n<querytweettime> 3 </querytweettime>\n",
        ),
        {"MB001": "harbour fire"},
    ),
    (
        "Microblog 2013",
        TREC.format(
            "MB111",
            "<query> water shortages </query>\n<querytime> Fri </querytime>\n<querytweettime> 3 </querytweettime>\n",
        ),
        {"MB111": "water shortages"},
    ),
    (
        "Real-Time Summarization 2016",
        '[\n{"topid": "RTS1", "title": "transit", "description": "Any?", "narrative": "More."}\n]',
        {"RTS1": "transit"},
    ),
    (
        "FedWeb 2013",
        "7001:LHC collision\n7003:Male circumcision\n",
        {"7001": "LHC collision", "7003": "Male circumcision"},
    ),
    (
        "Temporal Summarization 2013",
        "<events><event><id>1</id><start>13</start><end>14</end><query>ship wreck</query></event></events>",
        {"1": "ship wreck"},
    ),
    (
        "Tasks 2015",
        '<topics><topic number="1"><query>stop barking</query><link>m1</link></topic></topics>',
        {"1": "stop barking"},
    ),
    (
        "LiveQA 2015",
        '<xml><question qid="Q1"><title>Why rain?</title><body>It rains.</body></question></xml>',
        {"Q1": "Why rain?"},
    ),
    (
        "Dynamic Domain 2015 to 2017",
        '<trec_dd><domain name="Harbours" id="1"><topic name="US pier" id="DD15-1" num_of_subtopics="1">'
        '<description>Any.</description><subtopic name="x" id="DD15-1.1">p</subtopic></topic></domain></trec_dd>',
        {"DD15-1": "US pier"},
    ),
    (
        "Common Core 2017",
        TREC.format("307", "<title> New pier\n<desc> Description:\nAny\n<narr> Narrative:\nMore\n"),
        {"307": "New pier"},
    ),
    (
        "News 2021",
        TREC.format("936", "<docid>a1</docid>\n<url>http://a</url>\n<title>Cats</title>\n<desc>Any</desc>\n"),
        {"936": "Cats"},
    ),
    (
        "Incident Streams 2018",
        "<topics><topic><num>TRECIS-1</num><dataset>fire2012</dataset><title>2012 Fire</title><url>http://a?b=1&c=2</url></topic></topics>",
        {"TRECIS-1": "2012 Fire"},
    ),
    ("CrisisFACTS 2022", '[{"queryID": "C-1", "query": "Have airports closed"}]', {"C-1": "Have airports closed"}),
    ("CAsT 2019", CAST, {"31_1": "What is it?", "31_2": "Is it bad?"}),
    (
        "CAsT 2022",
        '[{"number": 132, "turn": [{"number": "1-1", "participant": "User", "utterance": "Hi?"},'
        ' {"number": "1-2", "participant": "System", "response": "No."}]}]',
        {"132_1-1": "Hi?"},
    ),
    (
        "iKAT 2023",
        '[{"number": "9-1", "ptkb": {"1": "x"}, "turns": [{"turn_id": 1, "utterance": "Diet?", "response": "Yes."}]}]',
        {"9-1_1": "Diet?"},
    ),
    (
        "Decision 2019",
        "<topics><topic><number>1</number><title>cranberries</title><cochranedoi>10.1</cochranedoi></topic></topics>",
        {"1": "cranberries"},
    ),
    (
        "Health Misinformation 2020",
        "<topics><topic><number>1</number><title>zinc</title><answer>no</answer></topic></topics>",
        {"1": "zinc"},
    ),
    (
        "Health Misinformation 2022",
        "<topics><topic><number>151</number><question>Does ice help?</question><query>ice help</query></topic></topics>",
        {"151": "ice help"},
    ),
    (
        "TREC-COVID",
        '<topics task="COVID" batch="5"><topic number="1"><query>origin</query><question>What?</question></topic></topics>',
        {"1": "origin"},
    ),
    (
        "Podcasts 2020",
        "<topics><topic><num>1</num><query>spread</query><type>topical</type><description>Any</description></topic></topics>",
        {"1": "spread"},
    ),
    (
        "Fair Ranking 2019",
        '{"qid": 3, "query": "harp", "frequency": 0.1, "documents": [{"doc_id": "1"}]}\n',
        {"3": "harp"},
    ),
    (
        "Fair Ranking 2021",
        '{"id": 1, "title": "Harbours", "keywords": ["pier", "quay"], "rel_docs": [5]}\n',
        {"1": "Harbours"},
    ),
    ("Deep Learning 2019", "1108939\twhat slows down the flow\n", {"1108939": "what slows down the flow"}),
    (
        "Clinical Trials 2021",
        '<topics task="2021"><topic number="-1">A man of 45</topic><topic number="2">A woman</topic></topics>',
        {"-1": "A man of 45", "2": "A woman"},
    ),
    (
        "NeuCLIR 2022",
        '{"topic_id": "0", "languages_with_qrels": ["zho"], "topics": [{"lang": "zho", "source": "ht", "topic_title": "港"},'
        ' {"lang": "eng", "source": "original", "topic_title": "Port", "topic_description": "Which?"}]}\n',
        {"0": "Port"},
    ),
    ("Product Search 2023", "qid\tquery\n2\tred harp\n", {"2": "red harp"}),
    (
        "Tip of the Tongue 2023",
        '{"id": "8", "url": "http://a", "domain": "movie", "title": "Film", "text": "A boat."}\n',
        {"8": "Film"},
    ),
    ("Tip of the Tongue 2024", '{"query_id": "763", "query": "A film with a boat."}\n', {"763": "A film with a boat."}),
    ("Relevance Feedback 2009", TREC.format("MQ1", "<title> harp\n"), {"MQ1": "harp"}),
    ("Crowdsourcing 2011", "topicID\tquery\n20002\tharp\n", {"20002": "harp"}),
    ("Total Recall 2015", "athome101\tharp judges\n", {"athome101": "harp judges"}),
    (
        "report requests of NeuCLIR 2024",
        '{"request_id": "300", "title": "Harps", "problem_statement": "Which?", "background": "More.", "limit": 2000}\n',
        {"300": "Harps"},
    ),
    ("OpenSearch 2016", '{"queries": [{"qid": "S-q1", "qstr": "harp"}]}', {"S-q1": "harp"}),
    (
        "CAR, headings with their texts",
        "enwiki:Sea%20turtle/Food\tTurtle\n",
        {"enwiki:Sea%20turtle/Food": "Turtle"},
    ),
    ("RAG 2024", "2024-1057\thow long to live\n", {"2024-1057": "how long to live"}),
    (
        "Medical Video QA 2023",
        '[{"sample_id": 3, "question": "How to breathe?", "video_id": "x"}]',
        {"3": "How to breathe?"},
    ),
    (
        "BioGen 2024",
        '{"topics": [{"id": 116, "topic": "ice", "question": "Is ice good?", "narrative": "More."}]}',
        {"116": "Is ice good?"},
    ),
    (
        "NTCIR WWW",
        "<queries><query><qid>0001</qid><content>ascii code</content></query></queries>",
        {"0001": "ascii code"},
    ),
    # What other readers repair.
    (
        "a bare ampersand",
        '<topics><topic number="1"><query>AT&T R&D &amp; x</query></topic></topics>',
        {"1": "AT&T R&D & x"},
    ),
    ("a bare less-than", '<topics><topic number="1"><query>a < b</query></topic></topics>', {"1": "a < b"}),
    (
        "an entity of HTML",
        '<topics><topic number="1"><query>caf&eacute;&nbsp;x</query></topic></topics>',
        {"1": "café x"},
    ),
    (
        "character data",
        '<topics><topic number="1"><query><![CDATA[AT&T &eacute; < b]]></query></topic></topics>',
        {"1": "AT&T &eacute; < b"},
    ),
    (
        "a title over two lines",
        "<top>\n<num> Number: 139\n<title> Topic: New\npiers\n<desc> Description:\nAny\n</top>",
        {"139": "New piers"},
    ),
    (
        "several roots",
        '<?xml version="1.0"?>\n<topic number="1"><query>a</query></topic>\n<topic number="2"><query>b</query></topic>',
        {"1": "a", "2": "b"},
    ),
    (
        "a namespace",
        '<T:topics xmlns:T="urn:x"><T:topic number="1"><T:query>a</T:query></T:topic></T:topics>',
        {"1": "a"},
    ),
    ("capitals", "<TOPICS><TOPIC><ID>1</ID><TITLE>a</TITLE><NEED>b</NEED></TOPIC></TOPICS>", {"1": "a"}),
]


def queries(path: Path, **options: str) -> dict[str, str]:
    return {topic.id: topic.query for topic in read_topics(path, **options).values()}


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_topics_of_each_track(tmp_path, text, expected):
    path = tmp_path / "topics"
    path.write_text(text, encoding="utf-8")
    assert queries(path) == expected


PM = "<topics><topic number='1'><disease>melanoma</disease><gene>BRAF</gene><demographic>64 m</demographic></topic></topics>"
TRIALS = (
    "<topics><topic number='1' template='eye'><field name='diagnosis'>glaucoma</field><field name='Eye pressure'>high</field>"
    "</topic></topics>"
)

# The track, a file, the fields that the error names, a field that a user chooses, the query.
CHOSEN = [
    ("Precision Medicine 2018", PM, "disease, gene, demographic", "disease+gene", "melanoma BRAF"),
    ("Precision Medicine 2019", PM, "disease, gene, demographic", "all", "melanoma BRAF 64 m"),
    (
        "Clinical Decision Support 2014",
        "<topics><topic number='1' type='test'><description>He is 58.</description><summary>58.</summary></topic></topics>",
        "description, summary, type",
        "summary",
        "58.",
    ),
    ("Clinical Trials 2023", TRIALS, "diagnosis, eye pressure, template", "diagnosis+eye pressure", "glaucoma high"),
    ("News 2018", TREC.format("321", "<docid>a1</docid>\n<url>http://a</url>\n"), "docid, url", "docid", "a1"),
    (
        "Entity 2009",
        "<query>\n<num>1</num>\n<entity_name>Pier</entity_name>\n<narrative>Who sails there?</narrative>\n</query>\n"
        "<query><num>2</num><entity_name>Quay</entity_name><narrative>Who?</narrative></query>",
        "entity_name, narrative",
        "entity_name",
        "Pier",
    ),
    (
        "Entity 2010, one topic",
        "<query>\n<num>21</num>\n<entity_name>Pier</entity_name>\n<narrative>Who?</narrative>\n</query>",
        "entity_name, narrative",
        "entity_name",
        "Pier",
    ),
    (
        "Contextual Suggestion 2012",
        '<contexts><context number="1"><city>Portland</city><state>Oregon</state><day>weekday</day></context></contexts>',
        "city, state, day",
        "city+state",
        "Portland Oregon",
    ),
    (
        "Knowledge Base Acceleration 2013",
        '{"targets": [{"entity_type": "PER", "group": "piers", "target_id": "http://a/wiki/Bob"}]}',
        "entity_type, group",
        "group",
        "piers",
    ),
    (
        "LiveQA Medical 2017",
        '<L><NLM-QUESTION qid="TQ1"><Original-Question><MESSAGE>Does it help?</MESSAGE></Original-Question>'
        "<NIST-PARAPHRASE>Does ice help?</NIST-PARAPHRASE></NLM-QUESTION></L>",
        "original-question, nist-paraphrase",
        "nist-paraphrase",
        "Does ice help?",
    ),
    ("Session 2011", SESSION, "", "topic_desc", "Buy a harp string."),
    (
        "Fair Ranking 2022",
        '{"id": 1, "keywords": ["pier", "quay"], "url": "http://a"}\n',
        "keywords, url",
        "keywords",
        "pier quay",
    ),
]


@pytest.mark.parametrize(
    ("text", "named", "field", "expected"), [row[1:] for row in CHOSEN], ids=[row[0] for row in CHOSEN]
)
def test_tracks_whose_query_a_user_chooses(tmp_path, text, named, field, expected):
    path = tmp_path / "topics"
    path.write_text(text, encoding="utf-8")
    if named:
        with pytest.raises(InputError) as error:
            read_topics(path)
        assert len(error.value.lines()) == 1
        assert f"one of {named}, " in error.value.fix
        assert "--field" in error.value.fix
    if field:
        assert next(iter(queries(path, field=field).values())) == expected


ARRAY = 'an array of {"id": "1", "query": "the query"}'
TAB = "`id<TAB>query`"
# The track, a file that holds no queries or is in a format of its own, the fix.
REFUSED = [
    ("CAR, outlines", "enwiki:Sea%20turtle\nenwiki:Sea%20turtle/Food\n", TAB),
    ("CAR, one outline", "enwiki:Sea%20turtle\n", TAB),
    ("CAR, binary outlines", "\x83\x00cCAR", TAB),
    ("Knowledge Base Acceleration 2012", '{"topic_set_id": "kba-2012", "topic_names": ["Bob", "Eve"]}', ARRAY),
    (
        "Contextual Suggestion 2012, profiles",
        '<profiles><profile number="1"><example number="1" initial="1" final="0"/></profile></profiles>',
        "title or remove the topic",
    ),
    ("Contextual Suggestion 2013", "id,city,state,lat,long\n1,New York City,NY,40.71,-74.00\n", TAB),
    (
        "Contextual Suggestion 2015",
        '{"id": 700, "body": {"group": "Family", "season": "Winter"}}\n{"id": 701, "body": {"group": "Alone"}}\n',
        "title or remove the topic",
    ),
    ("CAsT 2019, text", "Number: 31\nTitle: throat\n\nTurn:\n1: What is it?\n", TAB),
    (
        "Legal 2009",
        "<T><Request><RequestNumber>200</RequestNumber><RequestText>All letters</RequestText></Request></T>",
        "give it one",
    ),
    ("Lateral Reading 2024", '{"topic": "msmarco_v2.1_doc_1"}\n', ARRAY),
]


@pytest.mark.parametrize(("text", "fix"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_files_without_queries_are_refused_with_what_to_do(tmp_path, text, fix):
    path = tmp_path / "topics"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_topics(path)
    assert len(error.value.lines()) == 1
    assert_names(error.value.fix, fix)


def test_turns_have_fields(tmp_path):
    path = tmp_path / "topics.json"
    path.write_text(CAST, encoding="utf-8")
    with pytest.raises(InputError, match="topic 31_1 has no query"):
        read_topics(path, field="manual_rewritten_utterance")
    path.write_text(CAST.replace("raw_", "manual_rewritten_", 1), encoding="utf-8")
    assert queries(path, field="manual_rewritten_utterance") == {"31_1": "What is it?", "31_2": "Is throat cancer bad?"}


def test_letters_before_a_number_that_the_qrels_leave_out():
    topics = {id: Topic(id, "a") for id in ("MB001", "MB012", "x1y")}
    assert list(spelled_as(topics, ["1", "12", "1y"])) == ["1", "12", "x1y"]
    # What could be two stays.
    assert list(spelled_as({id: Topic(id, "a") for id in ("A1", "B1")}, ["1"])) == ["A1", "B1"]
