"""TREC files, measures by topic, paired tests, non-inferiority: pure functions of what was judged and retrieved."""
