#!/usr/bin/env python3
"""Train a model for the scorer `content` on gold standards and write it. See `scripts/content_train.py --help`."""

from content_training.command import train
from thresher import ThresherError

if __name__ == "__main__":
    try:
        train()
    except ThresherError as error:
        raise SystemExit("\n".join(f"error: {line}" for line in error.lines())) from error
