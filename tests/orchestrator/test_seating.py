import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.request.request import read_request
from orchestrator.seating import NO_MODEL, TOOLS, SeatText, Vendors, normal_model, parse_seat, seat_table
from orchestrator.usage import UsageError
from state.models import Failure

INSTALL = {tool: f"install-{tool}" for tool in TOOLS}


def default_timeout(tool, effort):
    return 420 if tool == "codex" and effort in ("high", "max") else 240


def vendors(*present, broken=(), **more):
    problems = {
        tool: Failure(kind="not_runnable", message=f"/bin/{tool} is a folder")
        if tool in broken
        else Failure(kind="not_installed", message=f"looked for {tool} in 3 folders of PATH")
        for tool in TOOLS
        if tool not in present
    }
    return Vendors(problems, INSTALL, default_timeout, **more)


ALL = vendors(*TOOLS)


@pytest.fixture
def seat(tmp_path):
    def seat(them=ALL, config="", environ=None, **flags):
        path = tmp_path / "debate" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(config)
        environ = {"XDG_CONFIG_HOME": str(tmp_path)} | (environ or {})
        return seat_table(read_request(["T"], flags, environ, io.BytesIO()), them)

    return seat


def tools(table):
    return tuple(s.tool for s in table.seats)


def panels(table):
    return [[(s.role, s.tool) for s in panel] for panel in table.panels]


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        ("claude", SeatText("claude")),
        (" Claude ", SeatText("claude")),
        ("claude:opus", SeatText("claude", "opus")),
        ("claude:opus@high", SeatText("claude", "opus", effort="high")),
        ("claude@max", SeatText("claude", effort="max")),
        ("gemini@acp", SeatText("gemini", transport="acp")),
        ("gemini:x@cli", SeatText("gemini", "x", transport="cli")),
        ("opencode:qwen3:8b", SeatText("opencode", "qwen3:8b")),
        ("opencode:ollama/qwen3:8b@low", SeatText("opencode", "ollama/qwen3:8b", effort="low")),
        ("claude:claude-x@20250514", SeatText("claude", "claude-x@20250514")),
        ("claude:claude-x@20250514@high", SeatText("claude", "claude-x@20250514", effort="high")),
        ("claude:opus@high@acp", SeatText("claude", "opus@high", transport="acp")),
        ("claude:opus@HIGH", SeatText("claude", "opus@HIGH")),
        ("codex:m@http://127.0.0.1:8080/v1", SeatText("codex", "m", url="http://127.0.0.1:8080/v1")),
        ("codex@https://h", SeatText("codex", url="https://h")),
        ("claude:", SeatText("claude", NO_MODEL)),
        ("claude:@low", SeatText("claude", NO_MODEL, effort="low")),
        ("claude:auto", SeatText("claude", NO_MODEL)),
        ("claude:OMIT", SeatText("claude", NO_MODEL)),
        ("claude:default", SeatText("claude", NO_MODEL)),
    ],
)
def test_a_seat_is_tool_model_and_qualifier(text, seat):
    assert parse_seat(text) == seat


MODELS = st.text("abc0:@/.-_", min_size=1, max_size=12).filter(lambda m: m[0] != "-" and normal_model(m) == m)
WORDS = st.sampled_from(["", "cli", "acp", "low", "medium", "high", "max", "http://h:1/v1", "https://h/?a@b"])


@given(st.sampled_from(TOOLS), MODELS, WORDS)
def test_what_is_written_as_a_seat_is_read_back(tool, model, word):
    seat = parse_seat(f"{tool}:{model}@{word}" if word else f"{tool}:{model}@x")
    assert seat.tool == tool
    assert seat.model == (model if word else f"{model}@x")
    assert {seat.effort, seat.transport, seat.url} == ({None, word} if word else {None})


@given(st.text())
def test_any_words_are_a_seat_or_refused(text):
    try:
        tool = parse_seat(text).tool
    except UsageError:
        return
    assert tool in TOOLS


@pytest.mark.parametrize("text", ["", ":opus", "@high", "gpt", "claude@foo", "cursor:x"])
def test_an_unknown_tool_is_refused_with_the_allowed_ones(text):
    with pytest.raises(UsageError, match="Choose claude, codex, gemini, opencode, copilot or kiro"):
        parse_seat(text)


