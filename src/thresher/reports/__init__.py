"""Results for people: their words, tables and charts, and the files that hold them."""
