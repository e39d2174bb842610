"""Filling marked places of documentation pages."""

import re
import sys
from pathlib import Path


def put(page: Path, name: str, text: str) -> None:
    """Put a text between `<!-- NAME -->` and `<!-- end -->` of a page."""
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    filled, count = pattern.subn(lambda match: f"{match[1]}{text}{match[2]}", page.read_text(encoding="utf-8"))
    if count != 1:
        fix = f"write `<!-- {name} -->` and `<!-- end -->` once"
        sys.exit(f"error: {page.name} has {count} places for {name!r}. Fix: {fix}.")
    page.write_text(filled, encoding="utf-8")
