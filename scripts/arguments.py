"""Parsers for the laboratory's commands: the docstring of a file is its `--help`."""

from __future__ import annotations

import argparse


def parser_of(docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose description is a docstring, with its line breaks."""
    return argparse.ArgumentParser(description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter)
