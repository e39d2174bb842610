"""Choose from a table of variants: the smallest non-inferior index, the best gain, and the conservative index."""
