"""Applying methods: the postings of a variant, the pruned index, and every cutoff without one."""
