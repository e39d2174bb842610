"""Static index pruning: methods that choose the postings that an index can do without."""
