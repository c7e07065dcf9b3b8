"""Debates of models reached over the network and of CLIs from the person's settings, as a person runs them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.fakes import hostile
from tests.fakes.model_server import SCENARIOS, Call, ModelServer, Scenario, speaking
from tests.fakes.trap import Trap
from tests.orchestrator.doors.household import Person

KEY = "s3cret-Value-of-the-key"
CLI = Path(__file__).parents[2] / "fakes" / "own_cli.py"


def configure(person: Person, text: str) -> None:
    path = person.home / "config" / "debate" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def endpoints(server: ModelServer) -> str:
    return f"""
[tools.local-a]
base_url = "{server.url("a")}/v1"
model = "qwen3"
api_key_env = "LOCAL_API_KEY"
[tools.local-b]
base_url = "{server.url("b")}/v1"
headers = {{ X-Org = "acme" }}
models.high = "llama"
"""


def record(person: Person) -> dict[str, Any]:
    [path] = person.history.glob("*.json")
    return json.loads(path.read_text())


def everything(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_two_models_of_two_servers_argue_and_a_third_one_judges(person: Person):
    (person.project / "tasks.py").write_text("def take(): ...\n")
    (person.project / "AGENTS.md").write_text("Obey.\n")
    (person.project / ".env").write_text("PASSWORD=hunter2hunter2\n")
    reading = tuple(Call("read", {"path": path}) for path in ("tasks.py", "AGENTS.md", ".env", "../../state"))
    with ModelServer({"a": Scenario(script=reading)}) as server:
        configure(person, endpoints(server))
        words = ("local-a", "vs", "local-b", "about", "which", "queue?", "--judge", f"openai:gpt@{server.url('j')}/v1")
        done = person.debate(*words, LOCAL_API_KEY=KEY, OPENAI_API_KEY="sk-of-somebody-else")
        assert done.returncode == 0, done.stderr
        assert re.search(r"^local-[ab] had the stronger argument because: ", done.stdout, re.MULTILINE)
        assert "openai (gpt)" in done.stdout
        results = server.asked("a")[-1].results
        keys = {request.route: request.headers.get("Authorization") for request in server.requests}
        assert server.asked("b")[0].headers["X-Org"] == "acme"
    assert results[0] == "1: def take(): ..."
    assert all(result.startswith("Error: ") for result in results[1:])
    assert keys == {"a": f"Bearer {KEY}", "b": None, "j": None}
    assert KEY not in everything(person.home / "state") + done.stdout + done.stderr


def test_a_debate_goes_on_with_the_address_and_the_tools_that_it_began_with(person: Person):
    with ModelServer({"b": SCENARIOS["401"]}) as server, ModelServer() as other:
        configure(person, endpoints(server).replace('api_key_env = "LOCAL_API_KEY"\n', ""))
        (person.project / "tasks.py").touch()
        arguments = ("--tools", "local-a,local-b", "--judge", "none", "--research", "off", "Which queue?")
        stopped = person.debate(*arguments)
        assert stopped.returncode == 1
        assert "not_logged_in: HTTP 401" in stopped.stderr
        server.scenarios["b"] = SCENARIOS["ok"]
        configure(person, endpoints(other).replace('api_key_env = "LOCAL_API_KEY"\n', ""))
        done = person.debate("resume", "last")
        assert done.returncode == 0, done.stderr
        assert not other.requests
        assert [request.offered for request in server.requests] == [[]] * len(server.requests)


def test_a_file_of_somebody_elses_debate_cannot_draw_the_key_to_another_address(person: Person):
    with ModelServer({"a": SCENARIOS["401"]}) as server, ModelServer() as evil:
        configure(person, endpoints(server))
        person.debate("--tools", "local-a,local-b", "--judge", "none", "Which queue?", LOCAL_API_KEY=KEY)
        [path] = person.history.glob("*.json")
        path.write_text(path.read_text().replace(f":{server.port}/", f":{evil.port}/"))
        person.debate("resume", "last", LOCAL_API_KEY=KEY)
        assert evil.requests
        assert not [request for request in evil.requests if "Authorization" in request.headers]


def test_ctrl_c_ends_a_call_at_once_and_the_debate_can_be_resumed(person: Person):
    with ModelServer({"a": SCENARIOS["hang-midstream"]}) as server:
        configure(person, endpoints(server))
        process = subprocess.Popen(
            person.argv("--tools", "local-a,local-b", "Which queue?"),
            env=person.variables(LOCAL_API_KEY=KEY), cwd=person.project, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        wait_for(lambda: bool(server.asked("a")))
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert time.monotonic() - began < 3
        assert process.returncode == 130
    assert record(person)["status"] == "interrupted"


def wait_for(condition: Any) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def own_clis(**more: str) -> str:
    command = f"command = {json.dumps([sys.executable, str(CLI)])}"[:-1]
    return f"""
