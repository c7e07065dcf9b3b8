"""Paths into the view, as participants see them, and paths of the project, as people know them."""

import os
import re
from pathlib import Path


def project_paths(text: str, view: Path) -> str:
    """The text with absolute paths into the view made paths of the project: `VIEW/src/app.py:3` -> `src/app.py:3`."""
    places = sorted({str(view), os.path.realpath(view)}, key=len, reverse=True)
    whole = "|".join(re.escape(place) for place in places)
    # A name that only begins or ends like the view's is another folder.
    below = r"""(/+(?=[^\s"'`<>)\]},;:!?]))"""
    itself = r"/?(?![\w+-]|\.\w)"
    pattern = rf"(?<![\w.-])(?:file://)?(?:{whole})(?:{below}|{itself})"
    return re.sub(pattern, lambda match: "" if match[1] else "./", text)
