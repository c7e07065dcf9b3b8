"""Keeping what a process prints, in bounded memory: lines as they come, and of each stream what may matter later."""

from collections.abc import Callable, Iterator
from io import BytesIO

from adapters.spec import Stream

MEGABYTE = 1 << 20
KEPT_LIMIT = 24 * MEGABYTE
LINE_LIMIT = 16 * MEGABYTE
PRINTED_LIMIT = 256 * MEGABYTE
STDERR_END = 64 * 1024
_BLOCK = 64 * 1024


class Lines:
    """Splits a stream at line feeds only. A line longer than `limit` is left out and counted in `cut`.

    (BytesIO gives its content away without a copy, which a bytearray cannot.)
    """

    def __init__(self, limit: int) -> None:
        self.cut = 0
        self._limit = limit
        self._open = BytesIO()
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that this chunk completes, without their line feed."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._extend(end)
            yield from self.rest()
        self._extend(rest)

    def rest(self) -> Iterator[bytes]:
        """The line begun but not ended yet, if it is not too long; starts the next one."""
        if self._length <= self._limit:
            yield self._open.getvalue()
        self._open, self._length = BytesIO(), 0

    def _extend(self, part: bytes) -> None:
        before = self._length
        self._length += len(part)
        if self._length <= self._limit:
            self._open.write(part)
        elif before <= self._limit:
            self._open = BytesIO()
            self.cut += self._length
        else:
            self.cut += len(part)


class Ends:
    """The first and the last `size` bytes of a stream, with a line between them that says how much is missing."""

    def __init__(self, size: int = STDERR_END) -> None:
        self._size = size
        self._head = b""
        self._tail = bytearray()
        self.cut = 0

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes of the stream."""
        room = self._size - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._size:
            self._trim()

    def value(self) -> bytes:
        """What was kept; `cut` then counts what was not."""
        self._trim()
        if not self.cut:
            return self._head + self._tail
        return b"%b\n[... %d bytes cut ...]\n%b" % (self._head, self.cut, self._tail)

    def _trim(self) -> None:
        excess = len(self._tail) - self._size
        if excess > 0:
            del self._tail[:excess]
            self.cut += excess


class Kept:
    """The lines worth keeping, up to `limit` bytes in all. In blocks: one growing buffer is copied as it grows."""

    def __init__(self, limit: int) -> None:
        self.cut = 0
        self._room = limit
        self._blocks: list[bytes] = []
        self._open: list[bytes] = []
        self._open_size = 0

    def add(self, line: bytes, end: bytes) -> None:
        """Keeps one line with its end, or counts it as cut."""
        size = len(line) + len(end)
        if size > self._room:
            self.cut += size
            return
        self._room -= size
        self._open += (line, end)
        self._open_size += size
        if self._open_size >= _BLOCK:
            self._blocks.append(b"".join(self._open))
            self._open, self._open_size = [], 0

    def value(self) -> bytes:
        """All kept lines."""
        return b"".join([*self._blocks, *self._open])


class Output:
    """Both streams of one process. `keep` chooses among the lines of stdout, `heard` is told every line of both."""

    def __init__(self, keep: Callable[[bytes], bool], heard: Callable[[bytes, Stream], None]) -> None:
        self._keep = keep
        self._heard = heard
        self._lines: dict[Stream, Lines] = {"stdout": Lines(LINE_LIMIT), "stderr": Lines(MEGABYTE)}
        self._kept = Kept(KEPT_LIMIT)
        self._ends = Ends()
        self._printed = 0
        self._closed = False

    def close(self) -> None:
        """From now on nothing is taken: what a process prints because we end it is not what it had to say."""
        self._closed = True

    def feed(self, chunk: bytes, stream: Stream) -> None:
        """Takes the next bytes of one stream."""
        if self._closed:
            return
        if stream == "stderr":
            self._ends.feed(chunk)
        else:
            self._printed += len(chunk)
        for line in self._lines[stream].feed(chunk):
            self._take(line, b"\n", stream)

    def finish(self) -> None:
        """Takes the last, unended line of each stream."""
        for stream, lines in self._lines.items():
            for line in filter(None, lines.rest()):
                self._take(line, b"", stream)

    @property
    def too_much(self) -> bool:
        """Whether stdout has passed a limit: of one line, of what is kept, or of all that is printed."""
        return bool(self._lines["stdout"].cut or self._kept.cut) or self._printed > PRINTED_LIMIT

    @property
    def stdout(self) -> bytes:
        """What was kept of stdout."""
        return self._kept.value()

    @property
    def stderr(self) -> bytes:
        """What was kept of stderr."""
        return self._ends.value()

    @property
    def cut(self) -> int:
        """How many bytes the limits cut away."""
        return self._lines["stdout"].cut + self._kept.cut + self._ends.cut

    def _take(self, line: bytes, end: bytes, stream: Stream) -> None:
        self._heard(line, stream)
        if stream == "stdout" and self._keep(line):
            self._kept.add(line, end)
