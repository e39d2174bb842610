"""Rules of static index pruning ("arms"): which postings an index can do without."""
