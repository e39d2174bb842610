"""Use of the public names as a type checker sees it: mypy checks this file with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

import thresher

if TYPE_CHECKING:
    from thresher.experiments.choosing.choices import Choice
    from thresher.experiments.choosing.shared import SharedChoice
    from thresher.experiments.results import Results

    assert_type(thresher.clean_html("<p>Rain", "words@1"), str)
    assert_type(thresher.run("experiments/pydoc.toml"), Results)
    assert_type(thresher.run({"experiment": "mine", "collection": {"1": "<p>Rain"}}, seconds=0), Results)
    assert_type(thresher.choose("experiments/pydoc.toml", margin="2%"), Choice)
    assert_type(thresher.choose(["a.toml", "b.toml"]), SharedChoice)
    # An unknown name is an error; were it none, this comment would be one.
    thresher.polish  # type: ignore[attr-defined] # noqa: B018