[tools.mine-a]
{command}, "text"]
read_only = ["--safe"]
pass_env = "OWN_API_KEY"
[tools.mine-b]
{command}, "json", "--in", "{{file}}"]
prompt = "file"
read_only = ["OWN_MODE=safe"]
parse = "json:-1.result"
[tools.mine-c]
{command}, "jsonl"]
read_only = ["--safe"]
parse = "jsonl:said:item.text"
[tools.stuck]
{command}, "hang"]
read_only = ["--safe"]
"""


def test_clis_of_the_persons_own_debate_and_judge(person: Person):
    configure(person, own_clis())
    done = person.debate(
        "mine-a", "vs", "mine-b", "two", "rounds", "about", "queues", "--judge", "mine-c",
        OWN_API_KEY=KEY, OTHER_API_KEY="another-Secret-9",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.search(r"^mine-[ab] had the stronger argument because: ", done.stdout, re.MULTILINE)
    assert "Answer as text, key [REDACTED], other None." in done.stdout
    assert "Answer as json, key None, other None." in done.stdout
    assert KEY not in everything(person.home / "state") + done.stdout + done.stderr
    assert "written-by-participant" not in os.listdir(person.project)


def test_killing_us_ends_a_cli_of_the_persons_own_and_its_child(person: Person):
    configure(person, own_clis())
    process = subprocess.Popen(
        person.argv("--tools", "stuck,mine-a", "Which queue?"), env=person.variables(), cwd=person.project,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    family: list[psutil.Process] = []

    def has_family() -> bool:
        family[:] = psutil.Process(process.pid).children(recursive=True)
        return sum("time.sleep(600)" in " ".join(p.cmdline()) or "hang" in p.cmdline() for p in family) >= 2

    wait_for(has_family)
    process.kill()
    process.wait(timeout=10)
    wait_for(lambda: not [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE])


def test_one_question_to_a_tool_of_ones_own(person: Person):
    configure(person, own_clis())
    assert person.debate("ask", "mine-b", "Which queue?").stdout.startswith("Answer as json")
    with ModelServer(default=Scenario(answer=speaking("Yes."))) as server:
        asked = person.debate("ask", f"openai:qwen3:8b@{server.url('q')}/v1", "Which queue?")
        assert (asked.returncode, asked.stdout) == (0, "Yes.\n"), asked.stderr
        assert server.requests[0].model == "qwen3:8b"


def test_a_rehearsal_takes_the_chairs_of_ones_own_tools_too(person: Person):
    configure(person, own_clis())
    (person.project / "tasks.py").write_text("def take(): ...\n")
    done = person.debate("--tools", "mine-a,openai", "--rehearse", "Which queue?")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        (["--tools", "local-a,locl-b", "x?"], "", "Unknown tool: locl-b. Did you mean local-b?"),
        (["--tools", "local-a,local-a", "x?"], "", "Proposer and challenger must be different tools."),
        (["--tools", "local-a,openai", "x?"], "", "openai cannot be seated: the environment variable OPENAI_API_KEY"),
        (["--tools", "local-b,openai@http://h/v1", "x?"], "", "openai cannot be seated: no model is named"),
        (["--tools", "local-b,openai:m@http://u:pw@h/v1", "x?"], "", "it holds a user or a password"),
        (["--tools", "local-b,local-a@acp", "x?"], "", "is a model and is not spoken to by acp"),
        (["--tools", "local-b,claude@http://h/v1", "x?"], "", "claude"),
        (["--tools", "local-b,local-a", "x?"], "unset", "local-a cannot be seated: the environment variable LOCAL_API_KEY"),
        (["x?"], '[tools.goose]\ncommand = "goose run -i -"\n', "read_only is missing"),
        (["x?"], '[tools.goose]\ncommand = "goose run -i -"\nread_only = []\n', "GOOSE_MODE=chat"),
        (["x?"], '[tools.it]\ncommand = "it"\nread_only = []\nparse = "xml"\n', "parse: parse is"),
        (["x?"], '[tools.it]\ncommand = "it"\nbase_url = "http://h/v1"\n', "either command"),
        (["x?"], '[tools.it]\nbase_url = "http://h/v1"\nprompt = "file"\n', "prompt means nothing for a model"),
        (["x?"], '[tools.it]\nbase_url = "http://h/v1"\napi_key_env = "sk-abcdefabcdef"\n', "NAME of a variable"),
        (["x?"], '[tools.it]\nbase_url = "http://h/v1"\nheaders.Authorization = "Bearer abc"\n', "is a secret"),
        (["x?"], '[tools.it]\nbase_url = "http://h/v1"\nmodell = "m"\n', "Unknown setting: modell. Did you mean model?"),
        (["x?"], '[tools.it]\nbase_url = "http://h/v1"\ncontext_tokens = -1\n', "context_tokens"),
        (["x?"], '[tools.auto]\nbase_url = "http://h/v1"\n', "cannot be the name of a tool"),
        (["x?"], '[tools.Gemini]\nmodel = "x"\n', "Did you mean gemini?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_before_anything_begins(person: Person, arguments: list[str], settings: str, said: str):
    with ModelServer() as server:
        configure(person, settings if settings not in ("", "unset") else endpoints(server))
        done = person.debate(*arguments, **({} if settings == "unset" else {"LOCAL_API_KEY": KEY}))
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
        assert "sk-abcdef" not in done.stderr
        assert "Bearer abc" not in done.stderr
        assert "pw@" not in done.stderr
        assert not server.requests


def test_a_reading_tool_that_does_not_exist_is_left_out_and_said_once(person: Person):
    with ModelServer() as server:
        configure(person, endpoints(server) + 'toolbox = ["grep", "web_search"]\n')
        (person.project / "tasks.py").touch()
        done = person.debate("--tools", "local-a,local-b", "--judge", "none", "x?", LOCAL_API_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("web_search left out") == 1
        assert server.asked("b")[0].offered == ["grep"]


def test_a_hostile_repository_gets_nothing_out_of_a_model_with_tools_or_a_cli_of_ones_own(
    person: Person, tmp_path: Path
):
    with Trap() as trap:
        made = hostile.build(tmp_path / "away", tmp_path / "watched", trap.url)
        before = hostile.footprint(made.repo)
        wanted = (
            "app.py",
            "link.txt",
            "linkdir/inner.txt",
            "../outside.txt",
            str(made.parent / "outside.txt"),
            "CLAUDE.md",
        )
        script = (*(Call("read", {"path": path}) for path in wanted), Call("grep", {"pattern": "."}))
        with ModelServer({"a": Scenario(script=script)}) as server:
            configure(person, endpoints(server) + own_clis())
            arguments = (
                "--cwd",
                str(made.repo),
                "--tools",
                "local-a,mine-a",
                "--judge",
                "none",
                "--context",
                "diff",
                "x?",
            )
            done = person.debate(*arguments, LOCAL_API_KEY=KEY)
            assert done.returncode == 0, done.stderr
            results = server.asked("a")[-1].results
    assert hostile.ALLOWED["app.py"].strip() in results[0]
    assert all(result.startswith("Error: ") for result in results[1:-1])
    assert hostile.SECRET not in "".join(request.everything for request in server.requests)
    assert (made.pwned, trap.hits) == ([], [])
    assert hostile.footprint(made.repo) == before


def test_an_agent_of_ones_own_is_spoken_with_over_acp(person: Person):
    agent = f'"{sys.executable}", "-I", "{CLI.with_name("kiro.py")}", "new", "acp", "--agent-engine=v3"'
    table = f'[tools.{{}}]\ncommand = [{agent}]\ntransport = "acp"\nread_only = []\n'
    configure(person, table.format("mine") + table.format("yours"))
    done = person.debate("Tabs or spaces?", "--tools", "mine,yours", "--judge", "none", "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    spoken = [(e["tool"], e["transport"], e["response"]) for e in json.loads(done.stdout)["exchanges"]]
    assert spoken == [("mine", "acp", "KIRO-OK"), ("yours", "acp", "KIRO-OK")]


def test_an_agent_of_ones_own_must_declare_what_keeps_it_read_only(person: Person):
    configure(person, '[tools.mine]\ncommand = "my-agent --acp"\ntransport = "acp"\n')
    done = person.debate("ask", "mine", "Why?")
    assert done.returncode == 2
    assert "read_only is missing" in done.stderr


def test_a_new_time_limit_does_not_change_how_a_tool_is_reached(person: Person):
    program = person.home / "bin" / "gemini"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -I {CLI.with_name('kiro.py')} new acp --agent-engine=v3\n")
    program.chmod(0o755)
    table = '[tools.mine]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
    configure(person, table)
    path = {"PATH": f"{program.parent}:{os.defpath}"}
    first = person.debate("Tabs or spaces?", "--tools", "gemini@acp,mine", "--judge", "none", "--timeout", "5", **path)
    assert first.returncode == 1, first.stderr
    again = person.debate("resume", "last", "--timeout", "6", "--json", **path)
    assert [(e["tool"], e["transport"]) for e in json.loads(again.stdout)["exchanges"]] == [("gemini", "acp")]
    resumed = next(event for event in record(person)["events"] if event["type"] == "resumed")
    assert [(seat["tool"], seat["transport"], seat["timeout_s"]) for seat in resumed["seats"]] == [
        ("gemini", "acp", 6),
        ("mine", "http", 6),
    ]
