"""What was chosen, and where: defaults < the person's file < DEBATE_ variables < the command's words < its flags.

The file is `$XDG_CONFIG_HOME/debate/config.toml` (else below `~/.config`) and never one of the repository under debate:
a cloned project must not be able to choose programs, arguments or models.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from adapters.openai.tools import NAMES
from orchestrator.request.choices import Choices, ConfigFile, Endpoint, OwnTool, ToolSettings
from orchestrator.request.faults import Loc, fault, line_of, parsed
from orchestrator.request.folder import repository_of
from orchestrator.usage import UsageError, nearest

Kind = Literal["default", "file", "variable", "words", "flag"]
C = TypeVar("C", bound=Choices)


@dataclass(frozen=True)
class Origin:
    """Where a value comes from. `name` is the path of the file, or the variable or flag."""

    kind: Kind
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.kind


@dataclass(frozen=True)
class Settings:
    """Everything that was chosen. `path` is the settings file, there or not; `warnings` are for the person."""

    choices: Choices = field(default_factory=Choices)
    tools: Mapping[str, ToolSettings] = field(default_factory=dict)
    path: Path | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def origin(self, key: str) -> Origin:
        """Where the value of this key (`rounds`, `tools.claude.model`) comes from."""
        return self.origins.get(key, Origin("default"))

    def tool(self, name: str) -> ToolSettings:
        """The settings of this tool; empty ones when the file has none."""
        return self.tools.get(name) or ToolSettings()

    def rows(self) -> Iterator[tuple[str, Any, Origin]]:
        """Each choice, and each tool setting that was made: key, value, origin."""
        for key, value in (*self.choices.model_dump(by_alias=True).items(), *_leaves(self.tools)):
            yield key, value, self.origin(key)


@dataclass(frozen=True)
class _Layer:
    """What one place says, by key, and how that place is named."""

    kind: Kind
    values: Mapping[str, Any]
    name: Callable[[str], str]

    def origin(self, key: str) -> Origin:
        return Origin(self.kind, self.name(key))


@dataclass(frozen=True)
class Standing:
    """What the person's settings file says. `warnings` are for the person."""

    path: Path | None
    choices: Mapping[str, Any]
    tools: Mapping[str, ToolSettings]
    warnings: tuple[str, ...] = ()

    @property
    def own_tools(self) -> tuple[str, ...]:
        """Names of the tools that are the person's own."""
        return tuple(name for name, settings in self.tools.items() if isinstance(settings, OwnTool))


def standing(environ: Mapping[str, str], project: Path) -> Standing:
    """The settings file, read and checked. UsageError names the wrong value and the place where it stands."""
    path = config_path(environ)
    foreign = path is not None and _belongs_to(path, project, environ)
    choices, tools = ({}, {}) if path is None or foreign else _file(path)
    return Standing(path, choices, tools, (*_foreign(path if foreign else None), *_untold(tools)))


def load(
    environ: Mapping[str, str],
    project: Path,
    *,
    words: Mapping[str, Any] | None = None,
    flags: Mapping[str, Any] | None = None,
    file: Standing | None = None,
) -> Settings:
    """The settings for a debate about `project`, a real path.

    `words` and `flags` have the keys of `Choices`; beside them `tools` is `A,B`. A flag that is None, False or an empty
    tuple was not given. `file` is the settings file where it has been read already. UsageError names the wrong value
    and the place where it stands.
    """
    file = file or standing(environ, project)
    layers = (
        _Layer("file", file.choices, lambda _: str(file.path)),
        _layer("variable", _variables(environ), variable),
        _layer("words", words or {}, lambda _: ""),
        _layer("flag", _said(flags or {}), flag),
    )
    return _merged(layers, file.tools, file.path, (*file.warnings, *_strangers(environ)))


def _said(flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that were given; 0 is a value like any other, and wrong where it is."""
    return {key: value for key, value in flags.items() if not (value is None or value is False or value == ())}


def config_path(environ: Mapping[str, str]) -> Path | None:
    """The person's settings file, or None when no home is known. XDG has a relative XDG_CONFIG_HOME ignored."""
    home = environ.get("HOME") or environ.get("USERPROFILE", "")
    bases = (Path(environ.get("XDG_CONFIG_HOME", "")), Path(home, ".config"))
    return next((base / "debate" / "config.toml" for base in bases if base.is_absolute()), None)


def variable(key: str) -> str:
    """The environment variable for this choice."""
    return _PREFIX + key.upper()


def flag(key: str) -> str:
    """The flag for this choice."""
    return f"--{key.replace('_', '-')}"


def split_tools(value: str) -> tuple[str, str]:
    """The two seats of `--tools A,B`. UsageError when there are not two."""
    match [part.strip() for part in value.split(",")]:
        case [first, second] if first and second:
            return first, second
        case _:
            raise UsageError(f"--tools takes two tools: proposer,challenger. Got: {value}")


def _belongs_to(path: Path, project: Path, environ: Mapping[str, str]) -> bool:
    """Whether the file is one of the repository under debate. A home that is a repository is still the person's."""
    repository = repository_of(project)
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or os.sep).resolve()
    if repository is None or home.is_relative_to(repository):
        return False
    return path.is_relative_to(repository) or path.resolve().is_relative_to(repository)


