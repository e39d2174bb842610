"""TREC files, measures by topic, paired tests, non-inferiority: pure functions of judgments and runs."""
