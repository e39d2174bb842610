"""Verbs of the command line beside those of experiments: each reads what was asked and leaves the work to the library."""
