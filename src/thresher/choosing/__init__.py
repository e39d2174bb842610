"""Choosing a cutoff: what may be chosen, what each rule picks, how the pick does on held-out topics, and what it saves."""
