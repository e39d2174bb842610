"""Every cutoff of every scorer without an index for each: what Lucene would rank, and what its index would weigh."""
