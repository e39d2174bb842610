"""Search cleaned pages with SQLite's full-text index, and write a TREC run that `thresher evaluate` takes.

usage: python examples/sqlite_fts5.py CLEANED.jsonl TOPICS.tsv DATABASE [FIELD=WEIGHT ...] > RUN.trec

Without fields, `contents` is searched. Fields are members of the lines, as `thresher clean --fields` writes them. SQLite's
BM25 multiplies the occurrences in a field by its weight before it adds them up.
Python's standard library is all it needs.
"""

import json
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path


def build(cleaned: Path, database: Path, fields: Sequence[str]) -> sqlite3.Connection:
    """Return a new database with some members of each line of a file that `thresher clean` wrote."""
    database.unlink(missing_ok=True)
    connection = sqlite3.connect(database)
    connection.execute(f"CREATE VIRTUAL TABLE pages USING fts5(id UNINDEXED, {', '.join(fields)}, tokenize = 'porter')")
    with cleaned.open(encoding="utf-8") as lines:
        pages = ([page["id"], *(page[field] for field in fields)] for page in map(json.loads, lines))
        connection.executemany(f"INSERT INTO pages VALUES (?{', ?' * len(fields)})", pages)
    connection.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    connection.commit()
    connection.execute("VACUUM")
    return connection


def search(
    connection: sqlite3.Connection, query: str, weights: Sequence[float], depth: int = 1000
) -> list[tuple[str, float]]:
    """Return the ids and scores of the best pages that have a word of the query, by SQLite's BM25 with a weight a field."""
    words = re.findall(r"\w+", query)
    if not words:
        return []
    match = " OR ".join(f'"{word}"' for word in words)
    # The first column is the id, which is not searched.
    score = f"bm25(pages, 0, {', '.join(map(str, weights))})"
    ranked = f"SELECT id, -{score} FROM pages WHERE pages MATCH ? ORDER BY {score}, id LIMIT ?"
    return connection.execute(ranked, (match, depth)).fetchall()


def run(connection: sqlite3.Connection, topics: Path, weights: Sequence[float]) -> Iterator[str]:
    """Give the lines of a TREC run for topics in lines of an id, a tab and a query."""
    for line in topics.read_text(encoding="utf-8").splitlines():
        topic, _, query = line.partition("\t")
        for rank, (page, score) in enumerate(search(connection, query, weights), start=1):
            yield f"{topic} Q0 {page} {rank} {score:.6f} sqlite\n"


if __name__ == "__main__":
    cleaned, topics, database = map(Path, sys.argv[1:4])
    weights = {name: float(weight) for name, _, weight in (field.partition("=") for field in sys.argv[4:])}
    weights = weights or {"contents": 1.0}
    sys.stdout.writelines(run(build(cleaned, database, [*weights]), topics, [*weights.values()]))
