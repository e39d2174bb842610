"""The names of temporary files."""

from __future__ import annotations

import socket
import zlib


def number_on_this_machine(process: int) -> int:
    """Return what stands for a process of this machine in the names of its temporary files."""
    return zlib.crc32(socket.gethostname().encode()) * 2**22 + process
