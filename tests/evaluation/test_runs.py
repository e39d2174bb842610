import math

import pytest
import pytrec_eval
from hypothesis import given, reject
from hypothesis import strategies as st
from messages import assert_names

from thresher.base.errors import InputError
from thresher.evaluation.trec_files import read_run, write_run


def test_written_form_and_reading_back(tmp_path):
    path = tmp_path / "deep" / "none.trec"
    write_run(path, {"2": [("b", 3.25), ("a", -1.0)], "1": [("c", 2.0)], "3": []}, "none")
    assert path.read_text() == ("2 Q0 b 1 3.250000 none\n2 Q0 a 2 -1.000000 none\n1 Q0 c 1 2.000000 none\n")
    assert read_run(path) == {"2": {"b": 3.25, "a": -1.0}, "1": {"c": 2.0}}


def test_an_empty_run_is_a_run(tmp_path):
    write_run(tmp_path / "run", {}, "none")
    assert read_run(tmp_path / "run") == {}


@pytest.mark.parametrize(
    "scores",
    [
        [1.0, 2.0],
        [1.0, 1.0],
        [1.00000041, 1.00000040],  # equal with six decimals
        [1000.000002, 1000.000001],  # equal in single precision
        [math.nan, 1.0],
        [math.inf, 1.0],
    ],
)
def test_an_order_that_trec_eval_would_not_keep_is_refused(tmp_path, scores):
    hits = {"7": [(f"d{index}", score) for index, score in enumerate(scores)]}
    with pytest.raises(ValueError, match=r"topic 7: .* finite and strictly decreasing"):
        write_run(tmp_path / "run", hits, "none")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tag", ["", "two words", " none"])
def test_a_tag_is_one_word(tmp_path, tag):
    with pytest.raises(ValueError, match="a run's tag is one word"):
        write_run(tmp_path / "run", {}, tag)


@pytest.mark.parametrize("document", ["my page.html", "", "a\u00a0b", "a\n"])
def test_document_ids_without_white_space(tmp_path, document):
    with pytest.raises(InputError) as error:
        write_run(tmp_path / "run", {"1": [(document, 1.0)]}, "none")
    assert_names(error.value, f"{tmp_path / 'run'}: ", f"`{document}`", "Fix: ", "without white space")


def test_a_document_retrieved_twice(tmp_path):
    with pytest.raises(InputError, match=r"document a .*twice for topic 1"):
        write_run(tmp_path / "run", {"1": [("a", 2.0), ("a", 1.0)]}, "none")


@pytest.mark.parametrize(
    ("text", "line", "facts"),
    [
        ("1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0\n", 2, ("5 columns", "not 6", "Fix: ", "`topic Q0 docid rank score tag`")),
        ("1 Q0 a 1 nan t\n", 1, ("score `nan`", "not a finite number", "Fix: ", "decimal")),
        ("1 Q0 a 1 1_0 t\n", 1, ("score `1_0`", "not a finite number", "Fix: ", "decimal")),
        ("1 Q0 a 1 1e999 t\n", 1, ("score `1e999`", "not a finite number", "Fix: ", "decimal")),
        (
            "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 2 1 t\n",
            3,
            ("document a", "twice for topic 1", "Fix: ", "keep one"),
        ),
    ],
)
def test_what_is_wrong_and_where(tmp_path, text, line, facts):
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_run(path)
    assert_names(error.value, f"{path}:{line}: ", *facts)


def test_scores_in_the_forms_that_tools_write(tmp_path):
    path = tmp_path / "run"
    path.write_text("1 Q0 a 1 -.5E+1 t\r\n1\tQ0\tb\t2\t7\tt\r\n")
    assert read_run(path) == {"1": {"a": -5.0, "b": 7.0}}


NEAR = st.sampled_from([16.0, 16.000001, 16.000002, 1000.0, 1000.00005, 1000.0001, 0.0, -0.0, 0.000001])


@given(scores=st.lists(st.floats(-1e4, 1e4) | NEAR, max_size=12).map(lambda scores: sorted(scores, reverse=True)))
def test_what_is_written_keeps_its_order_in_trec_eval(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("r") / "run"
    # Ids that a tie would bring into the reverse order.
    documents = [f"d{index:02}" for index in range(len(scores))]
    try:
        write_run(path, {"1": list(zip(documents, scores, strict=True))}, "t")
    except ValueError:
        reject()
    run = read_run(path)
    assert [*run.get("1", {})] == documents
    for rank, document in enumerate(documents, start=1):
        evaluator = pytrec_eval.RelevanceEvaluator({"1": {document: 1}}, {"recip_rank"})
        assert evaluator.evaluate(run)["1"]["recip_rank"] == pytest.approx(1 / rank)
