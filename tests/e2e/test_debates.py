"""Whole debates of the real CLIs against scripted models, as a person runs them, in a repository that attacks whoever opens it."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.e2e.person import with_real_tools
from tests.e2e.test_crash import wait_until
from tests.fakes.hostile import MARK, SECRET, build, footprint
from tests.fakes.model_server import ModelServer, Scenario
from tests.fakes.model_server.ballot import Choose, first, last, schema_in
from tests.fakes.model_server.scenario import refusing, speaking
from tests.fakes.trap import Trap
from tests.vendors.cli import KEY

pytestmark = pytest.mark.vendors

TOPIC = "Postgres or Redis for the job queue? (@app.py, !touch x, 中文)"
NAMES = ("claude", "gemini", "codex", "opencode", "copilot")


def words(tool: str) -> str:
    """What the scripted model behind this tool says in every round; it names itself nowhere."""
    return f"Speech number {NAMES.index(tool)}: the queue fits, see app.py:1."


def test_no_name_of_a_vendor_stands_in_the_scripted_speeches() -> None:
    assert not [name for name in NAMES for tool in NAMES if name in words(tool)]


@pytest.mark.parametrize(
    ("seats", "choose"),
    [
        (("claude", "gemini", "copilot"), first),
        (("codex", "opencode", "claude"), last),
        (("claude", "gemini@acp", "copilot@acp"), first),
    ],
)
def test_two_argue_a_third_judges_and_the_repository_neither_acts_nor_changes(
    seats: tuple[str, str, str], choose: Choose, home: Path, models: ModelServer, trap: Trap, tmp_path: Path
) -> None:
    proposer, challenger, judge = tools = tuple(seat.partition("@")[0] for seat in seats)
    hostile = build(tmp_path / "outer", tmp_path / "watched", trap.url)
    person = with_real_tools(home, hostile.repo, models, tools)
    models.scenarios = {tool: Scenario(answer=speaking(words(tool), choose)) for tool in tools}
    before = footprint(hostile.parent)
    done = person.debate(TOPIC, "--proposer", seats[0], "--challenger", seats[1], "--judge", seats[2], "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert [(e["round"], e["tool"], e["response"]) for e in record["exchanges"]] == [
        (number, tool, words(tool)) for number in (1, 2) for tool in (proposer, challenger)
    ]
    assert [e["transport"] for e in record["exchanges"]][:2] == [seat.partition("@")[2] or "cli" for seat in seats[:2]]
    assert record["verdict"]["winner"] in (proposer, challenger)
    assert [vote["judge"] for vote in record["verdict"]["votes"]] == [judge]
    assert record == person.record()
    assert json.loads(person.debate("show", "--format", "json").stdout) == record
    _asked_rightly(models, proposer, challenger, judge)
    assert (hostile.pwned, footprint(hostile.parent) == before, trap.hits) == ([], True, [])
    assert person.left_running() == []
    for request in models.requests:
        assert not [mark for mark in (MARK, SECRET, KEY) if mark in request.everything]


def _asked_rightly(models: ModelServer, proposer: str, challenger: str, judge: str) -> None:
    """What each model was given: the topic, the other side's words from the round in which they exist, and no names to the judge."""
    first_asked, *_, last_asked = models.asked(proposer)
    assert words(challenger) not in first_asked.prompt
    assert words(challenger) in last_asked.prompt
    assert all(words(proposer) in request.prompt for request in models.asked(challenger))
    [judging] = [request for request in models.asked(judge) if schema_in(request.prompt)]
    assert all(judging.prompt.count(words(tool)) == 2 for tool in (proposer, challenger))
    for request in (first_asked, last_asked, judging):
        assert "Postgres or Redis for the job queue?" in request.prompt
        assert "touch x, 中文" in request.prompt
    asked = judging.prompt.partition("How to judge")[2]
    assert not [name for name in (proposer, challenger) if name in asked.lower()]


def test_a_side_that_is_not_logged_in_ends_the_debate_and_a_resume_asks_only_what_is_missing(
    home: Path, models: ModelServer, tmp_path: Path
) -> None:
    person = with_real_tools(home, tmp_path, models, ("claude", "gemini"))
    models.scenarios = {tool: Scenario(answer=speaking(words(tool))) for tool in ("claude", "gemini")}
    models.scenarios["gemini"] = refusing(401, "The key is not valid.")
    done = person.debate("Tabs or spaces?", "--tools", "claude,gemini", "--rounds", "1")
    assert done.returncode == 1
    assert "[WARN] challenger (gemini) failed in round 1: not_logged_in: " in done.stderr
    assert "[WARN] Challenger failed. Showing proposer's uncontested position." in done.stderr
    assert words("claude") in done.stdout
    assert "Resume with: debate resume debate-" in done.stderr
    spoken = len(models.asked("claude"))
    models.scenarios["gemini"] = Scenario(answer=speaking(words("gemini")))
    again = person.debate("resume", "last", "--json")
    assert again.returncode == 0, again.stderr
    record = json.loads(again.stdout)
    assert (record["status"], [e["tool"] for e in record["exchanges"]]) == ("completed", ["claude", "gemini"])
    assert not [r for r in models.asked("claude")[spoken:] if not schema_in(r.prompt)], "a finished call was repeated"


