"""Which index to use: the smallest that loses little, one that gains, and one that is safe from rare total losses."""
