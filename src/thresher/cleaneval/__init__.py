"""How well pages are cleaned: gold standards in their formats, what cleaners and other packages leave of the same pages,
and how far both agree.
"""
