"""Static index pruning: methods that choose the postings to remove from an index."""
