"""Scorers: a page in, one number for each of its segments out."""
