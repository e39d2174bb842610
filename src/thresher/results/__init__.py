"""A finished experiment: its records, what matters in them, and its file."""
