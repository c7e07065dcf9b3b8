"""How the scripted model behaves: a value, looked up by the first part of the request's path."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tests.fakes.model_server import ballot
from tests.fakes.model_server.talk import Call, Json, Refusal, Say

Fault = Literal["hang", "hang_midstream", "cut", "html", "garbage", "slow"]
Answer = Callable[[str], str]


def speaking(words: str = "PONG from the scripted model.", choose: ballot.Choose = ballot.first) -> Answer:
    """Says `words`, and to a prompt that carries a schema the ballot that it asks for."""

    def answer(prompt: str) -> str:
        schema = ballot.schema_in(prompt)
        return words if schema is None else json.dumps(ballot.instance(schema, choose))

    return answer


@dataclass(frozen=True)
class Scenario:
    """What the model does with each request.

    `script`: tool calls made one a request, before the answer. `refusal`: an HTTP error with these `headers`. `fault`:
    what goes wrong with a good answer; `slow` waits `pause_s` between events. `times`: after so many requests the fault
    or refusal is over (None: never).
    """

    answer: Answer = field(default_factory=speaking)
    script: tuple[Call, ...] = ()
    refusal: Refusal | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None
    pause_s: float = 0.3
    times: int | None = None

    def say(self, model: str, prompt: str, done: int, wanted: Json | None = None) -> Say:
        """The model's turn after `done` tool results; a request for structured output gets what it `wanted` at once."""
        if wanted is not None:
            return Say(model, text=json.dumps(ballot.instance(wanted)))
        if done < len(self.script):
            return Say(model, call=self.script[done], number=done)
        return Say(model, text=self.answer(prompt), number=done)

    def faulty(self, earlier: int) -> bool:
        """Whether the request after so many earlier ones still meets the fault or refusal."""
        return self.times is None or earlier < self.times


def refusing(status: int, message: str, *, quota: bool = False, retry_after: int | None = None) -> Scenario:
    """Every request gets this HTTP error; `retry_after` is in seconds."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Scenario(refusal=Refusal(status, message, quota=quota), headers=headers)


SCENARIOS: dict[str, Scenario] = {
    "ok": Scenario(),
    "last": Scenario(answer=speaking(choose=ballot.last)),
    "401": refusing(401, "The key is not valid."),
    "403": refusing(403, "The key may not do this."),
    "404": refusing(404, "This model does not exist or you have no access to it."),
    "429": refusing(429, "Too many requests.", retry_after=1),
    "429-long": refusing(429, "Too many requests.", retry_after=3600),
    "quota": refusing(429, "You exceeded your current quota.", quota=True),
    "500": refusing(500, "Internal server error"),
    "529": refusing(529, "Overloaded"),
    "hang": Scenario(fault="hang"),
    "hang-midstream": Scenario(fault="hang_midstream"),
    "cut": Scenario(fault="cut"),
    "html": Scenario(fault="html"),
    "garbage": Scenario(fault="garbage"),
    "slow": Scenario(fault="slow"),
    "empty": Scenario(answer=lambda _prompt: ""),
    "huge": Scenario(answer=lambda _prompt: "".join(f"Line {n} of a long answer.\n" for n in range(100_000))),
}
