"""Learned probabilities of main content."""

from __future__ import annotations

from thresher.base.files import digest
from thresher.cleaners.cleaner import DROP, HEADLINE, KEEP
from thresher.cleaners.content_model.model import find_content_model, load_content_model
from thresher.cleaners.content_model.page_rules import PAGE_RULES
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.pages import Detail, Segments


class Content(Scorer):
    """Probability that the block is main content, by a network over the page; 0.5 is the page's own cutoff."""

    name = "content"
    segment = BLOCK
    keep = KEEP_HIGH
    detail = Detail.ELEMENTS
    unit = "probability"
    low = 0
    high = 1
    headings = HEADLINE
    grid = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    source = (
        "this project's; features after Kohlschuetter, Fankhauser, Nejdl, WSDM 2010, and Vogels et al., Web2Text, ECIR 2018; "
        "the network's convolutions after Yu, Koltun, ICLR 2016; "
        "pages' cutoffs after Lipton et al., ECML PKDD 2014"
    )
    parameters = (
        Parameter("model", str, "web", "web, or the path of a model that scripts/content_train.py wrote", terse=True),
        Parameter("comments", str, DROP, "whether readers' comments are content", choices=(DROP, KEEP), terse=True),
    )

    def check(self, where: str) -> None:
        """Check that the model's file exists."""
        find_content_model(self._model, where)

    @property
    def fingerprint(self) -> str:
        """The digest of the model, and of how its probabilities are used."""
        return digest([PAGE_RULES, load_content_model(self._model).card.digest])

    def prepare(self) -> None:
        """Read the model, as a check."""
        load_content_model(self._model)

    def score(self, segments: Segments) -> Scores:
        """Return the probability of each block."""
        return load_content_model(self._model).probabilities(segments, self.values["comments"] == KEEP)

    @property
    def _model(self) -> str:
        return str(self.values["model"])
