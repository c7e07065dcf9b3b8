"""Making text from elsewhere harmless: no terminal codes, no invisible or direction-changing characters, no broken Unicode.

Whatever a model, a user or a file wrote passes through `clean` before it enters a prompt, the state or a terminal. Clean
before redacting: an invisible character inside a key would hide the key.
"""

import re

from state.width import cut

_STRING = r"[^\x1b\x07\x90\x98\x9c-\x9f\r\n]*+(?:\x07|\x1b\\|\x9c)"
_TERMINAL = re.compile(
    rf"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING}"  # title, clipboard, link, device control: up to their end on the same line
    r"|(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # control sequence: colours, cursor
    r"|\x1b[ -/]*+[0-~]?"  # other sequences, and the beginning of one that never ends: the text after it stays
)
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]")

_EMOJI = "\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINING = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\uabff"  # scripts whose spelling needs (non-)joiners
)
_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_VARIATIONS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls but tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction
    "\u00ad\u034f\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"  # zero width, fillers, byte-order mark
    "\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a\U000e0000-\U000e00ff"  # annotations, tags
    "]+"
)
_STRAY = re.compile(
    # a joiner joins two emoji or shapes a letter
    f"(?<![{_JOINING}])\u200d(?:(?<![{_EMOJI}]\u200d)(?<![{_EMOJI}]\ufe0f\u200d)|(?![{_EMOJI}]))"
    f"|(?<![{_JOINING}])\u200c"
    f"|(?<![{_EMOJI}{_HAN}0-9#*©®])[{_VARIATIONS}]"  # one variation of a character that has some; more would carry data
)
_CI_ANYWHERE = re.compile(r"##(?=(?:vso|teamcity)?\[)", re.IGNORECASE)
_CI_AT_START = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_LIKE_A_COMMAND = re.compile(r"^(?=##)(?!#+ )", re.MULTILINE)  # a blank makes it a heading
_PICTURES = {c: 0x2400 + c for c in range(0x20) if chr(c) not in "\t\n"} | {c: f"\\x{c:x}" for c in range(0x7F, 0xA0)}


def without_terminal_codes(text: str) -> str:
    """The text as a person would have seen it on a terminal, without the codes that steer one."""
    return _TERMINAL.sub("", text)


def clean(text: str) -> str:
    """The visible text, and nothing that a reader cannot see.

    Kept: tab, newline (every other line end becomes one), one variation selector after an emoji or ideograph, joiners
    within emoji and after letters of scripts whose spelling needs them. Broken Unicode becomes U+FFFD.
    """
    text = _LINE_ENDS.sub("\n", without_terminal_codes(text))
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _STRAY.sub("", _HIDDEN.sub("", text))


def one_line(text: str, limit: int) -> str:
    """The text cleaned, on one line, at most `limit` terminal cells wide; what was cut is shown by an ellipsis."""
    return cut(" ".join(clean(text).split()), limit)


def for_ci(text: str) -> str:
    """Cleaned text that no log parser of a CI system takes for a command (`::error`, `##[group]`, `##vso[`, `##teamcity[`).

    GitHub skips blanks before `::`, and looks for `##[` anywhere in a line, so indenting is not enough.
    """
    text = _CI_ANYWHERE.sub("# #", text)
    return _LIKE_A_COMMAND.sub(" ", _CI_AT_START.sub(r"\1: ", text))


def visible(text: str) -> str:
    """The text with its control characters shown as symbols: raw output that is safe to look at and hides nothing."""
    return text.translate(_PICTURES)
