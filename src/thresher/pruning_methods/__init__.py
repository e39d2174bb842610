"""Rules of static index pruning ("methods"): which postings an index can do without."""
