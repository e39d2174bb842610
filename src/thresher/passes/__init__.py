"""Fault-tolerant parallel passes over a collection."""
