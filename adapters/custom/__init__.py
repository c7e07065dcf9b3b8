"""CLIs that we have never heard of, from the user's own settings."""

from adapters.custom.adapter import custom
from adapters.custom.parse import wrong_parse
from adapters.custom.rights import wrong_rights

__all__ = ["custom", "wrong_parse", "wrong_rights"]
