"""Errors, files, records, numbers, progress: what every other room stands on."""
