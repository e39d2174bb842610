"""Thresher inside other packages' pipelines: each module is for the package of its name, which it needs installed."""
