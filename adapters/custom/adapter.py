"""The adapter that a `[tools.NAME]` table with a `command` stands for: the user's words made a command and a reader.

`{file}` in the command is the prompt's file (`prompt = "file"`; without the word it comes last), `{model}` the model.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adapters import efforts
from adapters.custom.parse import Found, found, rule_of
from adapters.custom.rights import VARIABLE
from adapters.environment import child_environment
from adapters.failing import failure, judged
from adapters.outcome import Dialect, Said, envelope
from adapters.spec import Adapter, Ask, Command, Finished, Place
from state.failures import FailureKind as K
from state.models import Envelope, Failure

PROMPT = "prompt.md"
_PLAIN = Dialect(noise=re.compile(r"(?:error|fatal): (?=\S)", re.IGNORECASE))


def custom(name: str, options: Mapping[str, Any]) -> Adapter:
    """The adapter for this table, whose keys have been checked."""
    rule = rule_of(options.get("parse", "text"))

    def build(ask: Ask, place: Place) -> Command | Failure:
        words = _words(ask)
        if isinstance(words, Failure):
            return words
        as_file = ask.options.get("prompt") == "file"
        prompt = ask.prompt.encode("utf-8", "replace")
        return Command(
            argv=(str(place.program), *(_with_file(words, str(place.folder / PROMPT)) if as_file else words)),
            stdin=b"" if as_file else prompt,
            env=child_environment(adapter, place, ask.options) | _variables(ask.options),
            cwd=ask.view or place.folder / "cwd",
            files={PROMPT: prompt} if as_file else {},
        )

    def read(ask: Ask, finished: Finished) -> Envelope:
        answer = found(rule, finished.stdout)
        ended_well = finished.ended == "exit" and finished.exit_code == 0
        said = Said(
            text=answer.text,
            complete=ended_well and bool(answer.text),
            failure=_told(answer, finished, name, well=ended_well),
            structured=answer.read and rule.form != "text",
        )
        return envelope(ask, finished, said, _PLAIN)

    adapter = Adapter(
        name=name,
        executable=options["command"][0],
        install=f"(your own: command in [tools.{name}])",
        login=f"{options['command'][0]} (as its own documentation says)",
        build=build,
        read=read,
    )
    return adapter


def _told(answer: Found, finished: Finished, name: str, *, well: bool) -> Failure | None:
    """The failure that the output itself tells of."""
    if answer.error:
        return judged(answer.error, now=finished.ended_at)
    if well and answer.read and not answer.text:
        kind, what = (K.EMPTY, "only an empty text") if answer.held else (K.UNPARSABLE, "nothing")
        told = failure(kind, f"there is {what} where parse of [tools.{name}] says that the answer stands")
        return told.model_copy(update={"remedy": f"Mend parse in [tools.{name}]."})
    return None


def _words(ask: Ask) -> Sequence[str] | Failure:
    """The arguments, the read-only flags before the user's extra ones."""
    command = ask.options["command"][1:]
    flags = [word for word in ask.options.get("read_only", ()) if not VARIABLE.match(word)]
    words = [*command, *flags, *ask.options.get("extra_args", ())]
    model = efforts.model(ask)
    wanted = any("{model}" in word for word in words)
    if model and not wanted:
        told = f"{ask.seat.tool} takes no model: put {{model}} where it belongs in command of [tools.{ask.seat.tool}]"
        return failure(K.VENDOR_CONFIG, told)
    if wanted and not model:
        return failure(K.VENDOR_CONFIG, f"command of [tools.{ask.seat.tool}] has {{model}}, and no model is named")
    return [word.replace("{model}", model or "") for word in words]


def _with_file(words: Sequence[str], path: str) -> list[str]:
    filled = [word.replace("{file}", path) for word in words]
    return filled if filled != list(words) else [*filled, path]


def _variables(options: Mapping[str, Any]) -> dict[str, str]:
    entries = [word.partition("=") for word in options.get("read_only", ()) if VARIABLE.match(word)]
    return {name: value for name, _, value in entries}
