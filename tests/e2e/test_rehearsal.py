"""The rehearsal as a newcomer runs it: a whole debate offline, true citations, and each trouble on request."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.person import Person

QUESTION = "Postgres or Redis for the job queue?"
FOR_POSTGRES = {
    "jobs/queue.py": "import psycopg\n\nTAKE = 'SELECT id FROM jobs FOR UPDATE SKIP LOCKED'  # Postgres is the job queue\n",
    "requirements.txt": "psycopg==3.2.1\n",
}
FOR_REDIS = {
    "worker.py": "import redis\n\nqueue = redis.Redis().brpop('jobs')  # the job queue is Redis\n",
    "compose.yml": "services:\n  queue:\n    image: redis:7\n",
}
CHINESE = {
    "任务.py": "# 任务队列使用 Postgres\n数据库 = 'postgres'\n",
    "说明.md": "我们曾经用 Redis 做任务队列,后来放弃了。\n",
}
CITATION = re.compile(r'\[E\d+\] (\S+?):(\d+) "([^"]+)"')


def person(folder: Path, files: dict[str, str]) -> Person:
    """Someone without any vendor's CLI, in a project of these files."""
    project = folder / "project"
    for name, text in {"": "", **files}.items():
        path = project / name
        if name:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        else:
            path.mkdir(parents=True)
    (folder / "home").mkdir()
    return Person(folder / "home", project)


def rehearsed(folder: Path, files: dict[str, str], topic: str = QUESTION) -> dict[str, Any]:
    done = person(folder, files).debate("--rehearse", topic, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def said(record: dict[str, Any]) -> list[str]:
    return [exchange["response"] for exchange in record["exchanges"]]


@pytest.mark.parametrize(
    ("files", "topic"),
    [(FOR_POSTGRES, QUESTION), (FOR_POSTGRES | FOR_REDIS, QUESTION), (CHINESE, "任务队列用 Postgres 还是 Redis？")],
)
def test_every_citation_is_true(files: dict[str, str], topic: str, tmp_path: Path) -> None:
    record = rehearsed(tmp_path, files, topic)
    cited = [citation for speech in said(record) for citation in CITATION.findall(speech)]
    assert cited
    for name, number, quote in cited:
        assert quote in files[name].splitlines()[int(number) - 1]


def test_the_verdict_follows_the_evidence(tmp_path: Path) -> None:
    for name, files in (("Postgres", FOR_POSTGRES), ("Redis", FOR_REDIS)):
        assert rehearsed(tmp_path / name, files)["verdict"]["recommendation"].startswith(f"Choose {name}:")


def test_the_same_question_in_the_same_project_is_answered_the_same(tmp_path: Path) -> None:
    first, second = (rehearsed(tmp_path / name, FOR_POSTGRES | FOR_REDIS) for name in ("a", "b"))
    assert said(first) == said(second)
    assert first["verdict"]["winner"] == second["verdict"]["winner"]


def test_an_empty_project_is_no_error(tmp_path: Path) -> None:
    assert len(said(rehearsed(tmp_path, {}, "Tabs or spaces?"))) == 4


def test_every_output_says_that_no_model_was_asked(tmp_path: Path) -> None:
    someone = person(tmp_path, FOR_POSTGRES)
    text = someone.debate("--rehearse", QUESTION, "--report", "report.md")
    assert "No model was asked" in text.stdout
    assert "No model was asked" in (someone.project / "report.md").read_text()
    assert "No model was asked" in someone.debate("show").stdout
    assert someone.record()["rehearsal"] is True
    opened = json.loads(someone.debate("--rehearse", QUESTION, "--events").stdout.splitlines()[0])
    assert opened["rehearsal"] == "plain"


@pytest.mark.parametrize(
    ("scenario", "code", "status", "kinds"),
    [
        ("hang", 1, "partial", {"timed_out"}),
        ("garbage", 1, "partial", {"unparsable"}),
        ("quota", 1, "partial", {"quota"}),
        ("crash", 3, "partial", {"crashed"}),
        ("empty", 1, "partial", {"empty"}),
        ("judge-split", 0, "completed", set()),
    ],
)
def test_each_scenario_shows_its_trouble(
    scenario: str, code: int, status: str, kinds: set[str], tmp_path: Path
) -> None:
    someone = person(tmp_path, FOR_POSTGRES | FOR_REDIS)
    done = someone.debate(f"--rehearse={scenario}", QUESTION, "--timeout", "2")
    record = someone.record()
    assert (done.returncode, record["status"]) == (code, status), done.stderr
    assert {failure["kind"] for failure in record["failures"]} == kinds
    if kinds:
        assert done.stdout.index("**Failed**") < done.stdout.index("### Verdict")
        assert "Resume with: debate resume " in done.stderr
    else:
        assert {vote["winner"] for vote in record["verdict"]["votes"]} == {"claude", "gemini"}
        assert (record["verdict"]["winner"], record["verdict"]["confidence"]) == ("gemini", "low")
    assert (someone.left_running(), someone.left_lying()) == ([], [])
