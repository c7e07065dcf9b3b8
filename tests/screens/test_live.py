"""The live view as a person sees it: in a real terminal, driven by the recorded streams of the five vendors.

The screens are kept in `kept/`, so that a person can look at them; times are masked. After a change that is wanted:
`KEEP_SCREENS=1 bash check tests/screens`, and look at the difference.
"""

import json
import os
import re
import shlex
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.person import Person, with_stand_ins
from tests.e2e.test_crash import wait_until
from tests.screens.terminal import ENDED, Terminal

KEPT = Path(__file__).parent / "kept"
TESTS = Path(__file__).parents[1]
CHINESE = "**队列**用 Postgres 👩‍👩‍👧：\n\n1. `任务` 不会丢失，而且每一次写入都与订单在同一个事务之中，因此一致。\n2. Redis 更快，但要另外维护 🫠。"
RECORDINGS = {
    "claude": ("partial", 6),
    "codex": ("t-multi", 5),
    "gemini": ("tool-stream-write", 4),
    "opencode": ("p-neutral", 5),
    "copilot": ("perm-available-read", 26),
}
"""For each vendor a recording, and the number of lines after which the screen is looked at."""


def seated(folder: Path, *tools: str, said: str = CHINESE) -> Person:
    """Someone whose tools play their recordings; `chinese` is a claude that says what is given."""
    person = Person(folder / "home", folder / "project", {"COLORTERM": ""})
    for made in (person.home / "bin", person.project):
        made.mkdir(parents=True)
    result = {"type": "result", "subtype": "success", "is_error": False, "result": said, "session_id": "s"}
    (folder / "chinese.stdout").write_text(json.dumps(result) + "\n")
    for tool in tools:
        name, lines = RECORDINGS.get(tool, ("", 99))
        played = TESTS / f"recordings/{tool}/{name}.stdout" if name else folder / "chinese.stdout"
        argv = [sys.executable, "-I", str(TESTS / "fakes/player.py"), str(played), str(folder), tool, str(lines)]
        script = person.home / "bin" / tool.replace("chinese", "claude")
        script.write_text(f"#!/bin/sh\nexec {shlex.join(argv)}\n")
        script.chmod(0o755)
    person.configure('[tools.opencode]\nmodel = "lab/lab-model"\n')
    return person


def masked(screen: str) -> str:
    """The screen without times, places and what is drawn by lot."""
    timeless = re.sub(r"\d+:\d\d (of|so far)", r"0:00 \1", screen)
    placeless = re.sub(r"(?s)\[INFO\] Saved: .*?\n(?=EXIT)", "[INFO] Saved: ...\n", timeless)
    return re.sub(r"shown \w+,\s+then\s+\w+:\s+for\s+\w+", "shown ...", placeless)


def compare(name: str, terminal: Terminal, pattern: str) -> str:
    """Once the pattern stands on the screen, it is as it was kept; a moment in the midst of drawing is let pass."""
    shown, path = masked(terminal.until(pattern)), KEPT / f"{name}.txt"
    end = time.monotonic() + 5
    if os.environ.get("KEEP_SCREENS"):
        time.sleep(0.5)
        path.write_text(shown := masked(terminal.screen()))
    while shown != path.read_text() and time.monotonic() < end:
        time.sleep(0.1)
        shown = masked(terminal.screen())
    assert shown == path.read_text()
    return shown


@pytest.mark.parametrize("pair", [("claude", "codex"), ("gemini", "opencode"), ("copilot", "chinese")])
def test_the_screen_shows_who_speaks_and_what_it_does(pair: tuple[str, str], terminal: Terminal) -> None:
    person = seated(terminal.folder, *pair)
    seats = ",".join(pair).replace("chinese", "claude")
    words = ("Postgres 还是 Redis 👍?", "--tools", seats, "--rounds", "1", "--judge", "none")
    terminal.starts(person, *words, then="> result.md")
    for tool in pair:
        if tool in RECORDINGS:
            compare(f"{tool}-{terminal.columns}", terminal, MOMENTS[tool])
        (terminal.folder / f"go-{tool}").touch()
    end = compare(f"{'-'.join(pair)}-end-{terminal.columns}", terminal, ENDED)
    assert "EXIT=0\necho\n" in end
    assert "## Debate Summary" in (person.project / "result.md").read_text()


MOMENTS = {
    "claude": r"writes \(8 characters\)",
    "codex": "runs cat hello.txt",
    "gemini": "calls write_file",
    "opencode": "searches for x",
    "copilot": "reads ",
}
"""What stands on the screen while each recording waits."""


def test_ctrl_c_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    person = seated(terminal.folder, "claude", "codex")
    words = ("Tabs or spaces?", "--tools", "claude,codex", "--judge", "none")
    terminal.starts(person, *words)
    terminal.until(MOMENTS["claude"])
    terminal.tmux("send-keys", "C-c")
    screen = terminal.until(ENDED)
    assert "EXIT=130\necho\n" in screen
    assert "Resume with: debate resume" in " ".join(screen.split())
    assert terminal.shows_cursor()
    assert "writes (8 characters)" not in screen, "the live region was left on the screen"
    assert person.left_running() == []


