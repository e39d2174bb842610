"""The arguments of the laboratory's commands: `--help` of each is the docstring of its file."""

from __future__ import annotations

import argparse


def parser_of(docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is a docstring, as it stands."""
    return argparse.ArgumentParser(description=docstring, formatter_class=argparse.RawDescriptionHelpFormatter)
