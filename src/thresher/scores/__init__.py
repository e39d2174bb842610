"""The scoring pass, the score store, and cleaning at any cutoff from stored scores."""
