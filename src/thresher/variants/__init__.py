"""One table of variants: what was done to the collection, its size, its values by topic, its costs, and its verdict."""
