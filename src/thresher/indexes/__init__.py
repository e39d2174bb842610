"""Lucene through Pyserini: building and searching indexes. The only folder that knows Java."""
