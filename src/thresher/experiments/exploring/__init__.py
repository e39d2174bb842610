"""Every cutoff of every scorer without building an index: Lucene's rankings, and the sizes of its indexes."""
