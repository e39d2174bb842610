"""Search cleaned pages with SQLite's full-text index, and write a TREC run that `thresher evaluate` takes.

usage: python examples/sqlite_fts5.py CLEANED.jsonl TOPICS.tsv DATABASE > RUN.trec

Python's standard library is all it needs.
"""

import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path


def build(cleaned: Path, database: Path) -> sqlite3.Connection:
    """Return a new database with the text of each line of a file that `thresher clean` wrote."""
    database.unlink(missing_ok=True)
    connection = sqlite3.connect(database)
    connection.execute("CREATE VIRTUAL TABLE pages USING fts5(id UNINDEXED, contents, tokenize = 'porter')")
    with cleaned.open(encoding="utf-8") as lines:
        pages = ((page["id"], page["contents"]) for page in map(json.loads, lines))
        connection.executemany("INSERT INTO pages VALUES (?, ?)", pages)
    connection.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    connection.commit()
    connection.execute("VACUUM")
    return connection


def search(connection: sqlite3.Connection, query: str, depth: int = 1000) -> list[tuple[str, float]]:
    """Return the ids and scores of the best pages that have a word of the query, by SQLite's BM25."""
    words = re.findall(r"\w+", query)
    if not words:
        return []
    match = " OR ".join(f'"{word}"' for word in words)
    ranked = "SELECT id, -bm25(pages) FROM pages WHERE pages MATCH ? ORDER BY bm25(pages), id LIMIT ?"
    return connection.execute(ranked, (match, depth)).fetchall()


def run(connection: sqlite3.Connection, topics: Path) -> Iterator[str]:
    """Give the lines of a TREC run for topics in lines of an id, a tab and a query."""
    for line in topics.read_text(encoding="utf-8").splitlines():
        topic, _, query = line.partition("\t")
        for rank, (page, score) in enumerate(search(connection, query), start=1):
            yield f"{topic} Q0 {page} {rank} {score:.6f} sqlite\n"


if __name__ == "__main__":
    database = build(Path(sys.argv[1]), Path(sys.argv[3]))
    sys.stdout.writelines(run(database, Path(sys.argv[2])))
