"""Where a packed file can be cut: members that begin with a record, each with the members that go on with it."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.collections.warc.members import Blocks, Member, Packing
from thresher.collections.warc.window import start_of_record


@dataclass
class _Opened:
    member: Member
    data: bytes

    @property
    def begins(self) -> bool:
        return start_of_record(self.data) >= 0


def _open(packing: Packing, offset: int) -> _Opened:
    member = packing.member(offset)
    return _Opened(member, member.read())


def find_unit(packing: Packing, blocks: Blocks, begin: int, end: int) -> int | None:
    """Return where the first member that unpacks to a record begins, at `begin` or later, below `end`; None if none does."""
    found = blocks.find(packing.magic, begin, end)
    while found >= 0:
        if _open(packing, found).begins:
            return found
        found = blocks.find(packing.magic, found + 1, end)
    return None


class Unit:
    """A stream of records: the bytes of the member at `offset` and of those behind it that do not begin with a record.

    It can be read knowing nothing of what comes before. When it has been read to its end, `after` is where the next
    begins, or the file's size, and `problem` says what damage ended it, `problem_offset` in which member.
    """

    def __init__(self, packing: Packing, blocks: Blocks, offset: int, opened: _Opened | None = None) -> None:
        self.offset = offset
        self.after: int | None = None
        self.problem: str | None = None
        self.problem_offset = offset
        self._packing = packing
        self._blocks = blocks
        self._now = opened or _open(packing, offset)
        self._data = self._now.data
        self._next: _Opened | None = None

    @property
    def inflation(self) -> float:
        """How many bytes came of one in the present member."""
        return self._now.member.given / max(self._now.member.taken, 1)

    def abandon(self) -> None:
        """Read no more of the present member: the next `read` gives the end."""
        self._data = b""
        self._break("what follows in it is not read: it swells too much", self._now.member.end)

    def read(self) -> bytes:
        """Return the next bytes, at most a MiB; none at the end."""
        if self.after is not None:
            return b""
        data, self._data = self._data or self._now.member.read(), b""
        while not data:
            member = self._now.member
            if member.problem is not None:
                self._break(member.problem, member.end)
                return b""
            if member.end is None:
                data = member.read()
                continue
            if member.end >= self._blocks.size:
                self.after = self._blocks.size
                return b""
            following = _open(self._packing, member.end)
            if following.begins:
                self.after, self._next = member.end, following
                return b""
            self._now = following
            data = following.data
        return data

    def following(self) -> Unit:
        """Return the unit at `after`."""
        assert self.after is not None
        return Unit(self._packing, self._blocks, self.after, self._next)

    def _break(self, problem: str, end: int | None) -> None:
        self.problem = problem
        self.problem_offset = self._now.member.offset
        # The end of a broken frame is known only if there is something to be known by.
        sound = end is not None and self._blocks.view(end, 1, 4).tobytes().startswith(self._packing.magic)
        begin = end if end is not None and sound else self._now.member.offset + 1
        found = find_unit(self._packing, self._blocks, begin, self._blocks.size)
        self.after = self._blocks.size if found is None else found
