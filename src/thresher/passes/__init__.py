"""Fault-tolerant passes over a collection: who works on its parts, and what happens when a page ends a worker."""
