"""Ids whose letters are composed in judgments and decomposed in runs."""

from __future__ import annotations

from thresher.evaluation.evaluating import as_retrieved

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def test_a_judged_document_has_the_form_that_a_run_has() -> None:
    assert as_retrieved({COMPOSED: 2, "b": 1}, [DECOMPOSED]) == {DECOMPOSED: 2, "b": 1}


def test_a_form_that_no_run_has_is_not_taken() -> None:
    assert as_retrieved({COMPOSED: 2}, ["b"]) == {COMPOSED: 2}


def test_a_form_that_is_judged_itself_is_another_document() -> None:
    assert as_retrieved({COMPOSED: 2, DECOMPOSED: 1}, [DECOMPOSED]) == {COMPOSED: 2, DECOMPOSED: 1}
