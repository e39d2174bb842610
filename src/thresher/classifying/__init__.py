"""Classification of cleaned pages, one group left out at a time: does cleaning help a classifier?"""