def test_a_quota_in_round_two_stops_unjudged_and_names_the_words_of_the_vendor(
    home: Path, models: ModelServer, tmp_path: Path
) -> None:
    person = with_real_tools(home, tmp_path, models, ("claude", "codex"))

    def last_words(_prompt: str) -> str:
        models.scenarios["codex"] = refusing(429, "You exceeded your current quota.", quota=True)
        return words("codex")

    models.scenarios = {"claude": Scenario(answer=speaking(words("claude"))), "codex": Scenario(answer=last_words)}
    done = person.debate("Tabs or spaces?", "--tools", "codex,claude", "--timeout", "30")
    record = person.record()
    assert (done.returncode, record["status"], record["verdict"]) == (1, "partial", None)
    assert [(f["kind"], f["round"], f["seat"]) for f in record["failures"]] == [("quota", 2, "proposer")]
    assert f"failed in round 2: quota: {record['failures'][0]['message']}" in done.stderr
    assert "**Failed**: proposer (codex), round 2" in done.stdout


def test_a_broken_ballot_is_asked_for_once_more(home: Path, models: ModelServer, tmp_path: Path) -> None:
    person = with_real_tools(home, tmp_path, models, ("claude", "copilot", "codex"))
    ballots: list[str] = []

    def hasty(prompt: str) -> str:
        ballots.append(prompt)
        return "I think they both have merit." if len(ballots) == 1 else speaking()(prompt)

    models.scenarios = {tool: Scenario(answer=speaking(words(tool))) for tool in ("claude", "copilot")}
    models.scenarios["codex"] = Scenario(answer=hasty)
    done = person.debate("Tabs or spaces?", "--tools", "claude,copilot", "--judge", "codex", "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert len(ballots) == 2
    assert "both have merit" in ballots[1]


def test_tools_that_keep_their_sessions_are_told_only_what_is_new(
    home: Path, models: ModelServer, tmp_path: Path
) -> None:
    person = with_real_tools(home, tmp_path / "project", models, ("claude", "codex"))
    person.project.mkdir()
    models.scenarios = {tool: Scenario(answer=speaking(words(tool))) for tool in ("claude", "codex")}
    seats = ("--tools", "claude,codex", "--judge", "none", "--sessions", "continue")
    done = person.debate("Tabs or spaces?", *seats, "--json")
    assert done.returncode == 0, done.stderr
    assert [e["response"] for e in json.loads(done.stdout)["exchanges"]] == [words(t) for t in ("claude", "codex")] * 2
    for tool in ("claude", "codex"):
        everything = models.asked(tool)[-1].everything
        assert everything.count("You are one of two sides") == 1
        assert everything.count("The debate goes on.") == 1
    assert (person.left_running(), list(home.rglob("session-*"))) == ([], [])


@pytest.mark.parametrize(
    ("tool", "number"),
    [("gemini", signal.SIGKILL), ("opencode", signal.SIGKILL), ("copilot", signal.SIGKILL), ("gemini", signal.SIGINT)],
)
def test_an_agent_that_hangs_over_acp_is_gone_when_we_are(
    tool: str, number: signal.Signals, home: Path, models: ModelServer, tmp_path: Path
) -> None:
    person = with_real_tools(home, tmp_path / "project", models, (tool, "claude"))
    person.project.mkdir()
    models.scenarios[tool] = Scenario(fault="hang")
    debate = person.begins("Tabs or spaces?", "--tools", f"{tool}@acp,claude", "--judge", "none")
    wait_until(lambda: bool(models.asked(tool)), seconds=40)
    os.kill(debate.pid, number)
    debate.communicate(timeout=20)
    wait_until(lambda: person.left_running() == [], seconds=5)
    assert debate.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)


@pytest.mark.parametrize("tool", NAMES)
def test_one_question_to_one_tool(tool: str, home: Path, models: ModelServer, tmp_path: Path) -> None:
    person = with_real_tools(home, tmp_path, models, (tool,))
    models.scenarios[tool] = Scenario(answer=speaking(words(tool)))
    done = person.debate("ask", tool, "How long is the queue?", "--json")
    assert done.returncode == 0, done.stderr
    envelope = json.loads(done.stdout)
    assert (envelope["tool"], envelope["response"], envelope["failure"]) == (tool, words(tool), None)
    assert person.left_running() == []
