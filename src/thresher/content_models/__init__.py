"""The learned scorer: features of blocks, trees over them, the sequence of blocks, and model files."""