def test_judges_work_side_by_side_and_the_verdict_comes_last(terminal: Terminal) -> None:
    person, folder = with_stand_ins(terminal.folder / "home", terminal.folder / "project")
    terminal.starts(person, "Tabs or spaces?", "--tools", "claude,codex", "--rounds", "1")
    wait_until(lambda: "round-1 challenger" in text(folder / "calls"))
    (folder / "pause").write_text("1.2")
    both = r"Judging: claude.*\n(?:.*\n)?Judging: codex.*\n(?:.*\n)?2 of 2"
    compare(f"judging-{terminal.columns}", terminal, both)
    end = compare(f"report-{terminal.columns}", terminal, ENDED)
    assert "EXIT=0\necho\n" in end
    assert terminal.shows_cursor()


LAID_OUT = {
    20: r"Round 1: claude \(P…\n  0:",
    40: r"Round 1: claude \(Proposer\)\n  0:",
    90: r"Round 1: claude \(Proposer\)  0:",
    119: r"Round 1: claude \(Proposer\)  0:",
}
"""How the view looks when it was drawn for so many columns."""


@pytest.mark.parametrize("widths", [(40, 20, 90), (119,)], ids=str)
def test_a_resized_terminal_keeps_nothing_of_what_changed(widths: tuple[int, ...], terminal: Terminal) -> None:
    person = seated(terminal.folder, "claude", "codex")
    words = ("Tabs or spaces?", "--tools", "claude,codex", "--rounds", "1", "--judge", "none")
    terminal.starts(person, *words, then="> result.md", first="seq 25")  # tmux moves what is at the top out of reach
    terminal.until(MOMENTS["claude"])
    for columns in widths:
        terminal.tmux("resize-window", "-x", str(columns), "-y", "40")
        terminal.until(LAID_OUT[columns])
    for tool in ("claude", "codex"):
        (terminal.folder / f"go-{tool}").touch()
    end = terminal.until(ENDED)
    assert "EXIT=0\necho\n" in end
    assert not re.search(r"so\s+far|writes|of 4:00", end), "something that changes was left on the screen"
    assert "one two three" in end
    assert terminal.shows_cursor()


@pytest.mark.parametrize("terminal", [120], indirect=True)
def test_a_second_ctrl_c_gives_the_terminal_back_too(terminal: Terminal) -> None:
    person, folder = with_stand_ins(terminal.folder / "home", terminal.folder / "project")
    (folder / "hang").touch()
    terminal.starts(person, "Tabs or spaces?", "--tools", "claude,codex")
    terminal.until("so far")
    wait_until((folder / "calls").exists)
    assert not terminal.shows_cursor()
    terminal.tmux("send-keys", "C-c")
    terminal.tmux("send-keys", "C-c")
    assert "EXIT=130\necho\n" in terminal.until(ENDED)
    assert terminal.shows_cursor()


@pytest.mark.parametrize("terminal", [120], indirect=True)
def test_what_a_model_says_neither_steers_the_terminal_nor_breaks_the_view(terminal: Terminal) -> None:
    hostile = "first\x1b]0;stolen\x07\x1b[2J\x1b[?25h </kbd> [red]Vec<T>[/red] &#x202e;last"
    person = seated(terminal.folder, "chinese", "codex", said=hostile)
    (terminal.folder / "go-codex").touch()
    words = ("Tabs or spaces?", "--tools", "claude,codex", "--rounds", "1", "--judge", "none")
    terminal.starts(person, *words, then="> result.md")
    end = terminal.until(ENDED)
    assert "EXIT=0\necho\n" in end
    assert "first </kbd> [red]Vec<T>[/red] &#x202e;last" in " ".join(end.split())
    assert "Round 1: codex (Challenger)" in end
    assert "stolen" not in terminal.tmux("display-message", "-p", "#{pane_title}")


@pytest.mark.parametrize("terminal", [120], indirect=True)
@pytest.mark.parametrize(("setting", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)], ids=["colour", "none"])
def test_colours_are_left_out_where_nobody_wants_them(
    setting: dict[str, str], coloured: bool, terminal: Terminal
) -> None:
    person = seated(terminal.folder, "claude", "codex")
    person.environ = {**person.environ, **setting}
    terminal.starts(person, "Tabs or spaces?", "--tools", "claude,codex", "--rounds", "1", "--judge", "none")
    terminal.until(MOMENTS["claude"])
    shown = terminal.tmux("capture-pane", "-p", "-e")
    assert bool(re.search(r"\x1b\[[\d;]*3[0-7]m", shown)) == coloured


@pytest.mark.parametrize("terminal", [120], indirect=True)
@pytest.mark.parametrize(
    ("words", "setting"),
    [((), {"TERM": "dumb"}), ((), {"CI": "1"}), (("--plain",), {}), (("--verbose",), {})],
    ids=["a dumb terminal", "CI", "--plain", "--verbose"],
)
def test_lines_stay_plain_where_nothing_can_be_drawn_again(
    words: tuple[str, ...], setting: dict[str, str], terminal: Terminal
) -> None:
    person = seated(terminal.folder, "claude", "codex")
    terminal.starts(person, "Tabs or spaces?", "--tools", "claude,codex", *words, then="> result.md", setting=setting)
    screen = " ".join(terminal.until(r"\[INFO\] Running round 1").split())
    assert "[INFO] Running round 1 proposer (claude) - timeout 240s" in screen
    assert terminal.shows_cursor()


def text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
