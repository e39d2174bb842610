"""A finished experiment for people: tables for terminals and papers, CSV, plots, one HTML page."""