def test_a_slip_is_answered_with_the_nearest_tool():
    with pytest.raises(UsageError, match=r"Unknown tool: cluade\. Did you mean claude\?"):
        parse_seat("cluade:opus")


@pytest.mark.parametrize("model", ["-x", "--yolo", "a b", "a\nb", "a\0b", "\x1b[31m"])
def test_a_model_that_a_program_could_take_for_something_else_is_refused(model):
    with pytest.raises(UsageError, match="A model has no blanks"):
        parse_seat(f"claude:{model}")


def test_empty_chairs_are_filled_in_the_default_order(seat):
    assert tools(seat()) == ("claude", "codex")
    assert tools(seat(vendors("copilot", "gemini"))) == ("gemini", "copilot")
    assert tools(seat(proposer="codex")) == ("codex", "claude")
    assert tools(seat(challenger="claude")) == ("codex", "claude")
    assert seat().notes == (
        "claude was chosen as proposer; name another with --proposer TOOL.",
        "codex was chosen as challenger; name another with --challenger TOOL.",
    )


def test_a_tool_that_is_not_ready_is_not_chosen_and_not_seated_without_a_model(seat):
    them = vendors("opencode", "claude", "copilot", unready=lambda t: "add a model" if t == "opencode" else None)
    table = seat(them)
    assert tools(table) == ("claude", "copilot")
    assert panels(table) == [[("judge-1", "claude"), ("judge-2", "copilot")]]
    for text in ("opencode", "opencode:default"):
        with pytest.raises(UsageError, match="opencode cannot be seated: add a model"):
            seat(them, proposer=text)
    assert tools(seat(them, proposer="opencode:a/b")) == ("opencode", "claude")
    assert tools(seat(them, proposer="opencode", model_proposer="a/b")) == ("opencode", "claude")


def test_the_same_tool_twice_is_refused(seat):
    with pytest.raises(UsageError) as caught:
        seat(proposer="claude:opus", challenger="claude:haiku")
    assert caught.value.lines == ("Proposer and challenger must be different tools.",)


def test_every_named_tool_that_is_missing_is_said_with_its_install_line(seat):
    with pytest.raises(UsageError) as caught:
        seat(vendors("claude", broken=["codex"]), proposer="gemini", challenger="codex", judge="gemini,claude")
    assert caught.value.lines == (
        "gemini is not installed. Install with: install-gemini",
        "(looked for gemini in 3 folders of PATH)",
        "codex cannot be started: /bin/codex is a folder. Install with: install-codex",
    )


def test_fewer_than_two_tools_is_refused_with_what_to_do(seat):
    with pytest.raises(UsageError) as caught:
        seat(vendors("claude", broken=["codex"]))
    lines = caught.value.lines
    assert lines[0] == "Debate requires at least 2 AI CLI tools installed. Found: claude."
    assert "codex: /bin/codex is a folder" in lines
    assert "Install gemini with: install-gemini" in lines
    assert lines[-1].endswith('debate "your topic" --rehearse')
    with pytest.raises(UsageError, match="Found: none"):
        seat(vendors())
    with pytest.raises(UsageError, match="at least 2"):
        seat(vendors("claude"), proposer="claude")


def test_a_seats_own_words_win_over_flags(seat):
    table = seat(
        proposer="claude:opus@low", challenger="gemini", model_proposer="sonnet", model_challenger="flash", effort="max"
    )
    first, second = table.seats
    assert (first.role, first.model, first.effort) == ("proposer", "opus", "low")
    assert (second.role, second.model, second.effort) == ("challenger", "flash", "max")
    assert [s.model for s in seat(tools="claude,gemini", model_challenger="auto").seats] == [None, NO_MODEL]


def test_the_limit_of_a_call_comes_from_the_nearest_word(seat):
    def limits(**how):
        return [s.timeout_s for s in seat(tools="codex,gemini", **how).seats]

    both = "timeout = 60\n[tools.gemini]\ntimeout = 30\n"
    assert limits() == [420, 240]
    assert limits(effort="low") == [240, 240]
    assert limits(config=both) == [60, 30]
    assert limits(config=both, environ={"DEBATE_TIMEOUT": "20"}) == [20, 20]
    assert limits(config=both, timeout=7.5) == [7.5, 7.5]


