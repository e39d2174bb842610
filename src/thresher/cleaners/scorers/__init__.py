"""Scorers, which assign a number to each segment of a page."""
