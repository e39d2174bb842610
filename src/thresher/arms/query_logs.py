"""Query logs: past queries, analysed, for arms that keep what was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from thresher.errors import ConfigError
from thresher.scorers.base import Parameter, Value

LoggedQuery = Mapping[int, int]
"""Occurrences of each term of a query, by the term's hash."""
QueryLogs = Mapping[str, Sequence[LoggedQuery]]
"""The queries of each log, by the path that arms name it by."""

# What names of variants are written with, and white space, which separates the columns of run files.
_SYNTAX = re.compile(r"[,()|@+=\s\x00-\x1f\x7f]")


class LogParameter(Parameter):
    """A parameter that is the path of a query log."""

    @property
    def spelling(self) -> str:
        """The values allowed, in words."""
        return "a path without white space and , ( ) | @ + ="

    def parse(self, text: str, where: str) -> Value:
        """Return the path that `text` spells.

        Raises:
            ConfigError: if it has a character that names of variants are written with.
        """
        found = _SYNTAX.search(text)
        if found:
            what = f"the path {text!r} of {self.name!r} has {found[0]!r}, which names of variants cannot hold"
            raise ConfigError(what, "rename the file or its folder", where)
        return text


LOG = LogParameter(
    "log",
    str,
    "",
    "the queries, which experiments must name: a file of topics, relative to the experiment file",
    terse=True,
)