def test_auto_tries_each_tool_off_the_table_then_both_at_it(seat):
    table = seat(vendors("claude", "gemini", "copilot", "codex"), tools="gemini:flash,claude@low", effort="low")
    assert panels(table) == [
        [("judge-1", "codex")],
        [("judge-1", "copilot")],
        [("judge-1", "gemini"), ("judge-2", "claude")],
    ]
    assert table.judge == "auto"
    assert {s.effort for panel in table.panels for s in panel} == {"high"}
    assert table.panels[-1][0].model == "flash"


def test_named_judges_are_exactly_the_panel(seat):
    table = seat(tools="claude,gemini", judge="codex:x@low, claude,claude")
    assert panels(table) == [[("judge-1", "codex"), ("judge-2", "claude"), ("judge-3", "claude")]]
    assert (table.judge, table.panels[0][0].model, table.panels[0][0].effort) == ("named", "x", "low")
    assert table.notes == ("claude speaks and judges in this debate, as you asked.",)


def test_no_judge_is_no_panel(seat):
    table = seat(judge="none")
    assert (table.panels, table.judge) == ((), "none")


def test_a_rehearsal_needs_nothing_installed(seat):
    them = vendors(scenarios=("plain", "quota", "judge-split"), unready=lambda _t: "no model")
    table = seat(them, rehearse="plain")
    assert tools(table) == ("claude", "gemini")
    assert panels(table) == [[("judge-1", "codex")], [("judge-1", "claude"), ("judge-2", "gemini")]]
    assert tools(seat(them, rehearse="plain", proposer="gemini")) == ("gemini", "claude")
    assert panels(seat(them, rehearse="judge-split")) == [[("judge-1", "claude"), ("judge-2", "gemini")]]
    assert panels(seat(them, rehearse="plain", judge="opencode")) == [[("judge-1", "opencode")]]
    with pytest.raises(UsageError, match=r"Unknown scenario: quotta\. Did you mean quota\?"):
        seat(them, rehearse="quotta")


def test_a_way_of_talking_that_a_tool_does_not_have_is_refused(seat):
    with pytest.raises(UsageError, match="not spoken to by ACP"):
        seat(proposer="claude@acp")
    with pytest.raises(UsageError, match="not reached by an address"):
        seat(proposer="claude@http://127.0.0.1:1")
    both = vendors(*TOOLS, acp=frozenset({"gemini"}))
    assert seat(both, proposer="gemini@acp").seats[0].transport == "acp"
    assert seat(both, "[tools.gemini]\ntransport = 'acp'", proposer="gemini").seats[0].transport == "acp"
    assert seat(both, "[tools.gemini]\ntransport = 'acp'", proposer="gemini@cli").seats[0].transport == "cli"


ACP = {"acp": frozenset(("gemini", "opencode", "copilot", "kiro")), "refused": {"claude": "its agent obeys your rules"}}


def transports(table):
    return [seat.transport for seat in (*table.seats, *(juror for panel in table.panels for juror in panel))]


def test_a_seats_own_transport_wins_over_a_general_wish(seat):
    table = seat(vendors("claude", "gemini", "copilot", **ACP), tools="claude,gemini@acp", judge="copilot")
    assert transports(table) == ["cli", "acp", "cli"]
    table = seat(
        vendors("claude", "gemini", "copilot", **ACP), tools="gemini@cli,copilot", judge="none", transport="acp"
    )
    assert transports(table) == ["cli", "acp"]


def test_who_cannot_follow_a_general_wish_is_reached_by_its_cli_and_it_is_said(seat):
    table = seat(vendors("claude", "gemini", **ACP), tools="claude,gemini", judge="none", transport="acp")
    assert transports(table) == ["cli", "acp"]
    assert "claude is reached by its CLI: its agent obeys your rules." in table.notes


@pytest.mark.parametrize(
    ("tools_", "said"),
    [("claude@acp,gemini", "claude is not spoken to by ACP: its agent obeys"), ("kiro@cli,gemini", "over ACP only")],
)
def test_a_transport_that_a_tool_does_not_have_is_refused_with_the_reason(seat, tools_, said):
    with pytest.raises(UsageError, match=said):
        seat(vendors("claude", "gemini", "kiro", **ACP), tools=tools_, judge="none")


def test_kiro_is_always_spoken_with(seat):
    assert transports(seat(vendors("kiro", "gemini", **ACP), tools="kiro,gemini", judge="none")) == ["acp", "cli"]
