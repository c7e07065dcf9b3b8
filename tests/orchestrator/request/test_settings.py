import os
from pathlib import Path

import pytest

from orchestrator.request.settings import Settings, config_path, load
from orchestrator.usage import UsageError


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home" / ".config" / "debate").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path / "project"


def write(home: Path, text: str, encoding: str = "utf-8") -> Path:
    path = home / ".config" / "debate" / "config.toml"
    path.write_text(text, encoding)
    return path


def read(home: Path, project: Path, environ=None, **said) -> Settings:
    return load({"HOME": str(home)} | (environ or {}), project, **said)


def refusal(home: Path, project: Path, text: str) -> str:
    write(home, text)
    with pytest.raises(UsageError) as caught:
        read(home, project)
    return str(caught.value)


def test_without_a_file_the_programs_defaults_hold(home, project):
    settings = read(home, project)
    assert (settings.choices.rounds, settings.choices.effort, settings.choices.judge) == (2, "high", "auto")
    assert str(settings.origin("rounds")) == "default"
    assert settings.warnings == ()


def test_each_layer_beats_the_one_below(home, project):
    path = write(home, 'rounds = 3\neffort = "low"\njudge = "none"\ntimeout = 10\nproposer = "copilot"\n')
    settings = read(
        home,
        project,
        {"DEBATE_EFFORT": "medium", "DEBATE_JUDGE": "codex", "DEBATE_TIMEOUT": "20"},
        words={"proposer": "codex", "challenger": "gemini"},
        flags={"judge": "auto", "challenger": "claude", "rounds": None, "judge_anyway": False, "view": ()},
    )
    told = {key: (value, str(origin)) for key, value, origin in settings.rows()}
    assert told["rounds"] == (3, str(path))
    assert told["effort"] == ("medium", "DEBATE_EFFORT")
    assert told["timeout"] == (20.0, "DEBATE_TIMEOUT")
    assert told["proposer"] == ("codex", "words")
    assert told["challenger"] == ("claude", "--challenger")
    assert told["judge"] == ("auto", "--judge")
    assert told["context"] == ((), "default")


def test_tools_is_both_seats_and_a_single_seat_wins_over_it(home, project):
    settings = read(
        home, project, {"DEBATE_TOOLS": "codex, gemini"}, flags={"tools": "claude,copilot:x@high", "proposer": "codex"}
    )
    assert (settings.choices.proposer, settings.choices.challenger) == ("codex", "copilot:x@high")


@pytest.mark.parametrize("value", ["claude", "a,b,c", "claude,", ""])
def test_tools_takes_exactly_two(home, project, value):
    with pytest.raises(UsageError, match="--tools takes two tools"):
        read(home, project, flags={"tools": value})


def test_a_standing_seat_gives_way_when_the_command_seats_its_tool_in_the_other_chair(home, project):
    write(home, 'proposer = "claude:opus"\nchallenger = "gemini"\n')
    settings = read(home, project, flags={"challenger": "claude"})
    assert (settings.choices.proposer, settings.choices.challenger) == (None, "claude")
    assert settings.origin("proposer").kind == "default"


def test_tool_tables_are_read_and_shown_with_their_origin(home, project):
    path = write(
        home,
        '[tools.opencode]\ncommand = "/opt/oc"\nextra_args = ["--x"]\npass_env = "FAKE_*"\nmodels.low = "a/b"\n'
        "[tools.opencode.config.provider.local]\nnpm = 'x'\n[tools.codex]\ntimeout = 5\nmodel = ''\n",
    )
    settings = read(home, project)
    assert settings.tool("opencode").options() == {
        "command": "/opt/oc",
        "extra_args": ("--x",),
        "pass_env": ("FAKE_*",),
        "models": {"low": "a/b"},
        "config": {"provider": {"local": {"npm": "x"}}},
    }
    assert settings.tool("codex").timeout == 5
    assert settings.tool("claude").options() == {}
    assert str(settings.origin("tools.opencode.models.low")) == str(path)
    assert ("tools.codex.timeout", 5, settings.origin("tools.codex.timeout")) in list(settings.rows())


