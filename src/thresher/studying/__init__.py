"""The study of block features of Kohlschütter et al. (2010), on any gold standard."""
