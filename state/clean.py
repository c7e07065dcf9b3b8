"""Making text from elsewhere harmless: no terminal codes, no invisible or direction-changing characters, no broken Unicode."""

import re

_TERMINAL = re.compile(
    r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # operating system command: title, clipboard, link
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # device control and other strings
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # control sequence: colours, cursor
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]?"
)


def without_terminal_codes(text: str) -> str:
    """The text as a person would have seen it on a terminal, without the codes that steer one."""
    return _TERMINAL.sub("", text)