def test_several_contexts_and_flags_of_any_kind_come_from_variables(home, project):
    both = os.pathsep.join(("diff", "file=a b.md"))
    choices = read(
        home, project, {"DEBATE_CONTEXT": both, "DEBATE_JSON": "1", "DEBATE_QUIET": "no", "DEBATE_VIEW": ""}
    ).choices
    assert (choices.context, choices.as_json, choices.quiet, choices.view) == (("diff", "file=a b.md"), True, False, ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n\nrounds = 9\n", "Rounds must be 1-5. Got: 9 ({}, line 3: rounds)"),
        ("rounds = '3'\n", 'Rounds must be 1-5. Got: "3" ({}, line 1: rounds)'),
        ("rounds = true\n", "Rounds must be 1-5. Got: True ({}, line 1: rounds)"),
        ("effort = 'hihg'\n", "Effort must be low, medium, high or max. Got: hihg ({}, line 1: effort)"),
        ("timeout = inf\n", "A timeout is a number of seconds above 0. Got: inf ({}, line 1: timeout)"),
        (
            "context = ['diff', 'fil=x']\n",
            "Context must be none, diff or file=PATH. Got: fil=x ({}, line 1: context.1)",
        ),
        ("ruonds = 3\n", "Unknown setting: ruonds. Did you mean rounds? ({}, line 1: ruonds)"),
        ("[tools.cluade]\n", "Unknown setting: cluade. Did you mean claude? ({}, line 1: tools.cluade)"),
        (
            "[tools.claude]\n# x\nmodle = 'x'\n",
            "Unknown setting: modle. Did you mean model? ({}, line 3: tools.claude.modle)",
        ),
        ("[tools.claude.models]\nhi = 'x'\n", "({}, line 2: tools.claude.models.hi)"),
        ("tools.gemini.timeout = -1\n", "Got: -1 ({}, line 1: tools.gemini.timeout)"),
        ("[tools.codex]\npass_env = ['A', 'B=1']\n", "Got: B=1 ({}, line 2: tools.codex.pass_env.1)"),
        ('[tools.codex]\nextra_args = ["a\\u0000b"]\n', "tools.codex.extra_args.0"),
        ("[tools.claude]\nconfig = {{}}\n", "Unknown setting: config. Known here: command, extra_args"),
        ("[tools.opencode.config]\nplugin = ['x']\n", "Unknown setting: plugin."),
        ("rounds = \n", "not valid TOML: {}: Invalid value (at line 1, column 10)"),
    ],
)
def test_a_wrong_setting_is_named_with_file_line_and_key(home, project, text, said):
    path = home / ".config" / "debate" / "config.toml"
    assert said.format(path) in refusal(home, project, text.format())


def test_a_file_that_is_not_utf_8_or_cannot_be_read_is_named(home, project):
    path = write(home, "rounds = 3 # caf\xe9\n", "latin-1")
    with pytest.raises(UsageError, match="not UTF-8 text at byte 16"):
        read(home, project)
    path.unlink()
    path.mkdir()
    with pytest.raises(UsageError, match="cannot be read"):
        read(home, project)


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(home, project):
    write(home, "\ufeffrounds = 4\r\n[tools.codex]\r\nmodel = 'x'\r\n")
    assert read(home, project).choices.rounds == 4


def test_a_wrong_variable_or_flag_is_said_plainly(home, project):
    with pytest.raises(UsageError, match=r"Rounds must be 1-5. Got: many \(DEBATE_ROUNDS\)"):
        read(home, project, {"DEBATE_ROUNDS": "many"})
    with pytest.raises(UsageError) as caught:
        read(home, project, flags={"rounds": "7"})
    assert caught.value.lines == ("Rounds must be 1-5. Got: 7",)
    with pytest.raises(UsageError, match="Got: 0"):
        read(home, project, flags={"rounds": 0})


def test_a_misspelt_variable_is_pointed_out(home, project):
    settings = read(home, project, {"DEBATE_ROUDNS": "3", "DEBATE_PARTICIPANT": "1", "DEBATE_XYZZY": "1"})
    assert settings.warnings == ("Variable DEBATE_ROUDNS is not known. Did you mean DEBATE_ROUNDS?",)


def test_a_relative_config_home_is_ignored(home):
    assert config_path({"HOME": str(home), "XDG_CONFIG_HOME": "."}) == home / ".config" / "debate" / "config.toml"
    assert config_path({"XDG_CONFIG_HOME": "/x"}) == Path("/x/debate/config.toml")
    assert config_path({}) is None


@pytest.mark.parametrize(
    "place", ["debate/config.toml", ".config/debate/config.toml", "config.toml", "debate.toml", ".debate.toml"]
)
def test_nothing_in_the_project_is_a_settings_file(home, project, place, monkeypatch):
    (project / place).parent.mkdir(parents=True, exist_ok=True)
    (project / place).write_text("rounds = 5\n")
    monkeypatch.chdir(project)
    assert read(home, project, {"XDG_CONFIG_HOME": ".config"}).choices.rounds == 2


def test_a_settings_file_that_belongs_to_the_repository_is_not_read(home, project):
    (project / "debate").mkdir()
    (project / "debate" / "config.toml").write_text("rounds = 5\n")
    settings = read(home, project / "debate", {"XDG_CONFIG_HOME": str(project)})
    assert settings.choices.rounds == 2
    assert "belongs to the repository under debate" in settings.warnings[0]


def test_a_link_into_the_repository_is_not_followed(home, project):
    (project / "c.toml").write_text("rounds = 5\n")
    (home / ".config" / "debate" / "config.toml").symlink_to(project / "c.toml")
    assert read(home, project).choices.rounds == 2


def test_a_home_that_is_a_repository_keeps_its_settings(home):
    (home / ".git").mkdir()
    write(home, "rounds = 5\n")
    assert read(home, home).choices.rounds == 5
