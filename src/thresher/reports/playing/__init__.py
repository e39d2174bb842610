"""Trying a page: its text by blocks, all scores, two cleaners side by side; served on this machine, or as a file."""
