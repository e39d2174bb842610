"""Experiments: an experiment file in, results out."""
