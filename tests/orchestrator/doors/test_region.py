"""The lines at the bottom of a terminal that change leave no trace, whatever happens to the terminal or to them."""

import io
import time
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.text import Text

from orchestrator.doors.region import Region


class Screen:
    """As much of a terminal as the region uses: it wraps, knows rows, and wraps anew what is on it when it is resized."""

    def __init__(self, columns: int) -> None:
        self.file = io.StringIO()
        self.console = Console(
            file=self.file, width=columns, height=20, force_terminal=True, force_interactive=True, color_system=None
        )
        self.rows = [""]
        self.cursor = True
        self._read = 0

    def look(self) -> list[str]:
        """Play what was written since the last look."""
        written = self.file.getvalue()[self._read :]
        self._read += len(written)
        while written:
            code, written = self._next(written)
            self._play(code)
        return [row for row in self.rows if row]

    def resize(self, columns: int) -> None:
        self.look()
        self.console.width = columns
        self.rows = [row[at : at + columns] for row in self.rows for at in range(0, max(len(row), 1), columns)]

    def _next(self, written: str) -> tuple[str, str]:
        if not written.startswith("\x1b["):
            return written[0], written[1:]
        end = next(at for at, c in enumerate(written) if c.isalpha())
        return written[: end + 1], written[end + 1 :]

    def _play(self, code: str) -> None:
        if code == "\n":
            self.rows.append("")
        elif code == "\x1b[1A":
            self.rows.pop()
        elif code == "\x1b[2K":
            self.rows[-1] = ""
        elif code.startswith("\x1b[?25"):
            self.cursor = code.endswith("h")
        elif code != "\r":
            self.rows[-1] += code


@pytest.fixture
def screen() -> Screen:
    return Screen(30)


def test_what_is_printed_stands_above_what_changes(screen: Screen) -> None:
    said = ["at work\nat a cost"]
    region = Region(screen.console, lambda: Text(said[0]))
    region.start()
    region.above(Text("first"))
    assert screen.look() == ["first", "at work", "at a cost"]
    assert not screen.cursor
    said[0] = "still at work"
    region.above(Text("second"))
    assert screen.look() == ["first", "second", "still at work"]
    region.stop()
    assert screen.look() == ["first", "second"]
    assert screen.cursor


@pytest.mark.parametrize("columns", [10, 17, 29, 60])
def test_a_terminal_of_another_width_keeps_nothing_of_it(screen: Screen, columns: int) -> None:
    region = Region(screen.console, lambda: Text("a line of some width here\nand one"))
    region.start()
    region.above(Text("first"))
    screen.resize(columns)
    region.above(Text("second"))
    region.stop()
    assert screen.look() == ["first", "second"]


def test_what_is_wider_or_higher_than_the_terminal_is_cut(screen: Screen) -> None:
    region = Region(screen.console, lambda: Text("\n".join(["x" * 100] * 100)))
    region.start()
    region.above(Text("first"))
    rows = screen.look()
    assert len(rows) < screen.console.height + 1
    assert all(len(row) < 30 for row in rows)
    region.stop()
    assert screen.look() == ["first"]


def test_it_is_drawn_only_when_it_differs(screen: Screen) -> None:
    looked: list[int] = []
    region = Region(screen.console, lambda: looked.append(1) or Text("the same"))
    region.start()
    _until(lambda: len(looked) > 2)
    assert screen.file.getvalue().count("the same") == 1
    region.stop()


def test_when_it_cannot_be_drawn_the_cursor_comes_back_and_printing_goes_on(screen: Screen) -> None:
    def draw() -> Text:
        raise RuntimeError

    region = Region(screen.console, draw)
    region.start()
    _until(lambda: "\x1b[?25h" in screen.file.getvalue())
    region.above(Text("first"))
    assert screen.look() == ["first"]
    assert screen.cursor


def test_a_file_gets_no_region() -> None:
    file = io.StringIO()
    region = Region(Console(file=file), lambda: Text("at work"))
    region.start()
    region.above(Text("first"))
    region.stop()
    assert file.getvalue() == "first\n"


def _until(true: Callable[[], object], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
