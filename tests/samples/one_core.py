"""Imported before Thresher: unless told otherwise, tests have one worker, which is their own process."""

import os

os.cpu_count = lambda: 1