def _file(path: Path) -> tuple[dict[str, Any], dict[str, ToolSettings]]:
    """The file's choices and its tools' settings."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}, {}
    except OSError as error:
        raise UsageError(f"The settings file cannot be read: {path} ({error.strerror})") from None
    text, values = parsed(data, path)
    file = _checked(
        ConfigFile, values, lambda loc: f" ({path}, {line_of(text, loc)}{'.'.join(map(str, loc))})", strict=True
    )
    tools = {name: settings for name, settings in file.tools if settings is not None}
    return file.model_dump(by_alias=True, exclude_unset=True, exclude={"tools"}), tools


def _layer(kind: Kind, values: Mapping[str, Any], name: Callable[[str], str]) -> _Layer:
    seats = (
        dict(zip(("proposer", "challenger"), split_tools(str(values["tools"])), strict=True))
        if "tools" in values
        else {}
    )
    own = {key: value for key, value in values.items() if key != "tools"}
    place = (lambda loc: f" ({name(str(loc[0]))})") if kind == "variable" else (lambda _: "")
    choices = _checked(Choices, seats | own, place, strict=False)
    return _Layer(kind, choices.model_dump(by_alias=True, exclude_unset=True), name)


def _checked(model: type[C], values: Mapping[str, Any], place: Callable[[Loc], str], *, strict: bool) -> C:
    try:
        return model.model_validate(values, strict=strict)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(fault(first, model) + place(first["loc"])) from None


def _variables(environ: Mapping[str, str]) -> dict[str, Any]:
    """What the DEBATE_ variables say; an empty one says nothing. Several values are parted as in PATH."""
    said = {key: environ[variable(key)] for key in _keys() if environ.get(variable(key))}
    return {key: value.split(os.pathsep) if key in ("context", "view") else value for key, value in said.items()}


def _keys() -> tuple[str, ...]:
    return (*(info.alias or name for name, info in Choices.model_fields.items()), "tools")


_PREFIX = "DEBATE_"
_MARKS = ("DEBATE_PARTICIPANT",)
"""DEBATE_ variables that are no choices."""


def _strangers(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Warnings about variables that look like ours misspelt."""
    known = (*map(variable, _keys()), *_MARKS)
    unknown = (name for name in environ if name.startswith(_PREFIX) and name not in known)
    slips = ((name, nearest(name.removeprefix(_PREFIX), _keys())) for name in unknown)
    return tuple(f"Variable {name} is not known. Did you mean {variable(key)}?" for name, key in slips if key)


def _untold(tools: Mapping[str, ToolSettings]) -> tuple[str, ...]:
    """Warnings about reading tools that do not exist: the list narrows to those that do (R116)."""
    strangers = {
        tool: [name for name in settings.toolbox or () if name not in NAMES]
        for tool, settings in tools.items()
        if isinstance(settings, Endpoint)
    }
    return tuple(
        f"[tools.{tool}] toolbox: {', '.join(names)} left out; there are {', '.join(NAMES)}."
        for tool, names in strangers.items()
        if names
    )


def _foreign(path: Path | None) -> tuple[str, ...]:
    return (
        () if path is None else (f"Settings file not read, because it belongs to the repository under debate: {path}",)
    )


def _merged(
    layers: tuple[_Layer, ...], tools: Mapping[str, ToolSettings], path: Path | None, warnings: tuple[str, ...]
) -> Settings:
    values: dict[str, Any] = {}
    origins = {key: Origin("file", str(path)) for key, _ in _leaves(tools)}
    for layer in layers:
        for key in _given_way(values, layer):
            del values[key], origins[key]
        values |= layer.values
        origins |= {key: layer.origin(key) for key in layer.values}
    return Settings(Choices.model_validate(values), tools, path, origins, warnings)


def _given_way(values: Mapping[str, Any], layer: _Layer) -> list[str]:
    """Standing wishes for a seat that give way, because the command seats the same tool in the other chair."""
    if layer.kind not in ("words", "flag"):
        return []
    chairs = (("proposer", "challenger"), ("challenger", "proposer"))
    taken = {other: _tool(layer.values[chair]) for chair, other in chairs if chair in layer.values}
    return [
        chair for chair, tool in taken.items() if chair not in layer.values and _tool(values.get(chair, "")) == tool
    ]


def _tool(seat: str) -> str:
    return seat.partition(":")[0].partition("@")[0].strip().lower()


def _leaves(tools: Mapping[str, ToolSettings]) -> list[tuple[str, Any]]:
    """The tool settings that were made, by dotted key. A vendor's own configuration counts as one value."""
    made: list[tuple[str, Any]] = []
    for tool, settings in tools.items():
        for key, value in settings.options().items():
            inner = value.items() if key == "models" else ()
            made += [(f"tools.{tool}.{key}.{effort}", model) for effort, model in inner] or [
                (f"tools.{tool}.{key}", value)
            ]
    return made
