"""Errors, files, records, numbers, progress: the foundation of all other rooms."""
