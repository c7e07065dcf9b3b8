"""The rule books: each format says, from the record alone, what comes next."""

from orchestrator.formats.debate import DEBATE

FORMATS = {format_.name: format_ for format_ in (DEBATE,)}
"""Every kind of deliberation."""
