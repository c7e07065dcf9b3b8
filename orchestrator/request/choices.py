"""What a person can choose, as checked values: how one debate goes, and how each vendor's program is called."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from state.models import Effort


def _as_tuple(value: object) -> object:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


_List = BeforeValidator(_as_tuple)
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00]*$")]
Texts = Annotated[tuple[Text, ...], _List]
Contexts = Annotated[tuple[Annotated[str, Field(pattern=r"^(none|diff|file=[^\x00]+)$")], ...], _List]
Variables = Annotated[tuple[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_()]*\*?$")], ...], _List]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""Above 0."""


class _Section(BaseModel):
    # built when first used: most debates have no settings file, and checking one is half of this module's cost
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Choices(_Section):
    """How one debate goes: the flags of the command under their own names. The defaults are the program's."""

    proposer: Text | None = None
    challenger: Text | None = None
    rounds: Annotated[int, Field(ge=1, le=5)] = 2
    effort: Effort = "high"
    model_proposer: str | None = None
    model_challenger: str | None = None
    context: Contexts = ()
    view: Texts = ()
    judge: Text = "auto"
    judge_anyway: bool = False
    timeout: Seconds | None = None
    transport: Literal["auto", "cli", "acp"] = "auto"
    state_dir: Text | None = None
    state: Text | None = None
    as_json: bool = Field(default=False, alias="json")
    events: bool = False
    report: Text | None = None
    quiet: bool = False
    verbose: bool = False
    plain: bool = False
    no_input: bool = False
    rehearse: Text | None = None


class Models(_Section):
    """The model for each effort."""

    low: str | None = None
    medium: str | None = None
    high: str | None = None
    max: str | None = None


class ToolSettings(_Section):
    """`[tools.NAME]`: how one vendor's program is called. `command` is a name on PATH or an absolute path."""

    command: Text | None = None
    extra_args: Texts = ()
    pass_env: Variables = ()
    model: str | None = None
    models: Models = Field(default_factory=Models)
    timeout: Seconds | None = None
    transport: Literal["auto", "cli", "acp"] = "auto"

    def options(self) -> dict[str, Any]:
        """What was set, as plain values: an adapter's `Ask.options`."""
        return self.model_dump(exclude_unset=True)


class OpencodeConfig(_Section):
    """The part of opencode's own configuration that is handed on: where its models come from."""

    provider: dict[str, Any] = Field(default_factory=dict)
    enabled_providers: Texts = ()


class OpencodeSettings(ToolSettings):
    """`[tools.opencode]`."""

    config: OpencodeConfig = Field(default_factory=OpencodeConfig)


class Tools(_Section):
    """The `[tools.NAME]` tables; None where there is none."""

    claude: ToolSettings | None = None
    codex: ToolSettings | None = None
    gemini: ToolSettings | None = None
    opencode: OpencodeSettings | None = None
    copilot: ToolSettings | None = None
    kiro: ToolSettings | None = None


class ConfigFile(Choices):
    """The whole settings file."""

    tools: Tools = Field(default_factory=Tools)
