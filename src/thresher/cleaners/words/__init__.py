"""Word n-gram models in KenLM: tokenisers, training, import, scoring."""
