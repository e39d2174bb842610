"""Score once, cut anywhere: the scoring pass, the score store, cutoffs."""
