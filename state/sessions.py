"""What can be the name of a vendor's session: it becomes an argument of the vendor's program."""

import re

_NAME = re.compile(r"(?!-)[A-Za-z0-9._:-]{1,200}")


def is_session_id(named: object) -> bool:
    """Whether this can name a session. What begins with a dash would be an option, and could widen a participant's rights."""
    return isinstance(named, str) and _NAME.fullmatch(named) is not None
