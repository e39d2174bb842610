"""A large vocabulary costs disk, not memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WORDS = 400_000
LIMIT_MIB = 50
"""On top of what a small training needs; KenLM needs about half of it for the model. Words in dictionaries take over 100."""

SCRIPT = """
import resource, sys
from pathlib import Path
from thresher.language_models.words import word_files
from thresher.language_models.words.training import Plan, train

def plan(name):
    return Plan((Path(name + ".txt"),), Path(name), workers=1, portion_bytes=2**17, hold_out=False)

word_files.BLOCK = 2**14
train(plan("small"))
(data,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmData")]
limit = int(data) * 2**10 + int(sys.argv[1]) * 2**20
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
print(*train(plan("large")).ngrams)
"""


def test_a_large_vocabulary_in_little_memory(tmp_path: Path) -> None:
    words = [f"w{number * 7 % WORDS:x}" for number in range(WORDS)]
    lines = [" ".join(words[at : at + 10]) for at in range(0, WORDS, 10)]
    (tmp_path / "large.txt").write_text("\n".join(lines))
    (tmp_path / "small.txt").write_text("\n".join(lines[:100]))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(LIMIT_MIB)],
        cwd=tmp_path,
        # Another pool would reserve memory in advance.
        env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == (f"{WORDS + 3} {WORDS}\n", 0), done.stderr
