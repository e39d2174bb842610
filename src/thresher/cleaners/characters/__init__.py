"""Character n-gram models of clean and of dirty text, as NCleaner uses them."""
