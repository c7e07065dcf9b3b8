"""What the command line asks for: the topic, the folder, and every choice, checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from orchestrator.request.choices import Choices
from orchestrator.request.folder import project_folder
from orchestrator.request.settings import Settings, load, standing
from orchestrator.request.topic import from_arguments, read_topic
from orchestrator.request.words import Words, words_of
from orchestrator.usage import UsageError

USAGE = 'Usage: debate "your topic" or debate codex vs gemini about your topic'

_ASKED = ("proposer", "challenger", "effort", "rounds", "context")
"""What a person is asked for, in this order (R12)."""


@dataclass(frozen=True)
class Request:
    """One debate, as asked for. `topic` may be None; `folder` is the project; `notes` is for the person."""

    topic: str | None
    folder: Path
    settings: Settings
    notes: tuple[str, ...] = ()

    @property
    def choices(self) -> Choices:
        """How the debate goes."""
        return self.settings.choices

    @property
    def missing(self) -> tuple[str, ...]:
        """What to ask a person for: nothing when topic and both tools were said, else all that is unsaid, in order."""
        if self.topic and self.choices.proposer and self.choices.challenger:
            return ()
        unsaid = tuple(key for key in _ASKED if self.settings.origin(key).kind == "default")
        return unsaid if self.topic else ("topic", *unsaid)


def read_request(
    arguments: Sequence[str],
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    stdin: BinaryIO,
    *,
    literal: bool = False,
    topic_file: str | None = None,
    cwd: str | None = None,
) -> Request:
    """The request of `debate ARGUMENTS --flags`.

    `flags`: as `settings.load` takes them. `literal`: the arguments stood behind `--`. `topic_file` and `cwd` are the
    flags of these names. `stdin` is read only for `-`. UsageError says what is wrong; nothing was begun.
    """
    folder = project_folder(cwd)
    from_stdin = not literal and list(arguments[-1:]) == ["-"]
    file = standing(environ, folder)
    words = words_of(arguments[:-1] if from_stdin else arguments, literal=literal, own_tools=file.own_tools)
    topic = _topic(words, "-" if from_stdin else None, topic_file, folder, stdin)
    settings = load(environ, folder, words=words.choices(), flags=flags, file=file)
    return Request(topic, folder, settings, (*settings.warnings, *([words.hint] if words.hint else [])))


def _topic(words: Words, dash: str | None, topic_file: str | None, folder: Path, stdin: BinaryIO) -> str | None:
    """The topic from the one place that gives it."""
    given = [place for place in (words.topic, dash, topic_file) if place is not None]
    if len(given) > 1:
        raise UsageError(
            "The topic was given more than once.", "Give it as words, as --topic-file FILE or as -: one of these."
        )
    if words.topic is not None:
        return from_arguments(words.topic)
    source = dash or topic_file
    return None if source is None else read_topic(source, folder, stdin)
