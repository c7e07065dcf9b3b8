"""The lines at the bottom of a terminal that change: drawn again when they differ, gone without a trace at the end."""

import atexit
import threading
from collections.abc import Callable

from rich.console import Console, RenderableType

from state.clean import without_terminal_codes
from state.width import width

LOOKS_PER_SECOND = 4
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"


class Region:
    """What `draw` returns stands below all that is printed `above`. Any thread may print.

    Drawing stops for good when `draw` fails or the terminal is gone: what is printed goes on without a region.
    """

    def __init__(self, console: Console, draw: Callable[[], RenderableType]) -> None:
        self._console = console
        self._draw = draw
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._started = False
        self._shown: list[str] = []

    def start(self) -> None:
        """Begin to draw, where the console is a terminal."""
        if self._started or not self._console.is_interactive:
            return
        self._started = True
        self._write(_HIDE)
        atexit.register(self.stop)
        threading.Thread(target=self._look, name="region", daemon=True).start()

    def above(self, *lines: RenderableType) -> None:
        """Print lines that stay."""
        with self._lock:
            self._write(self._erasing())
            for line in lines:
                self._console.print(line, soft_wrap=False)
            self._redraw()

    def stop(self) -> None:
        """Take the region away and give the terminal back."""
        with self._lock:
            if self._started and not self._stopped.is_set():
                self._stopped.set()
                self._write(self._erasing() + _SHOW)
        atexit.unregister(self.stop)

    def _look(self) -> None:
        while not self._stopped.wait(1 / LOOKS_PER_SECOND):
            with self._lock:
                self._redraw()

    def _redraw(self) -> None:
        if not self._started or self._stopped.is_set():
            return
        try:
            lines = self._lines()
        except Exception:  # noqa: BLE001  a picture that cannot be drawn must not cost the terminal its cursor
            self.stop()
            return
        if lines != self._shown:
            self._write(self._erasing() + "\n".join(lines))
            self._shown = lines

    def _lines(self) -> list[str]:
        """The lines with their colours: one column short of the terminal, which would else begin a line of its own."""
        with self._console.capture() as caught:
            self._console.print(self._draw(), width=max(self._console.width - 1, 1), end="")
        lines = caught.get().rstrip("\n").split("\n")
        return lines[: max(self._console.height - 1, 1)] if any(lines) else []

    def _erasing(self) -> str:
        """The codes that erase what is shown. A terminal that became narrower has wrapped it to more rows.

        Row by row: a terminal that is told to erase everything may keep it in its history instead.
        """
        columns = max(self._console.width, 1)
        rows = sum(max(1, -(-width(without_terminal_codes(line)) // columns)) for line in self._shown)
        self._shown = []
        return "\r\x1b[2K" + "\x1b[1A\x1b[2K" * (rows - 1) if rows else ""

    def _write(self, text: str) -> None:
        if self._started and text:
            self._console.file.write(text)
            self._console.file.flush()
