"""The words that participants are asked with: Jinja templates, rendered strictly; texts of users and models are only values."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

VERSION = 1
TEMPLATES = Path(__file__).parent / "templates"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  prompts are plain text, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **values: Any) -> str:
    """The prompt for `template` ("debate/opening"). A value that a template names and is not given is an error."""
    return _environment().get_template(f"{template}.md.j2").render(values)
