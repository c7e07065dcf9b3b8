"""What a person can choose, as checked values: how one debate goes, and how each vendor's program is called."""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

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
    research: Literal["on", "off"] = "on"
    sessions: Literal["fresh", "continue"] = "fresh"


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


class Endpoint(_Section):
    """The keys of a model that is asked over the network. `context_tokens`: how much it reads at most."""

    base_url: Text | None = None
    api_key_env: Text | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    context_tokens: Annotated[int, Field(gt=0)] | None = None
    toolbox: Texts | None = None

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, url: str | None) -> str | None:
        from adapters.openai.address import wrong_url

        return _refused("base_url", None if url is None else wrong_url(url)) or url

    @field_validator("api_key_env")
    @classmethod
    def _a_secret(cls, name: str | None) -> str | None:
        """The name tells redaction that the value is a secret; whoever pastes the key itself is not shown it again."""
        from state.redact import is_secret_name

        fine = name is None or (re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and is_secret_name(name))
        words = (
            None if fine else "it is the NAME of a variable, one that says KEY, TOKEN or SECRET (never the key itself)"
        )
        return _refused("api_key_env", words) or name

    @field_validator("headers")
    @classmethod
    def _sendable(cls, headers: dict[str, str]) -> dict[str, str]:
        from adapters.openai.address import wrong_header

        wrong = (wrong_header(name, value) for name, value in headers.items())
        _refused("headers", next((words for words in wrong if words), None))
        return headers


class OpenaiSettings(ToolSettings, Endpoint):
    """`[tools.openai]`."""


class OwnTool(ToolSettings, Endpoint):
    """`[tools.NAME]` for a tool of the person's own: a model (`base_url`) or a program (`command`).

    `command` is a list of words, or one text that is split as a shell would split it.
    """

    command: Texts | None = None  # pyright: ignore[reportIncompatibleVariableOverride]  words, not one program
    prompt: Literal["stdin", "file"] = "stdin"
    read_only: Texts | None = None
    parse: Text = "text"

    OF_PROGRAMS: ClassVar = ("prompt", "read_only", "parse", "extra_args", "pass_env", "transport")
    OF_MODELS: ClassVar = ("api_key_env", "headers", "context_tokens", "toolbox")

    @field_validator("command", mode="before")
    @classmethod
    def _as_words(cls, value: object) -> object:
        import shlex

        try:
            words = shlex.split(value) if isinstance(value, str) else value
        except ValueError as error:
            raise PydanticCustomError("own", "command: {words}", {"words": str(error)}) from None
        return _refused("command", None if words else "it names no program") or words

    @field_validator("parse")
    @classmethod
    def _a_rule(cls, rule: str) -> str:
        from adapters.custom import wrong_parse

        return _refused("parse", wrong_parse(rule)) or rule

    @model_validator(mode="after")
    def _one_kind(self) -> "OwnTool":
        from adapters.custom import wrong_rights

        if (self.command is None) == (self.base_url is None):
            _refused("", "a tool of your own has either command (a program) or base_url (a model)")
        foreign = self.OF_PROGRAMS if self.base_url else self.OF_MODELS
        kind = "a model (base_url)" if self.base_url else "a program (command)"
        if stray := next((key for key in foreign if key in self.model_fields_set), None):
            _refused("", f"{stray} means nothing for {kind}")
        if self.command:
            _refused("", wrong_rights(self.command, self.read_only))
        return self


def _refused(key: str, words: str | None) -> None:
    if words:
        raise PydanticCustomError("own", "{words}", {"words": f"{key}: {words}" if key else words})


def _own_name(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*", name) or not 2 <= len(name) <= 32 or name in _TAKEN:
        _refused(
            "", f"{name} cannot be the name of a tool: small letters, digits and - between them, and no word of ours"
        )
    return name


_TAKEN = (
    "auto",
    "none",
    "default",
    "omit",
    "both",
    "host",
    "cli",
    "acp",
    "low",
    "medium",
    "high",
    "max",
    "last",
    "all",
)


class Tools(_Section):
    """The `[tools.NAME]` tables; None where there is none. Those with another name are the person's own."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)
    __pydantic_extra__: dict[Annotated[str, AfterValidator(_own_name)], OwnTool]  # pyright: ignore[reportIncompatibleVariableOverride]  pydantic reads it

    openai: OpenaiSettings | None = None
    claude: ToolSettings | None = None
    codex: ToolSettings | None = None
    gemini: ToolSettings | None = None
    opencode: OpencodeSettings | None = None
    copilot: ToolSettings | None = None
    kiro: ToolSettings | None = None


class ConfigFile(Choices):
    """The whole settings file."""

    tools: Tools = Field(default_factory=lambda: Tools.model_validate({}))
