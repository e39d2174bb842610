"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]

# How long an example takes says nothing on a busy machine.
hypothesis.settings.register_profile("thresher", deadline=None)
hypothesis.settings.load_profile("thresher")

# What a shell starts in the background, or nohup starts, has signals ignored, and so have the programs that tests start.
for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Models are built into a folder of the session, so that a stale cache cannot make a test pass."""
    os.environ["THRESHER_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real collections that are not part of the project: `../shared/data`, or the folder in THRESHER_DATA."""
    folder = Path(os.environ.get("THRESHER_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no data: {folder} is missing (set THRESHER_DATA)")
    return folder
