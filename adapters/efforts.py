"""Which model and which effort flags a call gets: the table in efforts.toml, under the user's own words."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from adapters.spec import Ask
from state.models import Effort

TABLE = Path(__file__).with_name("efforts.toml")
NO_MODEL = ("", "auto", "omit", "default")
"""Values for a model that mean: pass none, let the vendor choose (R13)."""


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Level(_Row):
    """One effort of one vendor: its model, its own word for the effort, its own time limit in seconds."""

    model: str | None = Field(None, min_length=1)
    word: str | None = Field(None, min_length=1)
    timeout_s: int | None = Field(None, gt=0)


class Vendor(_Row):
    """One vendor's table: how a model and an effort are said on its command line, and what each effort means."""

    model_flag: list[str]
    effort_flag: list[str] = []
    timeout_s: int = Field(gt=0)
    low: Level
    medium: Level
    high: Level
    max: Level

    def level(self, effort: Effort) -> Level:
        """What this effort means here."""
        return getattr(self, effort)


@cache
def table() -> Mapping[str, Vendor]:
    """The checked table: vendor name -> its efforts."""
    return {name: Vendor.model_validate(row) for name, row in tomllib.loads(TABLE.read_text("utf-8")).items()}


def asked(ask: Ask) -> str | None:
    """The model that the user asked for: the seat's word, else the settings (`models[effort]`, then `model`)."""
    wishes = (ask.seat.model, _of(ask.options.get("models"), ask.seat.effort), ask.options.get("model"))
    return next((str(wish).strip() for wish in wishes if wish is not None), None)


def model(ask: Ask) -> str | None:
    """The model to name on the command line: what the user asked for, else the table's; None: the vendor's own choice."""
    wish = asked(ask)
    vendor = table().get(ask.seat.tool)
    name = wish if wish is not None or vendor is None else vendor.level(ask.seat.effort).model
    return None if name is None or name.lower() in NO_MODEL else name


def origin(ask: Ask) -> str:
    """Where the model's name came from, for a person who has to name another one."""
    if ask.seat.model is not None:
        return "named by the seat or --model"
    if asked(ask) is not None:
        return f"named in the settings of {ask.seat.tool}"
    return "the vendor's own default" if model(ask) is None else f"our choice at effort {ask.seat.effort}"


def flags(ask: Ask) -> tuple[str, ...]:
    """The arguments that name model and effort, as this vendor writes them."""
    vendor, name = table()[ask.seat.tool], model(ask)
    word = vendor.level(ask.seat.effort).word
    return (*_filled(vendor.model_flag, name), *_filled(vendor.effort_flag, word))


def timeout_s(tool: str, effort: Effort) -> float:
    """The default time limit of a call, in seconds; 240 for a tool without a table."""
    vendor = table().get(tool)
    return 240.0 if vendor is None else float(vendor.level(effort).timeout_s or vendor.timeout_s)


def _filled(flag: list[str], value: str | None) -> tuple[str, ...]:
    return () if value is None else tuple(word.replace("{}", value) for word in flag)


def _of(models: Any, effort: Effort) -> Any:
    return models.get(effort) if isinstance(models, Mapping) else None
