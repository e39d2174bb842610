"""Stop with one line if this Python is too old for Thresher."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - it runs before anything is installed
    version = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        f"error: Python {version} is too old. Fix: install Python 3.11 or later, then `make PYTHON=python3.11 demo`."
    )
