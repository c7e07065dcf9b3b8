"""What whole debates share: the fixtures of the real CLIs."""

from tests.vendors.conftest import home, models, trap, unpacked

__all__ = ["home", "models", "trap", "unpacked"]
