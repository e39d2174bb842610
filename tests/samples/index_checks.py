"""What Lucene itself says of an index."""

from pathlib import Path

from thresher.indexes.jvm import java_class, java_folder


def is_clean(folder: Path) -> bool:
    """What Lucene's CheckIndex says."""
    directory = java_class("org.apache.lucene.store.FSDirectory").open(java_folder(folder))
    checker = java_class("org.apache.lucene.index.CheckIndex")(directory)
    clean: bool = checker.checkIndex().clean
    checker.close()
    directory.close()
    return clean
