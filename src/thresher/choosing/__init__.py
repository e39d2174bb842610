"""Choosing a cutoff: what may be chosen, what each rule picks, what the pick is worth elsewhere, and what it saves."""
