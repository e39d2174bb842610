"""KenLM's binary format, which loads by memory map: written by KenLM's own program where there is one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

PROGRAM = "build_binary"


def write_binary(arpa: Path, binary: Path) -> bool:
    """Write the model of an ARPA file as a binary (probing hash table), if KenLM's `build_binary` is on the path.

    Returns:
        whether there is a binary now; without one the ARPA file says the same.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        return False
    done = subprocess.run([program, "probing", arpa, binary], capture_output=True, text=True, check=False)
    if done.returncode:
        binary.unlink(missing_ok=True)
    return not done.returncode
