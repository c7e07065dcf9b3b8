"""Paths that stay inside a folder."""

import os
from pathlib import Path


def inside(root: Path, path: str) -> Path | None:
    """Where `path` (relative to `root`, or absolute) really leads, links resolved; None when that is outside `root`.

    Network paths (two slashes or backslashes in front) are outside. The path need not exist.
    """
    if path[:2] in {"//", "\\\\", "/\\", "\\/"}:
        return None
    base = os.path.realpath(root)
    try:
        real = Path(os.path.realpath(Path(base, path)))
    except ValueError:
        return None
    return real if real.is_relative_to(base) else None
