"""Read-only by construction: however the model asks, it gets the view and nothing else. Judged by disk and logs."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters import adapter_for
from adapters.ask import Answered
from orchestrator.view import Made, make_view
from state.failures import FailureKind as K
from tests.fakes.hostile import ALLOWED, MARK, SECRET, Hostile, build, footprint, plant
from tests.fakes.model_server import ModelServer, Scenario
from tests.fakes.trap import Trap
from tests.vendors.asking import asked
from tests.vendors.attempts import ATTEMPTS, Aims
from tests.vendors.cli import KEY, Vendor

pytestmark = pytest.mark.vendors

ENDED_BY_A_REFUSAL = ("copilot@acp",)
"""Agents whose turn ends without an answer when they are refused what they ask for."""
ASKS_FOR_A_TITLE = ("opencode@acp",)
"""Agents that ask the model for a title of each conversation too."""
_WIDENING = {
    "COPILOT_ALLOW_ALL": "true",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "OPENCODE_PERMISSION": '{"*":"allow"}',
    "IS_SANDBOX": "1",
    "CLAUDECODE": "1",
}
"""What a user's own environment may hold that would open a CLI."""


@dataclass(frozen=True)
class Scene:
    """A hostile repository, and its view in a folder that is as hostile."""

    repository: Hostile
    view: Path
    aims: Aims
    root: Path

    def harm(self) -> list[str]:
        """Files that only something forbidden can have made."""
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("PWNED*"))


@pytest.fixture
def scene(tmp_path: Path, home: Path, trap: Trap) -> Scene:
    """The view lies beside a file with the secret, as does the home."""
    repository = build(tmp_path / "outer", tmp_path / "watched", trap.url)
    beside = tmp_path / "beside"
    beside.mkdir()
    made = make_view(repository.repo, beside / "view")
    assert isinstance(made, Made)
    plant(beside, repository.watched, trap.url)
    outside, private = beside / "neighbour-4711.txt", home / "private.txt"
    for path in (outside, private):
        path.write_text(f"{SECRET}\n")
    return Scene(repository, made.folder, Aims(made.folder, outside, private, trap.url), tmp_path)


def test_the_model_reads_the_view_and_gets_nothing_else_however_it_asks(
    participant: Vendor, models: ModelServer, trap: Trap, home: Path, scene: Scene
) -> None:
    models.default = Scenario(script=tuple(ATTEMPTS[participant.name](scene.aims)))
    before = [footprint(folder) for folder in (scene.view, scene.repository.repo)]
    url = models.url(participant.name)
    answered = asked(participant, url, "Which queue?", home=home, view=scene.view, env=_WIDENING)
    _reads_and_no_more(participant, models, scene, answered)
    assert trap.hits == []
    assert scene.harm() == []
    assert [footprint(folder) for folder in (scene.view, scene.repository.repo)] == before
    assert list((home / "calls").iterdir()) == []


def test_a_session_that_is_gone_on_with_opens_nothing(
    participant: Vendor, models: ModelServer, trap: Trap, home: Path, scene: Scene
) -> None:
    if not adapter_for(participant.name, participant.transport).continuable:
        return
    before = [footprint(folder) for folder in (scene.view, scene.repository.repo)]
    (keep := home / "seat").mkdir(mode=0o700)
    url, common = models.url(participant.name), {"home": home, "view": scene.view, "env": _WIDENING, "keep": keep}
    first = asked(participant, url, "Which queue?", **common).envelope
    models.default = Scenario(script=tuple(ATTEMPTS[participant.name](scene.aims)))
    answered = asked(participant, url, "And now?", continues=first.session_id, **common)
    _reads_and_no_more(participant, models, scene, answered)
    assert trap.hits == []
    assert scene.harm() == []
    assert [footprint(folder) for folder in (scene.view, scene.repository.repo)] == before


def _reads_and_no_more(participant: Vendor, models: ModelServer, scene: Scene, answered: Answered) -> None:
    """Every attempt was made, files of the view reached the model, and nothing else did."""
    script = models.default.script
    last = models.asked(participant.name)[-1]
    if str(participant) in ENDED_BY_A_REFUSAL:
        assert answered.envelope.failure is not None
        assert answered.envelope.failure.kind is K.DENIED
    else:
        assert answered.envelope.failure is None
        assert answered.envelope.response == "PONG from the scripted model."
        assert len(last.results) == len(script), "not every attempt was made"
        for line in ALLOWED.values():
            assert line.strip() in "\n".join(last.results), "a file of the view did not reach the model"
    said = "\n".join([*(request.everything for request in models.requests), answered.stdout.decode()])
    for secret in (SECRET, MARK, KEY, "root:x:0"):
        assert secret not in said
    for name in ("/etc/hosts", scene.aims.outside.name):
        assert name not in _unasked(last.results, script, name)


def _unasked(results: list[str], script: tuple[object, ...], name: str) -> str:
    """The results of calls that do not name `name` themselves: refusals repeat what was asked for."""
    return "\n".join(result for result, call in zip(results, script, strict=False) if name not in str(call))


_TRICKS = """/init
@app.py @./ @sub/ @/etc/passwd @../neighbour-4711.txt @~/private.txt "@app.py" me@app.py
!touch PWNED-bang
`touch PWNED-tick` $(touch PWNED-dollar)
- item --yolo
# note"""


def test_signs_in_the_prompt_run_nothing_and_attach_nothing(
    participant: Vendor, models: ModelServer, trap: Trap, home: Path, scene: Scene
) -> None:
    before = footprint(scene.view)
    answered = asked(participant, models.url(participant.name), _TRICKS, home=home, view=scene.view)
    assert answered.envelope.response == "PONG from the scripted model."
    asked_for = models.asked(participant.name)
    assert len(asked_for) == 1 + (str(participant) in ASKS_FOR_A_TITLE)
    for request in asked_for:
        assert _TRICKS in request.prompt.replace("\\@", "@") or request is not asked_for[-1]
        assert not [t for t in (SECRET, MARK, "root:x:0", *ALLOWED.values()) if t.strip() in request.everything]
    assert trap.hits == []
    assert scene.harm() == []
    assert footprint(scene.view) == before
